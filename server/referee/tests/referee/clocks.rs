//! Bank, increment, cap, credit and timeouts.

use crate::script::{Script, ShortMessage, rules, seat};
use crate::toy::heap::Heap;
use bridgemaster_referee::*;

/// Two seats, a bank of 1 s, an increment of 100 ms, a cap of 400 ms, and a large heap.
fn short_clock() -> MatchRules<Heap> {
    let mut rules = rules::<Heap>(2);
    rules.config.stones = Some(200);
    rules.clock = ClockRules {
        time_control: "1+0.1/0.4".parse().unwrap(),
        startup_ms: 1000,
        reconnect_ms: 5000,
        round_trip_credit_ms: 40,
        ..ClockRules::default()
    };
    rules.faults.late = FaultAction::Substitute;
    rules
}

fn charge(elapsed_us: u64, credit_us: u64) -> Charge {
    Charge {
        elapsed_us,
        credit_us,
        referee_lag_us: 0,
        charged_us: elapsed_us - credit_us,
        uncharged_us: 0,
    }
}

#[test]
fn bank_increment_and_cap_add_up_over_a_match() {
    let mut script = Script::started(short_clock());
    // The duration of a decision in ms, then bank and allowance of the seat's next request.
    let steps = [(300, 800, 400), (399, 501, 400), (350, 251, 251), (250, 101, 101)];
    for (request_id, (took, bank, allowance)) in (1..).zip(steps) {
        script.hand_over(0, request_id);
        script.wait_ms(took).answer_index(0, request_id, 0);
        assert_eq!(script.last_decision().charge, Some(charge(took * 1000, 0)));
        script.hand_over(1, request_id);
        script.answer_index(1, request_id, 0);
        assert_eq!(
            script.request(0).clock,
            ClockReading {
                bank_left_ms: bank,
                decision_left_ms: allowance,
                last_charge: Some(charge(took * 1000, 0)),
            }
        );
    }
    assert!(script.faults.is_empty());
}

#[test]
fn an_answer_at_the_deadline_is_late_without_a_tick() {
    let mut script = Script::started(short_clock());
    script.hand_over(0, 1);
    script.wait_ms(400).answer_index(0, 1, 0);
    assert_eq!(script.faults, [(0, FaultReason::Late, FaultAction::Substitute)]);
    assert_eq!(script.decisions(), [(0, DecidedBy::House, 1)]);
    assert_eq!(
        script.messages(0),
        [
            ShortMessage::Status(0, SeatState::Connected, Some(FaultReason::Late)),
            ShortMessage::Rejected(1, RejectionReason::StaleRequest, 0),
        ]
    );
    assert_eq!(script.last_decision().charge, None);
}

#[test]
fn an_empty_bank_stays_at_zero_and_every_request_is_late() {
    let mut rules = short_clock();
    rules.clock.time_control = "1/0.4".parse().unwrap();
    rules.config.stones = Some(40);
    let mut script = Script::started(rules);
    script.run_to_end();
    let result = script.result();
    for seat in &result.seats {
        assert_eq!(seat.clock_use.bank_left_ms, 0);
        assert_eq!(seat.clock_use.charged_us, 1_000_000);
        assert_eq!(seat.clock_use.longest_us, 400_000);
        assert_eq!(seat.clock_use.answered, 0);
        assert!(seat.faults.iter().all(|fault| fault.reason == FaultReason::Late));
    }
    assert_eq!(result.duration_ms, 2000);
}

#[test]
fn a_delay_is_free_and_lost_if_unused() {
    let mut rules = short_clock();
    rules.clock.time_control = "0.5+0.1d0.2/0.6".parse().unwrap();
    let mut script = Script::started(rules);
    // The duration of a decision in ms, its charge, then bank and allowance of the next request.
    let steps = [(150, 0, 600, 600), (599, 399, 301, 501), (500, 300, 101, 301)];
    let mut used = ClockUse::default();
    for (request_id, (took, charged, bank, allowance)) in (1..).zip(steps) {
        script.hand_over(0, request_id);
        script.wait_ms(took).answer_index(0, request_id, 0);
        let charge = Charge {
            charged_us: charged * 1000,
            uncharged_us: (took - charged) * 1000,
            ..charge(took * 1000, 0)
        };
        assert_eq!(script.last_decision().charge, Some(charge));
        used.add(&charge);
        script.hand_over(1, request_id);
        script.answer_index(1, request_id, 0);
        let clock = script.request(0).clock;
        assert_eq!((clock.bank_left_ms, clock.decision_left_ms), (bank, allowance));
    }
    assert_eq!((used.charged_us, used.uncharged_us, used.longest_us), (699_000, 550_000, 599_000));
    script.hand_over(0, 4);
    assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(301)));
    script.wait_ms(301).tick();
    script.hand_over(1, 4);
    script.answer_index(1, 4, 0);
    let clock = script.request(0).clock;
    assert_eq!((clock.bank_left_ms, clock.decision_left_ms), (0, 200), "only the delay is left");
}

#[test]
fn the_shortest_round_trip_is_credited_up_to_the_limit() {
    let mut script = Script::started(short_clock());
    let measured = |round_trip_us| Input::RoundTrip { seat: seat(0), round_trip_us };
    script.step(measured(70_000_000));
    script.hand_over(0, 1);
    assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(440)));
    script.wait_ms(439).answer_index(0, 1, 0);
    assert_eq!(script.last_decision().charge, Some(charge(439_000, 40_000)));
    script.answer_index(1, 1, 0);
    assert_eq!(script.request(0).clock.bank_left_ms, 701);

    script.step(measured(30_000));
    script.step(measured(60_000));
    script.hand_over(0, 2);
    assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(430)));
    script.wait_ms(100).answer_index(0, 2, 0);
    assert_eq!(script.last_decision().charge, Some(charge(100_000, 30_000)));
    script.answer_index(1, 2, 0);

    script.hand_over(0, 3);
    script.wait_ms(20).answer_index(0, 3, 0);
    assert_eq!(
        script.last_decision().charge,
        Some(charge(20_000, 20_000)),
        "the charge is never negative"
    );
    script.answer_index(1, 3, 0);
}

#[test]
fn slow_pongs_earn_at_most_a_tenth_of_the_cap() {
    let mut rules = short_clock();
    rules.clock.time_control = "1+0.1/0.2".parse().unwrap();
    rules.clock.round_trip_credit_ms = 100;
    assert_eq!(rules.clock.max_credit_us(), 20_000);
    let mut script = Script::started(rules);
    let slow = |number| Input::RoundTrip { seat: seat(number), round_trip_us: 100_000 };
    script.step(slow(0));
    script.step(slow(1));
    script.hand_over(0, 1);
    script.wait_us(219_999).answer_index(0, 1, 0);
    assert_eq!(script.last_decision().charge, Some(charge(219_999, 20_000)));
    script.hand_over(1, 1);
    script.wait_ms(220).answer_index(1, 1, 0);
    assert_eq!(script.faults, [(1, FaultReason::Late, FaultAction::Substitute)]);
}

#[test]
fn a_quick_answer_shows_that_slow_pongs_earn_no_credit() {
    let mut script = Script::started(short_clock());
    script.step(Input::RoundTrip { seat: seat(0), round_trip_us: 40_000 });
    script.hand_over(0, 1);
    script.wait_ms(2).answer_index(0, 1, 0);
    assert_eq!(script.last_decision().charge, Some(charge(2_000, 2_000)));
    script.answer_index(1, 1, 0);
    script.hand_over(0, 2);
    script.wait_ms(100).answer_index(0, 2, 0);
    assert_eq!(script.last_decision().charge, Some(charge(100_000, 2_000)));
}

#[test]
fn clock_use_sums_up_what_the_bot_used() {
    let mut rules = short_clock();
    rules.config.stones = Some(6);
    let mut script = Script::started(rules);
    for (number, request_id, took) in [(0, 1, 50), (1, 1, 10), (0, 2, 70)] {
        script.hand_over(number, request_id);
        script.wait_ms(took).answer_index(number, request_id, 1);
    }
    let result = script.result();
    assert_eq!(
        result.seats[0].clock_use,
        ClockUse {
            answered: 2,
            charged_us: 120_000,
            uncharged_us: 0,
            longest_us: 70_000,
            credit_us: 0,
            referee_lag_us: 0,
            longest_referee_lag_us: 0,
            bank_left_ms: 1080
        }
    );
    assert_eq!(result.duration_ms, 130);
}

/// Seat 1 has half the bank, no increment, and another cap.
fn time_odds() -> MatchRules<Heap> {
    let mut rules = short_clock();
    rules.odds = vec![SeatOdds { seat: seat(1), time_control: "0.5/0.45".parse().unwrap() }];
    rules
}

#[test]
fn a_seat_with_time_odds_plays_by_its_own_clock_and_the_others_by_that_of_the_match() {
    let mut script = Script::started(time_odds());
    let clock = |script: &Script<Heap>, number| {
        let clock = script.request(number).clock;
        (clock.bank_left_ms, clock.decision_left_ms)
    };
    assert_eq!(clock(&script, 0), (1000, 400));
    script.hand_over(0, 1);
    script.answer_index(0, 1, 0);
    assert_eq!(clock(&script, 1), (500, 450));
    script.hand_over(1, 1);
    assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(450)));
    script.wait_ms(449).answer_index(1, 1, 0);
    script.hand_over(0, 2);
    script.answer_index(0, 2, 0);
    // There is no increment, and the bank is below the cap.
    assert_eq!(clock(&script, 1), (51, 51));
    script.hand_over(1, 2);
    script.wait_ms(50).tick();
    assert!(script.faults.is_empty());
    script.wait_ms(1).tick();
    assert_eq!(script.faults, [(1, FaultReason::Late, FaultAction::Substitute)]);
}
