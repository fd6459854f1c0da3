//! The report of a contest, from which every output is rendered.
//!
//! Missing numbers are `None`, never infinite or NaN, so that every format can represent them.
//! Shares range from 0 to 1. A **group** is a set of matches with the same seed in which the
//! candidate (or every bot) takes each seat once. Every interval is computed over groups.

use std::path::PathBuf;

use bridgemaster_bot_process::Isolation;
use bridgemaster_contest::{Elo, Interval, schedule::BotNumber};
use serde::{Deserialize, Serialize};

use crate::{ContestSpec, Exit, GroupNumber, Identity, MatchNumber, RefusedCallsReport};

/// Version of the report format. Fields may be added without a new version. Since version 2, ends
/// of Elo intervals can be missing, and ranks are apart from Elo.
pub const REPORT_VERSION: u32 = 2;

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
    /// The contest's exit; [`ExitReason::Running`](crate::ExitReason::Running) until the contest
    /// has ended.
    pub exit: Exit,
    /// The verdict on the candidate; `None` in formats without a candidate.
    pub verdict: Option<VerdictReport>,
    /// The bots, best first, ordered by score.
    pub bots: Vec<BotReport>,
    /// The results between each two bots that have met.
    pub pairs: Vec<PairReport>,
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
    /// The candidate's Elo, corrected for optional stopping after a sequential test. It is the same
    /// as in [`BotReport::elo`]. `None` before the second group.
    pub elo: Option<EloReport>,
    /// The normalized Elo difference, as a plain estimate. `None` if the scores of all groups are
    /// equal, because the noise of a match is unknown then.
    pub normalized_elo: Option<f64>,
    /// Probability that the candidate is better, 0 to 1.
    pub superiority: Option<f64>,
    /// An always-valid confidence interval for the mean score.
    pub confidence: ConfidenceReport,
    /// True if there are fewer than 30 groups.
    pub rests_on_few_groups: bool,
    /// With two seats and groups of two matches: the number of groups by the candidate's total of
    /// half points, 0 to 4. `None` in other contests.
    pub half_points: Option<[u64; 5]>,
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
    /// The ratio at which the test rejects the candidate. A pentanomial test corrects both ratios
    /// for overshoots.
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

/// An Elo difference between a bot and its opponents: the difference at which the bot's mean score
/// is expected against equal opponents. A missing value is unbounded: the results are compatible
/// with any difference beyond the other values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EloReport {
    /// The point estimate; `None` if the bot has won or lost everything.
    pub estimate: Option<f64>,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
}

impl EloReport {
    pub(crate) fn new(estimate: Elo, Interval { low, high }: Interval) -> Self {
        let [estimate, low, high] = [estimate.0, low, high].map(finite);
        Self { estimate, low, high }
    }

    /// Returns the opponent's Elo in a contest between two bots.
    pub(crate) fn of_opponent(self) -> Self {
        let [estimate, low, high] =
            [self.estimate, self.high, self.low].map(|elo| elo.map(|elo| -elo));
        Self { estimate, low, high }
    }
}

impl From<IntervalReport> for EloReport {
    fn from(IntervalReport { estimate, low, high }: IntervalReport) -> Self {
        Self { estimate: Some(estimate), low: Some(low), high: Some(high) }
    }
}

/// Returns the number unless it is infinite.
pub(crate) fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
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
    /// The lower end as an Elo difference; `None` for a score of 0.
    pub elo_low: Option<f64>,
    /// The upper end as an Elo difference; `None` for a score of 1.
    pub elo_high: Option<f64>,
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
    /// The Elo difference between the bot and its opponents; `None` before the second group.
    pub elo: Option<EloReport>,
    /// The range of ranks; `None` before the second group.
    pub ranks: Option<RanksReport>,
    /// The results by seat, in seat order.
    pub by_seat: Vec<SeatReport>,
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

/// A bot's range of possible ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RanksReport {
    /// The best possible rank: one more than the number of significantly better bots.
    pub best: usize,
    /// The worst possible rank.
    pub worst: usize,
}

/// A bot's results in one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SeatReport {
    /// The number of matches that the bot played in this seat.
    pub played: u64,
    /// Mean share of opponents that finished behind the bot; `None` without a match.
    pub score: Option<f64>,
}

/// The results between two bots, over all pairs of their seats in the same match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PairReport {
    /// The number of the first bot in the spec, which is the smaller one.
    pub bot: BotNumber,
    /// The number of the second bot in the spec.
    pub opponent: BotNumber,
    /// The number of times that the first bot finished ahead.
    pub wins: u64,
    /// The number of ties.
    pub ties: u64,
    /// The number of times that the second bot finished ahead.
    pub losses: u64,
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
    /// The wealth from the bet that the candidate is above the lower bound; `None` except in a
    /// sequential test.
    pub wealth_for: Option<f64>,
    /// The wealth from the bet that the candidate is below the upper bound; `None` except in a
    /// sequential test.
    pub wealth_against: Option<f64>,
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
    /// The estimate; `None` if there is no estimate yet, or if it is unbounded.
    pub estimate: Option<f64>,
    /// The interval's end that is compared with the bound, if the requirement has a confidence
    /// level or the estimate is unbounded.
    pub interval_end: Option<f64>,
}
