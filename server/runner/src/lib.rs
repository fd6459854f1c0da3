//! Contests between bots: what is to be played and decided, what happened, and what follows.
//!
//! * [`ContestSpec`] says who plays what against whom, and what is to be decided. It is read from
//!   a file or made from flags, and kept with the contest.
//! * [`MatchRow`] is one finished match. Rows are stored before they count.
//! * [`Contest`] plays: it starts fresh processes for each match, and goes on where it was killed.
//! * [`Report`] is all that any output shows: table, verdict, series for charts, counts.
//!
//! A contest is kept in a folder: `contest.json` says what it is, `results.jsonl` has a line for
//! each finished match, `replays` and `stderr` have what the names say. This crate prints nothing.
//! Verdicts and ratings are those of `bridgemaster-contest`.

#![forbid(unsafe_code)]

mod calls;
mod contest;
mod desk;
mod drawn;
mod error;
mod exit;
mod figures;
mod folder;
mod forecast;
mod fork;
mod held_back;
mod in_play;
mod journal;
mod judge;
mod launch;
mod ledger;
mod memory_size;
mod news;
mod pinning;
mod plan;
mod play;
mod play_error;
mod processes;
mod replays;
mod report;
mod row;
mod run_error;
#[cfg(test)]
mod sample;
mod seeds;
mod spec;
mod standing;
mod starting;
mod told_seat;

pub use calls::{DeskError, ServerAddress};
pub use contest::Contest;
pub use error::SpecError;
pub use exit::exit;
pub use folder::{FolderError, read_contest};
pub use forecast::Forecast;
pub use journal::JournalError;
pub use launch::BuiltInBots;
pub use news::News;
pub use play_error::PlayError;
pub use report::{
    BotReport, ConfidenceReport, Counts, Exit, ExitReason, GroupPoint, IntervalReport,
    REPORT_VERSION, RatingErrors, RatingReport, Report, RequirementReport, StoppedBy, TestReport,
    VerdictKind, VerdictReport, WhyWorst, WorstMatch,
};
pub use row::{
    Annulled, AnnulledBecause, BotEnd, FaultRow, GroupNumber, MatchNumber, MatchRow, SeatRow,
};
pub use run_error::RunError;
pub use spec::{
    BotSpec, Bounds, Clock, Comparison, ContestSpec, Cost, FaultCosts, FaultCounting, ForkPoint,
    Format, House, MatchRules, Measure, Odds, OtherChance, Player, Requirement, Seeds, TestSpec,
};
pub use standing::Standing;
