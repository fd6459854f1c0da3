//! Tests of requests and answers, forced decisions, the house, events and results.

use crate::script::{Script, ShortMessage, bot, rules, seat};
use crate::toy::{
    hands::{Hand, Hands, HandsConfig, HandsEvent, Prize},
    heap::{Heap, HeapConfig, Take},
};
use bridgemaster_games::{ChanceStream, Rules, Seed};
use bridgemaster_referee::*;

fn heap(stones: u8, most: u8) -> MatchRules<Heap> {
    let mut rules = rules::<Heap>(2);
    rules.config = HeapConfig { stones: Some(stones), most };
    rules
}

#[test]
fn a_match_is_played_to_its_result() {
    let mut script = Script::started(heap(6, 3));
    script.answer_index(0, 1, 2);
    assert_eq!(script.numbered_messages(1), [(2, ShortMessage::Request(1))]);
    script.decide(1, 1, Take(1));
    assert_eq!(script.numbered_messages(0), [(3, ShortMessage::Request(2))]);
    script.wait_ms(70).answer_index(0, 2, 1);
    let result = script.result();
    assert_eq!((result.decisions, result.duration_ms), (3, 70));
    let [first, second] = &result.seats[..] else { panic!("two seats") };
    assert_eq!((first.place, first.place_by_score, first.score), (1, 1, 5));
    assert_eq!((second.place, second.place_by_score, second.score), (2, 2, 1));
    assert_eq!((first.bot.clone(), second.bot.clone()), (Some(bot(0)), Some(bot(1))));
    assert_eq!((first.forfeit, first.fault_count, first.house_decisions), (None, 0, 0));
    assert_eq!(script.decisions().len(), 3);
}

#[test]
fn the_referee_plays_decisions_that_have_one_legal_answer() {
    let mut script = Script::started(heap(4, 3));
    script.answer_index(0, 1, 2);
    assert_eq!(script.referee.phase(), MatchPhase::Ended);
    assert_eq!(script.decisions(), [(0, DecidedBy::Bot, 1), (1, DecidedBy::Referee, 0)]);
    assert_eq!(script.result().seats[1].forced_decisions, 1);
    assert_eq!(script.result().seats[0].forced_decisions, 0);
}

#[test]
fn a_match_of_forced_decisions_only_ends_as_it_starts() {
    let mut script = Script::new(heap(5, 1));
    script.connect(0, None);
    script.connect(1, None);
    assert_eq!(script.messages(1), [ShortMessage::Started, ShortMessage::Ended]);
    assert_eq!(script.referee.phase(), MatchPhase::Ended);
}

impl Script<Heap> {
    fn ask_forced(stones: u8) -> Self {
        let mut rules = heap(stones, 3);
        rules.ask_forced = true;
        Self::started(rules)
    }
}

#[test]
fn with_ask_forced_bots_are_requested_to_make_forced_decisions_too() {
    let mut script = Script::ask_forced(4);
    script.answer_index(0, 1, 2);
    assert_eq!(script.messages(1), [ShortMessage::Request(1)]);
    script.answer_index(1, 1, 0);
    assert_eq!(script.decisions().last(), Some(&(1, DecidedBy::Bot, 1)));
    assert_eq!(script.result().seats[1].forced_decisions, 0);
}

#[test]
fn full_decisions_beyond_a_truncated_list_are_accepted() {
    let mut script = Script::started(heap(30, 9));
    let content = &script.request(0).content;
    assert!(content.cut);
    assert_eq!(content.legal.len(), Heap::LEGAL_CAP);
    script.decide(0, 1, Take(9));
    assert_eq!(script.decisions(), [(0, DecidedBy::Bot, 1)]);
    script.answer_index(1, 1, 4);
    assert_eq!(script.rejection(1).reason, RejectionReason::IndexOutOfRange);
    script.decide(1, 1, Take(10));
    assert_eq!(script.rejection(1).reason, RejectionReason::IllegalDecision);
}

#[test]
fn a_complete_list_is_not_marked_as_truncated() {
    let script = Script::started(heap(30, 4));
    assert!(!script.request(0).content.cut);
}

#[test]
fn a_note_is_recorded_with_its_decision_or_dropped_if_it_exceeds_the_budget() {
    let mut script = Script::started(heap(30, 3));
    let mut request_ids = [0; 2];
    let mut answer = |script: &mut Script<Heap>, number: u8, note: &str| {
        let request_id = &mut request_ids[usize::from(number)];
        *request_id += 1;
        script.step(Input::Answer {
            seat: seat(number),
            request_id: *request_id,
            answer: Answer::Index(0),
            note: note.to_owned(),
        });
        script.last_decision().note.clone()
    };
    let left = |script: &Script<Heap>, number| {
        let room = script.referee.note_budget(seat(number)).unwrap();
        room.remaining_bytes()
    };
    assert_eq!(answer(&mut script, 0, "two are left"), "two are left");
    assert_eq!(left(&script, 0), 32 * 1024 - 12);
    assert_eq!(left(&script, 1), 32 * 1024, "each seat has its own part");
    // Sending the same answer again changes nothing, even with a different note.
    script.step(Input::Answer {
        seat: seat(0),
        request_id: 1,
        answer: Answer::Index(0),
        note: "three are left".to_owned(),
    });
    assert_eq!(script.messages(0), []);
    assert_eq!(left(&script, 0), 32 * 1024 - 12);
    assert_eq!(answer(&mut script, 1, &"n".repeat(MAX_NOTE_BYTES + 1)), "");
    assert_eq!(left(&script, 1), 32 * 1024);
}

#[test]
fn chance_results_have_their_own_streams_and_are_recorded_before_the_next_request() {
    let mut rules = rules::<Hands>(2);
    rules.config = HandsConfig { rounds: 2, first_settles: false, draws_prizes: true };
    let mut script = Script::started(rules);
    let drawn = |stream| Prize(ChanceStream::new(&Seed::from(7), stream).below(2) as u8);
    let mut expected = vec![0, 0];
    for (request_id, stream) in [(1, 1), (2, 0)] {
        script.decide(0, request_id, Hand::Rock);
        script.decide(1, request_id, Hand::Rock);
        let prize = drawn(stream);
        expected[usize::from(prize.0)] += 1;
        let Some(RecordEntry::Chance(record)) = script.records.last().map(|last| &last.entry)
        else {
            panic!("the last record is the chance result");
        };
        assert_eq!((record.stream, record.chance), (stream, prize));
        assert_eq!(record.events, [HandsEvent::PrizeDrawn(prize)]);
        if request_id == 1 {
            let content = &script.request(0).content;
            assert_eq!(content.observation.points, expected);
            assert_eq!(content.events.last(), Some(&HandsEvent::PrizeDrawn(prize)));
        }
    }
    let scores: Vec<i32> = script.result().seats.iter().map(|seat| seat.score).collect();
    assert_eq!(scores, expected);
}

#[test]
fn the_house_has_its_own_random_stream_per_seat() {
    let mut rules = heap(255, 4);
    rules.seed = Seed::from(99);
    let mut script = Script::started(rules);
    script.step(Input::Resign { seat: seat(1) });
    for request_id in 1..=15 {
        script.answer_index(0, request_id, 0);
    }
    let drawn: Vec<u32> = script
        .records
        .iter()
        .filter_map(|record| match &record.entry {
            RecordEntry::Decision(record) if record.decided_by == DecidedBy::House => {
                Some(u32::from(record.decision.0) - 1)
            }
            _ => None,
        })
        .collect();
    let mut stream = ChanceStream::new(&Seed::from(99), u64::MAX - 1);
    let expected: Vec<u32> = (0..15).map(|_| stream.below(4)).collect();
    assert_eq!(drawn, expected);
}

#[test]
fn debug_output_shows_neither_state_nor_setup() {
    let script = Script::started(heap(213, 3));
    let text = format!("{:?}", script.referee);
    assert!(text.contains("Referee"));
    assert!(!text.contains("taken"), "{text}");
}
