//! The sampler: a sampled state gives the same observation again, and every secret is drawn.

use bridgemaster_games::{ChanceStream, Game, Viewer};

use crate::random_match::{RandomMatch, legal, play, play_to_end};
use crate::redeals::{differing, lines};
use crate::secrecy::{for_decisions, others, pairs};

/// The sampler redraws hidden facts, so an observation that contained one of them would differ.
pub(crate) fn observations_reveal_no_hidden_fact_and_are_complete<G: Game>(random: &RandomMatch) {
    sample_every_position::<G>(random);
}

/// Samples every position for every viewer; returns the number of samples with other hidden facts.
pub(crate) fn sample_every_position<G: Game>(random: &RandomMatch) -> usize {
    let mut others = 0;
    play::<G>(random, |step, chance| {
        let state = step.state;
        for viewer in random.viewers() {
            let observation = G::observe(state, viewer);
            assert_eq!(G::viewer(&observation), viewer);
            let sampled = G::sample_state(step.config, &observation, chance).unwrap();
            let (seats_to_decide, seats_to_decide_of_sample) =
                (G::seats_to_decide(state), G::seats_to_decide(&sampled));
            // The set of other seats that owe a secret decision may be secret, too.
            assert_eq!(seats_to_decide_of_sample.is_empty(), seats_to_decide.is_empty());
            if let Viewer::Seat(seat) = viewer {
                assert_eq!(
                    seats_to_decide_of_sample.contains(seat),
                    seats_to_decide.contains(seat)
                );
                assert_eq!(legal::<G>(&sampled, seat), legal::<G>(state, seat));
            }
            others += usize::from(G::digest(&sampled) != G::digest(state));
        }
    });
    others
}

/// One in this number of positions is sampled twice.
const SAMPLING_INTERVAL: u32 = 8;

/// Every viewer's observation of a sampled state can be sampled again, and play comes to an end.
pub(crate) fn sampled_states_are_valid<G: Game>(random: &RandomMatch) {
    play::<G>(random, |step, chance| {
        if chance.below(SAMPLING_INTERVAL) > 0 {
            return;
        }
        for viewer in random.viewers() {
            let observation = G::observe(step.state, viewer);
            let sampled = G::sample_state(step.config, &observation, chance).unwrap();
            for other in random.viewers() {
                let seen = G::observe(&sampled, other);
                let again = G::sample_state(step.config, &seen, chance);
                again.unwrap_or_else(|refusal| {
                    panic!("the observation of {other:?} of a sampled state is refused: {refusal}")
                });
            }
            play_to_end::<G>(sampled, chance);
        }
    });
}

/// The maximum number of samples of one observation that are compared.
const MAX_SAMPLES: usize = 400;

pub(crate) fn the_sampler_draws_every_secret<G: Game>(random: &RandomMatch) {
    // Hidden facts of the setup: those that redealing changes.
    let (config, mut chance) = (random.config::<G>(), random.chance());
    let setup = random.setup::<G>(&config);
    let (state, _) = random.start::<G>(&config, &setup);
    let own = lines(&state);
    for viewer in random.viewers() {
        let redealt = G::redeal(&config, random.seat_count(), &setup, viewer, &mut chance);
        let hidden = differing(&own, &lines(&random.start::<G>(&config, &redealt).0));
        assert_all_drawn::<G>(&config, &G::observe(&state, viewer), &mut chance, lines, hidden);
    }
    // Secret decisions of a seat: the seat itself sees the sampled one.
    for_decisions::<G>(random, |step, seat, after, chance| {
        let own = |state: &G::State| G::observe(state, Viewer::Seat(seat));
        for viewer in others(random, seat) {
            let sees = |state: &G::State| G::observe(state, viewer);
            let mut pairs = pairs(after).map(|(first, second)| (&first.state, &second.state));
            let is_secret = |(first, second): &(&G::State, &G::State)| {
                sees(first) == sees(second) && own(first) != own(second)
            };
            if let Some((state, _)) = pairs.find(is_secret) {
                let shows = |state: &G::State| vec![format!("{:?}", own(state))];
                assert_all_drawn::<G>(step.config, &sees(state), chance, shows, vec![0]);
            }
        }
    });
}

/// Samples an observation until each of the `hidden` lines of `shows` has differed from that of the
/// first sample.
fn assert_all_drawn<G: Game>(
    config: &G::Config,
    seen: &G::Observation,
    chance: &mut ChanceStream,
    shows: impl Fn(&G::State) -> Vec<String>,
    mut hidden: Vec<usize>,
) {
    let mut sample = || shows(&G::sample_state(config, seen, chance).unwrap());
    let first = sample();
    for _ in 1..MAX_SAMPLES {
        if hidden.is_empty() {
            return;
        }
        let other = sample();
        hidden.retain(|&place| other.get(place) == first.get(place));
    }
    let missed = hidden.first().map(|&place| first.get(place));
    assert_eq!(missed, None, "the sampler draws only one value of a hidden fact");
}
