//! Restarts of the referee: the outage is charged to no seat.

use crate::script::{Script, ShortMessage, rules, seat};
use crate::toy::heap::Heap;
use bridgemaster_referee::*;

fn long_rules() -> MatchRules<Heap> {
    let mut rules = rules::<Heap>(3);
    rules.config.stones = Some(200);
    rules
}

fn started() -> Script<Heap> {
    Script::started(long_rules())
}

#[test]
fn the_clock_of_an_open_request_is_stopped_until_its_bot_reconnects() {
    let mut script = started();
    script.hand_over(0, 1);
    script.wait_ms(1500).tick();
    script.wait_ms(100_000).restart();
    let reading = |script: &Script<Heap>| {
        let clock = script.referee.clock_reading(seat(0), script.now).unwrap();
        (clock.decision_left_ms, clock.bank_left_ms)
    };
    assert_eq!(reading(&script), (8500, 58_500));
    script.wait_ms(30_000).tick();
    assert_eq!(reading(&script), (8500, 58_500));
    script.connect(0, Some(1));
    assert_eq!(script.numbered_messages(0)[0], (2, ShortMessage::Request(1)));
    let clock = script.request(0).clock;
    assert_eq!((clock.decision_left_ms, clock.bank_left_ms), (8500, 58_500));
    script.wait_ms(3000).hand_over(0, 1);
    assert_eq!(reading(&script), (8500, 58_500), "the request waited in the server");
    script.connect(1, None);
    script.connect(2, None);
    assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(8500)));
    script.wait_ms(500).answer_index(0, 1, 0);
    let charge = script.last_decision().charge.unwrap();
    assert_eq!(charge.charged_us, 2_000_000);
}

#[test]
fn a_reconnected_bot_that_does_not_read_is_late() {
    let mut script = started();
    script.hand_over(0, 1);
    script.wait_ms(4000).tick();
    script.restart();
    for number in 0..3 {
        script.connect(number, Some(1));
    }
    script.wait_ms(5999).tick();
    assert_eq!(script.faults, []);
    script.wait_ms(1).tick();
    assert_eq!(script.faults, [(0, FaultReason::Late, FaultAction::Strike)]);
}

#[test]
fn a_bot_that_starts_over_after_a_restart_gets_the_full_time_once() {
    let mut script = started();
    script.hand_over(0, 1);
    script.wait_ms(9000).tick();
    script.restart();
    for number in 0..3 {
        script.connect(number, None);
    }
    let clock = |script: &Script<Heap>| {
        let reading = script.referee.clock_reading(seat(0), script.now);
        reading.unwrap().decision_left_ms
    };
    assert_eq!(clock(&script), 10_000);
    script.hand_over(0, 1);
    script.wait_ms(4000).connect(0, None);
    assert_eq!(clock(&script), 6000, "from now on, the bot is charged");
    script.wait_ms(6000).tick();
    assert_eq!(script.faults, [(0, FaultReason::Late, FaultAction::Strike)]);
}

#[test]
fn a_reconnected_bot_gains_no_time_from_further_streams() {
    let left_ms = |script: &Script<Heap>| {
        let clock = script.referee.clock_reading(seat(0), script.now);
        clock.unwrap().decision_left_ms
    };
    // In the first case the bot already has the request; in the second case it reads the request
    // only on its last stream.
    for (last_sequence, waited_ms) in [(Some(2), 0), (Some(1), 4000)] {
        let mut script = started();
        script.hand_over(0, 1);
        script.wait_ms(1500).tick();
        script.wait_ms(100_000).restart();
        script.wait_ms(20_000).connect(0, last_sequence);
        assert_eq!(left_ms(&script), 8500);
        for left in [6500, 4500] {
            script.wait_ms(2000).connect(0, last_sequence);
            assert_eq!(left_ms(&script), left, "{last_sequence:?}");
        }
        script.connect(0, Some(1));
        script.hand_over(0, 1);
        assert_eq!(left_ms(&script), 4500 + waited_ms);
    }
}

#[test]
fn lag_between_two_restarts_changes_no_clock() {
    let mut script = started();
    script.hand_over(0, 1);
    script.wait_ms(1500).tick();
    script.restart();
    script.connect(0, Some(1));
    script.wait_ms(700).step(Input::RefereeLag { lag_us: 600_000, forwarding: Vec::new() });
    script.wait_ms(100).restart();
    let clock = script.referee.clock_reading(seat(0), script.now).unwrap();
    assert_eq!((clock.decision_left_ms, clock.bank_left_ms), (8500, 58_500));
}

#[test]
fn a_bot_that_leaves_again_after_a_restart_uses_its_own_time() {
    let mut script = started();
    script.hand_over(0, 1);
    script.wait_ms(4000).tick();
    script.restart();
    script.wait_ms(100).connect(0, Some(2));
    script.wait_ms(100).disconnect(0);
    assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(5900)));
}

#[test]
fn bots_have_at_least_a_minute_to_reconnect() {
    for (reconnect_ms, grace_ms) in [(0, RESTART_GRACE_MS), (90_000, 90_000)] {
        let mut rules = long_rules();
        rules.clock.reconnect_ms = reconnect_ms;
        let mut script = Script::started(rules);
        script.restart();
        assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(grace_ms)));
        for number in 0..3 {
            script.connect(number, None);
        }
        script.disconnect(1);
        let left_ms = reconnect_ms.min(10_000);
        assert_eq!(
            script.referee.deadline(),
            Some(script.now.plus_ms(left_ms)),
            "a bot that leaves later has the time of the rules"
        );
    }
}

#[test]
fn a_request_issued_before_a_bot_reconnects_waits_for_it() {
    let mut script = started();
    script.restart();
    script.connect(0, Some(2));
    script.hand_over(0, 1);
    script.answer_index(0, 1, 0);
    script.wait_ms(30_000).tick();
    assert_eq!(script.faults, [], "seat 1 has not reconnected yet");
    script.connect(1, None);
    let request = script.request(1).clock;
    assert_eq!(request.decision_left_ms, 10_000);
}

#[test]
fn reconnected_bots_learn_which_seats_were_disconnected() {
    let mut script = started();
    let records = script.records.len();
    script.restart();
    assert_eq!(script.records.len(), records + 3);
    for number in 0..3 {
        assert_eq!(script.state(number), SeatState::Paused);
    }
    script.connect(0, Some(2));
    assert_eq!(
        script.messages(0),
        [
            ShortMessage::Status(1, SeatState::Paused, None),
            ShortMessage::Status(2, SeatState::Paused, None)
        ]
    );
    script.connect(1, None);
    assert_eq!(
        script.numbered_messages(0),
        [(5, ShortMessage::Status(1, SeatState::Connected, None))]
    );
}

#[test]
fn the_start_up_time_continues_after_a_restart_and_suffices_to_connect() {
    let mut rules = long_rules();
    rules.clock.startup_ms = 100_000;
    let mut script = Script::new(rules);
    script.connect(0, None);
    script.wait_ms(4000).tick();
    script.wait_ms(500_000).restart();
    let ends_in = |script: &Script<Heap>, ms| {
        assert_eq!(script.referee.deadline(), Some(script.now.plus_ms(ms)));
    };
    ends_in(&script, 96_000);
    script.wait_ms(95_000).tick();
    // A bot that connected in the remaining second may be forgotten, and has to reconnect.
    script.wait_ms(500).restart();
    ends_in(&script, RESTART_GRACE_MS);
    script.wait_ms(1000).tick();
    ends_in(&script, RESTART_GRACE_MS - 1000);
    for number in 0..3 {
        script.connect(number, None);
    }
    assert_eq!(script.referee.phase(), MatchPhase::Running);
}

#[test]
fn a_match_that_is_over_is_not_changed_by_a_restart() {
    let mut script = started();
    script.run_to_end();
    let records = script.records.len();
    script.restart();
    assert_eq!(script.records.len(), records);
    assert_eq!(script.referee.deadline(), None);
}
