//! The entries of a journal: inputs of a referee as they are kept on disk.

use bridgemaster_games::Seat;
use bridgemaster_proto::{
    games::WireGame,
    internal::v1::{
        JournalAnswer, JournalBadAnswer, JournalBadAnswerReason, JournalCancelled,
        JournalConnected, JournalDisconnected, JournalEntry, JournalGarbage, JournalHandedOver,
        JournalInput, JournalRefereeLag, JournalResign, JournalRestarted, JournalRoundTrip,
        JournalTick, JournalTicketReplaced, JournalTurnedAway, JournalUseless,
        journal_answer::Choice, journal_input::Kind,
    },
};
use bridgemaster_referee::{Answer, BadAnswerReason, BotIdentity, HistoryId, Input, Time};
use prost::Message as _;

use crate::TicketHash;

/// Number of the field `inputs` in a `JournalEntry`.
const INPUTS_FIELD: u32 = 1;

/// Bytes of an entry that has an answer and the hand-over of its request, about: one that has more
/// grows.
const ENTRY_BYTES: usize = 64;

/// An entry that was read.
#[derive(Debug)]
pub struct ReadEntry<G: WireGame> {
    /// What the referee was given, in order.
    pub inputs: Vec<StoredInput<G>>,
    /// Digest of the game's state after them.
    pub state_digest: u64,
    /// Records of the match's replay after them.
    pub records: u32,
}

/// An input that was read.
#[derive(Debug)]
pub struct StoredInput<G: WireGame> {
    /// When it happened.
    pub time: Time,
    /// What happened.
    pub input: Input<G>,
    /// Of an [`Input::Restarted`]: what begins with it.
    pub begins: Option<Beginning>,
    /// The new ticket of a seat; with it the input is an [`Input::Tick`].
    pub ticket: Option<(Seat, TicketHash)>,
}

/// What begins when a server starts, and goes on with a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The history, drawn by the server.
    pub history_id: HistoryId,
    /// The moment by the calendar, in ms since 1970 UTC; 0 when that is not known.
    pub unix_ms: u64,
}

/// Reads an entry of a journal.
///
/// # Errors
/// When the bytes are no `JournalEntry`, or for the first input that makes no sense: its place from
/// 0, and what is wrong with it.
pub fn read_entry<G: WireGame>(bytes: &[u8]) -> Result<ReadEntry<G>, String> {
    let entry = JournalEntry::decode(bytes).map_err(|error| error.to_string())?;
    let inputs =
        entry.inputs.into_iter().enumerate().map(|(place, stored)| {
            read(stored).map_err(|problem| format!("input {place}: {problem}"))
        });
    Ok(ReadEntry {
        inputs: inputs.collect::<Result<_, _>>()?,
        state_digest: entry.state_digest,
        records: entry.records,
    })
}

/// Appends an input to the bytes of a `JournalEntry` that has no other fields yet; an
/// [`Input::Restarted`] is what began last.
pub(super) fn push<G: WireGame>(
    time: Time,
    input: &Input<G>,
    began: Beginning,
    entry: &mut Vec<u8>,
) {
    let stored = JournalInput {
        at_us: time.0,
        seat: input.seat().map_or(0, |seat| seat.number().into()),
        kind: Some(kind(input, began)),
    };
    append(&stored, entry);
}

/// Appends that a seat has a new ticket.
pub(super) fn push_ticket(time: Time, seat: Seat, ticket: TicketHash, entry: &mut Vec<u8>) {
    let stored = JournalInput {
        at_us: time.0,
        seat: seat.number().into(),
        kind: Some(Kind::TicketReplaced(JournalTicketReplaced {
            ticket_sha256: ticket.as_bytes().to_vec(),
        })),
    };
    append(&stored, entry);
}

fn append(input: &JournalInput, entry: &mut Vec<u8>) {
    if entry.is_empty() {
        entry.reserve_exact(ENTRY_BYTES);
    }
    prost::encoding::message::encode(INPUTS_FIELD, input, entry);
}

fn kind<G: WireGame>(input: &Input<G>, began: Beginning) -> Kind {
    match input {
        Input::Connected {
            bot, last_sequence, ..
        } => Kind::Connected(JournalConnected {
            bot_name: bot.name.clone(),
            bot_version: bot.version.clone(),
            last_sequence: *last_sequence,
        }),
        Input::Disconnected { .. } => Kind::Disconnected(JournalDisconnected {}),
        Input::HandedOver { request_id, .. } => Kind::HandedOver(JournalHandedOver {
            request_id: *request_id,
        }),
        Input::Answer {
            request_id,
            answer,
            note,
            ..
        } => Kind::Answer(JournalAnswer {
            request_id: *request_id,
            note: note.clone(),
            choice: Some(match answer {
                Answer::Index(index) => Choice::Index(*index),
                Answer::Decision(decision) => Choice::Decision(G::decision_to_wire(decision)),
            }),
        }),
        Input::BadAnswer {
            request_id,
            reason,
            field,
            detail,
            ..
        } => Kind::BadAnswer(JournalBadAnswer {
            request_id: *request_id,
            reason: match reason {
                BadAnswerReason::MalformedDecision => JournalBadAnswerReason::MalformedDecision,
            }
            .into(),
            field: field.clone(),
            detail: detail.clone(),
        }),
        Input::Garbage { detail, .. } => Kind::Garbage(JournalGarbage {
            detail: detail.clone(),
        }),
        Input::Useless { .. } => Kind::Useless(JournalUseless {}),
        Input::RoundTrip { round_trip_us, .. } => Kind::RoundTrip(JournalRoundTrip {
            round_trip_us: *round_trip_us,
        }),
        Input::Resign { .. } => Kind::Resign(JournalResign {}),
        Input::RefereeLag { lag_us } => Kind::RefereeLag(JournalRefereeLag { lag_us: *lag_us }),
        Input::Restarted => Kind::Restarted(JournalRestarted {
            history_id: began.history_id.as_bytes().to_vec(),
            unix_ms: began.unix_ms,
        }),
        Input::Cancelled => Kind::Cancelled(JournalCancelled {}),
        Input::Tick => Kind::Tick(JournalTick {}),
        Input::TurnedAway { .. } => Kind::TurnedAway(JournalTurnedAway {}),
    }
}

/// Reads an input, or tells what is wrong with it.
fn read<G: WireGame>(stored: JournalInput) -> Result<StoredInput<G>, String> {
    let seat = u8::try_from(stored.seat).ok().and_then(Seat::new);
    let seat = seat.ok_or_else(|| format!("{} is no seat", stored.seat))?;
    let kind = stored
        .kind
        .ok_or("its kind is none that this program knows (fields 3 to 9 and 11 to 16)")?;
    let begins = match &kind {
        Kind::Restarted(JournalRestarted {
            history_id,
            unix_ms,
        }) => Some(Beginning {
            history_id: HistoryId::from_bytes(history_id)
                .ok_or("its history_id has not 16 bytes")?,
            unix_ms: *unix_ms,
        }),
        _ => None,
    };
    let ticket = match &kind {
        Kind::TicketReplaced(JournalTicketReplaced { ticket_sha256 }) => {
            let ticket = TicketHash::from_bytes(ticket_sha256);
            Some((seat, ticket.ok_or("its ticket_sha256 has not 32 bytes")?))
        }
        _ => None,
    };
    Ok(StoredInput {
        time: Time(stored.at_us),
        input: input(seat, kind)?,
        begins,
        ticket,
    })
}

fn input<G: WireGame>(seat: Seat, kind: Kind) -> Result<Input<G>, String> {
    Ok(match kind {
        Kind::Connected(connected) => Input::Connected {
            seat,
            bot: BotIdentity {
                name: connected.bot_name,
                version: connected.bot_version,
            },
            last_sequence: connected.last_sequence,
        },
        Kind::Disconnected(JournalDisconnected {}) => Input::Disconnected { seat },
        Kind::HandedOver(JournalHandedOver { request_id }) => {
            Input::HandedOver { seat, request_id }
        }
        Kind::Answer(JournalAnswer {
            request_id,
            choice,
            note,
        }) => Input::Answer {
            seat,
            request_id,
            note,
            answer: match choice.ok_or("its answer is neither index nor decision")? {
                Choice::Index(index) => Answer::Index(index),
                Choice::Decision(decision) => Answer::Decision(
                    G::decision_from_wire(&decision)
                        .map_err(|error| format!("decision.{}: {}", error.field, error.detail))?,
                ),
            },
        },
        Kind::BadAnswer(bad) => Input::BadAnswer {
            seat,
            request_id: bad.request_id,
            reason: match bad.reason() {
                JournalBadAnswerReason::MalformedDecision => BadAnswerReason::MalformedDecision,
                JournalBadAnswerReason::Unspecified => {
                    return Err("why its answer is bad is not known".to_owned());
                }
            },
            field: bad.field,
            detail: bad.detail,
        },
        Kind::Garbage(JournalGarbage { detail }) => Input::Garbage { seat, detail },
        Kind::Useless(JournalUseless {}) => Input::Useless { seat },
        Kind::RoundTrip(JournalRoundTrip { round_trip_us }) => Input::RoundTrip {
            seat,
            round_trip_us,
        },
        Kind::Resign(JournalResign {}) => Input::Resign { seat },
        Kind::RefereeLag(JournalRefereeLag { lag_us }) => Input::RefereeLag { lag_us },
        Kind::Restarted(JournalRestarted { .. }) => Input::Restarted,
        Kind::Cancelled(JournalCancelled {}) => Input::Cancelled,
        Kind::Tick(JournalTick {}) | Kind::TicketReplaced(_) => Input::Tick,
        Kind::TurnedAway(JournalTurnedAway {}) => Input::TurnedAway { seat },
    })
}

#[cfg(test)]
mod tests {
    use bridgemaster_games::{GAME_IDS, with_game};

    use super::*;

    #[test]
    fn an_input_of_a_kind_that_was_removed_is_refused_and_named_by_its_place() {
        /// Number of the field `flood`, which is reserved.
        const FLOOD_FIELD: u32 = 10;
        let mut entry = Vec::new();
        let known = JournalInput {
            at_us: 5,
            seat: 1,
            kind: Some(Kind::Useless(JournalUseless {})),
        };
        prost::encoding::message::encode(INPUTS_FIELD, &known, &mut entry);
        let mut removed = JournalInput {
            kind: None,
            ..known
        }
        .encode_to_vec();
        let detail = JournalGarbage {
            detail: "too fast".to_owned(),
        };
        prost::encoding::message::encode(FLOOD_FIELD, &detail, &mut removed);
        prost::encoding::bytes::encode(INPUTS_FIELD, &removed, &mut entry);

        let problem = with_game!(GAME_IDS[0], G => read_entry::<G>(&entry).map(drop)).unwrap();
        let problem = problem.unwrap_err();
        assert_eq!(
            problem,
            "input 1: its kind is none that this program knows (fields 3 to 9 and 11 to 16)"
        );
    }
}
