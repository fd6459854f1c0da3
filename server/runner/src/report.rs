//! The report of a contest, from which every output is rendered.
//!
//! Missing numbers are `None`, never infinite or NaN, so that every format can represent them.
//! Shares range from 0 to 1. A **group** is a set of matches with the same seed in which the
//! candidate (or every bot) takes each seat once. Every interval is computed over groups.

use std::path::PathBuf;

use bridgemaster_bot_process::Isolation;
use bridgemaster_contest::{Interval, schedule::BotNumber};
use serde::{Deserialize, Serialize};

use crate::{ContestSpec, GroupNumber, Identity, MatchNumber, RefusedCallsReport};

/// Version of the report format. Fields may be added without a new version.
pub const REPORT_VERSION: u32 = 1;

/// A contest's report, complete or in progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the report format: [`REPORT_VERSION`].
    pub report_version: u32,
    /// The spec, in which seeds and number of restarts are always set.
    pub spec: ContestSpec,
    /// The contest's folder; paths of replays and standard error files are relative to it.
    pub folder: PathBuf,
    /// Version of the game's rules; `None` before the first match.
    pub rules_version: Option<u32>,
    /// The contest's exit; [`ExitReason::Running`] until the contest has ended.
    pub exit: Exit,
    /// The verdict on the candidate; `None` in formats without a candidate.
    pub verdict: Option<VerdictReport>,
    /// The bots, best first, ordered by rating, or by score if there are no ratings.
    pub bots: Vec<BotReport>,
    /// The source of the ratings' standard errors; `None` without ratings.
    pub rating_errors: Option<RatingErrors>,
    /// The candidate's statistics after each group that counts, for charts. Empty in formats
    /// without a candidate.
    pub series: Vec<GroupPoint>,
    /// The numbers of groups, matches, faults and decisions.
    pub counts: Counts,
    /// The requirements, and whether they are met.
    pub requirements: Vec<RequirementReport>,
    /// Bots' refused calls to methods that only the contest may call on its own server. Calls in
    /// matches that do not count are included.
    pub refused_calls: Vec<RefusedCallsReport>,
    /// Total time of all runs, in ms.
    pub elapsed_ms: u64,
    /// The weakest isolation among all bot processes; `None` if no bot was started.
    pub isolation: Option<Isolation>,
    /// The provenance: program, machine and bot files.
    pub identity: Identity,
}

/// The reason why a contest ended, with the exit code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The reason, as a stable identifier.
    pub reason: ExitReason,
    /// The reason's exit code: [`ExitReason::code`].
    pub code: u8,
    /// A message for people, with advice.
    pub sentence: String,
}

/// The reason why a contest ended, or the fact that it has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    /// The test accepted the candidate.
    Accepted,
    /// All matches of a contest without a test were played.
    Finished,
    /// The test rejected the candidate.
    Rejected,
    /// The test reached no verdict before the last group was played, the seeds were used up, or the
    /// contest was stopped.
    Undecided,
    /// A contest without a test was stopped before its end.
    Stopped,
    /// The contest is not complete, and might be running.
    Running,
    /// A requirement is not met.
    RequirementNotMet,
    /// A bot had a fault that ends the contest, a bot declined its seat too often, or every match
    /// was forfeited.
    BotFault,
    /// A bot cannot be started: its program does not exist or cannot be executed.
    BotNotStarted,
    /// A bot exited before it ever took a seat.
    BotEnded,
    /// A bot that has never taken a seat did not connect in time.
    BotNeverConnected,
    /// A bot does not play the game.
    BotOfOtherGames,
    /// A bot ran out of memory before it ever took a seat, or all bots that forfeited ran out of
    /// memory.
    BotOutOfMemory,
    /// A bot file changed, so the results would mix two different bots.
    BotChanged,
    /// The referee failed: the server is unavailable, or a match was annulled too often.
    RefereeFault,
}

impl ExitReason {
    /// All reasons, in declaration order.
    pub const ALL: [Self; 15] = [
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
        Self::BotChanged,
        Self::RefereeFault,
    ];

    /// Returns whether a bot caused the contest to end.
    pub fn is_bot_failure(self) -> bool {
        matches!(
            self,
            Self::BotFault
                | Self::BotNotStarted
                | Self::BotEnded
                | Self::BotNeverConnected
                | Self::BotOfOtherGames
                | Self::BotOutOfMemory
                | Self::BotChanged
        )
    }

    /// Returns the command's exit code: 0 accepted or finished, 1 rejected, 3 not decided, 4
    /// requirement not met, 5 bot fault, 6 referee failure. Codes 51 to 55 mean that a bot cannot
    /// play at all, and 56 that a bot changed. Code 2 is a usage error, which creates no report.
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
            Self::BotChanged => 56,
            Self::RefereeFault => 6,
        }
    }
}

/// The verdict on the candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictReport {
    /// The candidate's number in the spec.
    pub candidate: BotNumber,
    /// Whether the candidate was accepted.
    pub verdict: VerdictKind,
    /// The part of the sequential test that reached the verdict; `None` before the verdict and in
    /// other tests.
    pub decided_by: Option<StoppedBy>,
    /// The number of groups on which the verdict is based.
    pub groups: u64,
    /// The number of matches on which the verdict is based.
    pub matches: u64,
    /// The test's statistics; `None` for a fixed number of groups.
    pub test: Option<TestReport>,
    /// The candidate's Elo difference, corrected for optional stopping after a sequential test.
    /// `None` before the second group.
    pub elo: Option<IntervalReport>,
    /// The normalized Elo difference, as a plain estimate.
    pub normalized_elo: Option<f64>,
    /// Probability that the candidate is better, 0 to 1.
    pub superiority: Option<f64>,
    /// An always-valid confidence interval for the mean score.
    pub confidence: ConfidenceReport,
    /// True if there are fewer than 30 groups. Intervals then use Student's t distribution.
    pub rests_on_few_groups: bool,
}

/// Whether a test accepted its candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// The candidate is better: its strength is closer to the upper bound than to the lower bound.
    Accepted,
    /// The candidate is not better.
    Rejected,
    /// The test has not decided yet.
    Undecided,
    /// There is no test; the number of groups is fixed.
    None,
}

/// The part of a test that reached the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// The t-value test in the sequential test.
    TValue,
    /// The betting test in the sequential test.
    Betting,
    /// The pentanomial test for game pairs.
    Pentanomial,
}

/// A test's statistics after the last counted group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TestReport {
    /// The log-likelihood ratio between the two bounds.
    pub llr: f64,
    /// The ratio at which the test rejects the candidate.
    pub llr_lower: f64,
    /// The ratio at which the test accepts the candidate.
    pub llr_upper: f64,
    /// The wealth from the bet that the candidate is above the lower bound; `None` in a pentanomial
    /// test.
    pub wealth_for: Option<f64>,
    /// The wealth from the bet that the candidate is below the upper bound; `None` in a pentanomial
    /// test.
    pub wealth_against: Option<f64>,
    /// The wealth at which the candidate is accepted.
    pub wealth_to_accept: Option<f64>,
    /// The wealth at which the candidate is rejected.
    pub wealth_to_reject: Option<f64>,
    /// Expected number of groups if the candidate is at the lower bound, given the observed
    /// deviation.
    pub expected_groups_at_lower: f64,
    /// Expected number of groups if the candidate is at the upper bound, given the observed
    /// deviation.
    pub expected_groups_at_upper: f64,
}

/// An estimate with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IntervalReport {
    /// The point estimate, inside the interval.
    pub estimate: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl IntervalReport {
    pub(crate) fn new(estimate: f64, Interval { low, high }: Interval) -> Self {
        Self { estimate, low, high }
    }

    /// Returns an estimate without an interval.
    pub(crate) fn from_estimate(estimate: f64) -> Self {
        Self { estimate, low: estimate, high: estimate }
    }

    pub(crate) fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self { estimate: change(self.estimate), low: change(self.low), high: change(self.high) }
    }
}

/// An always-valid confidence interval for the mean score. It is valid even if it is checked after
/// every group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConfidenceReport {
    /// The confidence level, such as 0.95.
    pub level: f64,
    /// The lower end as a score, 0 to 1.
    pub score_low: f64,
    /// The upper end as a score, 0 to 1.
    pub score_high: f64,
    /// The lower end as an Elo difference.
    pub elo_low: f64,
    /// The upper end as an Elo difference.
    pub elo_high: f64,
}

/// A bot's statistics over the groups that count.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BotReport {
    /// The bot's number in the spec.
    pub bot: BotNumber,
    /// The bot's name in the spec.
    pub name: String,
    /// The command, or the name of the built-in bot.
    pub command: String,
    /// The number of seats that the bot played. Several seats in one match count separately.
    pub played: u64,
    /// The number of groups in which the bot played.
    pub groups: u64,
    /// Mean share of opponents that finished behind the bot, averaged over groups. A tie counts
    /// half. `low` and `high` are equal for fewer than two groups.
    pub score: Option<IntervalReport>,
    /// The rating, from a fit to all results together; `None` if the results do not determine
    /// ratings.
    pub rating: Option<RatingReport>,
    /// The number of seats that won without a tie.
    pub wins: u64,
    /// The number of seats that shared the first place.
    pub shared_wins: u64,
    /// Share of seats that won without a tie, averaged over groups.
    pub win_rate: Option<IntervalReport>,
    /// Mean place, averaged over groups; 1 is the best.
    pub place: Option<IntervalReport>,
    /// Mean margin, averaged over groups. The margin is the score minus the best score of another
    /// bot in the match.
    pub margin: Option<IntervalReport>,
    /// The number of forfeited seats.
    pub forfeits: u64,
    /// The number of faults, including faults without a cost.
    pub faults: u64,
    /// The faults by reason, such as `LATE`, most frequent first.
    pub faults_by_reason: Vec<(String, u64)>,
    /// The number of restarts within matches, after the bot's process died.
    pub restarts: u64,
    /// The number of requests that the bot answered.
    pub answered: u64,
    /// Mean thinking time for an answer, charged or not, in microseconds.
    pub mean_us: u64,
    /// Longest thinking time for an answer, charged or not, in microseconds.
    pub longest_us: u64,
    /// Lowest time left in the time bank at the end of a match, over all matches, in ms.
    pub least_bank_left_ms: Option<u32>,
    /// Highest peak memory of the bot's processes over all matches, in bytes.
    pub peak_memory_bytes: Option<u64>,
    /// Mean CPU time of the bot's processes per match, in ms.
    pub mean_cpu_time_ms: Option<u64>,
    /// The number of seats in which the bot ran out of memory; `OUT_OF_MEMORY` in text outputs.
    pub out_of_memory: u64,
    /// The worst matches, at most 5. Forfeited matches come first; matches are then ordered by
    /// place and by margin, the worst first.
    pub worst: Vec<WorstMatch>,
}

/// A bot's rating, relative to the contest's other bots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatingReport {
    /// Elo with its interval; the mean over all bots is 0.
    pub elo: IntervalReport,
    /// The best possible rank: one more than the number of significantly better bots.
    pub best_rank: usize,
    /// The worst possible rank.
    pub worst_rank: usize,
}

/// The source of the ratings' errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingErrors {
    /// The spread between groups. This source accounts for the correlation between matches with the
    /// same seed.
    Groups,
    /// The model alone, because there are too few groups, or because a bot has won or lost
    /// everything. The model treats matches with the same seed as independent, so intervals and
    /// ranks can be too narrow.
    Model,
}

/// One of a bot's worst matches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstMatch {
    /// The match's number.
    pub of: MatchNumber,
    /// The bot's seat, from 0.
    pub seat: u32,
    /// The match's seed.
    pub seed: String,
    /// The reason why the match is listed.
    pub why: WorstMatchReason,
    /// True if the bot ran out of memory.
    pub ran_out_of_memory: bool,
    /// The place; 1 is the best.
    pub place: u32,
    /// The score in the game.
    pub score: i32,
    /// The score minus the best score of another bot.
    pub margin: i32,
    /// The replay file, relative to the contest's folder.
    pub replay: Option<String>,
    /// The file with the bot's standard error, relative to the contest's folder.
    pub stderr: Option<String>,
}

/// The reason why a match is listed among a bot's worst matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WorstMatchReason {
    /// The bot forfeited its seat.
    Forfeited {
        /// The fault's reason, such as `LATE`.
        reason: String,
    },
    /// The bot did not win.
    Lost,
}

/// The candidate's statistics after a group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GroupPoint {
    /// The group's number, from 0.
    pub group: GroupNumber,
    /// The candidate's score in this group, 0 to 1.
    pub score: f64,
    /// The mean score up to and including this group.
    pub mean_score: f64,
    /// The mean margin in this group: the score minus the best score of another bot.
    pub margin: f64,
    /// The log-likelihood ratio after this group; `None` without a test.
    pub llr: Option<f64>,
    /// The lower end of the always-valid confidence interval for the mean score.
    pub confidence_low: f64,
    /// The upper end of the always-valid confidence interval for the mean score.
    pub confidence_high: f64,
}

/// The numbers of groups, matches, faults and decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The number of groups that count.
    pub groups: u64,
    /// The maximum number of groups; `None` if it is unknown.
    pub planned_groups: Option<u64>,
    /// The number of matches in the groups that count.
    pub matches: u64,
    /// The number of finished matches that do not count because their group is incomplete or was
    /// completed after the verdict.
    pub surplus_matches: u64,
    /// The number of matches annulled because of referee lag. They are repeated.
    pub annulled_for_referee_lag: u64,
    /// The number of matches annulled because of a server crash. They are repeated.
    pub annulled_for_server_crash: u64,
    /// The number of matches excluded because of a bot fault (`faults = "exclude"`).
    pub annulled_for_bot_fault: u64,
    /// The number of matches annulled because an attending bot declined its seat. They are
    /// repeated.
    pub annulled_for_decline: u64,
    /// The number of groups that were skipped because an earlier group has the same seed and
    /// seatings.
    pub repeated_groups: u64,
    /// The number of counted matches with a forfeit.
    pub forfeited_matches: u64,
    /// The number of all bots' faults in counted matches.
    pub faults: u64,
    /// The number of decisions in counted matches.
    pub decisions: u64,
}

/// A requirement, and whether it is met.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequirementReport {
    /// The requirement in its text form, such as `elo>=0@95%`.
    pub text: String,
    /// The bot's number in the spec.
    pub bot: BotNumber,
    /// True if the requirement is met; false if there is no estimate yet.
    pub is_met: bool,
    /// The estimate; `None` if there is no estimate yet.
    pub estimate: Option<f64>,
    /// The interval's end that is compared with the bound; `None` for a requirement without a
    /// confidence level.
    pub interval_end: Option<f64>,
}
