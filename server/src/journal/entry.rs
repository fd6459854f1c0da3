//! The entries of a journal: inputs of a referee, as protobuf.

use bridgemaster_games::Seat;
use bridgemaster_proto::{games::WireGame, v1::GameDecision};
use bridgemaster_referee::{Answer, BadAnswerReason, BotIdentity, Input, Time};

/// Number of the field `inputs` in [`Entry`].
const INPUTS_FIELD: u32 = 1;

/// What happened in a match since the entry before.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Entry {
    /// The inputs in their order.
    #[prost(message, repeated, tag = "1")]
    pub(super) inputs: Vec<StoredInput>,
    /// Digest of the game's state after them.
    #[prost(fixed64, tag = "2")]
    pub(super) state_digest: u64,
    /// Records of the match's replay after them.
    #[prost(uint32, tag = "3")]
    pub(super) records: u32,
}

/// An [`Input`] and its time.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct StoredInput {
    /// In µs of the server's clock.
    #[prost(uint64, tag = "1")]
    pub(super) at_us: u64,
    /// The seat that it is about, from 0; 0 when it is about none.
    #[prost(uint32, tag = "2")]
    seat: u32,
    /// What happened.
    #[prost(
        oneof = "Kind",
        tags = "3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16"
    )]
    kind: Option<Kind>,
}

/// The variants of [`Input`], in its order.
#[derive(Clone, PartialEq, prost::Oneof)]
enum Kind {
    #[prost(message, tag = "3")]
    Connected(Connected),
    #[prost(message, tag = "4")]
    Disconnected(()),
    /// The request.
    #[prost(uint32, tag = "5")]
    HandedOver(u32),
    #[prost(message, tag = "6")]
    Answer(StoredAnswer),
    #[prost(message, tag = "7")]
    BadAnswer(BadAnswer),
    /// What is wrong with the bytes.
    #[prost(string, tag = "8")]
    Garbage(String),
    #[prost(message, tag = "9")]
    Useless(()),
    /// What the seat sent.
    #[prost(string, tag = "10")]
    Flood(String),
    /// The round trip, in µs.
    #[prost(uint64, tag = "11")]
    RoundTrip(u64),
    #[prost(message, tag = "12")]
    Resign(()),
    /// The lag, in µs.
    #[prost(uint64, tag = "13")]
    RefereeLag(u64),
    #[prost(message, tag = "14")]
    Restarted(()),
    #[prost(message, tag = "15")]
    Tick(()),
    #[prost(message, tag = "16")]
    TurnedAway(()),
}

#[derive(Clone, PartialEq, prost::Message)]
struct Connected {
    #[prost(string, tag = "1")]
    bot_name: String,
    #[prost(string, tag = "2")]
    bot_version: String,
    /// The last message that the bot has; not set when it knows nothing.
    #[prost(uint32, optional, tag = "3")]
    last_sequence: Option<u32>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct StoredAnswer {
    #[prost(uint32, tag = "1")]
    request_id: u32,
    /// Position in the legal list.
    #[prost(uint32, optional, tag = "2")]
    index: Option<u32>,
    /// The decision in full; set when `index` is not.
    #[prost(message, optional, tag = "3")]
    decision: Option<GameDecision>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct BadAnswer {
    #[prost(uint32, tag = "1")]
    request_id: u32,
    /// Whether it names another match; otherwise it is malformed.
    #[prost(bool, tag = "2")]
    is_of_wrong_match: bool,
    #[prost(string, tag = "3")]
    field: String,
    #[prost(string, tag = "4")]
    detail: String,
}

/// Appends an input to the bytes of an [`Entry`] that has no other fields yet.
pub(super) fn push<G: WireGame>(time: Time, input: &Input<G>, entry: &mut Vec<u8>) {
    let stored = StoredInput {
        at_us: time.0,
        seat: input.seat().map_or(0, |seat| seat.number().into()),
        kind: Some(kind(input)),
    };
    prost::encoding::message::encode(INPUTS_FIELD, &stored, entry);
}

fn kind<G: WireGame>(input: &Input<G>) -> Kind {
    match input {
        Input::Connected {
            bot, last_sequence, ..
        } => Kind::Connected(Connected {
            bot_name: bot.name.clone(),
            bot_version: bot.version.clone(),
            last_sequence: *last_sequence,
        }),
        Input::Disconnected { .. } => Kind::Disconnected(()),
        Input::HandedOver { request_id, .. } => Kind::HandedOver(*request_id),
        Input::Answer {
            request_id, answer, ..
        } => {
            let (index, decision) = match answer {
                Answer::Index(index) => (Some(*index), None),
                Answer::Decision(decision) => (None, Some(G::decision_to_wire(decision))),
            };
            Kind::Answer(StoredAnswer {
                request_id: *request_id,
                index,
                decision,
            })
        }
        Input::BadAnswer {
            request_id,
            reason,
            field,
            detail,
            ..
        } => Kind::BadAnswer(BadAnswer {
            request_id: *request_id,
            is_of_wrong_match: *reason == BadAnswerReason::WrongMatch,
            field: field.clone(),
            detail: detail.clone(),
        }),
        Input::Garbage { detail, .. } => Kind::Garbage(detail.clone()),
        Input::Useless { .. } => Kind::Useless(()),
        Input::Flood { detail, .. } => Kind::Flood(detail.clone()),
        Input::RoundTrip { round_trip_us, .. } => Kind::RoundTrip(*round_trip_us),
        Input::Resign { .. } => Kind::Resign(()),
        Input::RefereeLag { lag_us } => Kind::RefereeLag(*lag_us),
        Input::Restarted => Kind::Restarted(()),
        Input::Tick => Kind::Tick(()),
        Input::TurnedAway { .. } => Kind::TurnedAway(()),
    }
}

impl StoredInput {
    /// The input, or what is wrong with it.
    pub(super) fn read<G: WireGame>(self) -> Result<Input<G>, String> {
        let seat = u8::try_from(self.seat).ok().and_then(Seat::new);
        let seat = seat.ok_or_else(|| format!("{} is no seat", self.seat))?;
        let kind = self.kind.ok_or("its kind is not known")?;
        Ok(match kind {
            Kind::Connected(connected) => Input::Connected {
                seat,
                bot: BotIdentity {
                    name: connected.bot_name,
                    version: connected.bot_version,
                },
                last_sequence: connected.last_sequence,
            },
            Kind::Disconnected(()) => Input::Disconnected { seat },
            Kind::HandedOver(request_id) => Input::HandedOver { seat, request_id },
            Kind::Answer(stored) => Input::Answer {
                seat,
                request_id: stored.request_id,
                answer: match (stored.index, stored.decision) {
                    (Some(index), None) => Answer::Index(index),
                    (None, Some(decision)) => {
                        Answer::Decision(G::decision_from_wire(&decision).map_err(|error| {
                            format!("decision.{}: {}", error.field, error.detail)
                        })?)
                    }
                    _ => return Err("an answer is either an index or a decision".to_owned()),
                },
            },
            Kind::BadAnswer(bad) => Input::BadAnswer {
                seat,
                request_id: bad.request_id,
                reason: if bad.is_of_wrong_match {
                    BadAnswerReason::WrongMatch
                } else {
                    BadAnswerReason::MalformedDecision
                },
                field: bad.field,
                detail: bad.detail,
            },
            Kind::Garbage(detail) => Input::Garbage { seat, detail },
            Kind::Useless(()) => Input::Useless { seat },
            Kind::Flood(detail) => Input::Flood { seat, detail },
            Kind::RoundTrip(round_trip_us) => Input::RoundTrip {
                seat,
                round_trip_us,
            },
            Kind::Resign(()) => Input::Resign { seat },
            Kind::RefereeLag(lag_us) => Input::RefereeLag { lag_us },
            Kind::Restarted(()) => Input::Restarted,
            Kind::Tick(()) => Input::Tick,
            Kind::TurnedAway(()) => Input::TurnedAway { seat },
        })
    }
}
