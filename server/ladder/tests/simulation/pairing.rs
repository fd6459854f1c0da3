//! Tests of pairing.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_ladder::{
    AttendingBot, BotVersion, End, Ladder, LadderEntry, Pairing, Purpose, RequestRefused, Span,
    State,
};
use rand::RngExt as _;

use crate::{
    scenarios::{field, head_to_heads, play, ratings, seat},
    world::{Bot, World, bot, house_rules, rules},
};

#[test]
fn a_present_bot_waits_for_at_most_twice_as_many_matches_as_there_are_bots() {
    for (seats, bots, at_once) in [(2, 20, 1), (2, 20, 5), (4, 20, 3), (6, 30, 2)] {
        let mut rules = rules(seats);
        rules.max_matches = at_once;
        let mut world = World::new(rules, field(bots), 3);
        while world.stored.matches.len() < 300 {
            let who = world.luck.random_range(0..bots);
            world.bots[who].is_present = world.luck.random_bool(0.9);
            world.step();
        }
        let wait = world.longest_wait;
        assert!(wait <= 2.0, "{seats} seats: {wait} times as many as bots");
        assert!(wait > 0.2, "{seats} seats: no bot waited");
    }
}

#[test]
fn rated_matches_do_not_wait_for_a_validation_whose_bot_never_connects() {
    let mut world =
        World::new(house_rules(2, ["house"]), vec![bot("house", 0.0), bot("ada", 0.0)], 1);
    world.bots[0].presence.slots = 4;
    play(&mut world, 6);
    world.bots.push(bot("new", 0.0));
    for _ in 0..10 {
        world.pair();
        let mut matches = world.stored.matches.iter();
        let rated = matches.position(|(pairing, end)| {
            let is_of_new = pairing.seats.iter().any(|bot| bot.name == "new");
            end.is_none() && !is_of_new
        });
        let rated = rated.expect("the others are paired beside the validation");
        world.end(rated as u64, End::Played(vec![seat(1), seat(2)]));
    }
    let new = BotVersion::new("new", "1");
    assert_eq!(world.ladder.open_matches_of(&new), 1, "the bot was never present");
}

#[test]
fn new_versions_that_never_connect_leave_room_for_rated_matches() {
    for (at_once, kept) in [(1, 0), (2, 1), (8, 2)] {
        let bots = field(4);
        let mut rules = house_rules(2, names(&bots));
        rules.max_matches = at_once;
        let mut world = World::new(rules, bots, 1);
        play(&mut world, 6);
        let before = world.stored.matches.len();
        for number in 0..100 {
            world.bots.push(bot(&format!("new-{number}"), 0.0));
        }
        while world.stored.matches.len() < before + 60 {
            world.pair();
            let open = |purpose| {
                let of = move |(pairing, end): &&(Pairing, Option<End>)| {
                    end.is_none() && pairing.purpose == purpose
                };
                world.stored.matches.iter().filter(of).count()
            };
            let validations = open(Purpose::Validation);
            assert!(validations + kept <= at_once, "{validations} of {at_once}");
            assert!(world.step(), "some matches are played");
        }
        let paired = &world.stored.matches[before..];
        let rated = paired.iter().filter(|(one, _)| one.purpose == Purpose::Rated);
        let (rated, all) = (rated.count(), paired.len());
        assert!(rated * 3 >= all, "{rated} of {all}, {at_once} at once");
    }
}

#[test]
fn bots_that_have_just_met_wait_for_other_opponents() {
    let bots = field(4);
    // House bots need no validation, for which pairing would not wait.
    let mut world = World::new(house_rules(2, names(&bots)), bots, 2);
    play(&mut world, 300);
    let mut last: BTreeMap<&BotVersion, BTreeSet<&BotVersion>> = BTreeMap::new();
    for (pairing, _) in &world.stored.matches {
        if pairing.purpose != Purpose::Rated {
            continue;
        }
        let table: BTreeSet<&BotVersion> = pairing.seats.iter().collect();
        let has_just_met = table.iter().all(|bot| last.get(*bot) == Some(&table));
        assert!(!has_just_met, "{table:?}");
        for bot in &pairing.seats {
            last.insert(bot, table.clone());
        }
    }
}

fn names(bots: &[Bot]) -> impl Iterator<Item = &str> {
    bots.iter().map(|bot| &*bot.presence.bot.name)
}

/// Plays this many matches of two bots with one slot each and house bots with many slots.
fn beside_house_bots(house_bots: &[&str], matches: usize) -> World {
    let mut bots: Vec<Bot> = house_bots.iter().map(|name| bot(name, 4.0)).collect();
    for house_bot in &mut bots {
        house_bot.presence.slots = 8;
    }
    bots.extend([bot("ada", 0.0), bot("bob", 0.0)]);
    let mut world = World::new(house_rules(2, names(&bots)), bots, 4);
    play(&mut world, matches);
    world
}

#[test]
fn bots_with_one_slot_meet_although_house_bots_are_always_free() {
    let world = beside_house_bots(&["greedy", "search"], 400);
    let of_bob = head_to_heads(&world.ladder, &BotVersion::new("bob", "1"));
    let with_ada = of_bob.iter().find(|(other, _)| &*other.name == "ada");
    let together = with_ada.map_or(0, |(_, pair)| pair.matches);
    let all: u32 = of_bob.iter().map(|(_, pair)| pair.matches).sum();
    assert!(together * 4 >= all, "{together} of {all}");
    assert!(world.longest_wait <= 2.0, "{}", world.longest_wait);
}

#[test]
fn pairing_does_not_wait_for_a_match_that_takes_over_a_minute() {
    let mut world = beside_house_bots(&["greedy"], 200);
    let ada = BotVersion::new("ada", "1");
    world.pair();
    while world.ladder.counts().open == 0 || world.ladder.open_matches_of(&ada) > 0 {
        assert!(world.step(), "ada waits for bob at some time");
        world.pair();
    }
    assert_eq!(world.ladder.next_match(), None);
    let present = world.present();
    let mut without_bob = world.ladder.clone();
    let others = present.iter().filter(|other| other.bot.name != "bob");
    without_bob.set_present(&Vec::from_iter(others.cloned()), 0);
    let next = without_bob.next_match().expect("bob does not return");
    assert!(next.seats.contains(&ada));
    let long_after_ms = 10_000_000;
    world.ladder.set_present(&present, long_after_ms);
    let next = world.ladder.next_match().expect("greedy is free");
    assert!(next.seats.contains(&ada));
}

#[test]
fn owners_apart_prevents_rated_matches_between_bots_of_one_owner() {
    let mut rules = rules(2);
    rules.owners_apart = true;
    let mut bots = field(6);
    for twin in &mut bots[..3] {
        twin.presence.owner = "ada".to_owned();
    }
    let mut world = World::new(rules, bots, 8);
    play(&mut world, 200);
    let of_ada = |bot: &&BotVersion| &*bot.name < "bot-003";
    for (pairing, _) in &world.stored.matches {
        if pairing.purpose == Purpose::Rated {
            assert!(pairing.seats.iter().filter(of_ada).count() < 2);
        }
    }
}

#[test]
fn owners_apart_applies_to_the_new_owner_of_a_bot() {
    let mut rules = rules(2);
    rules.owners_apart = true;
    let mut ladder = Ladder::new(rules, State::Open);
    let present = |owner: &str| {
        ["ann", "bob"].map(|name| AttendingBot {
            bot: BotVersion::new(name, "1"),
            owner: if name == "ann" { "ada" } else { owner }.to_owned(),
            slots: 1,
            free_slots: 1,
        })
    };
    let enter = |ladder: &mut Ladder, present: &[AttendingBot]| {
        for presence in present {
            if let Some(entry) = ladder.admit(presence).unwrap() {
                ladder.store_entry(LadderEntry { is_validated: true, ..entry });
            }
        }
        ladder.set_present(present, 0);
    };
    enter(&mut ladder, &present("eve"));
    let first = ladder.next_match().expect("two owners");
    ladder.record_pairing(&first);
    ladder.record_end(0, &End::Annulled(Vec::new()), Span::default());
    enter(&mut ladder, &present("ada"));
    let bob = ladder.entry(&BotVersion::new("bob", "1")).unwrap();
    assert_eq!(bob.owner, "ada");
    assert_eq!(ladder.next_match(), None, "not even the annulled match");
    enter(&mut ladder, &present("eve"));
    assert_eq!(ladder.next_match().unwrap().replaces, Some(0));
}

#[test]
fn requested_matches_are_played_and_never_count() {
    let mut world = World::new(rules(2), field(4), 9);
    play(&mut world, 20);
    while world.ladder.counts().open > 0 {
        world.ladder.set_present(&[], 0);
        world.end(world.first_open(), End::Played(vec![seat(1), seat(2)]));
    }
    let pair = ["bot-000", "bot-003"].map(|name| BotVersion::new(name, "1"));
    let absent = world.ladder.request_match(&pair).unwrap_err();
    assert!(matches!(absent, RequestRefused::NotAvailable { .. }));
    world.ladder.set_present(&world.present(), 0);
    let before = ratings(&world.ladder);
    let pairing = world.ladder.request_match(&pair).unwrap();
    let number = world.stored.matches.len() as u64;
    world.start(pairing);
    assert_eq!(world.ladder.open_matches_of(&pair[0]), 1);
    let again = world.ladder.request_match(&pair).unwrap_err();
    assert!(matches!(again, RequestRefused::AlreadyRequested { .. }));
    world.end(number, End::Played(vec![seat(1), seat(2)]));
    assert_eq!(ratings(&world.ladder), before);
    let at_match = world.ladder.counts().paired;
    let mut frozen = world.ladder.clone();
    frozen.advance(State::Frozen { at_match });
    assert_eq!(frozen.request_match(&pair), Err(RequestRefused::Frozen));
    let three = [pair[0].clone(), pair[1].clone(), pair[0].clone()];
    let refused = world.ladder.request_match(&three).unwrap_err();
    assert_eq!(refused, RequestRefused::Seats { seats: 2, named: 3 });
}

#[test]
fn a_bot_with_many_requested_matches_still_plays_rated_ones() {
    let mut world = World::new(rules(2), field(4), 9);
    play(&mut world, 20);
    let pair = ["bot-000", "bot-003"].map(|name| BotVersion::new(name, "1"));
    let mut requested = 0;
    let before = world.stored.matches.len();
    while world.stored.matches.len() < before + 200 {
        if let Ok(pairing) = world.ladder.request_match(&pair) {
            world.start(pairing);
            requested += 1;
        }
        world.step();
    }
    assert!(requested > 0);
    let late = world.stored.matches[before..].iter();
    let rated = late.filter(|(pairing, _)| {
        pairing.purpose == Purpose::Rated && pairing.seats.contains(&pair[0])
    });
    let rated = rated.count();
    assert!(rated >= 10, "{rated} of 200 matches");
}

#[test]
fn a_version_is_not_paired_while_an_earlier_version_uses_its_slots() {
    let mut world =
        World::new(house_rules(2, ["house"]), vec![bot("house", 0.0), bot("ada", 0.0)], 1);
    world.bots[0].presence.slots = 4;
    world.pair();
    assert_eq!(world.ladder.counts().open, 1, "the first version plays");
    world.bots[1].presence.bot.version = "2".to_owned();
    world.bots[1].presence.free_slots = 0;
    world.pair();
    assert_eq!(world.ladder.counts().open, 1);
    world.bots[1].presence.free_slots = 1;
    world.pair();
    assert_eq!(world.ladder.counts().open, 2);
}
