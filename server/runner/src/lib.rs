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
mod contest_state;
mod cpu;
mod error;
mod exit;
mod exit_reason;
mod figures;
mod folder;
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
mod own_server;
mod plan;
mod replays;
mod report;
mod results;
mod retry_client;
mod row;
mod run_error;
mod running_bots;
mod scheduler;
mod seeds;
mod spec;
mod stderr_files;

pub use crate::{
    bot_files::{BotChange, BotFile, BotFileName},
    built_in::BuiltInBots,
    contest::Contest,
    contest_state::{ContestEvent, ContestState},
    error::{FolderError, SpecError},
    exit::{exit, not_started, stopped},
    exit_reason::{Exit, ExitReason},
    folder::{NewFolder, STDERR_FOLDER, read_contest},
    identity::{Identity, Machine, Origin},
    own_server::{OwnServer, RefusedCallsReport},
    report::{
        BotReport, ConfidenceReport, Counts, EloReport, GroupPoint, IntervalReport, PairReport,
        REPORT_VERSION, RanksReport, Report, RequirementReport, SeatReport, StoppedBy, TestReport,
        VerdictKind, VerdictReport, WorstMatch, WorstMatchReason,
    },
    retry_client::{CallError, ServerAddress},
    row::{
        Annulment, AnnulmentCause, BotEnd, FaultRow, GroupNumber, MatchNumber, MatchRow,
        RefusedCalls, SeatRow,
    },
    run_error::RunError,
    spec::{
        BotSpec, Clock, Comparison, ContestSpec, Cost, FaultCosts, FaultCounting, ForkPoint,
        Format, HiddenChance, House, MatchRules, Measure, Player, Requirement, Seeds,
        SequentialSpec, TestSpec,
    },
    stderr_files::OutputListener,
};
pub use bridgemaster_contest::Bounds;
pub use bridgemaster_referee::TimeControl;

#[cfg(test)]
mod samples_for_tests;
