//! The referee's own lag: nobody pays for it, and a match that it spoiled says so.
#![allow(clippy::unwrap_used)]

mod script;
mod toy;

use bridgemaster_referee::*;
use script::{Script, rules, seat};
use toy::heap::Heap;

const MARGIN_US: u64 = LAG_MARGIN_MS as u64 * 1000;

/// Two seats, 400 ms a decision, and no match is spoiled by less than 100 ms.
fn capped() -> MatchRules<Heap> {
    let mut rules = rules::<Heap>(2);
    rules.config.stones = Some(200);
    rules.clock = ClockRules {
        bank_ms: 1000,
        increment_ms: 0,
        cap_ms: 400,
        startup_ms: 1000,
        reconnect_ms: 500,
        round_trip_credit_ms: 50,
        referee_lag_limit_ms: 100,
    };
    rules.faults.late = FaultAction::Substitute;
    rules
}

/// Time passes while the referee stands still, and then it is told so.
fn lag_ms(script: &mut Script<Heap>, ms: u64) {
    script.wait_ms(ms);
    script.step(Input::RefereeLag { lag_us: ms * 1000 });
}

#[test]
fn lag_while_a_request_is_open_is_not_charged() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.wait_ms(50);
    lag_ms(&mut script, 30);
    script.wait_ms(20).index(0, 1, 0);
    let charge = Charge {
        elapsed_us: 100_000,
        credit_us: 0,
        referee_lag_us: 30_000,
        charged_us: 70_000,
    };
    assert_eq!(script.last_decision().charge, Some(charge));
    script.index(1, 1, 0);
    let clock = script.request(0).clock;
    assert_eq!((clock.bank_left_ms, clock.last_charge), (930, Some(charge)));
}

#[test]
fn time_is_split_into_lag_then_credit_then_thought() {
    let mut script = Script::started(capped());
    script.step(Input::RoundTrip {
        seat: seat(0),
        round_trip_us: 40_000,
    });
    script.hand_over(0, 1);
    lag_ms(&mut script, 90);
    script.wait_ms(10).index(0, 1, 0);
    let charge = Charge {
        elapsed_us: 100_000,
        credit_us: 10_000,
        referee_lag_us: 90_000,
        charged_us: 0,
    };
    assert_eq!(script.last_decision().charge, Some(charge));
}

#[test]
fn an_answer_that_lag_held_up_beyond_its_deadline_is_in_time() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.wait_ms(390);
    lag_ms(&mut script, 5000);
    script.wait_ms(9).index(0, 1, 0);
    assert!(script.faults.is_empty());
    assert_eq!(script.decisions(), [(0, DecidedBy::Bot, 1)]);
    assert_eq!(script.last_decision().charge.unwrap().charged_us, 399_000);
}

#[test]
fn a_tick_after_lag_finds_the_deadline_moved() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    let handed = script.now;
    lag_ms(&mut script, 2000);
    script.tick();
    assert!(script.faults.is_empty());
    let deadline = handed.plus_ms(400 + 2000 + LAG_MARGIN_MS);
    assert_eq!(script.referee.deadline(), Some(deadline));
}

#[test]
fn nothing_is_late_within_the_margin_and_it_costs_no_more_than_the_allowance() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.wait_ms(350);
    lag_ms(&mut script, 10);
    script.wait_us(50_000 + MARGIN_US - 1).index(0, 1, 0);
    assert!(script.faults.is_empty());
    let charge = Charge {
        elapsed_us: 410_000 + MARGIN_US - 1,
        credit_us: 0,
        referee_lag_us: 10_000 + MARGIN_US - 1,
        charged_us: 400_000,
    };
    assert_eq!(script.last_decision().charge, Some(charge));
}

#[test]
fn who_does_not_answer_is_late_after_the_lag_too_and_the_fault_says_how_much_it_was() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    lag_ms(&mut script, 70);
    script.tick_at_deadline();
    assert_eq!(
        script.faults,
        [(0, FaultReason::Late, FaultAction::Substitute)]
    );
    script.run_out();
    let first = &script.result().seats[0];
    assert_eq!(
        first.faults[0].detail,
        "no legal answer within 400 ms, not counting 70 ms of the referee's own lag"
    );
    assert_eq!(first.clock_use.longest_us, 400_000);
    assert_eq!(first.clock_use.referee_lag_us, 70_000);
}

#[test]
fn lag_before_the_hand_over_is_no_part_of_a_charge() {
    let mut script = Script::started(capped());
    lag_ms(&mut script, 300);
    script.hand_over(0, 1);
    assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(400)));
    script.wait_ms(10).index(0, 1, 0);
    let charge = script.last_decision().charge.unwrap();
    assert_eq!((charge.elapsed_us, charge.referee_lag_us), (10_000, 0));
}

#[test]
fn lag_is_never_more_than_the_time_since_the_last_input() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.wait_ms(100).tick();
    script.wait_ms(50);
    script.step(Input::RefereeLag { lag_us: u64::MAX });
    script.index(0, 1, 0);
    let charge = script.last_decision().charge.unwrap();
    assert_eq!(
        (charge.referee_lag_us, charge.charged_us),
        (50_000, 100_000)
    );
}

#[test]
fn lag_touches_only_the_requests_that_are_open() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    lag_ms(&mut script, 40);
    script.index(0, 1, 0);
    script.hand_over(1, 1);
    script.wait_ms(5).index(1, 1, 0);
    script.run_out();
    let result = script.result();
    assert_eq!(result.seats[0].clock_use.referee_lag_us, 40_000);
    assert_eq!(result.seats[1].clock_use.referee_lag_us, 0);
    assert_eq!(
        (result.referee_lag_us, result.longest_referee_lag_us),
        (40_000, 40_000)
    );
}

#[test]
fn a_match_is_spoiled_by_more_lag_in_one_request_than_the_limit() {
    for (lags, spoiled) in [([100, 100], false), ([0, 101], true)] {
        let mut script = Script::started(capped());
        for (request_id, lag) in (1..).zip(lags) {
            script.hand_over(0, request_id);
            lag_ms(&mut script, lag);
            script.index(0, request_id, 0);
            script.index(1, request_id, 0);
        }
        script.run_out();
        assert_eq!(script.result().spoiled_by_referee, spoiled, "{lags:?}");
    }
}

#[test]
fn a_lost_stream_has_the_reconnect_time_without_the_lag() {
    let mut script = Script::started(capped());
    script.hand_over(0, 1);
    script.index(0, 1, 0);
    script.disconnect(0);
    lag_ms(&mut script, 3000);
    assert!(script.faults.is_empty());
    script.wait_ms(499).tick();
    let faults_of_0 = |script: &Script<Heap>| script.faults.iter().any(|fault| fault.0 == 0);
    assert!(!faults_of_0(&script));
    script.connect(0, None);
    script.disconnect(0);
    script.wait_ms(500).tick();
    assert!(
        faults_of_0(&script),
        "a later loss knows nothing of the lag"
    );
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
