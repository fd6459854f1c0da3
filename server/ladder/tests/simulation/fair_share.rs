//! Tests of the fair share of a ladder's concurrent matches, in virtual time.

use crate::world::{Bot, World, bot, house_rules};

/// Virtual time of a simulation, in ms.
const DURATION_MS: u64 = 4_000;
/// Factor of the duration of a slow bot's matches.
const SLOWNESS: u64 = 80;

/// Plays on a ladder of 16 concurrent matches with six fast bots. Returns the number of matches
/// that they play with each other while as many slow bots with 64 slots attend.
fn fast_matches(slow: usize, slots: u32) -> usize {
    let mut bots: Vec<Bot> =
        (0..6 + slow).map(|number| bot(&format!("bot-{number}"), 0.0)).collect();
    for (number, bot) in bots.iter_mut().enumerate() {
        let is_slow = number >= 6;
        bot.presence.slots = if is_slow { 64 } else { slots };
        bot.slowness = if is_slow { SLOWNESS } else { 1 };
    }
    // House bots need no validation.
    let names: Vec<String> = bots.iter().map(|bot| bot.presence.bot.name.clone()).collect();
    let mut rules = house_rules(2, names.iter().map(String::as_str));
    rules.max_matches = 16;
    let share = 2 * rules.max_matches / bots.len();
    let mut world = World::new(rules, bots, 1);
    while world.now < DURATION_MS && world.step() {
        for bot in &world.bots[6..] {
            let held = world.ladder.open_matches_of(&bot.presence.bot);
            assert!(held <= share + 1, "{held} of a share of {share}, {slots} slots");
        }
    }
    let is_fast = |name: &str| name < "bot-6";
    let matches = world.stored.matches.iter();
    let ended = matches.filter(|(_, end)| end.is_some());
    ended.filter(|(pairing, _)| pairing.seats.iter().all(|bot| is_fast(&bot.name))).count()
}

#[test]
fn two_slow_bots_with_many_slots_leave_the_others_their_share() {
    for slots in [1, 4, 64] {
        let alone = fast_matches(0, slots);
        let beside_slow = fast_matches(2, slots);
        assert!(3 * beside_slow >= alone, "{beside_slow} of {alone}, {slots} slots");
    }
}
