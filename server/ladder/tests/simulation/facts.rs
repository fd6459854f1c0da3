//! What is true of every ladder.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_ladder::{
    BotVersion, End, HeadToHead, Ladder, Presence, Purpose, Rated, RequestRefused, Results,
    SeatEnd, Span, Standing, StandingState, State, ratings_of,
};
use rand::RngExt as _;

use crate::world::{Bot, World, bot, fit, rules};

/// Bots from 400 Elo apart, equally spread.
fn field(count: usize) -> Vec<Bot> {
    let strength = |number: usize| 2.3 * (number as f64 / (count - 1) as f64 - 0.5);
    let named = |number: usize| bot(&format!("bot-{number:03}"), strength(number));
    (0..count).map(named).collect()
}

fn play(world: &mut World, matches: usize) {
    while world.stored.matches.len() < matches && world.step() {}
}

fn ratings(ladder: &Ladder) -> Vec<Rated> {
    ratings_of(ladder.results()).unwrap()
}

fn met(ladder: &Ladder, bot: &BotVersion) -> Vec<(BotVersion, HeadToHead)> {
    ladder.results().meetings(bot).head_to_heads()
}

#[test]
fn a_ladder_that_is_started_again_at_any_moment_is_the_same() {
    for seats in [2, 4] {
        let mut world = World::new(rules(seats), field(9), 7 + seats as u64);
        world.spoils = 0.05;
        world.bots[3].fails = 0.3;
        for round in 0..60 {
            for _ in 0..7 {
                let who = world.luck.random_range(0..9);
                world.bots[who].is_there = world.luck.random_bool(0.8);
                world.step();
            }
            let mut restored = world.restored();
            let live = &world.ladder;
            assert_eq!(restored.counts(), live.counts(), "{round}");
            assert_eq!(ratings(&restored), ratings(live));
            for standing in live.standings() {
                let bot = &standing.bot;
                assert_eq!(restored.standing(bot), Some(standing));
                assert_eq!(restored.annulled_of(bot), live.annulled_of(bot));
                assert_eq!(met(&restored, bot), met(live, bot));
            }
            // It goes on with the one that was started again.
            std::mem::swap(&mut world.ladder, &mut restored);
        }
        assert!(world.ladder.counts().counted > 100);
    }
}

#[test]
fn ratings_follow_from_the_results_in_any_order_to_the_last_digit() {
    let mut world = World::new(rules(3), field(12), 5);
    world.spoils = 0.1;
    play(&mut world, 300);
    let mut results = Results::new();
    for (number, (pairing, end)) in world.stored.matches.iter().enumerate().rev() {
        if let (Purpose::Rated, Some(End::Played(ends))) = (pairing.purpose, end) {
            let seats = pairing.seats.iter().cloned().zip(ends.iter().copied());
            results.add(number as u64, &Vec::from_iter(seats));
        }
    }
    assert_eq!(ratings_of(&results).unwrap(), ratings(&world.ladder));
}

#[test]
fn who_is_there_waits_for_no_more_than_twice_as_many_matches_as_there_are_bots() {
    for (seats, bots, at_once) in [(2, 20, 1), (2, 20, 5), (4, 20, 3), (6, 30, 2)] {
        let mut rules = rules(seats);
        rules.max_matches = at_once;
        let mut world = World::new(rules, field(bots), 3);
        while world.stored.matches.len() < 300 {
            let who = world.luck.random_range(0..bots);
            world.bots[who].is_there = world.luck.random_bool(0.9);
            world.step();
        }
        let wait = world.longest_wait;
        assert!(wait <= 2.0, "{seats} seats: {wait} times as many as bots");
        assert!(wait > 0.2, "{seats} seats: nobody waited at all");
    }
}

#[test]
fn the_shown_ranges_hold_the_true_ranks() {
    let mut world = World::new(rules(2), field(10), 11);
    play(&mut world, 800);
    let table = ratings(&world.ladder);
    let holds = |rated: &&bridgemaster_ladder::Rated| {
        let number: usize = rated.bot.name["bot-".len()..].parse().unwrap();
        (rated.ranks.best..=rated.ranks.worst).contains(&(10 - number))
    };
    assert!(table.iter().filter(holds).count() >= 9, "{table:?}");
    let spans = table
        .iter()
        .map(|rated| rated.ranks.worst - rated.ranks.best);
    let spans: usize = spans.sum();
    assert!(spans < 50, "they say something: {table:?}");
    let matches: Vec<u64> = table.iter().map(|rated| rated.matches).collect();
    let (least, most) = (matches.iter().min().unwrap(), matches.iter().max().unwrap());
    assert!(most < &(2 * least), "{matches:?}");
}

#[test]
fn a_new_version_is_validated_before_it_is_rated_and_never_counts_for_it() {
    let mut rules = rules(2);
    rules.house_bots = ["house".to_owned()].into();
    let mut bots = field(4);
    bots.push(bot("house", 0.0));
    bots[4].presence.slots = 64;
    bots[2].fails = 1.0;
    let mut world = World::new(rules, bots, 1);
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
    assert!(met(&world.ladder, &failing).is_empty());
    let standing = world.ladder.standing(&failing).unwrap();
    assert!(matches!(standing.state(), StandingState::Benched(why) if why.contains("3 times")));
}

#[test]
fn a_version_alone_is_validated_against_itself() {
    let mut alone = bot("alone", 0.0);
    alone.presence.slots = 2;
    let mut world = World::new(rules(2), vec![alone], 1);
    assert!(world.step());
    let seats = &world.stored.matches[0].0.seats;
    assert_eq!(seats[0], seats[1]);
    assert!(world.ladder.standing(&seats[0]).unwrap().is_validated);
    assert!(!world.step(), "nobody else is there to play with");
}

#[test]
fn a_bot_that_keeps_failing_is_benched_and_comes_back_when_it_is_let() {
    let mut world = World::new(rules(2), field(4), 2);
    play(&mut world, 40);
    world.bots[1].fails = 1.0;
    play(&mut world, 80);
    let failing = BotVersion::new("bot-001", "1");
    let benched = world.ladder.standing(&failing).unwrap().clone();
    assert!(benched.benched.is_some());
    let before = world.ladder.counts().paired;
    play(&mut world, 100);
    let late = &world.stored.matches[before as usize..];
    assert!(
        late.iter()
            .all(|(pairing, _)| !pairing.seats.contains(&failing))
    );
    world.bots[1].fails = 0.0;
    let again = world.ladder.unbenched(&failing).unwrap();
    world.keep(again);
    play(&mut world, 130);
    let standing = world.ladder.standing(&failing).unwrap();
    assert_eq!(standing.state(), StandingState::Active);
    let late = &world.stored.matches[100..];
    assert!(
        late.iter()
            .any(|(pairing, _)| pairing.seats.contains(&failing))
    );
    // A version that has not failed enters without ado.
    world.bots[1].presence.bot.version = "2".to_owned();
    play(&mut world, 150);
    let second = BotVersion::new("bot-001", "2");
    assert!(world.ladder.standing(&second).unwrap().is_validated);
}

#[test]
fn annulled_matches_do_not_count_and_are_played_again_once() {
    let mut world = World::new(rules(2), field(6), 4);
    world.spoils = 0.3;
    play(&mut world, 300);
    world.spoils = 0.0;
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
fn who_lags_when_it_is_behind_is_taken_off_the_ladder_and_no_other_is() {
    let mut world = World::new(rules(2), field(12), 6);
    world.spoils = 0.02;
    world.bots[4].lags_when_behind = 0.5;
    play(&mut world, 900);
    for standing in world.ladder.standings() {
        let is_benched = standing.benched.is_some();
        assert_eq!(is_benched, standing.bot.name == "bot-004", "{standing:?}");
    }
}

#[test]
fn bots_of_one_owner_never_meet_in_a_rated_match_if_the_ladder_says_so() {
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
fn a_bot_whose_key_changes_hands_is_kept_apart_from_its_new_owner() {
    let mut rules = rules(2);
    rules.owners_apart = true;
    let mut ladder = Ladder::new(rules, State::Open);
    let there = |owner: &str| {
        ["ann", "bob"].map(|name| Presence {
            bot: BotVersion::new(name, "1"),
            owner: if name == "ann" { "ada" } else { owner }.to_owned(),
            slots: 1,
            free_slots: 1,
        })
    };
    let enter = |ladder: &mut Ladder, there: &[Presence]| {
        for presence in there {
            if let Some(standing) = ladder.entry(presence).unwrap() {
                ladder.keep(Standing {
                    is_validated: true,
                    ..standing
                });
            }
        }
        ladder.attend(there);
    };
    enter(&mut ladder, &there("eve"));
    let first = ladder.next_match().expect("two owners");
    ladder.paired(&first);
    ladder.ended(0, &End::Annulled(Vec::new()), Span::default());
    enter(&mut ladder, &there("ada"));
    let owner = |ladder: &Ladder| {
        ladder
            .standing(&BotVersion::new("bob", "1"))
            .unwrap()
            .owner
            .clone()
    };
    assert_eq!(owner(&ladder), "ada");
    assert_eq!(ladder.next_match(), None, "not even the annulled match");
    enter(&mut ladder, &there("eve"));
    assert_eq!(ladder.next_match().unwrap().replaces, Some(0));
}

#[test]
fn requested_matches_are_played_and_never_count() {
    let mut world = World::new(rules(2), field(4), 9);
    play(&mut world, 20);
    while world.ladder.counts().open > 0 {
        world.ladder.attend(&[]);
        let open = world
            .stored
            .matches
            .iter()
            .position(|(_, end)| end.is_none());
        let seat = |place| SeatEnd {
            place,
            score: 0,
            forfeited: false,
        };
        world.end(open.unwrap() as u64, End::Played(vec![seat(1), seat(2)]));
    }
    let pair = ["bot-000", "bot-003"].map(|name| BotVersion::new(name, "1"));
    let absent = world.ladder.requested(&pair).unwrap_err();
    assert!(matches!(absent, RequestRefused::NotFree { .. }));
    let there: Vec<_> = world.bots.iter().map(|bot| bot.presence.clone()).collect();
    world.ladder.attend(&there);
    let before = ratings(&world.ladder);
    let pairing = world.ladder.requested(&pair).unwrap();
    let number = world.stored.matches.len() as u64;
    world.start(pairing);
    assert_eq!(world.ladder.playing(&pair[0]), 1);
    let seat = |place| SeatEnd {
        place,
        score: 0,
        forfeited: false,
    };
    let again = world.ladder.requested(&pair).unwrap_err();
    assert!(matches!(again, RequestRefused::PlaysOne { .. }), "{again}");
    world.end(number, End::Played(vec![seat(1), seat(2)]));
    assert_eq!(ratings(&world.ladder), before);
    let at_match = world.ladder.counts().paired;
    let mut frozen = world.ladder.clone();
    frozen.advance(State::Frozen { at_match });
    assert_eq!(frozen.requested(&pair), Err(RequestRefused::Frozen));
    let three = [pair[0].clone(), pair[1].clone(), pair[0].clone()];
    let refused = world.ladder.requested(&three).unwrap_err();
    assert_eq!(refused, RequestRefused::Seats { seats: 2, named: 3 });
}

#[test]
fn a_bot_whose_matches_others_ask_for_is_still_rated() {
    let mut world = World::new(rules(2), field(4), 9);
    play(&mut world, 20);
    let pair = ["bot-000", "bot-003"].map(|name| BotVersion::new(name, "1"));
    let mut requested = 0;
    let before = world.stored.matches.len();
    while world.stored.matches.len() < before + 200 {
        if let Ok(pairing) = world.ladder.requested(&pair) {
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
fn an_annulled_match_whose_replay_is_called_off_is_played_again_and_not_for_ever() {
    let mut world = World::new(rules(2), field(2), 1);
    play(&mut world, 4);
    world.pair();
    // What was paired last is in play.
    let number = world.stored.matches.len() as u64 - 1;
    let (pairing, end) = world.stored.matches[number as usize].clone();
    assert_eq!((pairing.purpose, end), (Purpose::Rated, None));
    let seat = |place| SeatEnd {
        place,
        score: 0,
        forfeited: false,
    };
    world.end(number, End::Annulled(vec![seat(1), seat(2)]));
    for _ in 0..3 {
        let replay = world.ladder.next_match().expect("it is to be played again");
        assert_eq!(replay.replaces, Some(number));
        let number = world.stored.matches.len() as u64;
        world.start(replay);
        assert_eq!(world.restored().counts(), world.ladder.counts());
        world.end(number, End::CalledOff { absent: vec![] });
    }
    let other = world.ladder.next_match().expect("they play another one");
    assert_eq!(other.replaces, None);
}

#[test]
fn a_version_whose_slots_the_one_before_it_takes_is_not_paired() {
    let mut rules = rules(2);
    rules.house_bots = ["house".to_owned()].into();
    let mut world = World::new(rules, vec![bot("house", 0.0), bot("ada", 0.0)], 1);
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

#[test]
fn a_closing_round_in_which_matches_are_spoiled_has_as_many_that_count() {
    let mut rules = rules(2);
    rules.closing.max_matches_per_bot = 10;
    let mut world = World::new(rules, field(5), 10);
    play(&mut world, 60);
    let at_match = world.ladder.counts().paired;
    world.ladder.advance(State::Frozen { at_match });
    world.spoils = 0.3;
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
fn a_closing_round_ends_when_the_order_is_settled_also_beside_a_match_that_cannot_be_repeated() {
    let mut rules = rules(2);
    rules.closing.settled_top = 1;
    rules.closing.confidence = 0.7;
    let mut world = World::new(rules, field(4), 3);
    play(&mut world, 20);
    world.spoils = 1.0;
    world.step();
    world.spoils = 0.0;
    let annulled = world
        .stored
        .matches
        .iter()
        .find(|(_, end)| matches!(end, Some(End::Annulled(_))));
    let gone = annulled.unwrap().0.seats[0].clone();
    let at_match = world.ladder.counts().paired;
    world.ladder.advance(State::Frozen { at_match });
    let gone = world.bots.iter_mut().find(|bot| bot.presence.bot == gone);
    gone.unwrap().is_there = false;
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
    assert_eq!(world.ladder.standing(&late), None);
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
fn a_version_that_becomes_another_is_flagged() {
    let mut world = World::new(rules(2), field(4), 12);
    play(&mut world, 500);
    fit(&mut world.ladder);
    let flagged = |ladder: &Ladder| -> Vec<String> {
        let table = ladder.table();
        let changed = table.rated().iter();
        let changed = changed.filter(|rated| table.has_changed(&rated.bot));
        changed.map(|rated| rated.bot.name.clone()).collect()
    };
    assert!(flagged(&world.ladder).is_empty());
    world.bots[0].strength = 4.0;
    play(&mut world, 750);
    fit(&mut world.ladder);
    assert!(flagged(&world.ladder).contains(&"bot-000".to_owned()));
    assert_eq!(
        flagged(&world.restored()),
        flagged(&world.ladder),
        "started again"
    );
}

#[test]
fn a_fit_that_comes_late_is_taken_in_beside_what_has_come_since() {
    let mut world = World::new(rules(2), field(6), 13);
    play(&mut world, 100);
    let late = world.ladder.fitting();
    // A bot that the fit does not have.
    world.bots.push(bot("new", 0.0));
    play(&mut world, 150);
    world.ladder.take_fit(late.fit().unwrap());
    assert!(!world.ladder.is_fit_of_all());
    let table = world.ladder.table();
    assert!(table.results() < world.ladder.results().len());
    assert_eq!(table.get(&BotVersion::new("new", "1")), None);
    play(&mut world, 200);
    fit(&mut world.ladder);
    assert!(world.ladder.is_fit_of_all());
    assert_eq!(world.ladder.table().rated(), ratings(&world.ladder));
    let matches = world.ladder.table();
    let matches = matches.get(&BotVersion::new("new", "1")).unwrap().matches;
    assert!(
        matches > 10,
        "it is paired beside a fit without it: {matches}"
    );
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
    // The stronger one always wins, until the last fit has the order settled beside a match of the
    // round that is still in play.
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
    assert!(!world.ladder.is_fit_of_all());
    assert!(
        !world.ladder.is_round_over(),
        "the last results are not fitted"
    );
    fit(&mut world.ladder);
    assert!(world.ladder.table().is_settled(count, confidence));
    assert!(world.ladder.is_round_over());
}

/// Ends the first match in play: of two bots of a [`field`] the stronger one wins.
fn end_first(world: &mut World) {
    let mut matches = world.stored.matches.iter();
    let open = matches.position(|(_, end)| end.is_none()).unwrap();
    let bots = &world.stored.matches[open].0.seats;
    let seat = |own: usize, other: usize| SeatEnd {
        place: if bots[own] > bots[other] { 1 } else { 2 },
        score: 0,
        forfeited: false,
    };
    let ends = vec![seat(0, 1), seat(1, 0)];
    world.end(open as u64, End::Played(ends));
}
