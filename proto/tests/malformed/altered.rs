//! Altered observations in every game: values that stay readable, and fields of an earlier
//! observation. The sampler refuses them and names a field, or play continues to the end.

use bridgemaster_games::{ChanceStream, Seed, for_each_game};
use bridgemaster_proto::v1::GameObservation;
use prost_reflect::{DynamicMessage, ReflectMessage as _, Value};

use super::breaking::{Place, alter, random_place};
use crate::{
    descriptors,
    random_match::{Wired, play, play_to_end},
};

/// The least number of observations that the sampler refuses, and of those that it accepts.
const LEAST: usize = 500;
/// The maximum number of matches that are altered.
const MAX_MATCHES: u64 = 200;
/// The number of altered observations of one position.
const ALTERATIONS: usize = 4;

#[derive(Debug, Default)]
struct Outcomes {
    refused: usize,
    sampled: usize,
}

fn as_message(observation: &GameObservation) -> DynamicMessage {
    let descriptor = descriptors::message("bridgemaster.v1.GameObservation");
    let mut message = DynamicMessage::new(descriptor);
    message.transcode_from(observation).unwrap();
    message
}

/// Takes one field, or several, from an earlier observation.
fn mix(now: &mut DynamicMessage, earlier: &DynamicMessage, chance: &mut ChanceStream) {
    let (entry, _) = now.fields().next().unwrap();
    let earlier = earlier.get_field(&entry);
    let earlier = earlier.as_message().unwrap();
    let now = now.get_field_mut(&entry).as_message_mut().unwrap();
    let fields: Vec<_> = earlier.descriptor().fields().collect();
    let one = chance.below(fields.len() as u32) as usize;
    let is_single = chance.below(2) == 0;
    for (number, field) in fields.iter().enumerate() {
        let is_taken = number == one || !is_single && chance.below(3) == 0;
        if is_taken && earlier.has_field(field) {
            now.set_field(field, earlier.get_field(field).into_owned());
        } else if is_taken {
            now.clear_field(field);
        }
    }
}

fn try_altered<G: Wired>(sent: &GameObservation, config: &G::Config, outcomes: &mut Outcomes) {
    let Ok(view) = G::observation_from_wire(sent, config) else {
        return;
    };
    G::render(config, &view, &mut String::new()).unwrap();
    if let Some(progress) = G::progress(&view) {
        assert!(progress.done <= progress.total, "{progress:?}");
    }
    let mut chance = ChanceStream::new(&Seed::from(0), 0);
    match G::sample_state(config, &view, &mut chance) {
        Err(error) => {
            assert!(error.to_string().contains(": "), "{error} names no field");
            outcomes.refused += 1;
        }
        Ok(state) => {
            assert_eq!(G::observe(&state, G::viewer(&view)), view);
            play_to_end::<G>(state);
            outcomes.sampled += 1;
        }
    }
}

fn alter_match<G: Wired>(seats: u8, seed: u64, outcomes: &mut Outcomes) {
    let seed = Seed::from(seed);
    let mut chance = ChanceStream::new(&seed, 2);
    let config = G::any_config(&mut chance);
    let mut earlier: Option<DynamicMessage> = None;
    play::<G>(&config, seats, 0, |step| {
        let now = as_message(&G::observation_to_wire(step.observation));
        for _ in 0..ALTERATIONS {
            let mut altered = now.clone();
            match &earlier {
                Some(earlier) if chance.below(3) == 0 => mix(&mut altered, earlier, &mut chance),
                _ => {
                    for _ in 0..1 + chance.below(2) {
                        let (entry, game) = altered.fields().next().unwrap();
                        let Value::Message(game) = game.clone() else {
                            unreachable!("an entry of a game is a message")
                        };
                        let place = random_place(&game, Place::top(entry), &mut chance);
                        alter(&mut altered, &place, &mut chance);
                    }
                }
            }
            if let Ok(sent) = altered.transcode_to() {
                try_altered::<G>(&sent, &config, outcomes);
            }
        }
        if chance.below(3) == 0 {
            earlier = Some(now);
        }
    });
}

fn altered_observations_are_refused_or_play_to_an_end<G: Wired>() {
    let mut outcomes = Outcomes::default();
    for (seed, seats) in (0..MAX_MATCHES).zip(G::SEATS.cycle()) {
        alter_match::<G>(seats, seed, &mut outcomes);
        if outcomes.refused >= LEAST && outcomes.sampled >= LEAST {
            return;
        }
    }
    panic!("{outcomes:?}");
}

macro_rules! altered {
    ($($module:ident: $game:ident,)*) => {
        $(#[test]
        fn $module() {
            use bridgemaster_games::$module::$game;
            altered_observations_are_refused_or_play_to_an_end::<$game>();
        })*
    };
}
for_each_game!(altered);
