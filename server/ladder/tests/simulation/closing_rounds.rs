//! Tests of closing rounds.

use std::collections::BTreeMap;

use bridgemaster_ladder::{BotVersion, CLOSING_WAIT_MS, End, State};

use crate::{
    scenarios::{field, play, seat},
    world::{World, bot, fit, rules},
};

#[test]
fn annulled_matches_of_a_closing_round_are_replaced() {
    let mut rules = rules(2);
    rules.closing.max_matches_per_bot = 10;
    let mut world = World::new(rules, field(5), 10);
    play(&mut world, 60);
    let at_match = world.ladder.counts().paired;
    world.ladder.advance(State::Frozen { at_match });
    world.annul_rate = 0.3;
    while world.step() {}
    assert!(world.ladder.is_round_over());
    let mut counted = BTreeMap::new();
    for (pairing, end) in &world.stored.matches[at_match as usize..] {
        for bot in &pairing.seats {
            let is_counted = matches!(end, Some(End::Played(_)));
            *counted.entry(bot.clone()).or_insert(0) += u32::from(is_counted);
        }
    }
    let full = counted.values().filter(|matches| **matches == 10).count();
    assert!(full >= 4, "{counted:?}");
    assert!(
        counted.values().all(|matches| *matches <= 10),
        "{counted:?}"
    );
}

#[test]
fn a_settled_order_ends_a_closing_round_despite_a_match_that_cannot_be_repeated() {
    let mut rules = rules(2);
    rules.closing.settled_top = 1;
    rules.closing.confidence = 0.7;
    let mut world = World::new(rules, field(4), 3);
    play(&mut world, 20);
    world.annul_rate = 1.0;
    world.step();
    world.annul_rate = 0.0;
    let annulled = world
        .stored
        .matches
        .iter()
        .find(|(_, end)| matches!(end, Some(End::Annulled(_))));
    let absent = annulled.unwrap().0.seats[0].clone();
    let at_match = world.ladder.counts().paired;
    world.ladder.advance(State::Frozen { at_match });
    let absent = world.bots.iter_mut().find(|bot| bot.presence.bot == absent);
    absent.unwrap().is_present = false;
    let before = world.stored.matches.len();
    while world.step() {
        let played = world.stored.matches.len() - before;
        assert!(played < 500, "the order is never settled");
    }
    assert!(world.ladder.is_round_over());
    assert!(world.ladder.table().is_settled(1, 0.7));
}

#[test]
fn a_closing_round_ends_by_its_rule_and_lets_no_version_enter() {
    let mut rules = rules(2);
    rules.closing.max_matches_per_bot = 20;
    let mut world = World::new(rules, field(5), 10);
    play(&mut world, 60);
    let at_match = world.ladder.counts().paired;
    world.ladder.advance(State::Frozen { at_match });
    world.bots.push(bot("late", 0.0));
    while world.step() {}
    assert!(world.ladder.is_round_over());
    assert!(world.restored().is_round_over());
    let late = BotVersion::new("late", "1");
    assert_eq!(world.ladder.entry(&late), None);
    let mut played = BTreeMap::new();
    for (pairing, _) in &world.stored.matches[at_match as usize..] {
        for bot in &pairing.seats {
            *played.entry(bot.clone()).or_insert(0) += 1;
        }
    }
    let full = played.values().filter(|matches| **matches == 20).count();
    assert!(full >= 4, "{played:?}");
    assert!(played.values().all(|matches| *matches <= 20), "{played:?}");
    world.ladder.advance(State::Closed);
    assert!(!world.step());
}

#[test]
fn a_closing_round_waits_ten_minutes_for_absent_bots() {
    let mut rules = rules(2);
    rules.closing.max_matches_per_bot = 10;
    let mut world = World::new(rules, field(4), 10);
    play(&mut world, 60);
    let at_match = world.ladder.counts().paired;
    world.ladder.advance(State::Frozen { at_match });
    play(&mut world, at_match as usize + 4);
    for absent in &mut world.bots[..2] {
        absent.is_present = false;
    }
    while world.step() {}
    let present: Vec<_> = world.bots[2..]
        .iter()
        .map(|bot| bot.presence.clone())
        .collect();
    let went_ms = 5_000;
    let mut ladder = world.restored();
    ladder.set_present(&present, went_ms);
    ladder.set_present(&present, went_ms + CLOSING_WAIT_MS - 1);
    assert!(!ladder.is_round_over(), "two have matches left");
    // One of them returns, and leaves again.
    let mut back = ladder.clone();
    let all: Vec<_> = world.bots.iter().map(|bot| bot.presence.clone()).collect();
    back.set_present(&all, went_ms + CLOSING_WAIT_MS - 1);
    for ladder in [&mut ladder, &mut back] {
        ladder.set_present(&present, went_ms + CLOSING_WAIT_MS);
    }
    assert!(!back.is_round_over(), "they went only now");
    assert!(ladder.is_round_over());
}

#[test]
fn a_closing_round_is_not_over_by_the_order_before_all_of_it_is_fitted() {
    let (count, confidence) = (1, 0.99);
    let mut rules = rules(2);
    rules.closing.settled_top = count;
    rules.closing.confidence = confidence;
    let mut world = World::new(rules, field(4), 3);
    play(&mut world, 20);
    let at_match = world.ladder.counts().paired;
    world.ladder.advance(State::Frozen { at_match });
    // The stronger one always wins, until the last fit settles the order while a match of the
    // round is still in progress.
    loop {
        world.pair();
        assert!(world.ladder.counts().paired < 500, "never settled");
        end_first(&mut world);
        fit(&mut world.ladder);
        let is_settled = world.ladder.table().is_settled(count, confidence);
        if is_settled && world.ladder.counts().paired > at_match {
            break;
        }
    }
    assert!(world.ladder.counts().open > 0);
    while world.ladder.counts().open > 0 {
        end_first(&mut world);
    }
    assert!(!world.ladder.is_fit_current());
    assert!(
        !world.ladder.is_round_over(),
        "the last results are not fitted"
    );
    fit(&mut world.ladder);
    assert!(world.ladder.table().is_settled(count, confidence));
    assert!(world.ladder.is_round_over());
}

/// Ends the first match in progress: of two bots of a [`field`], the stronger one wins.
fn end_first(world: &mut World) {
    let mut matches = world.stored.matches.iter();
    let open = matches.position(|(_, end)| end.is_none()).unwrap();
    let bots = &world.stored.matches[open].0.seats;
    let place = |own: usize, other: usize| if bots[own] > bots[other] { 1 } else { 2 };
    let ends = vec![seat(place(0, 1)), seat(place(1, 0))];
    world.end(open as u64, End::Played(ends));
}
