//! What a contest found out: all that any output shows.
//!
//! Numbers that do not exist are `None`, never infinite or NaN, so that every format can write
//! them. Shares are 0 to 1. A **group** is the unit of every figure with an interval: matches with
//! one seed in which the candidate, or everybody, takes each seat once.

use std::path::PathBuf;

use bridgemaster_contest::schedule::BotNumber;
use serde::{Deserialize, Serialize};

use crate::{ContestSpec, GroupNumber, MatchNumber};

/// Version of the report's form. Fields may be added without a new version.
pub const REPORT_VERSION: u32 = 1;

/// A contest as far as it has come.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of this form: [`REPORT_VERSION`].
    pub report_version: u32,
    /// What the contest is, with its seeds and the number of restarts filled in.
    pub spec: ContestSpec,
    /// Its folder; the paths of replays and of standard errors are relative to it.
    pub folder: PathBuf,
    /// Version of the game's rules; none before the first match.
    pub rules_version: Option<u32>,
    /// How it ended, or that it has not ended.
    pub exit: Exit,
    /// The verdict on the candidate; none in formats that have a table only.
    pub verdict: Option<VerdictReport>,
    /// The bots, best first: by rating, or by score where there is no rating.
    pub bots: Vec<BotReport>,
    /// What the errors of the ratings follow from; none while there are no ratings.
    pub rating_errors: Option<RatingErrors>,
    /// The candidate after each group that counts, in the order of the groups: for charts. Empty
    /// in formats without a candidate.
    pub series: Vec<GroupPoint>,
    /// How much was played.
    pub counts: Counts,
    /// What had to hold, and whether it does.
    pub requirements: Vec<RequirementReport>,
    /// Time played, all runs of a resumed contest together, in ms.
    pub elapsed_ms: u64,
}

/// How a contest ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Why.
    pub reason: ExitReason,
    /// The exit code that says so: [`ExitReason::code`].
    pub code: u8,
    /// A sentence for people, and what to do.
    pub sentence: String,
}

/// Why a contest ended, or that it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    /// The test accepted the candidate.
    Accepted,
    /// All that was asked for was played, in a format without a test.
    Finished,
    /// The test rejected the candidate.
    Rejected,
    /// The test has no verdict: its last group was played, the seeds ran out, or somebody stopped
    /// it.
    Undecided,
    /// A contest without a test was stopped before its end.
    Stopped,
    /// It goes on.
    Running,
    /// A requirement does not hold.
    RequirementNotMet,
    /// A bot had a fault where none is allowed, declined again and again, or every match was
    /// forfeited.
    BotFault,
    /// A bot cannot be started: there is no such program, or the system does not start it.
    BotNotStarted,
    /// A bot that never played ended before it took its seat.
    BotEnded,
    /// A bot that never played did not connect in time.
    BotNeverConnected,
    /// A bot does not play the game.
    BotOfOtherGames,
    /// A bot that never played, or each one that forfeited, ran out of memory.
    BotOutOfMemory,
    /// The referee failed: the server is gone, or it spoiled match after match.
    RefereeFault,
}

impl ExitReason {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Accepted,
        Self::Finished,
        Self::Rejected,
        Self::Undecided,
        Self::Stopped,
        Self::Running,
        Self::RequirementNotMet,
        Self::BotFault,
        Self::BotNotStarted,
        Self::BotEnded,
        Self::BotNeverConnected,
        Self::BotOfOtherGames,
        Self::BotOutOfMemory,
        Self::RefereeFault,
    ];

    /// Whether it is a bot that ended the contest.
    #[must_use]
    pub fn is_of_a_bot(self) -> bool {
        matches!(
            self,
            Self::BotFault
                | Self::BotNotStarted
                | Self::BotEnded
                | Self::BotNeverConnected
                | Self::BotOfOtherGames
                | Self::BotOutOfMemory
        )
    }

    /// The exit code of the command: 0 accepted or finished, 1 rejected, 3 not decided, 4 a
    /// requirement not met, 5 a bot's fault, and 51 to 55 where it cannot play at all, 6 the
    /// referee's. 2 is a mistake in the command line, which makes no report.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Accepted | Self::Finished => 0,
            Self::Rejected => 1,
            Self::Undecided | Self::Stopped | Self::Running => 3,
            Self::RequirementNotMet => 4,
            Self::BotFault => 5,
            Self::BotNotStarted => 51,
            Self::BotEnded => 52,
            Self::BotNeverConnected => 53,
            Self::BotOfOtherGames => 54,
            Self::BotOutOfMemory => 55,
            Self::RefereeFault => 6,
        }
    }
}

/// The verdict on the candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictReport {
    /// The candidate, by its number in the spec.
    pub candidate: BotNumber,
    /// What the test says.
    pub verdict: VerdictKind,
    /// Which part of the sequential test decided; none before, and in other tests.
    pub decided_by: Option<StoppedBy>,
    /// Groups that the verdict rests on.
    pub groups: u64,
    /// Matches of these groups.
    pub matches: u64,
    /// The figures of the test; none for a fixed number of groups.
    pub test: Option<TestReport>,
    /// How much better the candidate is, in Elo: corrected for its stopping after a sequential
    /// test. None before the second group.
    pub elo: Option<IntervalReport>,
    /// The same in units of the noise of a match, as a plain estimate.
    pub normalized_elo: Option<f64>,
    /// Chance that the candidate is better at all, 0 to 1.
    pub superiority: Option<f64>,
    /// An interval of the mean score that stays valid however often one looks.
    pub confidence: ConfidenceReport,
    /// Whether the figures rest on fewer than 30 groups: intervals are by Student's quantiles then.
    pub rests_on_few_groups: bool,
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// Better: at the upper bound rather than at the lower.
    Accepted,
    /// Not better.
    Rejected,
    /// Not decided.
    Undecided,
    /// There is no test: the number of groups was fixed.
    None,
}

/// Which part of the sequential test decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// The t-value test.
    TValue,
    /// The betting test.
    Betting,
    /// The pentanomial test.
    Pentanomial,
}

/// The figures of a test after its last group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TestReport {
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The ratio at which it rejects.
    pub llr_lower: f64,
    /// The ratio at which it accepts.
    pub llr_upper: f64,
    /// Wealth of the bet that the candidate is above the lower bound; none in a pentanomial test.
    pub wealth_for: Option<f64>,
    /// Wealth of the bet that it is below the upper bound.
    pub wealth_against: Option<f64>,
    /// The wealth at which the candidate is accepted.
    pub wealth_to_accept: Option<f64>,
    /// The wealth at which the candidate is rejected.
    pub wealth_to_reject: Option<f64>,
    /// Expected groups for a candidate at the lower bound, by the deviation that the groups show.
    pub expected_groups_at_lower: f64,
    /// Expected groups for a candidate at the upper bound.
    pub expected_groups_at_upper: f64,
}

/// A figure with its interval of the level of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IntervalReport {
    /// The figure.
    pub estimate: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// An interval of the mean score that stays valid however often one looks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConfidenceReport {
    /// Its level, such as 0.95.
    pub level: f64,
    /// The lower end, 0 to 1.
    pub score_low: f64,
    /// The upper end, 0 to 1.
    pub score_high: f64,
    /// The lower end in Elo.
    pub elo_low: f64,
    /// The upper end in Elo.
    pub elo_high: f64,
}

/// A bot in all matches of the groups that count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BotReport {
    /// Its number in the spec.
    pub bot: BotNumber,
    /// Its name.
    pub name: String,
    /// Its command, or the built-in bot.
    pub command: String,
    /// Seats that it played: in a match where it has several seats, each counts.
    pub played: u64,
    /// Groups in which it played.
    pub groups: u64,
    /// Mean share of its opponents that it finished ahead of, a tie counting half; over groups.
    /// Without an interval (`low` and `high` equal) for fewer than two groups.
    pub score: Option<IntervalReport>,
    /// Its rating, from all results at once; none while the results fix no ratings.
    pub rating: Option<RatingReport>,
    /// Seats that it won alone.
    pub wins: u64,
    /// Seats whose first place it shared.
    pub shared_wins: u64,
    /// Share of seats won alone; over groups.
    pub win_rate: Option<IntervalReport>,
    /// Mean place, 1 being the best; over groups.
    pub place: Option<IntervalReport>,
    /// Mean score by the game's own measure, less that of the best other bot's seat in the match;
    /// over groups.
    pub margin: Option<IntervalReport>,
    /// Seats that it forfeited.
    pub forfeits: u64,
    /// Its faults, those that cost nothing included.
    pub faults: u64,
    /// Its faults by their reasons, such as `LATE`, most first.
    pub faults_by_reason: Vec<(String, u64)>,
    /// How often it was started again within a match, since its process had died.
    pub restarts: u64,
    /// Requests that it answered.
    pub answered: u64,
    /// Mean time that it was charged for an answer, in microseconds.
    pub mean_us: u64,
    /// Longest time that it was charged for an answer, in microseconds.
    pub longest_us: u64,
    /// Least time left in its bank at the end of a match, in ms.
    pub least_bank_left_ms: Option<u32>,
    /// Most memory that its processes held in a match, in bytes.
    pub peak_memory_bytes: Option<u64>,
    /// Mean processor time of its processes in a match, in ms.
    pub mean_cpu_time_ms: Option<u64>,
    /// Seats in which it ended for want of memory: `OUT_OF_MEMORY` in text.
    pub out_of_memory: u64,
    /// Its worst matches, at most 5: forfeited ones first, then by place and margin.
    pub worst: Vec<WorstMatch>,
}

/// The rating of a bot among those of the contest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatingReport {
    /// Elo with its interval; the mean over all bots is 0.
    pub elo: IntervalReport,
    /// The best rank that it may have: one more than the number of bots that are significantly
    /// better.
    pub best_rank: usize,
    /// The worst rank that it may have.
    pub worst_rank: usize,
}

/// What the errors of ratings follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingErrors {
    /// How far groups differ, so that matches of one seed count as the one deal that they are.
    Groups,
    /// The model alone, since there are too few groups, or a bot has won or lost everything. It
    /// takes matches of one seed as independent, so intervals and ranks may be too narrow.
    Model,
}

/// A match in which a bot did badly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstMatch {
    /// The match.
    pub of: MatchNumber,
    /// Its seat.
    pub seat: u32,
    /// The seed.
    pub seed: String,
    /// Why the match is in the list.
    pub why: WhyWorst,
    /// Whether it ended for want of memory.
    pub ran_out_of_memory: bool,
    /// Its place.
    pub place: u32,
    /// Its score.
    pub score: i32,
    /// Its score less that of the best other bot's seat.
    pub margin: i32,
    /// The replay, relative to the folder of the contest.
    pub replay: Option<String>,
    /// What it wrote to its standard error, relative to the folder of the contest.
    pub stderr: Option<String>,
}

/// Why a match is among the worst of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WhyWorst {
    /// It forfeited.
    Forfeited {
        /// The fault, such as `LATE`.
        reason: String,
    },
    /// It did not win.
    Lost,
}

/// The candidate after a group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GroupPoint {
    /// The group.
    pub group: GroupNumber,
    /// The score of the candidate in this group, 0 to 1.
    pub score: f64,
    /// Its mean score after this group.
    pub mean_score: f64,
    /// Its mean margin in this group: its score by the game's own measure, less that of the best
    /// other bot's seat.
    pub margin: f64,
    /// The log-likelihood ratio after this group; none without a test.
    pub llr: Option<f64>,
    /// Ends of the interval of the mean score that stays valid however often one looks.
    pub confidence_low: f64,
    /// The upper end.
    pub confidence_high: f64,
}

/// How much was played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Groups that count.
    pub groups: u64,
    /// Most groups that there can be; none in Swiss before the last round is drawn.
    pub planned_groups: Option<u64>,
    /// Matches of the groups that count.
    pub matches: u64,
    /// Matches that were finished and do not count, since their groups lie behind the verdict or
    /// are not complete.
    pub surplus_matches: u64,
    /// Matches that the referee's own lag spoiled, which were played again.
    pub annulled_for_referee_lag: u64,
    /// Matches that a crash of the server ended, which were played again.
    pub annulled_for_server_crash: u64,
    /// Matches that do not count for a bot's fault (`faults = "exclude"`).
    pub annulled_for_bot_fault: u64,
    /// Matches whose seat a bot that attends declined, which were played again.
    pub annulled_for_decline: u64,
    /// Groups that were left out, since they would repeat seed and seatings of an earlier one.
    pub repeated_groups: u64,
    /// Matches with a forfeit, of those that count.
    pub forfeited_matches: u64,
    /// Faults of all bots in matches that count.
    pub faults: u64,
    /// Decisions in matches that count.
    pub decisions: u64,
}

/// A requirement, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequirementReport {
    /// As it was given, such as `elo>=0@95%`.
    pub text: String,
    /// The bot, by its number in the spec.
    pub bot: BotNumber,
    /// Whether it holds. A figure that does not exist holds nothing.
    pub is_met: bool,
    /// The figure; none when there is none yet.
    pub estimate: Option<f64>,
    /// The end of its interval that must be on the right side; none for a requirement without a
    /// level.
    pub interval_end: Option<f64>,
}
