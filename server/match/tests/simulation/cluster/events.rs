//! Events of a cluster.

use bridgemaster_games::Seat;

use super::{
    database::{Answer, RenewalAsked},
    transaction::{Step, TxId},
};
use crate::auditor::StreamId;

/// The addressee of a message or timer: one life of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Of {
    pub(crate) server: usize,
    pub(crate) life: u32,
}

/// An event of a cluster.
#[derive(Debug)]
pub(crate) enum ClusterEvent {
    /// A process starts.
    Start(usize),
    /// A lease is due for renewal.
    RenewalDue(Of),
    /// A renewal was answered: whether the server still has the node.
    RenewalAnswered { of: Of, number: u32, is_ours: bool },
    /// A renewal times out.
    RenewalTimedOut { of: Of, number: u32 },
    /// A server checks whether it may still answer.
    CheckTrust(Of),
    /// A server looks for orphaned matches.
    PollOrphans(Of),
    /// The database answers a step of a transaction.
    Answered {
        of: Of,
        transaction: TxId,
        answer: Answer,
    },
    /// An attempt times out.
    TryTimedOut { of: Of, transaction: TxId },
    /// The delay before the next attempt is over.
    TryAgain(Of),
    /// A server stops, because the retries of a transaction have timed out.
    GivesUp(Of),
    /// The streams of a draining server end.
    Drained(Of),
    /// A drained server waits no longer for its last commit.
    StopTimeOver(Of),
    /// A bot waits no longer for a Welcome.
    BotGivesUp(StreamId),
    /// A bot finds no machine at an address.
    MachineIsGone(Seat),
    /// A client asks one server after the other for the match.
    CallerAsks,
    /// A server is asked for the match.
    Called(usize),
    /// The clocks of a suspended machine resume, just before it does.
    ClocksResume(Of),
    /// Bots time out on a server that is still frozen.
    SilenceIsFound(Of),

    /// A step of a transaction reaches the database.
    Asked {
        of: Of,
        transaction: TxId,
        step: Step,
    },
    /// A renewal reaches the database.
    RenewalAsked(RenewalAsked),
    /// The database has written a commit.
    Flushed(TxId),
    /// A transaction times out waiting for a lock.
    LockTimedOut(TxId),
    /// A transaction is aborted if it is still idle at this step.
    IdleTimedOut { transaction: TxId, steps: u32 },
    /// The database is back.
    DatabaseStarts,
    /// The third party's lock on a row is released.
    RowReleased(TxId),

    /// Trouble strikes.
    Trouble,
}

impl ClusterEvent {
    /// The process that the event is for.
    pub(crate) fn of(&self) -> Option<Of> {
        match self {
            Self::RenewalDue(of)
            | Self::RenewalAnswered { of, .. }
            | Self::RenewalTimedOut { of, .. }
            | Self::CheckTrust(of)
            | Self::PollOrphans(of)
            | Self::Answered { of, .. }
            | Self::TryTimedOut { of, .. }
            | Self::TryAgain(of)
            | Self::GivesUp(of)
            | Self::Drained(of)
            | Self::StopTimeOver(of)
            | Self::ClocksResume(of)
            | Self::SilenceIsFound(of) => Some(*of),
            _ => None,
        }
    }

    /// The server that has to act.
    pub(crate) fn server(&self) -> Option<usize> {
        match self {
            Self::SilenceIsFound(_) | Self::ClocksResume(_) => None,
            Self::Called(server) => Some(*server),
            event => event.of().map(|of| of.server),
        }
    }
}
