//! How streams of seats end.

use std::{fmt::Display, time::Duration};

use bridgemaster_match::{Closing as Reason, NotSeated};
use bridgemaster_proto::v1::{MatchInfo, RefusalReason};

use super::outbound::{Closing, QueueFull};
use crate::refusal::Refusal;

/// The refusal of a seat that is forfeited.
pub(super) fn forfeited(fault: &dyn Display) -> Refusal {
    Refusal::new(
        RefusalReason::SeatClosed,
        format!("the seat is forfeited for the fault {fault}"),
    )
    .with("fault", fault.to_string())
}

/// The refusal of a seat that the bot of another key holds.
pub(super) fn of_another_key() -> Refusal {
    Refusal::new(
        RefusalReason::SeatOfAnotherKey,
        "the bot of another API key holds the seat, or the seat is reserved for one",
    )
}

/// The refusal of a bot that does not get its seat.
pub(super) fn not_seated(why: NotSeated) -> Refusal {
    match why {
        NotSeated::OfAnotherKey => of_another_key(),
        NotSeated::OfAnotherVersion(offered) => Refusal::new(
            RefusalReason::BotVersionDiffers,
            format!("the seat was offered to version {offered:?} of the bot"),
        )
        .with("version", offered),
        NotSeated::Forfeited(fault) => forfeited(&fault),
        NotSeated::Cancelled(why) => cancelled(&why.reason),
    }
}

/// The refusal of what is no more because the match was cancelled.
pub(super) fn cancelled(reason: &str) -> Refusal {
    let message = match reason {
        "" => "the match was cancelled".to_owned(),
        reason => format!("the match was cancelled: {reason}"),
    };
    Refusal::new(RefusalReason::MatchCancelled, message).with("reason", reason)
}

/// The refusal of what a match tells to nobody while it is in play, but to a seat's own bot.
pub(super) fn is_running() -> Refusal {
    Refusal::new(
        RefusalReason::MatchRunning,
        "the match has not ended; until then a seat's view is shown to the API key of its bot alone",
    )
}

/// The refusal of what is told once a match has ended, to those who see it so much later.
pub(super) fn not_shown_yet(delay: Duration) -> Refusal {
    let message = format!(
        "spectators see this match {} s late, and for them it has not ended",
        delay.as_secs_f64()
    );
    Refusal::new(RefusalReason::MatchRunning, message)
}

/// The refusal of more of a match that the server cannot show late.
pub(super) fn not_shown_any_more() -> Refusal {
    Refusal::new(
        RefusalReason::Unspecified,
        "the server failed to show the match late, which is a defect of it; its log says more",
    )
}

/// The refusal of something that is only for a match that is not over.
pub(super) fn is_over(info: &MatchInfo) -> Refusal {
    match &info.cancellation {
        Some(why) => cancelled(&why.reason),
        None => has_ended(),
    }
}

/// The refusal of a ticket in whose place there is a newer one.
pub(super) fn ticket_replaced() -> Refusal {
    Refusal::new(
        RefusalReason::TicketUnknown,
        "the seat has a new ticket, and this one has ended",
    )
}

/// The refusal to cancel a match that has ended.
pub(super) fn has_ended() -> Refusal {
    Refusal::new(
        RefusalReason::MatchEnded,
        "the match has ended, and its result stands",
    )
}

/// How the stream of a seat ends that the match closes.
pub(super) fn closing(reason: Reason) -> Closing {
    match reason {
        Reason::MatchEnded => Closing::MatchOver,
        Reason::Forfeited(fault) => Closing::Refused(forfeited(&fault)),
        Reason::Cancelled(why) => Closing::Refused(cancelled(&why.reason)),
        Reason::Superseded => Closing::Refused(Refusal::new(
            RefusalReason::Superseded,
            "a newer stream of this seat took over",
        )),
    }
}

/// How a stream ends whose queue is full.
pub(super) fn too_slow(QueueFull { messages }: QueueFull) -> Closing {
    Closing::Refused(Refusal::new(
        RefusalReason::SlowConsumer,
        format!("{messages} messages were waiting to be read"),
    ))
}
