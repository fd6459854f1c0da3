//! The causes of steps: inputs, reduced to what the checks need.

use bridgemaster_games::{Game, Seat};
use bridgemaster_referee::{Answer, BotIdentity, Input};

/// The cause of a step.
#[derive(Debug)]
pub(super) enum Cause<D> {
    Connected {
        seat: Seat,
        bot: BotIdentity,
        last_sequence: Option<u32>,
    },
    Disconnected(Seat),
    HandedOver(Seat, u32),
    Answer(Seat, u32, Answer<D>, String),
    BadAnswer(Seat, u32),
    Garbage(Seat),
    Useless(Seat),
    RoundTrip(Seat, u64),
    Resign(Seat),
    ConnectionRefused(Seat),
    Expired(Seat),
    Restarted,
    Cancelled,
    /// Lag and ticks: only time passes.
    Time,
}

impl<D: Clone> Cause<D> {
    pub(super) fn of<G: Game<Decision = D>>(input: &Input<G>) -> Self {
        match input {
            Input::Connected { seat, bot, last_sequence } => {
                Self::Connected { seat: *seat, bot: bot.clone(), last_sequence: *last_sequence }
            }
            Input::Disconnected { seat } => Self::Disconnected(*seat),
            Input::HandedOver { seat, request_id } => Self::HandedOver(*seat, *request_id),
            Input::Answer { seat, request_id, answer, note } => {
                let answer = match answer {
                    Answer::Index(index) => Answer::Index(*index),
                    Answer::Decision(decision) => Answer::Decision(decision.clone()),
                };
                Self::Answer(*seat, *request_id, answer, note.clone())
            }
            Input::BadAnswer { seat, request_id, .. } => Self::BadAnswer(*seat, *request_id),
            Input::Garbage { seat, .. } => Self::Garbage(*seat),
            Input::Useless { seat } => Self::Useless(*seat),
            Input::RoundTrip { seat, round_trip_us } => Self::RoundTrip(*seat, *round_trip_us),
            Input::Resign { seat } => Self::Resign(*seat),
            Input::ConnectionRefused { seat } => Self::ConnectionRefused(*seat),
            Input::Expired { seat, .. } => Self::Expired(*seat),
            Input::Restarted => Self::Restarted,
            Input::Cancelled => Self::Cancelled,
            Input::RefereeLag { .. } | Input::Tick => Self::Time,
        }
    }

    pub(super) fn seat(&self) -> Option<Seat> {
        match self {
            Self::Connected { seat, .. }
            | Self::Disconnected(seat)
            | Self::HandedOver(seat, _)
            | Self::Answer(seat, ..)
            | Self::BadAnswer(seat, _)
            | Self::Garbage(seat)
            | Self::Useless(seat)
            | Self::RoundTrip(seat, _)
            | Self::Resign(seat)
            | Self::ConnectionRefused(seat)
            | Self::Expired(seat) => Some(*seat),
            Self::Restarted | Self::Cancelled | Self::Time => None,
        }
    }
}
