//! The state of the streams over which attending bots receive offers.

use std::collections::VecDeque;

use super::{BotName, OfferId, QueueId};

/// Identifies a stream of an attendance; newer streams have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StreamNumber(pub(super) u64);

/// The state of an attendance's open stream.
#[derive(Debug)]
pub(super) struct AttendanceStream {
    pub(super) queue_id: QueueId,
    pub(super) bot: BotName,
    /// The attendance revision in the last message.
    pub(super) sent_revision: u64,
    /// Offers that were sent on the stream and have been withdrawn since: at most one per slot.
    pub(super) withdrawn: VecDeque<(OfferId, &'static str)>,
    pub(super) end: Option<StreamEnd>,
}

impl AttendanceStream {
    /// Creates the state for a stream on which nothing has been sent.
    pub(super) fn new(queue_id: QueueId, bot: BotName) -> Self {
        Self {
            queue_id,
            bot,
            sent_revision: 0,
            withdrawn: VecDeque::new(),
            end: None,
        }
    }
}

/// The reason why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// A newer stream was opened.
    Superseded,
    /// The bot left, or its queue was closed.
    Left,
    /// The bot's version was benched, for this reason.
    Benched(String),
}
