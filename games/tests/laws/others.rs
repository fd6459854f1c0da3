//! Data of another match: a setup or an observation under other options or with other seats is
//! refused, or plays to an end.

use bridgemaster_games::{Game, NoEvents, SeatCount, Viewer};

use crate::random_match::{RandomMatch, play, play_to_end};

/// The configs that differ from `config` in one option, for each example of each option.
fn other_configs<G: Game>(config: &G::Config) -> Vec<G::Config> {
    let options = G::options().into_iter();
    let values = options.flat_map(|option| {
        let examples = option.examples.into_iter();
        examples.map(move |value| (option.name, value))
    });
    let configs = values.map(|(name, value)| {
        let mut other = config.clone();
        G::set_option(&mut other, name, &value).unwrap();
        other
    });
    configs.collect()
}

pub(crate) fn a_setup_of_another_match_is_refused_or_plays_to_an_end<G: Game>(
    random: &RandomMatch,
) {
    let mut chance = random.chance();
    let config = random.config::<G>();
    let setup = random.setup::<G>(&config);
    for seats in (1..).map_while(SeatCount::new) {
        for config in &other_configs::<G>(&config) {
            let started = G::start(config, seats, &setup, &mut NoEvents);
            let valid = G::check_config(config, seats);
            assert!(valid.is_ok() || started.is_err(), "{seats} seats: {valid:?}");
            if let Ok(state) = started {
                play_to_end::<G>(state, &mut chance);
            }
        }
    }
}

/// One in this number of positions is tested.
const SAMPLING_INTERVAL: u32 = 24;

pub(crate) fn an_observation_of_another_match_is_refused_or_plays_to_an_end<G: Game>(
    random: &RandomMatch,
) {
    play::<G>(random, |step, chance| {
        if chance.below(SAMPLING_INTERVAL) > 0 {
            return;
        }
        let seen = G::observe(step.state, Viewer::Spectator);
        for config in &other_configs::<G>(step.config) {
            if let Ok(state) = G::sample_state(config, &seen, chance) {
                play_to_end::<G>(state, chance);
            }
        }
    });
}
