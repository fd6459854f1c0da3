//! Finished matches, as they are stored and read back.

use std::fmt;

use bridgemaster_contest::schedule::BotNumber;
use serde::{Deserialize, Serialize};

/// A group of a contest, from 0. Tests and tables take groups in the order of these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupNumber(pub u64);

impl fmt::Display for GroupNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A match of a contest: its group and its number there, from 0. A match that is played again
/// keeps its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MatchNumber {
    /// The group.
    pub group: GroupNumber,
    /// The match in the group, from 0.
    pub number: u32,
}

impl fmt::Display for MatchNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.group, self.number)
    }
}

/// One match that was played to its end, or annulled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRow {
    /// Which match of the contest it is.
    #[serde(flatten)]
    pub of: MatchNumber,
    /// How often this match had been annulled before: 0 for the first attempt.
    pub attempt: u32,
    /// Its identifier at the server; empty for one that was never made there.
    pub match_id: String,
    /// The seed of its group.
    pub seed: String,
    /// Its seats, in their order: the seating, the places and what the bots did.
    pub seats: Vec<SeatRow>,
    /// Decisions played.
    pub decisions: u32,
    /// Time from its start to its end by the server's clock, in ms.
    pub duration_ms: u64,
    /// The most referee lag while one request was open, in microseconds.
    pub longest_referee_lag_us: u64,
    /// The file of its replay, relative to the folder of the contest. It is stored with the row,
    /// and the file comes when the group of the match has ended. None for a match that was annulled
    /// before it ended, and in what [`read_contest`](crate::read_contest) gives where there is no
    /// such file.
    pub replay: Option<String>,
    /// Why it does not count; none for a match that does.
    pub annulled: Option<Annulled>,
    /// Version of the game's rules; 0 in a match that was never made.
    pub rules_version: u32,
    /// Time played when it was finished, all runs of the contest together, in ms.
    pub elapsed_ms: u64,
}

/// A seat of a finished match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatRow {
    /// The bot, by its number in the spec, from 0.
    pub bot: BotNumber,
    /// Its place: 1 is the best. Forfeited seats share the places behind all others. 0 in a match
    /// that was annulled before it ended.
    pub place: u32,
    /// The place by the score alone, as if nobody had forfeited.
    pub place_by_score: u32,
    /// The score by the game's own measure.
    pub score: i32,
    /// The fault that the seat forfeited for, such as `LATE`; none when it did not.
    pub forfeit: Option<String>,
    /// Number of all faults, those that are not listed included.
    pub fault_count: u32,
    /// Its faults in order, as many as the server keeps.
    pub faults: Vec<FaultRow>,
    /// Requests that its bot answered.
    pub answered: u32,
    /// Sum of all charges for its thinking, in microseconds.
    pub charged_us: u64,
    /// Its longest charge, in microseconds.
    pub longest_us: u64,
    /// Time left in its bank at the end, in ms.
    pub bank_left_ms: u32,
    /// Decisions that the house made for it.
    pub house_decisions: u32,
    /// How the process of its bot ended, the last one if it was started again.
    pub end: BotEnd,
    /// How often its bot was started again within the match, since its process had died.
    #[serde(default)]
    pub restarts: u32,
    /// The file with what the bot wrote to its standard error, relative to the folder of the
    /// contest; none when it wrote nothing.
    pub stderr: Option<String>,
    /// The last lines of that, for bots that ended badly or died before; empty otherwise.
    pub stderr_tail: String,
    /// Most memory that all processes of the bot held together, in bytes; none where the system
    /// does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// Processor time of all processes of the bot, in ms; none where the system does not tell.
    pub cpu_time_ms: Option<u64>,
}

/// A fault of a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultRow {
    /// What the seat did wrong, such as `LATE`.
    pub reason: String,
    /// What it cost, such as `SUBSTITUTE`.
    pub action: String,
    /// Explanation for people.
    pub detail: String,
    /// Time since the match started, in ms.
    pub at_ms: u64,
}

/// How the process of a bot ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum BotEnd {
    /// By itself, with the exit code 0.
    Done,
    /// With another exit code.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// By a signal that the runner did not send.
    Signalled {
        /// The signal, by its number.
        signal: i32,
    },
    /// For want of memory: it held more than the contest allows (`bot_memory_bytes`), or got no
    /// more and said so.
    OutOfMemory,
    /// The runner stopped it, since it went on after its match.
    Stopped,
    /// It attends by itself: the runner has no process of it.
    Attended,
    /// Nobody knows: the process could not be waited for, or was never started.
    Unknown,
}

impl BotEnd {
    /// Whether the bot ended as one does that played to the end.
    #[must_use]
    pub fn is_well(&self) -> bool {
        matches!(self, Self::Done | Self::Attended)
    }
}

/// Why a match does not count. Who led, or won, has no part in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annulled {
    /// The reason.
    pub because: AnnulledBecause,
    /// Explanation for people.
    pub detail: String,
}

/// A reason to annul a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnnulledBecause {
    /// The referee's own lag spoiled it.
    RefereeLag,
    /// The server crashed, or was away and did not know the match any more.
    ServerCrash,
    /// A bot had a fault, and the contest excludes such matches (`faults = "exclude"`). It is not
    /// played again.
    BotFault,
    /// A bot that attends declined its seat, or came with another version before it took it.
    Declined,
}

impl AnnulledBecause {
    /// Whether the match is played again.
    #[must_use]
    pub fn is_played_again(self) -> bool {
        !matches!(self, Self::BotFault)
    }
}

/// The name of the reason of a bot that resigned.
const RESIGNED: &str = "RESIGNED";

impl SeatRow {
    /// Whether the bot had a fault, other than that it resigned.
    #[must_use]
    pub fn has_fault(&self) -> bool {
        let resigned = self.faults.iter().filter(|fault| fault.reason == RESIGNED);
        self.fault_count as usize > resigned.count()
    }
}

impl MatchRow {
    /// Whether the result counts.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.annulled.is_none()
    }

    /// The places of the seats, in seat order.
    #[must_use]
    pub fn places(&self) -> Vec<u32> {
        self.seats.iter().map(|seat| seat.place).collect()
    }

    /// The score of a seat less that of the best seat of another bot; 0 when there is none.
    #[must_use]
    pub fn margin(&self, seat: usize) -> i32 {
        let Some(own) = self.seats.get(seat) else {
            return 0;
        };
        let others = self.seats.iter().filter(|other| other.bot != own.bot);
        let best = others.map(|other| other.score).max();
        best.map_or(0, |best| own.score.saturating_sub(best))
    }

    /// Whether a bot had a fault, other than that it resigned.
    #[must_use]
    pub fn has_fault(&self) -> bool {
        self.seats.iter().any(SeatRow::has_fault)
    }

    /// Whether a seat forfeited.
    #[must_use]
    pub fn has_forfeit(&self) -> bool {
        self.seats.iter().any(|seat| seat.forfeit.is_some())
    }
}
