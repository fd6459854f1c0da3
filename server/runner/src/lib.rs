//! Runs contests between bots.
//!
//! * [`ContestSpec`] defines the bots, the pairings and the test. A spec is read from a file or
//!   built from flags, and stored with the contest.
//! * [`MatchRow`] is one finished match. A row is stored before its match counts.
//! * [`Contest`] starts the bots and plays the matches. A killed contest can be resumed.
//! * [`Report`] has everything that an output shows: the table, the verdict, chart data and counts.
//!
//! A contest is stored in a folder. `contest.json` is the spec, and `results.jsonl` has a line for
//! each finished match. `identity.json` names the program, the machine and the bot files. `replays`
//! and `stderr` contain replays and bot output. This crate prints nothing. `bridgemaster-contest`
//! computes verdicts and ratings.

#![forbid(unsafe_code)]

mod bot_files;
mod bot_starts;
mod bot_watch;
mod built_in;
mod contest;
mod contest_event;
mod contest_state;
mod error;
mod exit;
mod figures;
mod folder;
mod forecast;
mod fork;
mod identity;
mod journal;
mod judge;
mod launch;
mod match_bots;
mod match_client;
mod match_creation;
mod match_runner;
mod memory_size;
mod origin;
mod own_server;
mod pinning;
mod plan;
mod play_error;
mod process_end;
mod random_hex;
mod replays;
mod report;
mod results;
mod retry_client;
mod reused_bots;
mod row;
mod run_error;
#[cfg(test)]
mod sample;
mod scheduler;
mod seat_result;
mod seeds;
mod spec;
mod stderr_files;
mod throttling;
mod withheld_replays;

pub use bot_files::{BotFile, BotFileName};
pub use built_in::BuiltInBots;
pub use contest::Contest;
pub use contest_event::ContestEvent;
pub use contest_state::ContestState;
pub use error::SpecError;
pub use exit::{exit, stopped};
pub use folder::{FolderError, STDERR_FOLDER, read_contest};
pub use forecast::Forecast;
pub use identity::{BotChange, Identity};
pub use journal::JournalError;
pub use origin::{Machine, Origin};
pub use own_server::{OwnServer, RefusedCallsReport};
pub use play_error::PlayError;
pub use report::{
    BotReport, ConfidenceReport, Counts, Exit, ExitReason, GroupPoint, IntervalReport,
    REPORT_VERSION, RatingErrors, RatingReport, Report, RequirementReport, StoppedBy, TestReport,
    VerdictKind, VerdictReport, WorstMatch, WorstMatchReason,
};
pub use retry_client::{CallError, ServerAddress};
pub use row::{
    Annulment, AnnulmentCause, BotEnd, FaultRow, GroupNumber, MatchNumber, MatchRow, RefusedCalls,
    SeatRow,
};
pub use run_error::RunError;
pub use spec::{
    BotSpec, Bounds, Clock, Comparison, ContestSpec, Cost, FaultCosts, FaultCounting, ForkPoint,
    Format, House, MatchRules, Measure, Odds, OtherChance, Player, Requirement, Seeds, TestSpec,
};
pub use stderr_files::OutputListener;
