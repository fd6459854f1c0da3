//! Constructors of refusals that concern seats and matches.

use std::{fmt::Display, time::Duration};

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_games::{Seat, SeatCount};
use bridgemaster_match::{Closing as Reason, JoinError};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};

use super::outbound::{Closing, QueueFull};

/// Checks that a seat that a request names exists in the match.
pub(super) fn check_seat(field: &'static str, seat: Seat, seats: SeatCount) -> Result<(), Refusal> {
    if seats.contains(seat) {
        return Ok(());
    }
    let last = seats.get() - 1;
    let detail = format!("{} is out of range (0..={last})", seat.number());
    Err(Refusal::field(field, detail))
}

pub(super) fn forfeited(fault: &dyn Display) -> Refusal {
    Refusal::new(RefusalReason::SeatClosed, format!("the seat was forfeited for the fault {fault}"))
        .with("fault", fault.to_string())
}

/// The refusal when a seat is held by, or reserved for, another key.
pub(super) fn seat_of_another_key() -> Refusal {
    Refusal::new(
        RefusalReason::SeatOfAnotherKey,
        "the seat is held by or reserved for another API key",
    )
}

pub(super) fn cannot_join(why: JoinError) -> Refusal {
    match why {
        JoinError::OfAnotherKey => seat_of_another_key(),
        JoinError::OfAnotherVersion(offered) => Refusal::new(
            RefusalReason::BotVersionDiffers,
            format!("the seat was offered to version {offered:?} of the bot"),
        )
        .with("version", offered),
        JoinError::Forfeited(fault) => forfeited(&fault),
        JoinError::Cancelled(why) => cancelled(&why.reason),
        JoinError::Superseded => superseded(),
    }
}

/// The refusal of data that a cancelled match does not have.
pub(super) fn cancelled(reason: &str) -> Refusal {
    let message = match reason {
        "" => "the match was cancelled".to_owned(),
        reason => format!("the match was cancelled: {reason}"),
    };
    Refusal::new(RefusalReason::MatchCancelled, message).with("reason", reason)
}

/// The refusal of data that only the seat's own bot may see while the match is in play.
pub(super) fn match_running() -> Refusal {
    Refusal::new(
        RefusalReason::MatchRunning,
        "the match has not ended; until then only the API key of a seat's bot may see its view",
    )
}

/// Returns the refusal of a match's result to delayed spectators.
pub(super) fn not_visible_yet(delay: Duration) -> Refusal {
    let message = format!(
        "spectators see this match with a delay of {} s, and for them it has not ended",
        delay.as_secs_f64()
    );
    Refusal::new(RefusalReason::MatchRunning, message)
}

/// The refusal of a new ticket for a seat that a bot has joined.
pub(super) fn seat_occupied(seat: Seat) -> Refusal {
    let message = format!("{seat} gets no new ticket because a bot has joined it");
    Refusal::new(RefusalReason::SeatTaken, message).with("seat", seat.number().to_string())
}

/// The refusal of a new ticket for an offered seat.
pub(super) fn seat_offered(seat: Seat) -> Refusal {
    let detail = format!("{seat} is offered in a queue; its ticket is in the offer");
    Refusal::field("seats", detail)
}

/// The refusal of a command on a finished match.
pub(super) fn match_over(info: &MatchInfo) -> Refusal {
    match &info.cancellation {
        Some(why) => cancelled(&why.reason),
        None => match_ended(),
    }
}

/// Returns whether a refusal reveals that a match has ended.
pub(super) fn reveals_end(refusal: &Refusal) -> bool {
    matches!(refusal.reason(), RefusalReason::MatchEnded | RefusalReason::MatchCancelled)
}

pub(super) fn ticket_replaced() -> Refusal {
    Refusal::new(RefusalReason::TicketUnknown, "the ticket was replaced by a newer one")
}

/// The refusal to cancel a match that has ended.
pub(super) fn match_ended() -> Refusal {
    Refusal::new(RefusalReason::MatchEnded, "the match has already ended")
}

/// Converts the reason why the match closed a seat's stream.
pub(super) fn closing(reason: Reason) -> Closing {
    match reason {
        Reason::MatchEnded => Closing::MatchOver,
        Reason::Forfeited(fault) => Closing::Refused(forfeited(&fault)),
        Reason::Cancelled(why) => Closing::Refused(cancelled(&why.reason)),
        Reason::Superseded => Closing::Refused(superseded()),
    }
}

fn superseded() -> Refusal {
    Refusal::new(RefusalReason::Superseded, "a newer stream of this seat took over")
}

/// The refusal that ends a stream whose queue is full.
pub(super) fn too_slow(QueueFull { messages }: QueueFull) -> Closing {
    Closing::Refused(Refusal::new(
        RefusalReason::SlowConsumer,
        format!("the stream was closed because {messages} messages were not read"),
    ))
}
