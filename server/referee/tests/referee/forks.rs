//! Matches that continue from a position of another match.

use std::sync::Arc;

use crate::script::{Script, rules, seat};
use crate::toy::heap::{Heap, Take};
use bridgemaster_games::Rules as _;
use bridgemaster_referee::*;

/// Seat 0 takes two stones of ten, seat 1 three.
fn forked(steps: &[(u8, u8)]) -> MatchRules<Heap> {
    let mut rules = rules::<Heap>(2);
    let setup = Heap::draw_setup(&rules.config, rules.seats, &rules.seed).unwrap();
    let steps = steps.iter().map(|(number, stones)| ForkStep::Decision {
        seat: seat(*number),
        decision: Take(*stones),
    });
    rules.fork = Some(Arc::new(Fork {
        match_id: "before".to_owned(),
        setup,
        steps: steps.collect(),
        chance: ForkChance::Keep,
    }));
    rules
}

#[test]
fn copied_decisions_belong_to_no_bot_and_the_match_continues_after_them() {
    let mut script = Script::started(forked(&[(0, 2), (1, 3)]));
    assert_eq!(script.decisions(), [(0, DecidedBy::Replay, 0), (1, DecidedBy::Replay, 0)]);
    assert!(script.last_decision().charge.is_none());
    // Five stones are left, of which three can be taken, and seat 0 gets the first request.
    let asked = script.request(0);
    assert_eq!((asked.request_id, asked.content.legal.len()), (1, 3));
    script.answer_index(0, 1, 2);
    script.answer_index(1, 1, 1);
    let result = script.result();
    assert_eq!(result.decisions, 4);
    let house: u32 = result.seats.iter().map(|seat| seat.house_decisions).sum();
    assert_eq!(house, 0);
}

#[test]
fn steps_that_do_not_apply_are_rejected_at_creation() {
    let refused = |steps: &[(u8, u8)]| {
        let error = Referee::new(forked(steps), Time(0)).unwrap_err();
        assert_eq!(error.field, "fork");
        error.problem
    };
    assert!(refused(&[(0, 2), (0, 1)]).starts_with("step 1 of the fork"));
    assert!(refused(&[(0, 9)]).starts_with("step 0 of the fork"));
    let all = [(0, 3), (1, 3), (0, 3), (1, 1)];
    assert_eq!(refused(&all), "the match has already ended at the position of the fork");
}
