//! Every fault with every action.

use crate::script::{Script, ShortMessage, rules, seat};
use crate::toy::heap::{Heap, Take};
use FaultAction::{Forfeit, Refuse, Strike, Substitute};
use bridgemaster_games::ScoreLine;
use bridgemaster_referee::*;

fn started_with(change: impl FnOnce(&mut MatchRules<Heap>)) -> Script<Heap> {
    let mut rules = rules::<Heap>(3);
    rules.config.stones = Some(40);
    change(&mut rules);
    Script::started(rules)
}

/// Checks that no seat except 0 is affected.
fn assert_others_unaffected(script: &Script<Heap>) {
    assert!(script.faults.iter().all(|(number, ..)| *number == 0), "{:?}", script.faults);
    for number in 1..3 {
        assert_eq!(script.strikes(number), 0);
        assert_eq!(script.state(number), SeatState::Connected);
        assert_eq!(script.closed(number), None);
    }
}

/// A fault, and the actions of seat 0 that commit it.
type FaultCase = (FaultReason, fn(&mut Script<Heap>));

const MESSAGE_FAULTS: [FaultCase; 5] = [
    (FaultReason::Illegal, |script| script.decide(0, 1, Take(9))),
    (FaultReason::Illegal, |script| script.answer_index(0, 1, 3)),
    (FaultReason::Illegal, |script| {
        script.step(Input::BadAnswer {
            seat: seat(0),
            request_id: 1,
            field: "decision.heap".to_owned(),
            detail: "missing".to_owned(),
        });
    }),
    (FaultReason::Flood, |script| {
        for _ in 0..MAX_USELESS_MESSAGES {
            script.step(Input::Useless { seat: seat(0) });
        }
    }),
    (FaultReason::Garbage, |script| {
        script.step(Input::Garbage { seat: seat(0), detail: "no message".to_owned() });
    }),
];

fn set_action(rules: &mut MatchRules<Heap>, reason: FaultReason, action: FaultAction) {
    match reason {
        FaultReason::Illegal => rules.faults.illegal = action,
        FaultReason::Late => rules.faults.late = action,
        FaultReason::Disconnected => rules.faults.disconnected = action,
        FaultReason::NeverConnected => rules.faults.never_connected = action,
        FaultReason::Flood => rules.faults.flood = action,
        FaultReason::Garbage => rules.faults.garbage = action,
        FaultReason::Resigned => {}
    }
}

#[test]
fn refuse_and_strike_leave_the_request_open() {
    for (reason, commit) in MESSAGE_FAULTS {
        for action in [Refuse, Strike] {
            let mut script = started_with(|rules| set_action(rules, reason, action));
            commit(&mut script);
            assert_eq!(script.faults, [(0, reason, action)]);
            assert_eq!(script.strikes(0), u32::from(action == Strike));
            assert_eq!(script.decisions(), []);
            assert_others_unaffected(&script);
            let messages: Vec<_> = script.messages(1);
            let is_reported = messages
                .iter()
                .any(|message| matches!(message, ShortMessage::Status(0, _, Some(_))));
            assert_eq!(is_reported, action == Strike, "{messages:?}");
            if reason == FaultReason::Garbage {
                assert_eq!(script.closed(0), Some(CloseReason::Garbage));
                assert_eq!(script.state(0), SeatState::Paused);
                script.connect(0, Some(2));
            }
            script.answer_index(0, 1, 0);
            assert_eq!(script.decisions(), [(0, DecidedBy::Bot, 1)], "{reason} {action}");
        }
    }
}

#[test]
fn substitute_lets_the_house_decide_the_request() {
    for (reason, commit) in MESSAGE_FAULTS {
        let mut script = started_with(|rules| set_action(rules, reason, Substitute));
        commit(&mut script);
        assert_eq!(script.faults, [(0, reason, Substitute)]);
        assert_eq!(script.decisions(), [(0, DecidedBy::House, 1)]);
        assert_others_unaffected(&script);
        assert_eq!(script.messages(1).last(), Some(&ShortMessage::Request(1)));
    }
}

#[test]
fn forfeit_lets_the_house_play_the_seat_to_the_end() {
    let message_faults = MESSAGE_FAULTS.into_iter();
    let others: [FaultCase; 3] = [
        (FaultReason::Late, |script| assert!(script.tick_at_deadline())),
        (FaultReason::Disconnected, |script| {
            script.disconnect(0);
            script.tick_at_deadline();
        }),
        (FaultReason::Resigned, |script| {
            script.step(Input::Resign { seat: seat(0) });
        }),
    ];
    for (reason, commit) in message_faults.chain(others) {
        let mut script = started_with(|rules| set_action(rules, reason, Forfeit));
        commit(&mut script);
        assert_eq!(script.faults, [(0, reason, Forfeit)]);
        let expected =
            (reason != FaultReason::Disconnected).then_some(CloseReason::Forfeited(reason));
        assert_eq!(script.closed(0), expected);
        assert_eq!(script.decisions(), [(0, DecidedBy::House, 1)]);
        assert_others_unaffected(&script);
        for number in 1..3 {
            let status = ShortMessage::Status(0, SeatState::Forfeited, Some(reason));
            assert!(script.messages(number).contains(&status));
        }
        for request_id in 1.. {
            if script.referee.phase() == MatchPhase::Ended {
                break;
            }
            script.answer_index(1, request_id, 2);
            script.answer_index(2, request_id, 2);
        }
        let result = script.result();
        let forfeits: Vec<_> = result.seats.iter().map(|seat| seat.forfeit).collect();
        assert_eq!(forfeits, [Some(reason), None, None]);
        assert_eq!(result.seats[0].place, 3);
        assert_eq!(result.seats[0].fault_count, 1);
        assert!(!result.seats[0].faults[0].detail.is_empty());
        assert!(result.seats[0].house_decisions > 1);
        assert!(result.seats[1..].iter().all(|seat| seat.fault_count == 0 && seat.place < 3));
    }
}

#[test]
fn a_forfeited_seat_is_sent_the_reason_before_its_stream_is_closed() {
    let mut script = started_with(|rules| rules.faults.illegal = Forfeit);
    script.decide(0, 1, Take(9));
    assert_eq!(
        script.messages(0),
        [
            ShortMessage::Rejected(1, RejectionReason::IllegalDecision, 0),
            ShortMessage::Status(0, SeatState::Forfeited, Some(FaultReason::Illegal)),
        ]
    );
    let last_send = script
        .last
        .iter()
        .rposition(|output| matches!(output, Output::Send { seat, .. } if seat.number() == 0));
    let close = script
        .last
        .iter()
        .position(|output| matches!(output, Output::Close { seat, .. } if seat.number() == 0));
    assert!(last_send < close);
}

#[test]
fn an_illegal_answer_is_rejected_with_reason_field_and_valid_values() {
    let mut script = started_with(|rules| rules.faults.illegal = Strike);
    script.decide(0, 1, Take(9));
    assert_eq!(
        *script.rejection(0),
        Rejection {
            request_id: 1,
            reason: RejectionReason::IllegalDecision,
            field: "decision".to_owned(),
            detail: "stones: 9 is not legal; 1 to 3 is".to_owned(),
            open_request_id: 1,
            strikes: 1,
        }
    );
    script.answer_index(0, 1, 3);
    let rejection = script.rejection(0);
    assert_eq!(rejection.reason, RejectionReason::IndexOutOfRange);
    assert_eq!(rejection.field, "index");
    assert_eq!(rejection.detail, "index 3 is out of range; the legal list has 0 to 2");
    assert_eq!(rejection.strikes, 2);
}

#[test]
fn the_last_strike_forfeits_for_any_fault() {
    let mut script = started_with(|rules| rules.faults.strikes_to_forfeit = 3);
    script.decide(0, 1, Take(9));
    script.tick_at_deadline();
    assert_eq!(script.decisions(), [(0, DecidedBy::House, 1)], "a late strike substitutes");
    script.answer_index(1, 1, 0);
    script.answer_index(2, 1, 0);
    script.step(Input::Garbage { seat: seat(0), detail: "noise".to_owned() });
    assert_eq!(
        script.faults,
        [
            (0, FaultReason::Illegal, Strike),
            (0, FaultReason::Late, Strike),
            (0, FaultReason::Garbage, Forfeit),
        ]
    );
    assert_eq!(script.closed(0), Some(CloseReason::Forfeited(FaultReason::Garbage)));
    assert_eq!(script.strikes(0), 3);
    assert_others_unaffected(&script);
}

#[test]
fn a_lost_stream_with_substitute_or_strike_lets_the_house_decide_until_the_bot_is_back() {
    for action in [Substitute, Strike] {
        let mut script = started_with(|rules| rules.faults.disconnected = action);
        script.disconnect(0);
        script.tick_at_deadline();
        assert_eq!(script.faults, [(0, FaultReason::Disconnected, action)]);
        assert_eq!(script.strikes(0), u32::from(action == Strike));
        assert_eq!(script.decisions(), [(0, DecidedBy::House, 1)]);
        script.answer_index(1, 1, 0);
        script.answer_index(2, 1, 0);
        assert_eq!(script.decisions().last(), Some(&(0, DecidedBy::House, 0)));
        script.wait_ms(1000).connect(0, None);
        script.answer_index(1, 2, 0);
        script.answer_index(2, 2, 0);
        assert_eq!(script.messages(0), [ShortMessage::Request(2)]);
        assert_eq!(script.faults.iter().filter(|(number, ..)| *number == 0).count(), 1);
        script.disconnect(0);
        script.tick_at_deadline();
        assert_eq!(
            script.faults.last(),
            Some(&(0, FaultReason::Disconnected, action)),
            "each loss counts"
        );
    }
}

#[test]
fn a_bot_that_reconnects_learns_of_its_own_fault() {
    let mut script = started_with(|rules| rules.faults.disconnected = Strike);
    script.disconnect(0);
    script.tick_at_deadline();
    script.connect(0, Some(1));
    let reason = Some(FaultReason::Disconnected);
    let own = ShortMessage::Status(0, SeatState::Connected, reason);
    let messages = script.messages(0);
    assert!(messages.contains(&own), "{messages:?}");
}

#[test]
fn useless_messages_beyond_the_limit_are_a_flood() {
    let mut script = started_with(|_| {});
    for count in 1..=MAX_USELESS_MESSAGES {
        assert!(script.faults.is_empty(), "after {count}");
        script.answer_index(1, 7, 0);
        assert_eq!(
            script.messages(1)[0],
            ShortMessage::Rejected(7, RejectionReason::UnknownRequest, 0)
        );
    }
    assert_eq!(script.faults, [(1, FaultReason::Flood, Forfeit)]);
    assert_eq!(script.closed(1), Some(CloseReason::Forfeited(FaultReason::Flood)));
}

#[test]
fn faults_without_a_cost_are_counted_but_only_some_are_recorded() {
    let mut script = started_with(|rules| {
        rules.faults.illegal = Refuse;
        rules.faults.flood = Refuse;
    });
    for _ in 0..1000 {
        script.answer_index(0, 1, 99);
    }
    assert_eq!(script.faults.len(), MAX_RECORDED_FAULTS);
    script.step(Input::Resign { seat: seat(0) });
    assert_eq!(script.faults.last(), Some(&(0, FaultReason::Resigned, Forfeit)));
    script.run_to_end();
    let result = &script.result().seats[0];
    assert_eq!(result.faults.len(), MAX_RECORDED_FAULTS + 1);
    assert_eq!(result.fault_count, 1000 + 1000 / MAX_USELESS_MESSAGES + 1);
    assert_eq!(result.forfeit, Some(FaultReason::Resigned));
}

#[test]
fn a_bot_that_reconnects_endlessly_cannot_fill_the_records() {
    let mut script = Script::<Heap>::new(rules(2));
    for _ in 0..MAX_SEAT_RECORDS {
        script.connect(0, None);
        script.disconnect(0);
    }
    assert_eq!(script.records.len(), MAX_SEAT_RECORDS as usize);
}

#[test]
fn forfeited_seats_share_the_places_behind_all_others() {
    let mut rules = rules::<Heap>(4);
    rules.config.stones = Some(20);
    let mut script = Script::started(rules);
    script.answer_index(0, 1, 2);
    script.answer_index(1, 1, 0);
    script.answer_index(2, 1, 1);
    script.answer_index(3, 1, 0);
    script.step(Input::Resign { seat: seat(0) });
    script.step(Input::Resign { seat: seat(2) });
    script.tick();
    while script.referee.phase() == MatchPhase::Running {
        for number in [1, 3] {
            let request_id = (2..20).find(|id| {
                let info = script.referee.public_decisions();
                script.answer_index(number, *id, 0);
                script.referee.public_decisions() != info
            });
            if request_id.is_none() {
                break;
            }
        }
    }
    let result = script.result();
    let places: Vec<_> = result.seats.iter().map(|seat| seat.place).collect();
    assert_eq!((places[0], places[2]), (3, 3));
    assert!(places[1] <= 2 && places[3] <= 2);
    for seat in &result.seats {
        assert_eq!(seat.breakdown, [ScoreLine { category: "stones", points: seat.score }]);
        let better = result.seats.iter().filter(|other| other.score > seat.score).count();
        assert_eq!(usize::from(seat.place_by_score), better + 1);
    }
}

#[test]
fn when_the_last_seat_forfeits_the_house_finishes_the_match_at_once() {
    let mut script = started_with(|_| {});
    for number in [1, 2, 0] {
        assert_eq!(script.referee.phase(), MatchPhase::Running);
        script.step(Input::Resign { seat: seat(number) });
    }
    assert_eq!(script.referee.phase(), MatchPhase::Ended);
    assert_eq!(script.referee.deadline(), None);
    assert!(script.result().seats.iter().all(|seat| seat.place == 1));
    assert!(matches!(script.last.last(), Some(Output::Ended)));
}
