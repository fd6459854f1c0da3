//! What happens in a world, and when.

use std::cmp::Ordering;

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Known, Time};

use crate::{
    auditor::StreamId, bot::Deed, cluster::events::ClusterEvent, reported::Report, shell::ToBot,
};

/// Something that happens. A number is that of a server.
#[derive(Debug)]
pub(super) enum Event<G: WireGame> {
    /// A bot opens a stream.
    Dial(Seat),
    /// A bot's time to think is over.
    Act {
        seat: Seat,
        life: u32,
        deed: Deed,
    },
    /// Its stream is found to be lost by a bot.
    BotFindsLoss(StreamId),
    /// A bot that did not read goes on.
    ReadOn(StreamId),
    /// The network drops a stream.
    Cut(StreamId),
    /// A message comes to its bot.
    ToBot(StreamId, ToBot),
    /// Hello comes to the server.
    Hello(StreamId, Option<Known>),
    /// A report comes to the server.
    ToServer(StreamId, Report<G::Decision>),
    /// The server handles what was reported.
    Handle(usize),
    /// The transport takes what is queued.
    Transport(StreamId),
    /// The server finds that a stream is lost.
    ServerFindsLoss(StreamId),
    Ping(StreamId),
    /// The timer wakes; one that was set again since stays asleep.
    Tick {
        server: usize,
        setting: u64,
    },
    /// Somebody begins to watch.
    Watch(usize),
    /// A life of the match tells the news to those who watch.
    News {
        server: usize,
        life: u32,
    },
    /// The server stands still for a moment.
    Stall(usize),
    /// The server has no room from now on.
    Full,
    /// The journal of a life of the server has stored so many entries.
    Stored {
        life: u32,
        count: usize,
    },
    /// Somebody cancels the match.
    Cancel,
    /// The server is killed.
    Kill,
    /// The server starts again.
    Restart,
    /// Something of servers that share a database.
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
