//! A stream of an attendance.

use std::collections::VecDeque;

use super::{BotName, OfferId, QueueId};

/// Names a stream of an attendance, in the order of their opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StreamNumber(pub(super) u64);

/// A stream of an attendance.
#[derive(Debug)]
pub(super) struct AttendingStream {
    pub(super) queue_id: QueueId,
    pub(super) bot: BotName,
    /// How the attendance stood that it was told of last.
    pub(super) told: u64,
    /// Offers that it was told of and that hold no more: at most one for each of its slots.
    pub(super) withdrawn: VecDeque<(OfferId, &'static str)>,
    pub(super) end: Option<StreamEnd>,
}

impl AttendingStream {
    /// A stream that was told nothing.
    pub(super) fn new(queue_id: QueueId, bot: BotName) -> Self {
        Self {
            queue_id,
            bot,
            told: 0,
            withdrawn: VecDeque::new(),
            end: None,
        }
    }
}

/// Why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// A newer one took over.
    Superseded,
    /// The bot left, or its queue is closed.
    Left,
    /// The bot is benched, for this reason.
    Benched(String),
}
