//! How large messages are: what a match costs on the wire, and in memory while it waits there.

use bridgemaster_games::{
    ChanceStream, Rules as _, Seed,
    alhambra::Alhambra,
    bridges_to_nowhere::BridgesToNowhere,
    carcassonne::Carcassonne,
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
use serde_json::json;

use crate::{
    descriptors::from_json,
    random_match::{Wired, play},
};

type Olb = OldLondonBridge;

/// Most bytes of an observation at a table of four.
const MAX_OBSERVATION_BYTES: usize = 700;
/// Most bytes of a whole request at a table of four: the observation, up to 53 decisions, and the
/// events of a round.
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
            };
            let request = DecisionRequest {
                request_id,
                game: Some(Olb::request_to_wire(
                    step.observation,
                    step.legal,
                    step.events,
                )),
                legal_count: step.legal.len() as u32,
                legal_decisions_cut: false,
                clock: Some(Clock {
                    bank_left_ms: 60_000,
                    decision_left_ms: 10_000,
                    last_charge: Some(charge),
                }),
            };
            let message = Some(Outgoing::DecisionRequest(request));
            requests.push(
                PlayResponse {
                    sequence: request_id,
                    message,
                }
                .encoded_len(),
            );
        });
    }
    for (name, sizes, most) in [
        ("observation", &mut observations, MAX_OBSERVATION_BYTES),
        ("request", &mut requests, MAX_REQUEST_BYTES),
    ] {
        sizes.sort_unstable();
        let (median, largest) = (sizes[sizes.len() / 2], sizes[sizes.len() - 1]);
        assert!(
            largest <= most,
            "{name}: median {median}, largest {largest} bytes"
        );
    }
}

#[test]
fn a_place_in_a_queue_of_responses_is_small() {
    assert!(
        size_of::<PlayResponse>() <= 240,
        "{}",
        size_of::<PlayResponse>()
    );
    assert!(
        size_of::<PlayRequest>() <= 112,
        "{}",
        size_of::<PlayRequest>()
    );
    assert!(
        size_of::<GameDecision>() <= 40,
        "{}",
        size_of::<GameDecision>()
    );
    assert!(size_of::<GameEvent>() <= 56, "{}", size_of::<GameEvent>());
}

/// Most bytes of a message of a server to a bot, as `PROTOCOL.md` promises.
const MAX_RESPONSE_BYTES: usize = 128 * 1024;
/// Bytes round a message that stands in a list: the number of its field, and its length.
const BYTES_AN_ENTRY: usize = 4;
/// Room for the rest of a request: identifiers, numbers and the clock.
const REST_OF_A_REQUEST: usize = 256;

/// More bytes than any request of a game has: the longest legal list of its largest decisions, its
/// largest observation, and the events of a whole match, which a seat is told that was away.
fn bound<G: Wired>() -> usize {
    let mut chance = ChanceStream::new(&Seed::from(1), 0);
    let (mut observation, mut decision, mut events) = (0, 0, 0);
    for seed in 0..5 {
        for seats in G::SEATS {
            let config = G::any_config(&mut chance);
            let played = play::<G>(&config, seats, seed, |step| {
                let seen = G::observation_to_wire(step.observation).encoded_len();
                observation = observation.max(seen);
                let legal = step.legal.iter().map(G::decision_to_wire);
                let largest = legal.map(|legal| legal.encoded_len()).max();
                decision = decision.max(largest.unwrap_or(0));
            });
            let told = played.events.iter().map(G::event_to_wire);
            let told = told.map(|event| event.encoded_len() + BYTES_AN_ENTRY).sum();
            events = events.max(told);
        }
    }
    let largest_purchase: GameDecision = from_json(
        "bridgemaster.v1.GameDecision",
        &json!({ "alhambra": { "buy": {
            "slot": "CURRENCY_YELLOW",
            "payment": (1..=9).flat_map(|value| [value; 3]).collect::<Vec<u32>>(),
            "give": true,
        } } }),
    );
    if G::ID == Alhambra::ID {
        decision = largest_purchase.encoded_len();
    }
    observation + G::LEGAL_CAP * (decision + BYTES_AN_ENTRY) + events + REST_OF_A_REQUEST
}

#[test]
fn no_request_is_larger_than_the_page_promises() {
    let page = include_str!("../PROTOCOL.md");
    let promise = format!("at most {} KiB", MAX_RESPONSE_BYTES / 1024);
    assert!(page.contains(&promise), "the page says: {promise}");
    for bytes in [
        bound::<OldLondonBridge>(),
        bound::<Alhambra>(),
        bound::<BridgesToNowhere>(),
        bound::<Carcassonne>(),
    ] {
        assert!(bytes <= MAX_RESPONSE_BYTES, "{bytes} bytes");
    }
}
