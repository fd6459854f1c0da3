//! The referee's own lag is charged to no seat, and a match that it spoiled is marked.

use crate::script::{Script, rules, seat};
use crate::toy::heap::Heap;
use bridgemaster_referee::*;

const MARGIN_US: u64 = LAG_MARGIN_MS as u64 * 1000;

/// Two seats, a cap of 400 ms, and a lag limit of 100 ms.
fn capped() -> MatchRules<Heap> {
    let mut rules = rules::<Heap>(2);
    rules.config.stones = Some(200);
    rules.clock = ClockRules {
        time_control: "1/0.4".parse().unwrap(),
        startup_ms: 1000,
        reconnect_ms: 500,
        round_trip_credit_ms: 50,
        referee_lag_limit_ms: 100,
    };
    rules.faults.late = FaultAction::Substitute;
    rules
}

/// Lag of the referee itself.
fn lag(lag_us: u64) -> Input<Heap> {
    Input::RefereeLag { lag_us, forwarding: Vec::new() }
}

/// Lag of the node that forwards the streams of these seats.
fn forwarding_lag(seats: &[u8], lag_us: u64) -> Input<Heap> {
    let lag = |number: &u8| ForwardingLag { seat: seat(*number), lag_us };
    Input::RefereeLag { lag_us: 0, forwarding: seats.iter().map(lag).collect() }
}

/// Stalls the node that forwards the streams of these seats, and reports its lag.
fn forwarding_lag_ms(script: &mut Script<Heap>, seats: &[u8], ms: u64) {
    script.wait_ms(ms);
    script.step(forwarding_lag(seats, ms * 1000));
}

/// Stalls the referee and reports the lag to it.
fn lag_ms(script: &mut Script<Heap>, ms: u64) {
    script.wait_ms(ms);
    script.step(lag(ms * 1000));
}

#[test]
fn an_answer_that_lag_delayed_beyond_its_deadline_is_in_time() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.wait_ms(390);
    lag_ms(&mut script, 5000);
    script.wait_ms(9).answer_index(0, 1, 0);
    assert!(script.faults.is_empty());
    assert_eq!(script.decisions(), [(0, DecidedBy::Bot, 1)]);
    assert_eq!(script.last_decision().charge.unwrap().charged_us, 399_000);
}

#[test]
fn an_answer_within_the_lag_margin_is_in_time_and_costs_the_allowance() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.wait_ms(350);
    lag_ms(&mut script, 10);
    script.wait_us(50_000 + MARGIN_US - 1).answer_index(0, 1, 0);
    assert!(script.faults.is_empty());
    let charge = Charge {
        elapsed_us: 410_000 + MARGIN_US - 1,
        credit_us: 0,
        referee_lag_us: 10_000 + MARGIN_US - 1,
        charged_us: 400_000,
        uncharged_us: 0,
    };
    assert_eq!(script.last_decision().charge, Some(charge));
}

#[test]
fn a_silent_seat_is_late_after_the_lag_and_the_fault_names_the_lag() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    lag_ms(&mut script, 70);
    script.tick_at_deadline();
    assert_eq!(script.faults, [(0, FaultReason::Late, FaultAction::Substitute)]);
    script.run_to_end();
    let first = &script.result().seats[0];
    assert_eq!(
        first.faults[0].detail,
        "no legal answer within 400 ms, not counting 70 ms of the referee's own lag"
    );
    assert_eq!(first.clock_use.longest_us, 400_000);
    assert_eq!(first.clock_use.referee_lag_us, 70_000);
}

#[test]
fn lag_is_never_more_than_the_time_since_the_last_input() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.wait_ms(100).tick();
    script.wait_ms(50);
    script.step(lag(u64::MAX));
    script.answer_index(0, 1, 0);
    let charge = script.last_decision().charge.unwrap();
    assert_eq!((charge.referee_lag_us, charge.charged_us), (50_000, 100_000));
}

#[test]
fn a_match_is_spoiled_by_more_lag_in_one_request_than_the_limit() {
    for (lags, spoiled) in [([100, 100], false), ([0, 101], true)] {
        let mut script = Script::started(capped());
        for (request_id, lag) in (1..).zip(lags) {
            script.hand_over(0, request_id);
            lag_ms(&mut script, lag);
            script.answer_index(0, request_id, 0);
            script.answer_index(1, request_id, 0);
        }
        script.run_to_end();
        assert_eq!(script.result().spoiled_by_referee, spoiled, "{lags:?}");
    }
}

#[test]
fn a_lost_stream_has_the_reconnect_time_without_the_lag() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.answer_index(0, 1, 0);
    script.disconnect(0);
    lag_ms(&mut script, 3000);
    assert!(script.faults.is_empty());
    script.wait_ms(499).tick();
    let faults_of_0 = |script: &Script<Heap>| script.faults.iter().any(|fault| fault.0 == 0);
    assert!(!faults_of_0(&script));
    script.connect(0, None);
    script.disconnect(0);
    script.wait_ms(500).tick();
    assert!(faults_of_0(&script), "the lag does not affect a later loss");
}

#[test]
fn bots_have_the_start_up_time_without_the_lag() {
    let mut script = Script::new(capped());
    script.connect(0, None);
    lag_ms(&mut script, 4000);
    script.wait_ms(999).tick();
    assert_eq!(script.referee.phase(), MatchPhase::Waiting);
    script.connect(1, None);
    assert_eq!(script.referee.phase(), MatchPhase::Running);
    assert!(script.faults.is_empty());
}

#[test]
fn lag_of_a_forwarding_node_extends_only_the_deadlines_of_its_seat() {
    let mut rules = capped();
    rules.faults.late = FaultAction::Forfeit;
    let mut script = Script::started(rules);
    script.hand_over(0, 1);
    script.wait_ms(390);
    forwarding_lag_ms(&mut script, &[0], 3000);
    script.wait_ms(9).answer_index(0, 1, 0);
    assert!(script.faults.is_empty());
    let charge = script.last_decision().charge.unwrap();
    assert_eq!((charge.charged_us, charge.referee_lag_us), (399_000, 3_000_000));
    script.hand_over(1, 1);
    forwarding_lag_ms(&mut script, &[0], 400);
    assert_eq!(script.faults, [(1, FaultReason::Late, FaultAction::Forfeit)]);
    script.run_to_end();
    let result = script.result();
    assert_eq!(result.longest_referee_lag_us, 3_000_000);
    assert!(result.spoiled_by_referee);
}

#[test]
fn lag_of_a_forwarding_node_extends_a_wait_by_at_most_8_s() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    let handed = script.now;
    for _ in 0..3 {
        forwarding_lag_ms(&mut script, &[0], 2790);
    }
    assert!(script.faults.is_empty());
    let deadline = handed.plus_ms(400 + 8000 + LAG_MARGIN_MS);
    assert_eq!(script.referee.deadline(), Some(deadline));
}
