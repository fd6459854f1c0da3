//! Tests of who has a rank: each bot once, by its newest version.

use bridgemaster_ladder::{BotVersion, RatingMethodId, Results, ratings_of};

use crate::{
    scenarios::{field, play, seat},
    world::{World, fit, rules},
};

fn rank_of(world: &World, name: &str, version: &str) -> (usize, usize) {
    let table = world.ladder.table();
    let ranks = table.get(&BotVersion::new(name, version)).expect("the bot has results").ranks;
    (ranks.best, ranks.worst)
}

#[test]
fn three_bots_have_three_ranks_although_one_of_them_has_an_earlier_version() {
    let mut world = World::new(rules(2), field(3), 5);
    play(&mut world, 400);
    world.bots[2].presence.bot.version = "2".to_owned();
    play(&mut world, 900);
    fit(&mut world.ladder);
    assert_eq!(rank_of(&world, "bot-002", "2"), (1, 1));
    assert_eq!(rank_of(&world, "bot-001", "1"), (2, 2));
    assert_eq!(rank_of(&world, "bot-000", "1"), (3, 3));
    assert_eq!(rank_of(&world, "bot-002", "1"), (1, 2), "the rank that the version would have");
    // The two versions are equally strong, so their order is never settled.
    assert!(world.ladder.table().is_settled(3, 0.95));
    let table = world.ladder.table();
    let listed = table
        .ratings()
        .iter()
        .filter(|rated| (&*rated.bot.name, &*rated.bot.version) != ("bot-002", "1"));
    let mean = listed.map(|rated| rated.elo).sum::<f64>() / 3.0;
    assert!(mean.abs() < 1e-6, "the mean of the newest versions is {mean}");
}

#[test]
fn absent_and_benched_bots_keep_their_ranks() {
    let mut world = World::new(rules(2), field(4), 5);
    play(&mut world, 500);
    world.bots[3].is_present = false;
    world.bots[0].forfeit_rate = 1.0;
    play(&mut world, 1_000);
    fit(&mut world.ladder);
    assert!(world.ladder.entry(&BotVersion::new("bot-000", "1")).unwrap().benched.is_some());
    assert_eq!(rank_of(&world, "bot-003", "1").0, 1, "the absent bot is the best");
    assert_eq!(rank_of(&world, "bot-000", "1").1, 4);
}

#[test]
fn the_version_that_played_first_later_is_the_newest_in_whatever_order_results_are_added() {
    let bot = |name, version| BotVersion::new(name, version);
    let matches = [
        (0, bot("ada", "9"), bot("bob", "1")),
        (1, bot("ada", "10"), bot("bob", "1")),
        (2, bot("ada", "9"), bot("bob", "1")),
    ];
    let rated = |matches: Vec<&(u64, BotVersion, BotVersion)>| {
        let mut results = Results::new();
        for (number, one, other) in matches {
            results.add(*number, &[(one.clone(), seat(1)), (other.clone(), seat(2))]);
        }
        ratings_of(&results, RatingMethodId::PlackettLuce).unwrap()
    };
    let in_order = rated(matches.iter().collect());
    assert_eq!(in_order, rated(matches.iter().rev().collect()));
    let sum = |version| {
        let of = in_order.iter().filter(|rated| [version, "1"].contains(&&*rated.bot.version));
        of.map(|rated| rated.elo * rated.matches as f64).sum::<f64>()
    };
    assert!(sum("10").abs() < 1e-6, "the mean is of ada 10 and bob");
    assert!(sum("9").abs() > 1.0);
}
