//! What observations and events may not tell.

use bridgemaster_games::{ChanceStream, Game, NoEvents, Seat, Seed, Viewer, settle};

use crate::random_match::{RandomMatch, any_seat, legal, play, settle_by_law, some};

/// The sampler draws hidden facts anew, so an observation that held one of them would differ.
pub(crate) fn an_observation_tells_no_hidden_fact_and_is_complete<G: Game>(random: &RandomMatch) {
    sample_everywhere::<G>(random);
}

/// Samples every position for every viewer and returns how often other hidden facts came out.
pub(crate) fn sample_everywhere<G: Game>(random: &RandomMatch) -> usize {
    let mut others = 0;
    play::<G>(random, |step, chance| {
        let state = step.state;
        for viewer in random.viewers() {
            let observation = G::observe(state, viewer);
            assert_eq!(G::viewer(&observation), viewer);
            let sampled = G::sample_state(step.config, &observation, chance).unwrap();
            let (owing, sampled_owing) = (G::owing(state), G::owing(&sampled));
            // Who else still owes a secret decision may be secret, too.
            assert_eq!(sampled_owing.is_empty(), owing.is_empty());
            if let Viewer::Seat(seat) = viewer {
                assert_eq!(sampled_owing.contains(seat), owing.contains(seat));
                assert_eq!(legal::<G>(&sampled, seat), legal::<G>(state, seat));
            }
            others += usize::from(G::digest(&sampled) != G::digest(state));
        }
    });
    others
}

/// So that nobody can count secret decisions by what others are told.
pub(crate) fn a_decision_without_an_event_shows_to_its_seat_alone<G: Game>(random: &RandomMatch) {
    for_decisions::<G>(random, |before, seat, after| {
        for after in after.iter().filter(|after| after.events.is_empty()) {
            for viewer in others(random, seat) {
                let (before, after) =
                    (G::observe(before, viewer), G::observe(&after.state, viewer));
                assert_eq!(
                    before, after,
                    "a change without an event, seen by {viewer:?}"
                );
            }
        }
    });
}

/// Events are all that others are told of a decision.
pub(crate) fn others_see_of_a_decision_what_its_events_tell<G: Game>(random: &RandomMatch) {
    for_decisions::<G>(random, |_, seat, after| {
        for (first, second) in pairs(after) {
            if first.events == second.events {
                for viewer in others(random, seat) {
                    let sees = |after: &After<G>| G::observe(&after.state, viewer);
                    assert_eq!(
                        sees(first),
                        sees(second),
                        "{viewer:?} sees which decision was made, and no event told it"
                    );
                }
            }
        }
    });
}

/// Where seats decide simultaneously, the decision that nobody sees is not told either.
pub(crate) fn events_tell_nothing_that_nobody_sees<G: Game>(random: &RandomMatch) {
    for_decisions::<G>(random, |before, seat, after| {
        if G::owing(before).len() < 2 {
            return;
        }
        for (first, second) in pairs(after) {
            let sees = |after: &After<G>, viewer| G::observe(&after.state, viewer);
            if others(random, seat).all(|viewer| sees(first, viewer) == sees(second, viewer)) {
                assert_eq!(
                    first.events, second.events,
                    "an event tells what nobody sees"
                );
            }
        }
    });
}

/// What the setup hides is not seen before an event tells it, and no event tells what is not seen
/// from then on.
pub(crate) fn what_the_setup_hides_shows_only_with_an_event<G: Game>(random: &RandomMatch) {
    let (config, count) = (random.config::<G>(), random.seat_count());
    let setup = random.setup::<G>(&config);
    let mut chance = random.chance();
    let mut differs = false;
    for viewer in random.viewers() {
        let redealt = G::redeal(&config, count, &setup, viewer, &mut chance);
        differs |= redealt != setup;
        let (mut first, mut events) = random.start::<G>(&config, &setup);
        let (mut second, mut other_events) = random.start::<G>(&config, &redealt);
        assert_eq!(events, other_events, "the first events tell what is hidden");
        let sees = |state: &G::State| G::observe(state, viewer);
        assert_eq!(
            sees(&first),
            sees(&second),
            "{viewer:?} sees what is hidden"
        );
        if viewer != Viewer::Spectator {
            continue;
        }
        loop {
            settle_by_law::<G>(&mut first, &random.seed(), &mut events);
            settle_by_law::<G>(&mut second, &random.seed(), &mut other_events);
            let is_same = sees(&first) == sees(&second);
            if texts(&events) != texts(&other_events) {
                assert!(!is_same, "an event tells what nobody may see");
                break;
            }
            assert!(is_same, "what is hidden is seen, and no event told it");
            let owing = G::owing(&first);
            let Some(seat) = any_seat(owing, &mut chance) else {
                break;
            };
            assert_eq!(owing, G::owing(&second), "who decides tells what is hidden");
            let list = legal::<G>(&first, seat);
            let decision = &list[chance.below(list.len() as u32) as usize];
            G::apply(&mut first, seat, decision, &mut events).unwrap();
            if G::apply(&mut second, seat, decision, &mut other_events).is_err() {
                break; // what is legal may hang on a seat's own secrets
            }
        }
    }
    if !differs {
        let (mut state, _) = random.start::<G>(&config, &setup);
        settle_by_law::<G>(&mut state, &random.seed(), &mut Vec::new());
        let seen = G::observe(&state, Viewer::Spectator);
        let sampled = G::sample_state(&config, &seen, &mut chance).unwrap();
        let hides = G::digest(&sampled) != G::digest(&state);
        assert!(
            !hides,
            "the sampler knows of hidden facts that redeal does not"
        );
    }
}

/// Events in no order: a set of what was drawn may be seen, and not its order.
fn texts<E: ToString>(events: &[E]) -> Vec<String> {
    let mut texts: Vec<String> = events.iter().map(ToString::to_string).collect();
    texts.sort_unstable();
    texts
}

/// What a decision led to, before chance.
struct After<G: Game> {
    state: G::State,
    events: Vec<G::Event>,
}

fn decided<G: Game>(state: &G::State, seat: Seat, decision: &G::Decision) -> After<G> {
    let (mut state, mut events) = (state.clone(), Vec::new());
    G::apply(&mut state, seat, decision, &mut events).unwrap();
    After { state, events }
}

/// Decisions of one seat that are compared.
const MOST_COMPARED: usize = 6;

/// Shows each position with a seat that owes a decision and what some of its decisions lead to.
fn for_decisions<G: Game>(random: &RandomMatch, visit: impl Fn(&G::State, Seat, &[After<G>])) {
    play::<G>(random, |step, chance| {
        for seat in G::owing(step.state).iter() {
            let list = legal::<G>(step.state, seat);
            let after: Vec<After<G>> = some(&list, MOST_COMPARED, chance)
                .map(|decision| decided::<G>(step.state, seat, decision))
                .collect();
            visit(step.state, seat, &after);
        }
    });
}

fn pairs<T>(items: &[T]) -> impl Iterator<Item = (&T, &T)> {
    let later = |i| items[i + 1..].iter();
    (0..items.len()).flat_map(move |i| later(i).map(move |second| (&items[i], second)))
}

fn others(random: &RandomMatch, seat: Seat) -> impl Iterator<Item = Viewer> {
    random
        .viewers()
        .filter(move |viewer| *viewer != Viewer::Seat(seat))
}

/// Decisions that are played on from two states.
const MOST_PLAYED_ON: usize = 400;

/// States of equal digests show the same, and go on alike under the same decisions and chance.
fn alike<G: Game>(random: &RandomMatch, first: &G::State, second: &G::State, most: usize) {
    if G::digest(first) != G::digest(second) {
        return;
    }
    let (mut first, mut second) = (first.clone(), second.clone());
    let mut chance = ChanceStream::new(&Seed::from(random.seed), 2_000_000);
    for _ in 0..most {
        let mut other = chance.clone();
        settle::<G>(&mut first, &mut chance, &mut NoEvents);
        settle::<G>(&mut second, &mut other, &mut NoEvents);
        let forgotten = "states of equal digests";
        assert_eq!(
            G::digest(&first),
            G::digest(&second),
            "{forgotten} go on differently"
        );
        assert_eq!(
            G::owing(&first),
            G::owing(&second),
            "{forgotten} ask others"
        );
        assert_eq!(
            G::outcome(&first),
            G::outcome(&second),
            "{forgotten} end differently"
        );
        for viewer in random.viewers() {
            let (first, second) = (G::observe(&first, viewer), G::observe(&second, viewer));
            assert_eq!(first, second, "{forgotten} show something else");
        }
        let Some(seat) = any_seat(G::owing(&first), &mut chance) else {
            return;
        };
        let list = legal::<G>(&first, seat);
        assert_eq!(
            list,
            legal::<G>(&second, seat),
            "{forgotten} have other decisions"
        );
        let decision = &list[chance.below(list.len() as u32) as usize];
        for state in [&mut first, &mut second] {
            G::apply(state, seat, decision, &mut NoEvents).unwrap();
        }
    }
}

/// Compared are states after different decisions, and states with other hidden facts.
pub(crate) fn states_of_equal_digests_play_on_alike<G: Game>(random: &RandomMatch) {
    for_decisions::<G>(random, |_, _, after| {
        for (first, second) in pairs(after) {
            alike::<G>(random, &first.state, &second.state, 8);
        }
    });
    play::<G>(random, |step, chance| {
        for viewer in random.viewers() {
            let seen = G::observe(step.state, viewer);
            let sampled = G::sample_state(step.config, &seen, chance).unwrap();
            alike::<G>(random, step.state, &sampled, 2);
        }
    });
}

/// Compared are the starts of matches that differ in one option.
pub(crate) fn a_digest_knows_the_options<G: Game>(random: &RandomMatch) {
    let config = random.config::<G>();
    let start = |config: &G::Config| random.start::<G>(config, &random.setup::<G>(config)).0;
    let base = start(&config);
    for option in G::options() {
        for value in &option.examples {
            let mut other = config.clone();
            G::set_option(&mut other, option.name, value).unwrap();
            alike::<G>(random, &base, &start(&other), MOST_PLAYED_ON);
        }
    }
}
