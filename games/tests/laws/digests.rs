//! Digests: states of equal digests behave alike.

use std::collections::HashMap;

use bridgemaster_games::{ChanceStream, Game, NoEvents, Seed, Viewer, resolve_chance};

use crate::random_match::{
    RandomMatch, legal, play, play_variant, random_seat, resolve_chance_as_referee,
};
use crate::secrecy::{for_decisions, pairs};

/// The maximum number of decisions that are compared from two states.
const MAX_COMPARED_DECISIONS: usize = 400;

/// Asserts that states of equal digests have the same observations, and continue alike with the
/// same decisions and chance.
fn assert_alike<G: Game>(random: &RandomMatch, first: &G::State, second: &G::State, most: usize) {
    if G::digest(first) != G::digest(second) {
        return;
    }
    let (mut first, mut second) = (first.clone(), second.clone());
    let mut chance = ChanceStream::new(&Seed::from(random.seed), 2_000_000);
    for _ in 0..most {
        let mut other = chance.clone();
        resolve_chance::<G>(&mut first, &mut chance, &mut NoEvents);
        resolve_chance::<G>(&mut second, &mut other, &mut NoEvents);
        let subject = "states of equal digests";
        assert_eq!(G::digest(&first), G::digest(&second), "{subject} continue differently");
        assert_eq!(
            G::seats_to_decide(&first),
            G::seats_to_decide(&second),
            "{subject} have different seats to decide"
        );
        assert_eq!(G::outcome(&first), G::outcome(&second), "{subject} end differently");
        for viewer in random.viewers() {
            let (first, second) = (G::observe(&first, viewer), G::observe(&second, viewer));
            assert_eq!(first, second, "{subject} have different observations");
        }
        let Some(seat) = random_seat(G::seats_to_decide(&first), &mut chance) else {
            return;
        };
        let list = legal::<G>(&first, seat);
        assert_eq!(list, legal::<G>(&second, seat), "{subject} have different legal decisions");
        let decision = &list[chance.below(list.len() as u32) as usize];
        for state in [&mut first, &mut second] {
            G::apply(state, seat, decision, &mut NoEvents).unwrap();
        }
    }
}

/// Plays two setups with the same decisions as long as both allow them, and compares the states.
fn compare_setups<G: Game>(
    random: &RandomMatch,
    config: &G::Config,
    setups: [&G::Setup; 2],
    chance: &mut ChanceStream,
) {
    let [mut first, mut second] = setups.map(|setup| random.start::<G>(config, setup).0);
    loop {
        resolve_chance_as_referee::<G>(&mut first, &random.seed(), &mut Vec::new());
        resolve_chance_as_referee::<G>(&mut second, &random.seed(), &mut Vec::new());
        assert_alike::<G>(random, &first, &second, 2);
        let Some(seat) = random_seat(G::seats_to_decide(&first), chance) else {
            return;
        };
        let list = legal::<G>(&first, seat);
        let mut decisions = (0..DRAWS).map(|_| &list[chance.below(list.len() as u32) as usize]);
        let decision = decisions.find(|decision| {
            let applied = G::apply(&mut second, seat, decision, &mut NoEvents);
            applied.is_ok()
        });
        let Some(decision) = decision else {
            return;
        };
        G::apply(&mut first, seat, decision, &mut NoEvents).unwrap();
    }
}

/// The number of attempts to find a decision that two states allow.
const DRAWS: usize = 8;

/// The number of variants of one setup whose positions are compared.
const VARIANTS: u64 = 6;

/// The number of setups that are compared with one.
const REDEALS: usize = 12;

/// Compares states after different decisions, states with other hidden facts, positions of several
/// variants of one setup, and positions of the same decisions from similar setups: hidden facts may
/// be gone, so that nothing else distinguishes the two.
pub(crate) fn states_of_equal_digests_behave_alike<G: Game>(random: &RandomMatch) {
    for_decisions::<G>(random, |_, _, after, _| {
        for (first, second) in pairs(after) {
            assert_alike::<G>(random, &first.state, &second.state, 8);
        }
    });
    play::<G>(random, |step, chance| {
        for viewer in random.viewers() {
            let seen = G::observe(step.state, viewer);
            let sampled = G::sample_state(step.config, &seen, chance).unwrap();
            assert_alike::<G>(random, step.state, &sampled, 2);
        }
    });
    let mut met: HashMap<_, G::State> = HashMap::new();
    for variant in 0..VARIANTS {
        play_variant::<G>(random, variant, |step, _| {
            let state = step.state;
            let earlier = met.entry(G::digest(state)).or_insert_with(|| state.clone());
            assert_alike::<G>(random, earlier, state, 2);
        });
    }
    let (config, mut chance) = (random.config::<G>(), random.chance().swapping_once());
    let setup = random.setup::<G>(&config);
    for _ in 0..REDEALS {
        let (count, viewer) = (random.seat_count(), Viewer::Spectator);
        let redealt = G::redeal(&config, count, &setup, viewer, &mut chance);
        compare_setups::<G>(random, &config, [&setup, &redealt], &mut chance);
    }
}

/// Compares the starts of matches that differ in one option.
pub(crate) fn digests_cover_the_options<G: Game>(random: &RandomMatch) {
    let config = random.config::<G>();
    let start = |config: &G::Config| random.start::<G>(config, &random.setup::<G>(config)).0;
    let base = start(&config);
    for option in G::options() {
        for value in &option.examples {
            let mut other = config.clone();
            G::set_option(&mut other, option.name, value).unwrap();
            assert_alike::<G>(random, &base, &start(&other), MAX_COMPARED_DECISIONS);
        }
    }
}
