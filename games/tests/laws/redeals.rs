//! Hidden facts of a setup: they depend on the seed, and become visible with the event that reveals
//! them.

use std::fmt::Debug;

use bridgemaster_games::{ChanceStream, Game, Viewer};

use crate::random_match::{RandomMatch, legal, random_seat, resolve_chance_as_referee};

/// The number of redeals that are compared with one setup.
const REDEALS: usize = 16;

/// Hidden facts of the setup are not visible before an event reveals them, and no event reveals a
/// fact that stays invisible. After the first redeal for each viewer, the others change little of
/// the setup, so that matches diverge late.
pub(crate) fn hidden_setup_facts_become_visible_only_with_an_event<G: Game>(random: &RandomMatch) {
    let (config, count) = (random.config::<G>(), random.seat_count());
    let setup = random.setup::<G>(&config);
    let (mut anew, mut differs) = (random.chance(), false);
    let mut swapping = random.chance().swapping_once();
    let viewers: Vec<Viewer> = random.viewers().collect();
    for (number, &viewer) in viewers.iter().cycle().take(REDEALS).enumerate() {
        let is_first = number < viewers.len();
        let chance = if is_first { &mut anew } else { &mut swapping };
        let redealt = G::redeal(&config, count, &setup, viewer, chance);
        differs |= redealt != setup;
        compare::<G>(random, viewer, &config, [&setup, &redealt], chance);
    }
    if !differs {
        let (mut state, _) = random.start::<G>(&config, &setup);
        resolve_chance_as_referee::<G>(&mut state, &random.seed(), &mut Vec::new());
        let seen = G::observe(&state, Viewer::Spectator);
        let sampled = G::sample_state(&config, &seen, &mut anew).unwrap();
        let hides = G::digest(&sampled) != G::digest(&state);
        assert!(!hides, "the sampler draws hidden facts that redeal does not change");
    }
}

/// Plays two setups with the same decisions until an event differs.
fn compare<G: Game>(
    random: &RandomMatch,
    viewer: Viewer,
    config: &G::Config,
    setups: [&G::Setup; 2],
    chance: &mut ChanceStream,
) {
    let [(mut first, mut events), (mut second, mut other_events)] =
        setups.map(|setup| random.start::<G>(config, setup));
    assert_eq!(events, other_events, "the first events reveal a hidden fact");
    let sees = |state: &G::State| G::observe(state, viewer);
    assert_eq!(sees(&first), sees(&second), "{viewer:?} sees a hidden fact");
    loop {
        resolve_chance_as_referee::<G>(&mut first, &random.seed(), &mut events);
        resolve_chance_as_referee::<G>(&mut second, &random.seed(), &mut other_events);
        let (seen, other_seen) = (sees(&first), sees(&second));
        if texts(&events) != texts(&other_events) {
            assert_ne!(seen, other_seen, "an event reveals a fact that stays invisible");
            return assert_events_match_observations(
                [&events, &other_events],
                [&seen, &other_seen],
            );
        }
        assert_eq!(seen, other_seen, "a hidden fact became visible without an event");
        events.clear();
        other_events.clear();
        let seats_to_decide = G::seats_to_decide(&first);
        let Some(seat) = random_seat(seats_to_decide, chance) else {
            return;
        };
        assert_eq!(
            seats_to_decide,
            G::seats_to_decide(&second),
            "the seats to decide reveal a hidden fact"
        );
        let list = legal::<G>(&first, seat);
        if viewer == Viewer::Seat(seat) {
            let other_list = legal::<G>(&second, seat);
            assert_eq!(list, other_list, "the legal decisions reveal a hidden fact");
        }
        let decision = &list[chance.below(list.len() as u32) as usize];
        G::apply(&mut first, seat, decision, &mut events).unwrap();
        if G::apply(&mut second, seat, decision, &mut other_events).is_err() {
            return; // legal decisions may depend on a seat's own secrets
        }
    }
}

/// The texts of events, sorted: the set of drawn items may be visible without its order.
fn texts<E: ToString>(events: &[E]) -> Vec<String> {
    let mut texts: Vec<String> = events.iter().map(ToString::to_string).collect();
    texts.sort_unstable();
    texts
}

/// Where two matches diverge, the first events that differ agree with their observations: the words
/// that differ between the events are among those that differ between the observations.
fn assert_events_match_observations<E: Debug + PartialEq, O: Debug>(
    events: [&[E]; 2],
    seen: [&O; 2],
) {
    let mut pairs = events[0].iter().zip(events[1]);
    let Some((one, other)) = pairs.find(|(one, other)| one != other) else {
        return;
    };
    let event_words = [one, other].map(|event| words(&format!("{event:?}")));
    // Events of two kinds, or with lists of two lengths, have no corresponding words.
    if event_words[0].len() != event_words[1].len() || event_words[0][0] != event_words[1][0] {
        return;
    }
    let seen = seen.map(|seen| format!("{seen:#?}"));
    let lines = seen[0].lines().zip(seen[1].lines());
    let differing: Vec<[&str; 2]> =
        lines.filter(|(line, other)| line != other).map(|(line, other)| [line, other]).collect();
    for side in [0, 1] {
        let shown: Vec<String> = differing.iter().flat_map(|lines| words(lines[side])).collect();
        let words = event_words[0].iter().zip(&event_words[1]).filter(|(one, other)| one != other);
        for word in words.map(|(one, other)| [one, other][side]) {
            assert!(
                shown.contains(word),
                "{:?} contains {word}, but observations have {shown:?}",
                events[side]
            );
        }
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The facts of a value, one line each.
pub(crate) fn lines(value: &impl Debug) -> Vec<String> {
    let text = format!("{value:#?}");
    text.lines().map(str::to_owned).collect()
}

/// The indices of the lines that differ.
pub(crate) fn differing(own: &[String], other: &[String]) -> Vec<usize> {
    let places = 0..own.len();
    places.filter(|&place| other.get(place) != own.get(place)).collect()
}

/// The maximum number of seeds whose setups are compared.
const MAX_SEEDS: u64 = 400;

/// The facts that a redeal changes also depend on the seed.
pub(crate) fn the_seed_determines_the_hidden_setup_facts<G: Game>(random: &RandomMatch) {
    let (config, mut chance) = (random.config::<G>(), random.chance());
    let setup = random.setup::<G>(&config);
    let own = lines(&setup);
    let mut hidden = Vec::new();
    for viewer in random.viewers() {
        let redealt = G::redeal(&config, random.seat_count(), &setup, viewer, &mut chance);
        hidden.extend(differing(&own, &lines(&redealt)));
    }
    for number in 1..=MAX_SEEDS {
        if hidden.is_empty() {
            return;
        }
        let seed = 1000 * number + random.seed;
        let other = lines(&RandomMatch { seed, ..*random }.setup::<G>(&config));
        hidden.retain(|&place| other.get(place) == own.get(place));
    }
    let missed = hidden.first().map(|&place| own[place].trim());
    assert_eq!(missed, None, "every seed draws the same hidden fact");
}
