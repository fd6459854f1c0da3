//! Malformed messages in every game: each field in messages from random play is cleared, or gets
//! invalid values and lengths. Reading the message then names that field, or returns a value that
//! survives the wire. A match that starts with that value is refused, or plays to its end.

mod altered;
mod breaking;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind},
};

use bridgemaster_games::{
    ChanceStream, NoEvents, Rules, Sample, SeatCount, Seed, Viewer, for_each_game,
};
use bridgemaster_proto::games::FieldError;
use prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor, ReflectMessage as _, Value};

use self::breaking::{Expectation, Place, broken_at, places};
use crate::{
    descriptors,
    random_match::{Rare, Wired, play, play_to_end, setup_of},
};

/// The fields, by message, that were set in a broken message.
type SetFields = BTreeSet<(String, String)>;

/// Adds the fields that are set in a message; returns true if one is new.
fn add_set_fields(message: &DynamicMessage, seen: &mut SetFields) -> bool {
    let mut new = false;
    for (field, value) in message.fields() {
        let name = message.descriptor().full_name().to_owned();
        new |= seen.insert((name, field.name().to_owned()));
        match value {
            Value::Message(message) => new |= add_set_fields(message, seen),
            Value::List(items) => {
                for message in items.iter().filter_map(Value::as_message) {
                    new |= add_set_fields(message, seen);
                }
            }
            _ => {}
        }
    }
    new
}

/// The number of times a field is broken: at several places, in lists and alone.
const MAX_BREAKAGES: usize = 6;
/// Number of random configs, enough for every value of each option.
const CONFIGS: usize = 50;
/// The number of decisions that are tested from one legal list.
const MAX_DECISIONS: usize = 10;

/// Breaks every field in a game's messages.
struct Breaker<G> {
    seen: SetFields,
    /// The number of times each field, and the items of each list, were broken.
    broken: BTreeMap<String, usize>,
    tried: usize,
    game: PhantomData<G>,
}

impl<G: Wired> Breaker<G> {
    /// Counts a breakage; returns true until [`MAX_BREAKAGES`] is exceeded.
    fn should_break(&mut self, kind: String) -> bool {
        let times = self.broken.entry(kind).or_default();
        *times += 1;
        *times <= MAX_BREAKAGES
    }

    /// Breaks values that random play rarely reaches.
    fn try_rare(&mut self) {
        let config = G::Config::default();
        let Rare { setups, decisions, events, chances, observations } = G::rare();
        for setup in &setups {
            for seats in G::SEATS {
                self.try_setup(setup, &config, seats);
            }
        }
        for observation in &observations {
            self.try_observation(observation, &config);
        }
        decisions.iter().for_each(|decision| self.try_decision(decision));
        events.iter().for_each(|event| self.try_event(event));
        chances.iter().for_each(|chance| self.try_chance(chance));
    }

    /// Breaks random configs.
    fn try_configs(&mut self) {
        let mut chance = ChanceStream::new(&Seed::from(0), 0);
        for _ in 0..CONFIGS {
            let (wire, write) = (G::config_to_wire(&G::any_config(&mut chance)), G::config_to_wire);
            self.try_all("GameConfig", &wire, G::config_from_wire, write, |config| {
                assert_eq!(G::check_ranges(config), Ok(()));
            });
        }
    }

    /// Breaks the messages of a match of random play.
    fn try_match(&mut self, seats: u8, seed: u64) {
        let config = G::any_config(&mut ChanceStream::new(&Seed::from(seed), 0));
        self.try_setup(&setup_of::<G>(&config, seats, seed), &config, seats);
        let played = play::<G>(&config, seats, seed, |step| {
            for seat in SeatCount::new(seats).unwrap().seats() {
                self.try_observation(&step.observe(Viewer::Seat(seat)), &config);
            }
            self.try_observation(&step.observe(Viewer::Spectator), &config);
            self.try_request(step.observation, step.legal, step.events, &config);
            let every = step.legal.len().div_ceil(MAX_DECISIONS).max(1);
            let some = step.legal.iter().step_by(every);
            some.for_each(|decision| self.try_decision(decision));
        });
        self.try_observation(&played.end, &config);
        played.events.iter().for_each(|event| self.try_event(event));
        played.chances.iter().for_each(|chance| self.try_chance(chance));
    }

    fn try_setup(&mut self, setup: &G::Setup, config: &G::Config, seats: u8) {
        let (wire, write) = (G::setup_to_wire(setup), G::setup_to_wire);
        let read = |wire: &_| G::setup_from_wire(wire, config);
        self.try_all("GameSetup", &wire, read, write, |setup| {
            let seats = SeatCount::new(seats).unwrap();
            if let Ok(state) = G::start(config, seats, setup, &mut NoEvents) {
                play_to_end::<G>(state);
            }
        });
    }

    fn try_observation(&mut self, observation: &G::Observation, config: &G::Config) {
        let (wire, write) = (G::observation_to_wire(observation), G::observation_to_wire);
        let read = |wire: &_| G::observation_from_wire(wire, config);
        self.try_all("GameObservation", &wire, read, write, |observation| {
            sample_and_play::<G>(observation, config);
        });
    }

    fn try_request(
        &mut self,
        observation: &G::Observation,
        legal: &[G::Decision],
        events: &[G::Event],
        config: &G::Config,
    ) {
        type Read<G> =
            (<G as Sample>::Observation, Vec<<G as Rules>::Decision>, Vec<<G as Rules>::Event>);
        let wire = G::request_to_wire(observation, legal, events);
        let write =
            |(observation, legal, events): &Read<G>| G::request_to_wire(observation, legal, events);
        let read = |wire: &_| -> Result<Read<G>, FieldError> {
            let (observation, legal) = G::request_from_wire(wire, config)?;
            Ok((observation, legal, G::request_events_from_wire(wire)?))
        };
        self.try_all("GameRequest", &wire, read, write, |_| {});
    }

    fn try_decision(&mut self, decision: &G::Decision) {
        let (wire, write) = (G::decision_to_wire(decision), G::decision_to_wire);
        self.try_all("GameDecision", &wire, G::decision_from_wire, write, |_| {});
    }

    fn try_event(&mut self, event: &G::Event) {
        let (wire, write) = (G::event_to_wire(event), G::event_to_wire);
        self.try_all("GameEvent", &wire, G::event_from_wire, write, |_| {});
    }

    fn try_chance(&mut self, chance: &G::Chance) {
        let (wire, write) = (G::chance_to_wire(chance), G::chance_to_wire);
        self.try_all("GameChance", &wire, G::chance_from_wire, write, |_| {});
    }

    /// Breaks a message if it sets a field that no earlier message set. A value that is still
    /// readable is passed to `try_value`.
    fn try_all<M: Message + Default, T: Debug + PartialEq>(
        &mut self,
        kind: &str,
        wire: &M,
        read: impl Fn(&M) -> Result<T, FieldError>,
        write: impl Fn(&T) -> M,
        try_value: impl Fn(&T),
    ) {
        let descriptor = descriptors::message(&format!("bridgemaster.v1.{kind}"));
        let mut message = DynamicMessage::new(descriptor.clone());
        message.transcode_from(wire).unwrap();
        if !add_set_fields(&message, &mut self.seen) {
            return;
        }
        let (entry, game) = message.fields().next().unwrap();
        assert_eq!(entry.name(), G::ID);
        let mut all = Vec::new();
        places(game.as_message().unwrap(), &Place::top(entry), &mut all);
        all.retain(|place| self.should_break(place.kind()));
        for broken in all.iter().flat_map(|place| broken_at(&message, place)) {
            self.tried += 1;
            let sent: M = broken.message.transcode_to().unwrap();
            let outcome = match read(&sent) {
                Ok(value) => {
                    let again: M = crate::round_trip::sent(&write(&value));
                    assert_eq!(read(&again).as_ref(), Ok(&value), "{broken}");
                    let tried = catch_unwind(AssertUnwindSafe(|| try_value(&value)));
                    assert!(tried.is_ok(), "{kind} {broken}: {value:?}");
                    None
                }
                Err(error) => Some(error),
            };
            let right = match (&outcome, &broken.expected) {
                (None, expected) => matches!(expected, Expectation::RefusedOrRead(_)),
                (Some(error), _) if is_error_at_other_field::<G>(&broken.path, &error.field) => {
                    true
                }
                (Some(error), Expectation::Refused(path)) => {
                    error.field == *path || error.field == list_of(path)
                }
                (Some(error), Expectation::RefusedOrRead(path)) => {
                    leads_to(list_of(path), &error.field) || leads_to(&error.field, path)
                }
            };
            let expected = &broken.expected;
            assert!(right, "{kind} {broken}: {outcome:?}, but {expected:?}");
            assert!(outcome.is_none_or(|error| !error.problem.is_empty()));
        }
    }
}

/// Plays a match from a sampled state, unless the observation is refused.
fn sample_and_play<G: Wired>(observation: &G::Observation, config: &G::Config) {
    let mut chance = ChanceStream::new(&Seed::from(0), 0);
    if let Ok(state) = G::sample_state(config, observation, &mut chance) {
        play_to_end::<G>(state);
    }
}

/// For a list item, the list's path, because an item can be invalid only together with other items.
/// For any other value, the path itself.
fn list_of(path: &str) -> &str {
    match path.rsplit_once('[') {
        Some((list, place)) if place.ends_with(']') => list,
        _ => path,
    }
}

/// True if the first path is a prefix of the second path or equal to it.
fn leads_to(path: &str, other: &str) -> bool {
    let rest = other.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// True if the game declares that an error for the broken field can name the other field.
fn is_error_at_other_field<G: Wired>(broken: &str, named: &str) -> bool {
    let has = |path: &str, name: &str| path.split(['.', '[']).any(|part| part == name);
    let mut pairs = G::ERROR_AT_OTHER_FIELD.iter();
    pairs.any(|(changed, found)| has(broken, changed) && has(named, found))
}

/// The fields of all messages that belong to a game.
fn fields_of_the_game(id: &str) -> SetFields {
    let package = format!("bridgemaster.games.{id}.v1");
    let messages = descriptors::messages_of(&package);
    let fields = |message: &MessageDescriptor| {
        let name = message.full_name().to_owned();
        let fields = message.fields().map(|field| field.name().to_owned());
        fields.map(|field| (name.clone(), field)).collect::<Vec<_>>()
    };
    messages.iter().flat_map(fields).collect()
}

fn every_broken_field_is_named<G: Wired>() {
    let mut breaker = Breaker::<G> {
        seen: SetFields::new(),
        broken: BTreeMap::new(),
        tried: 0,
        game: PhantomData,
    };
    breaker.try_configs();
    breaker.try_rare();
    for seed in 0..2 {
        breaker.try_match(*G::SEATS.start(), seed);
        breaker.try_match(*G::SEATS.end(), seed);
    }
    let fields = fields_of_the_game(G::ID);
    let missed: Vec<_> = fields.difference(&breaker.seen).collect();
    assert!(
        missed.is_empty(),
        "never set, so never broken: {missed:?}; `Wired::rare` must provide such values"
    );
    assert!(breaker.tried > fields.len(), "{} tried", breaker.tried);
}

macro_rules! every_broken_field_is_named {
    ($($module:ident: $game:ident,)*) => {
        $(mod $module {
            #[test]
            fn every_broken_field_is_named() {
                super::every_broken_field_is_named::<bridgemaster_games::$module::$game>();
            }
        })*
    };
}
for_each_game!(every_broken_field_is_named);
