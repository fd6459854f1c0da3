//! The events of a simulation.

use std::cmp::Ordering;

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{ResumePoint, Time};

use crate::{auditor::StreamId, bot::BotAction, reported::Report, shell::ToBot};

/// An event.
#[derive(Debug)]
pub(super) enum Event<G: WireGame> {
    /// A bot opens a stream.
    Dial(Seat),
    /// A bot has finished thinking.
    Act {
        seat: Seat,
        run: u32,
        action: BotAction,
    },
    /// A bot notices that its stream is lost.
    BotFindsLoss(StreamId),
    /// A bot resumes reading.
    ReadOn(StreamId),
    /// The network drops a stream.
    Cut(StreamId),
    /// A message reaches its bot.
    ToBot(StreamId, ToBot),
    /// A Hello reaches the server.
    Hello(StreamId, Option<ResumePoint>),
    /// A report reaches the server.
    ToServer(StreamId, Report<G::Decision>),
    /// The server handles the messages in its inbox.
    Handle,
    /// The transport takes queued messages.
    Transport(StreamId),
    /// The server notices that a stream is lost.
    ServerFindsLoss(StreamId),
    Ping(StreamId),
    /// The timer fires, unless it was set again since.
    Tick {
        setting: u64,
    },
    /// A spectator starts to watch.
    Watch,
    /// The spectators are updated by the run of the server with this number.
    News {
        run: u32,
    },
    /// The server freezes for a moment.
    Stall,
    /// The server is at capacity from now on.
    Full,
    /// The run of the server with this number has stored this number of entries.
    Stored {
        run: u32,
        count: usize,
    },
    /// The match is cancelled.
    Cancel,
    /// The server is killed.
    Kill,
    /// The server restarts.
    Restart,
}

impl<G: WireGame> Event<G> {
    /// Returns whether the server handles the event: a frozen server handles it later, and a server
    /// that is down does not handle it.
    pub(super) fn is_for_server(&self) -> bool {
        matches!(
            self,
            Self::Hello(..)
                | Self::ToServer(..)
                | Self::Transport(_)
                | Self::ServerFindsLoss(_)
                | Self::Ping(_)
                | Self::Handle
                | Self::Tick { .. }
                | Self::News { .. }
                | Self::Cancel
        )
    }
}

/// An event with its time.
pub(super) struct Scheduled<G: WireGame> {
    pub(super) at: Time,
    pub(super) number: u64,
    pub(super) event: Event<G>,
}

impl<G: WireGame> Ord for Scheduled<G> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl<G: WireGame> PartialOrd for Scheduled<G> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<G: WireGame> PartialEq for Scheduled<G> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<G: WireGame> Eq for Scheduled<G> {}
