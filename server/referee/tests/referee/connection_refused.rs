//! Connections that the server refuses at capacity: the time until it accepts them is not charged.

use crate::script::{Script, rules, seat};
use crate::toy::heap::Heap;
use bridgemaster_referee::*;

fn long_rules() -> MatchRules<Heap> {
    let mut rules = rules::<Heap>(2);
    rules.config.stones = Some(200);
    rules.clock.time_control = "60+0.5/5".parse().unwrap();
    rules.clock.reconnect_ms = 3_000;
    rules
}

fn turn_away(script: &mut Script<Heap>, number: u8) {
    script.step(Input::ConnectionRefused { seat: seat(number) });
}

#[test]
fn a_refused_bot_loses_neither_its_seat_nor_time_until_it_is_accepted() {
    let mut script = Script::started(long_rules());
    script.hand_over(0, 1);
    script.wait_ms(1_000).disconnect(0);
    script.wait_ms(500);
    turn_away(&mut script, 0);
    for _ in 0..4 {
        script.wait_ms(50_000).tick();
        turn_away(&mut script, 0);
    }
    assert_eq!(script.faults, []);
    script.wait_ms(20_000).connect(0, Some(2));
    let clock = script.referee.clock_reading(seat(0), script.now).unwrap();
    assert_eq!(
        clock.decision_left_ms, 3_500,
        "the bot is charged for its own time before the connection"
    );
    script.hand_over(0, 1);
    script.wait_ms(500).answer_index(0, 1, 0);
    assert_eq!(script.last_decision().charge.unwrap().charged_us, 2_000_000);
    assert_eq!(script.faults, []);
}

#[test]
fn a_refused_bot_that_does_not_retry_is_disconnected_after_the_grace_time() {
    let mut script = Script::started(long_rules());
    script.hand_over(0, 1);
    script.disconnect(0);
    turn_away(&mut script, 0);
    let grace_ends = script.now.plus_ms(RESTART_GRACE_MS);
    assert_eq!(script.referee.deadline(), Some(grace_ends));
    script.tick_at_deadline();
    let fault = (0, FaultReason::Disconnected, FaultAction::Forfeit);
    assert_eq!(script.faults, [fault]);
}

#[test]
fn a_refusal_after_the_deadline_does_not_undo_the_fault() {
    let mut script = Script::started(long_rules());
    script.disconnect(0);
    script.wait_ms(3_000);
    turn_away(&mut script, 0);
    assert_eq!(script.faults[0].1, FaultReason::Disconnected);
}

#[test]
fn a_seat_with_a_stream_gains_no_time_from_a_refused_connection() {
    let mut script = Script::started(long_rules());
    script.hand_over(0, 1);
    let deadline = script.referee.deadline();
    turn_away(&mut script, 0);
    assert_eq!(script.referee.deadline(), deadline);
}

#[test]
fn a_match_waits_longer_for_a_bot_that_was_refused_before_the_start() {
    let mut rules = long_rules();
    rules.clock.startup_ms = 2_000;
    let mut script = Script::new(rules);
    script.connect(0, None);
    script.wait_ms(1_500);
    turn_away(&mut script, 1);
    let until = script.now.plus_ms(RESTART_GRACE_MS);
    assert_eq!(script.referee.deadline(), Some(until));
    script.wait_ms(40_000).connect(1, None);
    assert_eq!(script.referee.phase(), MatchPhase::Running);
    assert_eq!(script.faults, []);
}
