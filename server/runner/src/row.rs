//! Rows for finished matches, in their stored form.

use std::fmt;

use bridgemaster_bot_process::Isolation;
use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_proto::v1::{FaultReason, SeatResult};
use serde::{Deserialize, Serialize};

/// A group's number, from 0. Groups count in order of these numbers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct GroupNumber(pub u64);

impl fmt::Display for GroupNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A match's number: its group, and its number within the group. A repeated match keeps its number.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct MatchNumber {
    /// The group's number, from 0.
    pub group: GroupNumber,
    /// The match's number within the group, from 0.
    pub number: u32,
}

impl fmt::Display for MatchNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.group, self.number)
    }
}

/// A finished or annulled match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatchRow {
    /// The match's number in the contest.
    #[serde(flatten)]
    pub of: MatchNumber,
    /// The number of earlier, annulled attempts; 0 for the first attempt.
    pub attempt: u32,
    /// The match's id at the server; empty if no server created the match.
    pub match_id: String,
    /// The seed with which the match was created.
    pub seed: String,
    /// The seats' results and statistics, in seat order.
    pub seats: Vec<SeatRow>,
    /// The number of decisions in the match.
    pub decisions: u32,
    /// Time from the match's start to its end, as measured by the server, in ms.
    pub duration_ms: u64,
    /// The longest referee lag during one request, in microseconds.
    pub longest_referee_lag_us: u64,
    /// The replay file, relative to the contest's folder; `None` for a match annulled before its
    /// end. The file is written after the row, once the group has ended. Rows returned by
    /// [`read_contest`](crate::read_contest) have `None` if the file does not exist.
    pub replay: Option<String>,
    /// The reason why the match does not count; `None` if it counts.
    pub annulled: Option<Annulment>,
    /// Refused calls by this match's bots to methods that only the contest may call on its own
    /// server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_calls: Vec<RefusedCalls>,
    /// Version of the game's rules; 0 if no server created the match.
    pub rules_version: u32,
    /// Total time of all the contest's runs when the match was finished, in ms.
    pub elapsed_ms: u64,
}

/// A seat's result and statistics in a finished match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeatRow {
    /// The bot's number in the spec, from 0.
    pub bot: BotNumber,
    /// The place; 1 is the best. Forfeited seats rank behind all other seats. The place is 0 in a
    /// match that was annulled before its end.
    pub place: u32,
    /// The place by score alone, ignoring forfeits.
    pub place_by_score: u32,
    /// The score in the game.
    pub score: i32,
    /// The fault that caused the forfeit, such as `LATE`; `None` without a forfeit.
    pub forfeit: Option<String>,
    /// The number of faults, including faults that are not in `faults`.
    pub fault_count: u32,
    /// The faults in order. The server limits their number.
    pub faults: Vec<FaultRow>,
    /// The number of requests that the bot answered.
    pub answered: u32,
    /// Total time charged to the clock, in microseconds.
    pub charged_us: u64,
    /// Total thinking time that was not charged, such as delays, in microseconds.
    #[serde(default)]
    pub uncharged_us: u64,
    /// The longest thinking time for one answer, charged or not, in microseconds.
    pub longest_us: u64,
    /// Time left in the time bank at the end of the match, in ms.
    pub bank_left_ms: u32,
    /// The number of decisions that the house, the server's own player, made for the seat.
    pub house_decisions: u32,
    /// The way in which the bot's last process ended. Restarts create further processes.
    pub end: BotEnd,
    /// The number of restarts within the match after the bot's process died.
    #[serde(default)]
    pub restarts: u32,
    /// The file with the bot's standard error, relative to the contest's folder; `None` if it is
    /// empty.
    pub stderr: Option<String>,
    /// The last lines of the bot's standard error if it failed or was restarted; otherwise empty.
    pub stderr_tail: String,
    /// Peak memory of all the bot's processes together, in bytes; `None` if the system does not
    /// report it.
    pub peak_memory_bytes: Option<u64>,
    /// Total CPU time of the bot's processes, in ms; `None` if the system does not report it.
    pub cpu_time_ms: Option<u64>,
    /// The isolation of the bot's processes; `None` for a bot that the contest did not start.
    #[serde(default)]
    pub isolation: Option<Isolation>,
}

/// A bot's refused calls to a method that only the contest may call on its own server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCalls {
    /// The bot's seat, from 0; `None` if the connection carried no ticket. The caller is then a bot
    /// in this or a concurrent match.
    pub seat: Option<u32>,
    /// Name of the bot's API key; `None` if the call carried no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// The method, such as `MatchService/CancelMatch`; empty for a method that is not in the
    /// protocol.
    pub method: String,
    /// The number of refused calls.
    pub count: u64,
}

/// A seat's fault and its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultRow {
    /// The fault's reason, such as `LATE`.
    pub reason: String,
    /// The referee's action, such as `SUBSTITUTE`.
    pub action: String,
    /// Explanation in English, for people.
    pub detail: String,
    /// Time since the match started, in ms.
    pub at_ms: u64,
}

/// The way in which a bot's process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum BotEnd {
    /// The process exited with code 0.
    Done,
    /// The process exited with another code, or with code 0 before the end of its match.
    Exited {
        /// The process's exit code.
        code: i32,
    },
    /// The process was terminated by a signal that this program did not send.
    Signalled {
        /// The signal's number.
        signal: i32,
    },
    /// The process ran out of memory: it exceeded the limit (`bot_memory_bytes`), or an allocation
    /// failed.
    OutOfMemory,
    /// The process was stopped because it kept running after its match.
    Stopped,
    /// The bot attends a queue by itself, so no process was started.
    Attended,
    /// The process keeps running for other matches (`reuse`).
    Reused,
    /// The bot is a built-in bot and failed; `stderr_tail` contains the error.
    Failed,
    /// Waiting for the process failed, or the process was never started.
    #[default]
    Unknown,
}

impl BotEnd {
    /// Returns whether the bot ended regularly.
    pub fn is_regular(&self) -> bool {
        matches!(self, Self::Done | Self::Attended | Self::Reused)
    }
}

/// The reason why a match does not count. It never depends on the match's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annulment {
    /// The reason, as a stable identifier.
    pub because: AnnulmentCause,
    /// Explanation in English, for people.
    pub detail: String,
}

/// A reason to annul a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnnulmentCause {
    /// The referee lagged by more than the limit.
    RefereeLag,
    /// The server crashed, or lost the match.
    ServerCrash,
    /// A bot had a fault, and the contest excludes such matches (`faults = "exclude"`). The match
    /// is not repeated.
    BotFault,
    /// An attending bot declined its seat, or reconnected with another version before it took the
    /// seat.
    Declined,
}

impl AnnulmentCause {
    /// Returns whether the match is repeated.
    pub fn is_played_again(self) -> bool {
        !matches!(self, Self::BotFault)
    }
}

/// The fault reason of a bot that resigned.
const RESIGNED: &str = "RESIGNED";

impl SeatRow {
    /// Returns whether the bot had a fault other than a resignation.
    pub fn has_fault(&self) -> bool {
        let resigned = self.faults.iter().filter(|fault| fault.reason == RESIGNED);
        self.fault_count as usize > resigned.count()
    }

    /// Returns whether the bot forfeited for a reason other than a resignation.
    pub fn has_lost_its_seat(&self) -> bool {
        self.forfeit.as_ref().is_some_and(|reason| reason != RESIGNED)
    }
}

impl MatchRow {
    /// Returns whether the match's result counts.
    pub fn counts(&self) -> bool {
        self.annulled.is_none()
    }

    /// Returns the places in seat order.
    pub fn places(&self) -> Vec<u32> {
        self.seats.iter().map(|seat| seat.place).collect()
    }

    /// Returns a seat's score minus the best score of another bot; 0 if there is no other bot.
    pub fn margin(&self, seat: usize) -> i32 {
        let Some(own) = self.seats.get(seat) else {
            return 0;
        };
        let others = self.seats.iter().filter(|other| other.bot != own.bot);
        let best = others.map(|other| other.score).max();
        best.map_or(0, |best| own.score.saturating_sub(best))
    }

    /// Returns whether a bot had a fault other than a resignation.
    pub fn has_fault(&self) -> bool {
        self.seats.iter().any(SeatRow::has_fault)
    }

    /// Returns whether a seat was forfeited.
    pub fn has_forfeit(&self) -> bool {
        self.seats.iter().any(|seat| seat.forfeit.is_some())
    }
}

/// Copies the server's result for a seat to the seat's row.
pub(crate) fn fill_seat(seat: &mut SeatRow, result: &SeatResult) {
    let clock = result.clock_use.unwrap_or_default();
    seat.place = result.place;
    seat.place_by_score = result.place_by_score;
    seat.score = result.score;
    seat.forfeit = match result.forfeit() {
        FaultReason::Unspecified => None,
        reason => Some(fault_name(reason).to_owned()),
    };
    seat.fault_count = result.fault_count;
    let faults = result.faults.iter().map(|fault| FaultRow {
        reason: fault_name(fault.reason()).to_owned(),
        action: without_prefix(fault.action().as_str_name(), "FAULT_ACTION_").to_owned(),
        detail: fault.detail.clone(),
        at_ms: fault.at_ms,
    });
    seat.faults = faults.collect();
    seat.answered = clock.answered;
    seat.charged_us = clock.charged_us;
    seat.uncharged_us = clock.uncharged_us;
    seat.longest_us = clock.longest_us;
    seat.bank_left_ms = clock.bank_left_ms;
    seat.house_decisions = result.house_decisions;
}

/// Returns the name of a fault reason without its prefix, such as `LATE`.
pub(crate) fn fault_name(reason: FaultReason) -> &'static str {
    without_prefix(reason.as_str_name(), "FAULT_REASON_")
}

fn without_prefix(name: &'static str, prefix: &str) -> &'static str {
    name.strip_prefix(prefix).unwrap_or(name)
}
