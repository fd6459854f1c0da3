//! Converts the referee's messages, records, results, seats and faults to protocol messages, and
//! converts back the parts that verification needs.

use bridgemaster_proto::{
    games::{Field, WireGame, Writer, field_of},
    v1::{self, PlayResponse, play_response::Message, record},
};
use bridgemaster_referee::{
    BotIdentity, Charge, ClockUse, DecidedBy, DecisionRecord, DecisionRequest, Fault, FaultReason,
    MatchResult, MatchRules, Record, RecordEntry, Rejection, RejectionReason, SeatInfo,
    SeatMessage, SeatState, Started,
};

use super::{SeedSalt, action_to_wire, rules_to_wire, rules_without_game, write_rules};

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
    PlayResponse { sequence, message: Some(message) }
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
    v1::DecisionRequest { game: Some(game), ..without_game(request) }
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

same_fields!(
    Charge: elapsed_us credit_us charged_us uncharged_us referee_lag_us,
    charge_to_wire, charge_from_wire
);

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

/// Converts a match record to a message.
pub fn record_to_wire<G: WireGame>(record: &Record<G>) -> v1::Record {
    let entry = match &record.entry {
        RecordEntry::Decision(decision) => record::Record::Decision(v1::DecisionRecord {
            seat: decision.seat.number().into(),
            decision: Some(G::decision_to_wire(&decision.decision)),
            decided_by: decided_by_to_wire(decision.decided_by).into(),
            request_id: decision.request_id,
            charge: decision.charge.as_ref().map(charge_to_wire),
            events: decision.events.iter().map(G::event_to_wire).collect(),
            digest: decision.digest.0,
            note: decision.note.clone(),
        }),
        RecordEntry::Chance(chance) => record::Record::Chance(v1::ChanceRecord {
            stream: chance.stream,
            chance: Some(G::chance_to_wire(&chance.chance)),
            events: chance.events.iter().map(G::event_to_wire).collect(),
            digest: chance.digest.0,
        }),
        RecordEntry::Fault { seat, fault } => record::Record::Fault(v1::FaultRecord {
            seat: seat.number().into(),
            fault: Some(fault_to_wire(fault)),
        }),
        RecordEntry::Seat(info) => {
            record::Record::Seat(v1::SeatRecord { seat: Some(seat_to_wire(info)) })
        }
    };
    v1::Record { number: record.number, at_ms: record.at_ms, record: Some(entry) }
}

/// Encodes a match record as bytes.
pub fn write_record<G: WireGame>(record: &Record<G>, field: Field, to: &mut Writer) {
    to.message(field, |to| match &record.entry {
        RecordEntry::Decision(decision) => {
            to.number(record.number, const { field_of::<v1::Record>("number") });
            to.number(record.at_ms, const { field_of::<v1::Record>("at_ms") });
            let entry = const { field_of::<record::Record>("Decision") };
            to.message(entry, |to| write_decision(decision, to));
        }
        // All other entries are rare, so the slower conversion to messages suffices.
        RecordEntry::Chance(_) | RecordEntry::Fault { .. } | RecordEntry::Seat(_) => {
            to.body(&record_to_wire(record));
        }
    });
}

fn write_decision<G: WireGame>(record: &DecisionRecord<G>, to: &mut Writer) {
    use v1::DecisionRecord as Wire;
    let DecisionRecord { seat, decision, decided_by, request_id, charge, events, digest, note } =
        record;
    to.number(u32::from(seat.number()), const { field_of::<Wire>("seat") });
    to.message(const { field_of::<Wire>("decision") }, |to| {
        G::put_decision(decision, to);
    });
    let decided_by = i32::from(decided_by_to_wire(*decided_by));
    to.number(decided_by, const { field_of::<Wire>("decided_by") });
    to.number(*request_id, const { field_of::<Wire>("request_id") });
    if let Some(charge) = charge {
        to.prost(&charge_to_wire(charge), const { field_of::<Wire>("charge") });
    }
    for event in events {
        let field = const { field_of::<Wire>("events") };
        to.message(field, |to| G::put_event(event, to));
    }
    to.fixed64(digest.0, const { field_of::<Wire>("digest") });
    to.text(note, const { field_of::<Wire>("note") });
}

same_variants!(DecidedBy: Bot Referee House Replay, decided_by_to_wire);

/// Converts a match result to a message.
pub fn result_to_wire(match_id: &str, result: &MatchResult) -> v1::MatchResult {
    v1::MatchResult {
        match_id: match_id.to_owned(),
        seats: result
            .seats
            .iter()
            .map(|seat| {
                let (bot_name, bot_version) = bot_to_wire(seat.bot.as_ref());
                v1::SeatResult {
                    seat: seat.seat.number().into(),
                    place: seat.place.into(),
                    place_by_score: seat.place_by_score.into(),
                    score: seat.score,
                    breakdown: seat
                        .breakdown
                        .iter()
                        .map(|line| v1::ScoreLine {
                            category: line.category.to_owned(),
                            points: line.points,
                        })
                        .collect(),
                    bot_name,
                    bot_version,
                    forfeit: reason_to_wire(seat.forfeit).into(),
                    faults: seat.faults.iter().map(fault_to_wire).collect(),
                    fault_count: seat.fault_count,
                    clock_use: Some(clock_use_to_wire(&seat.clock_use)),
                    forced_decisions: seat.forced_decisions,
                    house_decisions: seat.house_decisions,
                }
            })
            .collect(),
        decisions: result.decisions,
        duration_ms: result.duration_ms,
        referee_lag_us: result.referee_lag_us,
        longest_referee_lag_us: result.longest_referee_lag_us,
        spoiled_by_referee: result.spoiled_by_referee,
    }
}

same_fields!(
    ClockUse:
        answered charged_us uncharged_us longest_us bank_left_ms credit_us referee_lag_us
        longest_referee_lag_us,
    clock_use_to_wire, clock_use_from_wire
);

same_variants!(SeatState: Vacant Connected Paused Forfeited, seat_state_to_wire);

/// Converts a seat and its bot to a message.
pub fn seat_to_wire(info: &SeatInfo) -> v1::SeatInfo {
    let (bot_name, bot_version) = bot_to_wire(info.bot.as_ref());
    v1::SeatInfo {
        seat: info.seat.number().into(),
        state: seat_state_to_wire(info.state).into(),
        bot_name,
        bot_version,
        strikes: info.strikes,
        reserved_for: String::new(),
    }
}

/// Returns the name and the version of a bot; both are empty without a bot.
pub(super) fn bot_to_wire(bot: Option<&BotIdentity>) -> (String, String) {
    bot.map(|bot| (bot.name.clone(), bot.version.clone())).unwrap_or_default()
}

pub(super) fn fault_to_wire(fault: &Fault) -> v1::Fault {
    v1::Fault {
        reason: reason_to_wire(Some(fault.reason)).into(),
        action: action_to_wire(fault.action).into(),
        request_id: fault.request_id,
        at_ms: fault.at_ms,
        detail: fault.detail.clone(),
    }
}

same_variants!(
    FaultReason: Illegal Late Disconnected NeverConnected Flood Garbage Resigned,
    fault_reason_to_wire, reason_from_wire
);

/// Converts a fault's reason; `None` becomes the unspecified reason.
pub fn reason_to_wire(reason: Option<FaultReason>) -> v1::FaultReason {
    reason.map_or(v1::FaultReason::Unspecified, fault_reason_to_wire)
}
