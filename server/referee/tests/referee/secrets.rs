//! A fault reveals nothing to other seats while it is secret who has decided.

use crate::script::{Script, ShortMessage, rules, seat};
use crate::toy::{hands::Hands, heap::Heap};
use bridgemaster_referee::*;

/// An index that is out of range for every request.
const ILLEGAL: u32 = 9;

/// Three seats that choose at the same time.
fn secret_choices() -> Script<Hands> {
    Script::started(rules::<Hands>(3))
}

/// The public state and strikes of a seat.
fn public_state(script: &Script<Hands>, number: usize) -> (SeatState, u32) {
    let info = script.referee.public_seats().nth(number).unwrap();
    (info.state, info.strikes)
}

#[test]
fn an_illegal_answer_is_reported_to_the_others_with_the_next_event() {
    let mut script = secret_choices();
    script.answer_index(0, 1, 0);
    let changes = script.referee.public_changes();
    script.answer_index(1, 1, ILLEGAL);
    let struck = ShortMessage::Status(1, SeatState::Connected, Some(FaultReason::Illegal));
    assert!(script.messages(1).contains(&struck));
    assert_eq!(script.messages(0), []);
    assert_eq!(script.messages(2), []);
    assert_eq!(script.strikes(1), 1);
    assert_eq!(public_state(&script, 1), (SeatState::Connected, 0));
    assert_eq!(script.referee.public_changes(), changes);
    script.answer_index(1, 1, 0);
    assert_eq!(script.messages(0), []);
    script.answer_index(2, 1, 0);
    assert_eq!(script.messages(0), [struck.clone(), ShortMessage::Request(2)]);
    assert_eq!(script.messages(2), [struck, ShortMessage::Request(2)]);
    assert_eq!(script.messages(1), [ShortMessage::Request(2)]);
    assert_eq!(public_state(&script, 1), (SeatState::Connected, 1));
    assert!(script.referee.public_changes() > changes);
}

#[test]
fn a_seat_that_forfeits_in_secret_appears_to_be_thinking() {
    let mut rules = rules::<Hands>(3);
    rules.faults.late = FaultAction::Forfeit;
    let mut script = Script::started(rules);
    for number in 0..3 {
        script.hand_over(number, 1);
    }
    script.answer_index(0, 1, 0);
    script.step(Input::Resign { seat: seat(1) });
    let resigned = FaultReason::Resigned;
    assert_eq!(script.closed(1), Some(CloseReason::Forfeited(resigned)));
    assert_eq!(script.messages(0), []);
    assert_eq!(public_state(&script, 1), (SeatState::Connected, 0));
    // The last seat is late, which ends the round, so both forfeits are public.
    script.tick_at_deadline();
    let gone = |number, reason| ShortMessage::Status(number, SeatState::Forfeited, Some(reason));
    let messages = script.messages(0);
    assert_eq!(messages[..2], [gone(1, resigned), gone(2, FaultReason::Late)]);
    assert_eq!(public_state(&script, 1).0, SeatState::Forfeited);
}

#[test]
fn a_lost_stream_is_reported_at_once_but_not_the_strike_for_it() {
    let mut script = secret_choices();
    script.step(Input::Garbage { seat: seat(1), detail: String::new() });
    assert_eq!(script.messages(0), [ShortMessage::Status(1, SeatState::Paused, None)]);
    assert_eq!(script.strikes(1), 1);
    assert_eq!(public_state(&script, 1), (SeatState::Paused, 0));
}

#[test]
fn a_reconnected_bot_learns_no_more_than_the_others() {
    for last_sequence in [None, Some(2)] {
        let mut script = secret_choices();
        script.disconnect(0);
        script.answer_index(1, 1, ILLEGAL);
        script.connect(0, last_sequence);
        let is_about_seat_1 =
            |message: &ShortMessage| matches!(message, ShortMessage::Status(1, ..));
        assert!(!script.messages(0).iter().any(is_about_seat_1));
        for output in &script.last {
            if let Output::Send { seat: to, message: SeatMessage::Started(started), .. } = output {
                assert_eq!((*to, started.seats[1].strikes), (seat(0), 0));
            }
        }
        script.disconnect(1);
        script.connect(1, None);
        let own = script.last.iter().find_map(|output| match output {
            Output::Send { message: SeatMessage::Started(started), .. } => {
                Some(started.seats[1].strikes)
            }
            _ => None,
        });
        assert_eq!(own, Some(1), "a seat knows all about itself");
    }
}

#[test]
fn after_a_restart_a_seat_that_forfeited_in_secret_appears_disconnected_like_all_others() {
    let mut script = secret_choices();
    script.step(Input::Resign { seat: seat(1) });
    script.restart();
    for number in 0..3 {
        assert_eq!(public_state(&script, number), (SeatState::Paused, 0));
    }
    assert_eq!(script.state(1), SeatState::Forfeited);
}

#[test]
fn if_seats_take_turns_a_fault_is_reported_at_once() {
    let mut script = Script::started(rules::<Heap>(2));
    assert!(!script.referee.is_secret_who_decided());
    script.answer_index(0, 1, ILLEGAL);
    let struck = ShortMessage::Status(0, SeatState::Connected, Some(FaultReason::Illegal));
    assert_eq!(script.messages(1), [struck]);
}

#[test]
fn a_chance_result_with_an_event_makes_the_decisions_before_it_public() {
    let mut rules = rules::<Hands>(2);
    rules.config.draws_prizes = true;
    let mut script = Script::started(rules);
    script.answer_index(0, 1, 0);
    assert_eq!(script.referee.public_decisions(), 0);
    script.answer_index(1, 1, 0);
    assert_eq!(script.referee.public_decisions(), 2);
}
