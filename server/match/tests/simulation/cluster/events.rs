//! What happens to servers that share a database.

use bridgemaster_games::Seat;

use super::{
    database::{Answer, RenewalAsked},
    transaction::{Step, TxId},
};
use crate::auditor::StreamId;

/// A message to a process, or a timer of it. It is for one life of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Of {
    pub(crate) server: usize,
    pub(crate) life: u32,
}

/// Something that happens.
#[derive(Debug)]
pub(crate) enum ClusterEvent {
    /// A process starts.
    Start(usize),
    /// It is time to renew a lease.
    RenewalDue(Of),
    /// A renewal was answered: whether the node is still the server's.
    RenewalAnswered { of: Of, number: u32, is_ours: bool },
    /// A renewal is given up, if it was not answered.
    RenewalTimedOut { of: Of, number: u32 },
    /// A server looks whether it may still answer.
    LookAtTrust(Of),
    /// A server looks for matches that nobody plays.
    LookForOrphans(Of),
    /// The database answers a step of a transaction.
    Answered {
        of: Of,
        transaction: TxId,
        answer: Answer,
    },
    /// A try has taken too long.
    TryTimedOut { of: Of, transaction: TxId },
    /// The pause before the next try is over.
    TryAgain(Of),
    /// A server has lost its patience with the database, and ends.
    GivesUp(Of),
    /// The streams of a server that drains end.
    Drained(Of),
    /// A server that has drained waits no longer for its last commit.
    StopTimeOver(Of),
    /// A bot whose stream was not welcomed waits no longer.
    BotGivesUp(StreamId),
    /// A bot finds no machine where it went.
    NobodyIsThere(Seat),
    /// Somebody asks one server after the other for the match.
    CallerAsks,
    /// A server is asked for the match.
    Called(usize),
    /// The clocks of a machine that was suspended go on, just before it does.
    ClocksGoOn(Of),
    /// Bots find that a server says nothing, if it still stands still.
    SilenceIsFound(Of),

    /// A step of a transaction comes to the database.
    Asked {
        of: Of,
        transaction: TxId,
        step: Step,
    },
    /// A renewal comes to the database.
    RenewalAsked(RenewalAsked),
    /// The database has written a commit down.
    Flushed(TxId),
    /// A transaction has waited for a lock for too long.
    LockTimedOut(TxId),
    /// Nobody has gone on with a transaction for too long, if it is still at this step.
    IdleTimedOut { transaction: TxId, steps: u32 },
    /// The database is back.
    DatabaseStarts,
    /// Somebody lets go of the row of a node.
    RowLetGo(TxId),

    /// Something goes wrong.
    Trouble,
}

impl ClusterEvent {
    /// The process that it is for.
    pub(crate) fn of(&self) -> Option<Of> {
        match self {
            Self::RenewalDue(of)
            | Self::RenewalAnswered { of, .. }
            | Self::RenewalTimedOut { of, .. }
            | Self::LookAtTrust(of)
            | Self::LookForOrphans(of)
            | Self::Answered { of, .. }
            | Self::TryTimedOut { of, .. }
            | Self::TryAgain(of)
            | Self::GivesUp(of)
            | Self::Drained(of)
            | Self::StopTimeOver(of)
            | Self::ClocksGoOn(of)
            | Self::SilenceIsFound(of) => Some(*of),
            _ => None,
        }
    }

    /// The server that has to do something.
    pub(crate) fn server(&self) -> Option<usize> {
        match self {
            Self::SilenceIsFound(_) | Self::ClocksGoOn(_) => None,
            Self::Called(server) => Some(*server),
            event => event.of().map(|of| of.server),
        }
    }
}
