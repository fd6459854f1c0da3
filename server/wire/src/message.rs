//! Converts messages that the referee sends to bots.

use bridgemaster_proto::{
    games::{WireGame, Writer, field_of},
    v1::{self, PlayResponse, play_response::Message},
};
use bridgemaster_referee::{
    Charge, DecisionRequest, MatchRules, Rejection, RejectionReason, SeatMessage, Started,
};

use super::{
    SeedSalt, result_to_wire, rules_to_wire, rules_without_game, seat::reason_to_wire,
    seat_to_wire, write_rules,
};

/// Converts a message that is sent to a seat of a match.
pub fn response_to_wire<G: WireGame>(
    match_id: &str,
    rules: &MatchRules<G>,
    salt: &SeedSalt,
    sequence: u32,
    message: &SeatMessage<G>,
) -> PlayResponse {
    let message = match message {
        SeatMessage::Started(started) => Message::MatchStarted(v1::MatchStarted {
            config: Some(Box::new(rules_to_wire(rules, false))),
            ..started_without_game(match_id, rules, salt, started)
        }),
        SeatMessage::Request(request) => Message::DecisionRequest(request_to_wire(request)),
        SeatMessage::Rejected(rejection) => Message::DecisionRejected(rejection_to_wire(rejection)),
        SeatMessage::SeatStatus(status) => Message::SeatStatus(v1::SeatStatus {
            seat: Some(seat_to_wire(&status.info)),
            reason: reason_to_wire(status.reason).into(),
        }),
        SeatMessage::Ended(result) => Message::MatchEnded(v1::MatchEnded {
            result: Some(result_to_wire(match_id, result)),
            seed: rules.seed.to_string(),
            seed_salt: salt.to_hex(),
        }),
    };
    PlayResponse {
        sequence,
        message: Some(message),
    }
}

/// Returns the message for the start of a match, without its largest part, the game config.
pub fn started_without_game<G: WireGame>(
    match_id: &str,
    rules: &MatchRules<G>,
    salt: &SeedSalt,
    started: &Started,
) -> v1::MatchStarted {
    v1::MatchStarted {
        match_id: match_id.to_owned(),
        seat: started.seat.number().into(),
        config: Some(Box::new(rules_without_game(rules, false))),
        rules_version: G::RULES_VERSION,
        seats: started.seats.iter().map(seat_to_wire).collect(),
        seed_commitment: salt.commit(&rules.seed),
    }
}

/// Writes the bytes of the [`PlayResponse`] for the start of a match. `started` is the message
/// without the game config, and `config` is the game config.
pub fn write_started<G: WireGame>(
    sequence: u32,
    mut started: v1::MatchStarted,
    config: &G::Config,
    to: &mut Writer,
) {
    let without_game = started.config.take().unwrap_or_default();
    to.number(sequence, const { field_of::<PlayResponse>("sequence") });
    to.message(const { field_of::<Message>("MatchStarted") }, |to| {
        to.body(&started);
        let field = const { field_of::<v1::MatchStarted>("config") };
        write_rules::<G>(&without_game, config, field, to);
    });
}

fn request_to_wire<G: WireGame>(request: &DecisionRequest<G>) -> v1::DecisionRequest {
    let content = &request.content;
    let game = G::request_to_wire(&content.observation, &content.legal, &content.events);
    v1::DecisionRequest {
        game: Some(game),
        ..without_game(request)
    }
}

/// Writes the bytes of the [`PlayResponse`] with a decision request.
pub fn write_request<G: WireGame>(sequence: u32, request: &DecisionRequest<G>, to: &mut Writer) {
    to.number(sequence, const { field_of::<PlayResponse>("sequence") });
    let entry = const { field_of::<Message>("DecisionRequest") };
    to.message(entry, |to| {
        to.body(&without_game(request));
        to.message(const { field_of::<v1::DecisionRequest>("game") }, |to| {
            let content = &request.content;
            G::put_request(&content.observation, &content.legal, &content.events, to);
        });
    });
}

/// Returns a request without its game-specific part.
fn without_game<G: WireGame>(request: &DecisionRequest<G>) -> v1::DecisionRequest {
    v1::DecisionRequest {
        request_id: request.request_id,
        game: None,
        legal_count: u32::try_from(request.content.legal.len()).unwrap_or(u32::MAX),
        legal_decisions_cut: request.content.cut,
        clock: Some(v1::Clock {
            bank_left_ms: request.clock.bank_left_ms,
            decision_left_ms: request.clock.decision_left_ms,
            last_charge: request.clock.last_charge.as_ref().map(charge_to_wire),
        }),
    }
}

pub(super) fn charge_to_wire(charge: &Charge) -> v1::Charge {
    v1::Charge {
        elapsed_us: charge.elapsed_us,
        credit_us: charge.credit_us,
        charged_us: charge.charged_us,
        referee_lag_us: charge.referee_lag_us,
    }
}

/// Reads a record's time charge, without checking that its parts add up.
pub fn charge_from_wire(charge: &v1::Charge) -> Charge {
    Charge {
        elapsed_us: charge.elapsed_us,
        credit_us: charge.credit_us,
        charged_us: charge.charged_us,
        referee_lag_us: charge.referee_lag_us,
    }
}

fn rejection_to_wire(rejection: &Rejection) -> v1::DecisionRejected {
    use v1::RefusalReason as Reason;
    v1::DecisionRejected {
        request_id: rejection.request_id,
        reason: match rejection.reason {
            RejectionReason::StaleRequest => Reason::StaleRequest,
            RejectionReason::UnknownRequest => Reason::UnknownRequest,
            RejectionReason::IndexOutOfRange => Reason::IndexOutOfRange,
            RejectionReason::MalformedDecision => Reason::MalformedDecision,
            RejectionReason::IllegalDecision => Reason::IllegalDecision,
        }
        .into(),
        field: rejection.field.clone(),
        detail: rejection.detail.clone(),
        open_request_id: rejection.open_request_id,
        strikes: rejection.strikes,
    }
}
