//! How large messages are: what a match costs on the wire, and in memory while it waits there.

use bridgemaster_games::old_london_bridge::{Config, OldLondonBridge};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        Charge, Clock, DecisionRequest, GameDecision, GameEvent, PlayRequest, PlayResponse,
        play_response::Message as Outgoing,
    },
};
use prost::Message;

use crate::random_match::play;

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
            let observation = Olb::observation_to_wire(step.observation);
            observations.push(observation.encoded_len());
            let charge = Charge {
                elapsed_us: 250_000,
                credit_us: 50_000,
                referee_lag_us: 0,
                charged_us: 200_000,
            };
            let request = DecisionRequest {
                match_id: "0123456789abcdef".to_owned(),
                request_id,
                observation: Some(observation),
                legal_decisions: step.legal.iter().map(Olb::decision_to_wire).collect(),
                legal_decisions_cut: false,
                events: step.events.iter().map(Olb::event_to_wire).collect(),
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
