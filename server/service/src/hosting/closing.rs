//! How streams of seats end.

use std::fmt::Display;

use bridgemaster_match::{Closing as Reason, NotSeated};
use bridgemaster_proto::v1::RefusalReason;

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
        "the bot of another API key holds the seat",
    )
}

/// The refusal of a bot that does not get its seat.
pub(super) fn not_seated(why: NotSeated) -> Refusal {
    match why {
        NotSeated::OfAnotherKey => of_another_key(),
        NotSeated::Forfeited(fault) => forfeited(&fault),
    }
}

/// How the stream of a seat ends that the match closes.
pub(super) fn closing(reason: Reason) -> Closing {
    match reason {
        Reason::MatchEnded => Closing::MatchOver,
        Reason::Forfeited(fault) => Closing::Refused(forfeited(&fault)),
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
