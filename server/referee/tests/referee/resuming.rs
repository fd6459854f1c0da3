//! Streams that are lost and replaced.

use crate::script::{Script, ShortMessage, bot, rules, seat};
use crate::toy::heap::Heap;
use bridgemaster_referee::*;

fn started() -> Script<Heap> {
    let mut rules = rules::<Heap>(3);
    rules.config.stones = Some(200);
    rules.faults.flood = FaultAction::Refuse;
    Script::started(rules)
}

#[test]
fn a_bot_gets_the_messages_after_its_last_sequence_number() {
    let mut script = started();
    script.answer_index(0, 7, 0);
    script.disconnect(0);
    for (last, expected) in [
        (0, vec![(1, ShortMessage::Started), (2, ShortMessage::Request(1)), (3, rejected())]),
        (1, vec![(2, ShortMessage::Request(1)), (3, rejected())]),
        (2, vec![(3, rejected())]),
        (3, vec![]),
    ] {
        script.connect(0, Some(last));
        assert_eq!(script.numbered_messages(0), expected, "after {last}");
        script.disconnect(0);
    }
}

fn rejected() -> ShortMessage {
    ShortMessage::Rejected(7, RejectionReason::UnknownRequest, 1)
}

#[test]
fn the_open_request_is_sent_again_with_the_remaining_time() {
    let mut script = started();
    script.hand_over(0, 1);
    let deadline = script.referee.deadline();
    script.wait_ms(1500).disconnect(0);
    script.wait_ms(2000).connect(0, Some(1));
    assert_eq!(script.numbered_messages(0), [(2, ShortMessage::Request(1))]);
    let clock = script.request(0).clock;
    assert_eq!((clock.decision_left_ms, clock.bank_left_ms), (6500, 56_500));
    script.hand_over(0, 1);
    assert_eq!(script.referee.deadline(), deadline);
    assert!(script.is_first_request());
}

impl Script<Heap> {
    fn is_first_request(&mut self) -> bool {
        self.connect(0, Some(1));
        let request = self.request(0);
        request.content.legal.len() == 3 && request.content.events.len() == 1
    }
}

#[test]
fn a_bot_that_starts_over_gets_the_start_and_the_open_request_under_their_numbers() {
    let mut script = started();
    script.answer_index(0, 7, 0);
    script.disconnect(0);
    script.connect(0, None);
    assert_eq!(
        script.numbered_messages(0),
        [(1, ShortMessage::Started), (2, ShortMessage::Request(1))]
    );
    script.answer_index(0, 1, 0);
    script.answer_index(1, 1, 0);
    script.answer_index(2, 1, 0);
    assert_eq!(
        script.numbered_messages(0),
        [(4, ShortMessage::Request(2))],
        "new messages continue the numbering"
    );
}

#[test]
fn messages_acknowledged_by_an_accepted_answer_are_not_retained() {
    let mut script = started();
    script.answer_index(0, 1, 0);
    script.answer_index(1, 1, 0);
    script.answer_index(2, 1, 0);
    script.connect(0, Some(1));
    assert_eq!(
        script.numbered_messages(0),
        [(1, ShortMessage::Started), (3, ShortMessage::Request(2))],
        "as for a bot that starts over"
    );
    script.connect(0, Some(2));
    assert_eq!(script.numbered_messages(0), [(3, ShortMessage::Request(2))]);
}

#[test]
fn seat_changes_that_a_bot_missed_are_sent_once_in_their_current_state() {
    let mut script = started();
    script.disconnect(1);
    for _ in 0..5 {
        script.disconnect(0);
        script.connect(0, Some(2));
    }
    script.step(Input::Resign { seat: seat(2) });
    script.connect(1, Some(1));
    assert_eq!(
        script.numbered_messages(1),
        [
            (2, ShortMessage::Status(0, SeatState::Connected, None)),
            (3, ShortMessage::Status(2, SeatState::Forfeited, Some(FaultReason::Resigned))),
        ]
    );
}

#[test]
fn another_bot_that_takes_over_is_reported_to_the_others_and_recorded() {
    let mut script = started();
    script.step(Input::Connected { seat: seat(0), bot: bot(9), last_sequence: None });
    assert_eq!(script.messages(1), [ShortMessage::Status(0, SeatState::Connected, None)]);
    let last = script.records.last().unwrap();
    assert!(matches!(&last.entry, RecordEntry::Seat(info) if info.bot == Some(bot(9))));
}

#[test]
fn a_request_that_was_decided_meanwhile_is_sent_again_without_time() {
    let mut script = started();
    script.tick_at_deadline();
    script.connect(0, Some(1));
    assert_eq!(
        script.numbered_messages(0),
        [
            (2, ShortMessage::Request(1)),
            (3, ShortMessage::Status(0, SeatState::Connected, Some(FaultReason::Late))),
        ]
    );
    assert_eq!(script.request(0).clock.decision_left_ms, 0);
    script.answer_index(0, 1, 0);
    assert_eq!(script.messages(0), [ShortMessage::Rejected(1, RejectionReason::StaleRequest, 0)]);
}

#[test]
fn a_bot_that_missed_more_than_is_retained_starts_over() {
    let mut script = started();
    for _ in 0..MAX_RETAINED_MESSAGES {
        script.answer_index(0, 7, 0);
    }
    script.connect(0, Some(1));
    assert_eq!(
        script.numbered_messages(0),
        [(1, ShortMessage::Started), (2, ShortMessage::Request(1))]
    );
    script.connect(0, Some(2));
    assert_eq!(script.numbered_messages(0).len(), MAX_RETAINED_MESSAGES);
}

#[test]
fn a_bot_that_missed_the_end_receives_it_when_it_reconnects() {
    for last_sequence in [None, Some(1)] {
        let mut script = started();
        script.disconnect(1);
        script.step(Input::Resign { seat: seat(0) });
        script.step(Input::Resign { seat: seat(2) });
        script.run_to_end();
        assert_eq!(script.result().seats[1].forfeit, Some(FaultReason::Disconnected));
        script.connect(1, last_sequence);
        assert_eq!(
            script.closed(1),
            Some(CloseReason::Forfeited(FaultReason::Disconnected)),
            "forfeited meanwhile"
        );

        let mut rules = rules::<Heap>(2);
        rules.config.stones = Some(3);
        let mut script = Script::started(rules);
        script.disconnect(1);
        script.answer_index(0, 1, 2);
        script.connect(1, last_sequence);
        let mut expected = vec![(2, ShortMessage::Ended)];
        if last_sequence.is_none() {
            expected.insert(0, (1, ShortMessage::Started));
        }
        assert_eq!(script.numbered_messages(1), expected);
        assert_eq!(script.closed(1), Some(CloseReason::MatchEnded));
        script.connect(1, Some(2));
        assert_eq!(script.numbered_messages(1), []);
        script.connect(1, None);
        assert_eq!(
            script.numbered_messages(1),
            [(1, ShortMessage::Started), (2, ShortMessage::Ended)]
        );
    }
}

#[test]
fn a_bot_that_started_over_and_lost_its_stream_learns_the_current_state_of_other_seats() {
    let mut script = Script::<Heap>::started(rules(3));
    script.disconnect(1);
    script.connect(1, Some(1));
    script.disconnect(0);
    script.disconnect(1);
    script.connect(0, None);
    // It received only the start.
    script.disconnect(0);
    script.connect(0, Some(1));
    let messages = script.messages(0);
    let of_seat_1 = |message: &&ShortMessage| matches!(message, ShortMessage::Status(1, ..));
    assert_eq!(
        messages.iter().rfind(of_seat_1),
        Some(&ShortMessage::Status(1, SeatState::Paused, None)),
        "{messages:?}"
    );
}
