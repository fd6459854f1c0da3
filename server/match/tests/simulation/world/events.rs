//! The events of a simulation.

use std::cmp::Ordering;

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{ResumePoint, Time};

use crate::{
    auditor::StreamId, bot::BotAction, cluster::events::ClusterEvent, reported::Report,
    shell::ToBot,
};

/// An event. Numbers are those of servers.
#[derive(Debug)]
pub(super) enum Event<G: WireGame> {
    /// A bot opens a stream.
    Dial(Seat),
    /// A bot has finished thinking.
    Act {
        seat: Seat,
        life: u32,
        action: BotAction,
    },
    /// A bot detects the loss of its stream.
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
    /// The server handles its inbox.
    Handle(usize),
    /// The transport takes queued messages.
    Transport(StreamId),
    /// The server detects the loss of a stream.
    ServerFindsLoss(StreamId),
    Ping(StreamId),
    /// The timer fires, unless it was set again since.
    Tick {
        server: usize,
        setting: u64,
    },
    /// A spectator starts to watch.
    Watch(usize),
    /// The spectators of a life of the match are updated.
    News {
        server: usize,
        life: u32,
    },
    /// The server freezes for a moment.
    Stall(usize),
    /// The server is at capacity from now on.
    Full,
    /// The journal of a life of the server has stored this number of entries.
    Stored {
        life: u32,
        count: usize,
    },
    /// The match is cancelled.
    Cancel,
    /// The server is killed.
    Kill,
    /// The server restarts.
    Restart,
    /// An event of a cluster.
    Cluster(ClusterEvent),
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
