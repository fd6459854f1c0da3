//! Seats that the organiser expires, because their bots will not connect or reconnect.

use crate::script::{Script, rules, seat};
use crate::toy::heap::Heap;
use bridgemaster_referee::*;

fn expire(script: &mut Script<Heap>, number: u8) {
    script.step(Input::Expired {
        seat: seat(number),
        why: "its process ended with exit code 3".to_owned(),
    });
}

fn detail(script: &Script<Heap>) -> &str {
    let mut details = script.records.iter().rev();
    let detail = details.find_map(|record| match &record.entry {
        RecordEntry::Fault { fault, .. } => Some(fault.detail.as_str()),
        _ => None,
    });
    detail.unwrap()
}

#[test]
fn an_expired_bot_loses_its_seat_at_once_and_the_house_takes_over() {
    let mut script = Script::started(rules(2));
    script.disconnect(0);
    assert_eq!(script.faults, []);
    expire(&mut script, 0);
    let fault = (0, FaultReason::Disconnected, FaultAction::Forfeit);
    assert_eq!(script.faults, [fault]);
    let expected = "the organiser expired the seat: its process ended with exit code 3";
    assert_eq!(detail(&script), expected);
    assert_eq!(script.last_decision().decided_by, DecidedBy::House);
    expire(&mut script, 0);
    assert_eq!(script.faults, [fault], "said twice");
}

#[test]
fn a_match_does_not_wait_for_an_expired_bot() {
    for action in [FaultAction::Forfeit, FaultAction::Substitute] {
        let mut rules = rules(2);
        rules.faults.never_connected = action;
        let mut script = Script::new(rules);
        expire(&mut script, 1);
        let fault = (1, FaultReason::NeverConnected, action);
        assert_eq!(script.faults, [fault]);
        assert_eq!(script.referee.phase(), MatchPhase::Waiting);
        script.connect(0, None);
        assert_eq!(script.referee.phase(), MatchPhase::Running);
        assert_eq!(script.faults, [fault], "one fault");
    }
}

#[test]
fn an_expired_bot_may_still_connect_if_the_rules_allow_it() {
    let mut rules = rules(2);
    rules.faults.disconnected = FaultAction::Substitute;
    let mut script = Script::new(rules);
    script.connect(0, None);
    script.disconnect(0);
    expire(&mut script, 0);
    script.connect(1, None);
    assert_eq!(script.referee.phase(), MatchPhase::Running);
    script.connect(0, None);
    let state = script.referee.seat_info(seat(0)).unwrap().state;
    assert_eq!(state, SeatState::Connected);
}

#[test]
fn a_connected_bot_cannot_be_expired() {
    let mut script = Script::started(rules(2));
    expire(&mut script, 0);
    assert_eq!(script.faults, []);
}
