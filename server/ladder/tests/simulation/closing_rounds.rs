//! Tests of closing rounds.

use std::collections::BTreeMap;

use bridgemaster_ladder::{BotVersion, CLOSING_WAIT_MS, End, Rules, State};

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
    let at_match = world.freeze();
    world.annul_rate = 0.3;
    while world.step() {}
    assert!(world.ladder.is_round_over());
    let counted = world.matches_from(at_match, |end| matches!(end, Some(End::Played(_))));
    assert_full(&counted, 10);
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
    let mut matches = world.stored.matches.iter();
    let annulled = matches.find(|(_, end)| matches!(end, Some(End::Annulled(_))));
    let absent = annulled.unwrap().0.seats[0].clone();
    world.freeze();
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
fn a_closing_round_ends_by_its_rule_and_admits_no_version() {
    let mut rules = rules(2);
    rules.closing.max_matches_per_bot = 20;
    let mut world = World::new(rules, field(5), 10);
    play(&mut world, 60);
    let at_match = world.freeze();
    world.bots.push(bot("late", 0.0));
    while world.step() {}
    assert!(world.ladder.is_round_over());
    assert!(world.restored().is_round_over());
    let late = BotVersion::new("late", "1");
    assert_eq!(world.ladder.entry(&late), None);
    assert_full(&world.matches_from(at_match, |_| true), 20);
    world.ladder.advance(State::Closed);
    assert!(!world.step());
}

#[test]
fn a_closing_round_waits_ten_minutes_for_absent_bots() {
    let mut rules = rules(2);
    rules.closing.max_matches_per_bot = 10;
    let mut world = World::new(rules, field(4), 10);
    play(&mut world, 60);
    let at_match = world.freeze();
    play(&mut world, at_match + 4);
    for absent in &mut world.bots[..2] {
        absent.is_present = false;
    }
    while world.step() {}
    let present = world.present();
    let went_ms = 5_000;
    let mut ladder = world.restored();
    ladder.set_present(&present, went_ms);
    ladder.set_present(&present, went_ms + CLOSING_WAIT_MS - 1);
    assert!(!ladder.is_round_over(), "two bots have matches left");
    // One of them returns, and leaves again.
    let mut back = ladder.clone();
    world.bots.iter_mut().for_each(|bot| bot.is_present = true);
    back.set_present(&world.present(), went_ms + CLOSING_WAIT_MS - 1);
    for ladder in [&mut ladder, &mut back] {
        ladder.set_present(&present, went_ms + CLOSING_WAIT_MS);
    }
    assert!(!back.is_round_over(), "the bots left only now");
    assert!(ladder.is_round_over());
}

/// Panics unless four bots or more have all matches of the round, and none has more.
fn assert_full(matches: &BTreeMap<&BotVersion, u32>, most: u32) {
    let full = matches.values().filter(|count| **count == most).count();
    assert!(full >= 4, "{matches:?}");
    assert!(matches.values().all(|count| *count <= most), "{matches:?}");
}

/// A frozen ladder whose first rank is settled while a match of the closing round is in progress.
fn settled_in_play() -> World {
    let (count, confidence) = SETTLED;
    let mut world = World::new(settled_rules(), field(4), 3);
    play(&mut world, 20);
    let at_match = world.freeze();
    loop {
        world.pair();
        assert!(world.ladder.counts().paired < 500, "never settled");
        end_first(&mut world);
        fit(&mut world.ladder);
        let is_settled = world.ladder.table().is_settled(count, confidence);
        if is_settled && world.stored.matches.len() > at_match {
            break;
        }
    }
    assert!(world.ladder.counts().open > 0);
    world
}

#[test]
fn a_closing_round_is_not_over_before_its_last_results_are_fitted() {
    let (count, confidence) = SETTLED;
    let mut world = settled_in_play();
    while world.ladder.counts().open > 0 {
        end_first(&mut world);
    }
    assert!(!world.ladder.is_fit_current());
    assert!(!world.ladder.is_round_over(), "the last results are not fitted");
    fit(&mut world.ladder);
    assert!(world.ladder.table().is_settled(count, confidence));
    assert!(world.ladder.is_round_over());
}

#[test]
fn a_closing_round_is_not_over_while_a_match_is_to_be_repeated() {
    let (count, confidence) = SETTLED;
    let mut world = settled_in_play();
    let annulled = world.first_open();
    world.end(annulled, End::Annulled(vec![seat(1), seat(2)]));
    end_all(&mut world);
    assert!(world.ladder.table().is_settled(count, confidence));
    assert!(!world.ladder.is_round_over());
    let again = world.ladder.next_match().expect("the bots are present");
    assert_eq!(again.replaces, Some(annulled));
    world.start(again);
    assert!(!world.ladder.is_round_over(), "the match is in progress");
    end_all(&mut world);
    assert!(world.ladder.is_round_over());
}

#[test]
fn a_ladder_that_is_settled_when_it_is_frozen_plays_a_match_and_then_ends() {
    let (count, confidence) = SETTLED;
    let mut world = World::new(settled_rules(), field(4), 3);
    while !world.ladder.table().is_settled(count, confidence) {
        world.pair();
        end_all(&mut world);
        assert!(world.ladder.counts().paired < 500, "never settled");
    }
    let at_match = world.freeze();
    assert!(!world.ladder.is_round_over(), "no match was played");
    world.pair();
    end_all(&mut world);
    assert!(world.stored.matches.len() > at_match);
    assert!(world.ladder.is_round_over());
}

#[test]
fn a_closing_round_is_not_over_while_its_last_match_is_in_progress() {
    let mut rules = rules(2);
    rules.closing.max_matches_per_bot = 1;
    let mut world = World::new(rules, field(2), 3);
    play(&mut world, 20);
    end_all(&mut world);
    world.freeze();
    world.pair();
    assert_eq!(world.ladder.counts().open, 1);
    assert_eq!(world.ladder.next_match(), None);
    assert!(!world.ladder.is_round_over());
    end_all(&mut world);
    assert!(world.ladder.is_round_over());
}

/// Ends all matches in progress, and fits their results.
fn end_all(world: &mut World) {
    while world.ladder.counts().open > 0 {
        end_first(world);
    }
    fit(&mut world.ladder);
}

/// Ends the first match in progress: of two bots of a [`field`], the stronger one wins.
fn end_first(world: &mut World) {
    let open = world.first_open();
    let bots = &world.stored.matches[open as usize].0.seats;
    let place = |own: usize, other: usize| if bots[own] > bots[other] { 1 } else { 2 };
    let ends = vec![seat(place(0, 1)), seat(place(1, 0))];
    world.end(open, End::Played(ends));
}

/// The first rank is settled with this confidence.
const SETTLED: (usize, f64) = (1, 0.99);

fn settled_rules() -> Rules {
    let mut rules = rules(2);
    (rules.closing.settled_top, rules.closing.confidence) = SETTLED;
    rules
}
