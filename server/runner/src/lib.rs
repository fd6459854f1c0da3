//! Contests between bots: what is to be played and decided, what happened, and what follows.
//!
//! * [`ContestSpec`] says who plays what against whom, and what is to be decided. It is read from
//!   a file or made from flags, and kept with the contest.
//! * [`MatchRow`] is one finished match. Rows are stored before they count.
//! * [`Report`] is all that any output shows: table, verdict, series for charts, counts.
//!
//! This crate prints nothing. Verdicts and ratings are those of `bridgemaster-contest`.

#![forbid(unsafe_code)]

mod error;
mod report;
mod row;
mod spec;

pub use error::SpecError;
pub use report::{
    BotReport, ConfidenceReport, Counts, Exit, ExitReason, GroupPoint, IntervalReport,
    REPORT_VERSION, RatingReport, Report, RequirementReport, StoppedBy, TestReport, VerdictKind,
    VerdictReport, WhyWorst, WorstMatch,
};
pub use row::{
    Annulled, AnnulledBecause, BotEnd, FaultRow, GroupNumber, MatchNumber, MatchRow, SeatRow,
};
pub use spec::{
    BotSpec, Bounds, Clock, Comparison, ContestSpec, Cost, FaultCosts, FaultCounting, Format,
    House, MatchRules, Measure, Player, Requirement, Seeds, TestSpec,
};
