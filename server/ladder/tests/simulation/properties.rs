//! Tests of general properties of ladders.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_ladder::{
    BotVersion, End, EntryState, Ladder, Purpose, RatingMethodId, Results, Rules, SeatEnd,
    ratings_of,
};
use rand::RngExt as _;

use crate::{
    scenarios::{field, head_to_heads, play, ratings, seat},
    world::{World, bot, fit, house_rules, rules},
};

#[test]
fn a_ladder_that_is_restored_at_any_time_is_the_same() {
    for seats in [2, 4] {
        let mut world = World::new(rules(seats), field(9), 7 + seats as u64);
        world.annul_rate = 0.05;
        world.bots[3].forfeit_rate = 0.3;
        for round in 0..60 {
            for _ in 0..7 {
                let who = world.luck.random_range(0..9);
                world.bots[who].is_present = world.luck.random_bool(0.8);
                world.step();
            }
            let mut restored = world.restored();
            let live = &world.ladder;
            assert_eq!(restored.counts(), live.counts(), "{round}");
            assert_eq!(ratings(&restored), ratings(live));
            for entry in live.entries() {
                let bot = &entry.bot;
                assert_eq!(restored.entry(bot), Some(entry));
                assert_eq!(restored.annulled_matches_of(bot), live.annulled_matches_of(bot));
                assert_eq!(head_to_heads(&restored, bot), head_to_heads(live, bot));
            }
            // The simulation continues with the restored ladder.
            std::mem::swap(&mut world.ladder, &mut restored);
        }
        assert!(world.ladder.counts().counted > 100);
    }
}

#[test]
fn ratings_do_not_depend_on_the_order_of_the_results() {
    for rating_method in RatingMethodId::ALL {
        let rules = Rules { rating_method, ..rules(3) };
        let mut world = World::new(rules, field(12), 5);
        world.annul_rate = 0.1;
        play(&mut world, 300);
        let mut results = Results::new();
        for (number, (pairing, end)) in world.stored.matches.iter().enumerate().rev() {
            if let (Purpose::Rated, Some(End::Played(ends))) = (pairing.purpose, end) {
                let seats = pairing.seats.iter().cloned().zip(ends.iter().copied());
                results.add(number as u64, &Vec::from_iter(seats));
            }
        }
        let rated = ratings_of(&results, rating_method).unwrap();
        assert_eq!(rated, ratings(&world.ladder), "{rating_method}");
        // The field is sorted by strength.
        let strongest = ["bot-009", "bot-010", "bot-011"];
        assert!(strongest.contains(&rated[0].bot.name.as_str()), "{rated:?}");
    }
}

#[test]
fn rank_ranges_contain_the_true_ranks() {
    let mut world = World::new(rules(2), field(10), 11);
    play(&mut world, 800);
    let table = ratings(&world.ladder);
    let holds = |rated: &&bridgemaster_ladder::BotRating| {
        let number: usize = rated.bot.name["bot-".len()..].parse().unwrap();
        (rated.ranks.best..=rated.ranks.worst).contains(&(10 - number))
    };
    assert!(table.iter().filter(holds).count() >= 9, "{table:?}");
    let ranks = table.iter().map(|rated| rated.ranks);
    let spans: usize = ranks.map(|ranks| ranks.worst - ranks.best).sum();
    assert!(spans < 50, "the rank ranges are informative: {table:?}");
    let matches: Vec<u64> = table.iter().map(|rated| rated.matches).collect();
    let (least, most) = (matches.iter().min().unwrap(), matches.iter().max().unwrap());
    assert!(most < &(2 * least), "{matches:?}");
}

#[test]
fn a_new_version_is_validated_before_its_first_rated_match() {
    let mut bots = field(4);
    bots.push(bot("house", 0.0));
    bots[4].presence.slots = 64;
    bots[2].forfeit_rate = 1.0;
    let mut world = World::new(house_rules(2, ["house"]), bots, 1);
    play(&mut world, 80);
    let mut validated = BTreeSet::from([BotVersion::new("house", "1")]);
    for (pairing, end) in &world.stored.matches {
        if pairing.purpose == Purpose::Validation {
            let house = pairing.seats.iter().any(|bot| bot.name == "house");
            assert!(house, "a new version is validated against the house");
            if let Some(End::Played(ends)) = end {
                let seats = pairing.seats.iter().zip(ends);
                let sound = seats.filter(|(_, end)| !end.forfeited);
                validated.extend(sound.map(|(bot, _)| bot.clone()));
            }
        }
        if pairing.purpose == Purpose::Rated {
            for bot in &pairing.seats {
                assert!(validated.contains(bot), "{bot:?}");
            }
        }
    }
    let failing = BotVersion::new("bot-002", "1");
    assert!(head_to_heads(&world.ladder, &failing).is_empty());
    let entry = world.ladder.entry(&failing).unwrap();
    assert!(matches!(entry.state(), EntryState::Benched(why) if why.contains("3 times")));
}

#[test]
fn with_more_than_two_seats_a_new_version_plays_itself_and_a_house_bot() {
    for (slots, own) in [(1, 1), (2, 2), (8, 3)] {
        let mut bots = field(3);
        bots.extend([bot("house", 0.0), bot("new", 0.0)]);
        let mut world = World::new(house_rules(4, ["house"]), bots, 1);
        world.bots[3].presence.slots = 64;
        world.bots[4].is_present = false;
        play(&mut world, 40);
        world.bots[4].is_present = true;
        world.bots[4].presence.slots = slots;
        world.bots[4].presence.free_slots = slots;
        play(&mut world, 60);
        let new = BotVersion::new("new", "1");
        let mut matches = world.stored.matches.iter();
        let first = matches.find(|(pairing, _)| pairing.seats.contains(&new));
        let (pairing, _) = first.expect("the version is paired");
        assert_eq!(pairing.purpose, Purpose::Validation);
        let seats = |name: &str| pairing.seats.iter().filter(|bot| bot.name == name).count();
        assert_eq!((seats("new"), seats("house")), (own, 1), "{pairing:?}");
    }
}

#[test]
fn a_failed_validation_is_recorded_until_the_version_passes_one() {
    let mut world = World::new(rules(2), field(1), 1);
    world.bots[0].presence.slots = 2;
    world.pair();
    let bot = world.stored.matches[0].0.seats[0].clone();
    let span = world.stored.spans[0];
    let forfeited = |place, forfeited| SeatEnd { forfeited, ..seat(place) };
    let end = End::Played(vec![forfeited(1, false), forfeited(2, true)]);
    let faults = [String::new(), "match m: ILLEGAL at its decision 7".to_owned()];
    let judged = world.ladder.entries_after(0, &end, span, &faults);
    let failed = judged[0].clone();
    assert_eq!(failed.failed_validation.as_ref(), Some(&faults[1]));
    world.end(0, end);
    let entry = world.ladder.entry(&bot).unwrap();
    assert!(entry.failed_validation.is_some());
    let again = world.ladder.next_match().expect("the version is validated again");
    world.start(again);
    world.end(1, End::Played(vec![seat(1), seat(2)]));
    let entry = world.ladder.entry(&bot).unwrap();
    assert!(entry.is_validated);
    assert_eq!(entry.failed_validation, None);
}

#[test]
fn a_version_alone_is_validated_against_itself() {
    let mut alone = bot("alone", 0.0);
    alone.presence.slots = 2;
    let mut world = World::new(rules(2), vec![alone], 1);
    assert!(world.step());
    let seats = &world.stored.matches[0].0.seats;
    assert_eq!(seats[0], seats[1]);
    assert!(world.ladder.entry(&seats[0]).unwrap().is_validated);
    assert!(!world.step(), "no other bot is present");
}

#[test]
fn a_bot_that_keeps_failing_is_benched_until_it_is_reinstated() {
    let mut world = World::new(rules(2), field(4), 2);
    play(&mut world, 40);
    world.bots[1].forfeit_rate = 1.0;
    play(&mut world, 80);
    let failing = BotVersion::new("bot-001", "1");
    let benched = world.ladder.entry(&failing).unwrap().clone();
    assert!(benched.benched.is_some());
    let before = world.stored.matches.len();
    play(&mut world, 100);
    assert!(!world.is_paired_from(before, &failing));
    world.bots[1].forfeit_rate = 0.0;
    let again = world.ladder.unbench(&failing).unwrap();
    world.store_entry(again);
    play(&mut world, 130);
    let entry = world.ladder.entry(&failing).unwrap();
    assert_eq!(entry.state(), EntryState::Active);
    assert!(world.is_paired_from(100, &failing));
    // A version that has not failed is validated again.
    world.bots[1].presence.bot.version = "2".to_owned();
    play(&mut world, 150);
    let second = BotVersion::new("bot-001", "2");
    assert!(world.ladder.entry(&second).unwrap().is_validated);
}

#[test]
fn annulled_matches_do_not_count_and_are_played_again_once() {
    let mut world = World::new(rules(2), field(6), 4);
    world.annul_rate = 0.3;
    play(&mut world, 300);
    world.annul_rate = 0.0;
    play(&mut world, 400);
    let matches = &world.stored.matches;
    let mut replaced = BTreeMap::new();
    for (pairing, _) in matches {
        if let Some(number) = pairing.replaces {
            *replaced.entry(number).or_insert(0) += 1;
            assert_eq!(matches[number as usize].0.seats, pairing.seats);
        }
    }
    let rated = |pairing: Purpose| pairing == Purpose::Rated;
    let mut annulled = 0;
    for (number, (pairing, end)) in (0..).zip(matches) {
        if let Some(End::Annulled(_)) = end {
            annulled += 1;
            let times = replaced.get(&number).copied().unwrap_or_default();
            assert_eq!(times, i32::from(rated(pairing.purpose)), "{number}");
        }
    }
    assert!(annulled > 50);
    let counts = world.ladder.counts();
    assert_eq!(counts.annulled, annulled);
    let counted = matches
        .iter()
        .filter(|(pairing, end)| rated(pairing.purpose) && matches!(end, Some(End::Played(_))));
    assert_eq!(counts.counted, counted.count() as u64);
}

#[test]
fn only_a_bot_that_lags_when_behind_is_benched() {
    let mut world = World::new(rules(2), field(12), 6);
    world.annul_rate = 0.02;
    world.bots[4].lags_when_behind = 0.5;
    play(&mut world, 900);
    for entry in world.ladder.entries() {
        let is_benched = entry.benched.is_some();
        assert_eq!(is_benched, entry.bot.name == "bot-004", "{entry:?}");
    }
}

#[test]
fn a_cancelled_repetition_is_repeated_a_limited_number_of_times() {
    let mut world = World::new(rules(2), field(2), 1);
    play(&mut world, 4);
    world.pair();
    // The match that was paired last is in progress.
    let number = world.stored.matches.len() as u64 - 1;
    let (pairing, end) = world.stored.matches[number as usize].clone();
    assert_eq!((pairing.purpose, end), (Purpose::Rated, None));
    world.end(number, End::Annulled(vec![seat(1), seat(2)]));
    for _ in 0..3 {
        let replay = world.ladder.next_match().expect("the match is to be repeated");
        assert_eq!(replay.replaces, Some(number));
        let number = world.stored.matches.len() as u64;
        world.start(replay);
        assert_eq!(world.restored().counts(), world.ladder.counts());
        world.end(number, End::Cancelled { absent: vec![] });
    }
    let other = world.ladder.next_match().expect("the bots play another match");
    assert_eq!(other.replaces, None);
}

#[test]
fn a_version_whose_strength_changes_is_flagged() {
    let mut world = World::new(rules(2), field(4), 12);
    play(&mut world, 500);
    fit(&mut world.ladder);
    assert!(flagged(&world.ladder).is_empty());
    world.bots[0].strength = 4.0;
    play(&mut world, 750);
    fit(&mut world.ladder);
    assert!(flagged(&world.ladder).contains(&"bot-000".to_owned()));
    assert_eq!(flagged(&world.restored()), flagged(&world.ladder));
}

#[test]
fn glicko_2_flags_no_version() {
    let rules = Rules { rating_method: RatingMethodId::Glicko2, ..rules(2) };
    let mut world = World::new(rules, field(4), 12);
    play(&mut world, 500);
    world.bots[0].strength = 4.0;
    play(&mut world, 750);
    fit(&mut world.ladder);
    assert!(flagged(&world.ladder).is_empty());
}

/// Returns the names of the versions that are flagged as changed.
fn flagged(ladder: &Ladder) -> Vec<String> {
    let table = ladder.table();
    let changed = table.ratings().iter();
    let changed = changed.filter(|rated| table.has_changed(&rated.bot));
    changed.map(|rated| rated.bot.name.clone()).collect()
}

#[test]
fn a_late_fit_is_applied_together_with_later_matches() {
    let mut world = World::new(rules(2), field(6), 13);
    play(&mut world, 100);
    let late = world.ladder.fit_job();
    // A bot that is not in the fit.
    world.bots.push(bot("new", 0.0));
    play(&mut world, 150);
    world.ladder.apply_fit(late.fit().unwrap());
    assert!(!world.ladder.is_fit_current());
    let table = world.ladder.table();
    assert!(table.results() < world.ladder.results().len());
    assert_eq!(table.get(&BotVersion::new("new", "1")), None);
    play(&mut world, 200);
    fit(&mut world.ladder);
    assert!(world.ladder.is_fit_current());
    assert_eq!(world.ladder.table().ratings(), ratings(&world.ladder));
    let matches = world.ladder.table();
    let matches = matches.get(&BotVersion::new("new", "1")).unwrap().matches;
    assert!(matches > 10, "the bot is paired although the fit lacks it: {matches}");
}

#[test]
fn a_fit_of_a_restored_ladder_is_not_applied_to_another() {
    let mut world = World::new(rules(2), field(4), 5);
    play(&mut world, 40);
    let before = world.ladder.fit_job();
    play(&mut world, 60);
    let mut again = world.restored();
    let results = again.table().results();
    assert!(!again.apply_fit(before.fit().unwrap()), "the fit is of another ladder");
    assert_eq!(again.table().results(), results);
    assert!(world.ladder.apply_fit(before.fit().unwrap()));
}
