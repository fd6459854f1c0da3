//! Message sizes: a match's bytes on the wire, and in memory while messages are queued.

use bridgemaster_games::{
    ChanceStream, Seed, for_each_game,
    old_london_bridge::{Config, OldLondonBridge},
};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        Charge, Clock, DecisionRequest, GameDecision, GameEvent, PlayRequest, PlayResponse,
        play_response::Message as Outgoing,
    },
};
use prost::Message;

use crate::random_match::{Wired, play};

type Olb = OldLondonBridge;

/// The maximum size of an observation with four seats, in bytes.
const MAX_OBSERVATION_BYTES: usize = 700;
/// The maximum size of a whole request with four seats, in bytes: the observation, up to 53
/// decisions, and the events of a round.
const MAX_REQUEST_BYTES: usize = 1280;

#[test]
fn requests_of_a_table_of_four_stay_small() {
    let mut observations = Vec::new();
    let mut requests = Vec::new();
    for seed in 0..100 {
        let mut request_id = 0;
        play::<Olb>(&Config::default(), 4, seed, |step| {
            request_id += 1;
            observations.push(Olb::observation_to_wire(step.observation).encoded_len());
            let charge = Charge {
                elapsed_us: 250_000,
                credit_us: 50_000,
                referee_lag_us: 0,
                charged_us: 200_000,
                uncharged_us: 0,
            };
            let request = DecisionRequest {
                request_id,
                game: Some(Olb::request_to_wire(step.observation, step.legal, step.events)),
                legal_count: step.legal.len() as u32,
                legal_decisions_cut: false,
                clock: Some(Clock {
                    bank_left_ms: 60_000,
                    decision_left_ms: 10_000,
                    last_charge: Some(charge),
                }),
            };
            let message = Some(Outgoing::DecisionRequest(request));
            requests.push(PlayResponse { sequence: request_id, message }.encoded_len());
        });
    }
    for (name, sizes, most) in [
        ("observation", &mut observations, MAX_OBSERVATION_BYTES),
        ("request", &mut requests, MAX_REQUEST_BYTES),
    ] {
        sizes.sort_unstable();
        let (median, largest) = (sizes[sizes.len() / 2], sizes[sizes.len() - 1]);
        assert!(largest <= most, "{name}: median {median}, largest {largest} bytes");
    }
}

#[test]
fn queued_messages_are_small() {
    assert!(size_of::<PlayResponse>() <= 240, "{}", size_of::<PlayResponse>());
    assert!(size_of::<PlayRequest>() <= 136, "{}", size_of::<PlayRequest>());
    assert!(size_of::<GameDecision>() <= 40, "{}", size_of::<GameDecision>());
    assert!(size_of::<GameEvent>() <= 56, "{}", size_of::<GameEvent>());
}

/// The maximum size of a message from a server to a bot, in bytes, as promised in the book.
const MAX_RESPONSE_BYTES: usize = 128 * 1024;
/// The overhead for a message in a list, in bytes: field number and length.
const BYTES_PER_ENTRY: usize = 4;
/// Bytes for the rest of a request: identifiers, numbers and the clock.
const REQUEST_REST_BYTES: usize = 256;

/// An upper bound on the size of a game's requests: the longest legal list with the game's largest
/// decisions, its largest observation, and all events of a match, which a seat that was
/// disconnected gets.
fn bound<G: Wired>() -> usize {
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    let size = |decision: &G::Decision| G::decision_to_wire(decision).encoded_len();
    let rare = G::rare().decisions;
    let mut decision = rare.iter().map(size).max().unwrap_or(0);
    let (mut observation, mut events) = (0, 0);
    for seed in 0..5 {
        for seats in G::SEATS {
            let config = G::any_config(&mut chance);
            let played = play::<G>(&config, seats, seed, |step| {
                let seen = G::observation_to_wire(step.observation).encoded_len();
                observation = observation.max(seen);
                decision = step.legal.iter().map(size).fold(decision, usize::max);
            });
            let event_bytes = played.events.iter().map(G::event_to_wire);
            let event_bytes = event_bytes.map(|event| event.encoded_len() + BYTES_PER_ENTRY).sum();
            events = events.max(event_bytes);
        }
    }
    observation + G::LEGAL_CAP * (decision + BYTES_PER_ENTRY) + events + REQUEST_REST_BYTES
}

#[test]
fn no_request_exceeds_the_documented_size() {
    let page = include_str!("../../docs/reference/transport.md");
    let promise = format!("at most {} KiB", MAX_RESPONSE_BYTES / 1024);
    assert!(page.contains(&promise), "the page promises: {promise}");
    macro_rules! bounds {
        ($($module:ident: $game:ident,)*) => {
            [$((stringify!($module), bound::<bridgemaster_games::$module::$game>())),*]
        };
    }
    for (game, bytes) in for_each_game!(bounds) {
        assert!(bytes <= MAX_RESPONSE_BYTES, "{game}: {bytes} bytes");
    }
}
