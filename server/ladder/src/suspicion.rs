//! Tests whether chance can explain a bot's annulled matches, since a bot can cause lag on purpose.
//!
//! A bot is suspicious if its matches are annulled far more often than other bots' matches. A bot
//! is also suspicious if it was behind in annulled matches far more often than in counted matches.
//!
//! * A server that stalls annuls all matches in progress at once. So the test counts **moments**
//!   instead of matches. Their number is the smallest number of points in time for which each of
//!   the bot's annulled matches was in progress at one of these points. A bot that plays sixteen
//!   matches at once has no more moments than a bot that plays one match at a time.
//! * The expected number of moments follows from the largest of the bot's three shares: its share
//!   of the matches, of the time in play, and of the total time of all matches.
//! * The expected rate of being behind in annulled matches is the share of the bot's matches in
//!   which it is behind, counted by number or by duration, whichever is larger. A stall hits long
//!   matches more often, and a slow opponent might be a strong one. Matches annulled at one moment
//!   can have the same opponent. So each moment counts once, with the share of its matches in which
//!   the bot was behind.
//! * A bot is tested each time its number of matches has doubled, not after each match. The false
//!   alarm rate is divided among all possible tests.

use std::{collections::BTreeMap, fmt};

use statrs::distribution::{Binomial, DiscreteCDF as _};

use crate::Span;

/// The probability that an innocent bot is ever suspected by one of the two tests.
const FALSE_ALARM_RATE: f64 = 0.000_5;

/// The number of matches that a bot has played at its first test.
const FIRST_TEST_MATCHES: u64 = 16;

/// The maximum number of finished matches that wait for the end of earlier matches. It exceeds the
/// number of a bot's concurrent matches.
const MAX_WAITING: usize = 256;

/// The reason why a bot is suspected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suspicion {
    /// An improbably large share of all annulled matches were matches of this bot.
    MoreThanOthers {
        /// The number of moments at which the bot's matches were annulled.
        moments: u64,
        /// The number of all other bots' annulled matches.
        of_others: u64,
    },
    /// The bot was behind in its annulled matches improbably often.
    WhenBehind {
        /// The number of annulled matches in which the bot was behind.
        behind: u64,
        /// The number of the bot's annulled matches.
        annulled: u64,
    },
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoreThanOthers { moments, of_others } => write!(
                f,
                "its matches were annulled at {moments} moments, compared with {of_others} \
                 annulled matches of all other bots: far more than its share"
            ),
            Self::WhenBehind { behind, annulled } => write!(
                f,
                "it was behind in {behind} of its {annulled} annulled matches, far more often than \
                 in counted matches"
            ),
        }
    }
}

/// Totals over played and annulled matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MatchTotals {
    played: u64,
    annulled: u64,
    /// The minimum number of moments that can explain the annulled matches.
    moments: u64,
    /// Total time in which at least one match was in progress.
    in_play_ms: u64,
    /// Total duration of all matches.
    matches_ms: u64,
}

impl MatchTotals {
    fn matches(self) -> u64 {
        self.played + self.annulled
    }

    /// Returns the mean duration of a match; `None` without matches.
    pub(crate) fn mean_match_ms(self) -> Option<u64> {
        self.matches_ms.checked_div(self.matches())
    }

    fn combine(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            played: of(self.played, other.played),
            annulled: of(self.annulled, other.annulled),
            moments: of(self.moments, other.moments),
            in_play_ms: of(self.in_play_ms, other.in_play_ms),
            matches_ms: of(self.matches_ms, other.matches_ms),
        }
    }

    fn minus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_sub)
    }

    /// Returns the totals over all bots, after one bot's totals changed from `before` to `now`.
    pub(crate) fn replacing(self, now: Self, before: Self) -> Self {
        self.minus(before).combine(now, u64::saturating_add)
    }

    /// Tests, at this significance level, whether the bot has improbably many moments compared with
    /// all bots, itself included.
    fn more_than_others(self, all: Self, level: f64) -> Option<Suspicion> {
        let others = all.minus(self);
        let of = |own: u64, others: u64| own as f64 / ((own + others) as f64).max(1.0);
        let shares = [
            of(self.matches(), others.matches()),
            of(self.in_play_ms, others.in_play_ms),
            of(self.matches_ms, others.matches_ms),
        ];
        let share = shares.into_iter().fold(0.0, f64::max);
        // The other bots have at most as many moments as annulled matches. This upper bound favours
        // the tested bot.
        let chance = chance_of_share(self.moments, self.moments + others.annulled, share);
        (chance < level).then_some(Suspicion::MoreThanOthers {
            moments: self.moments,
            of_others: others.annulled,
        })
    }
}

/// Statistics of the matches in which a bot was behind.
#[derive(Clone, Copy, Debug, Default)]
struct BehindStats {
    /// The number of matches in which the bot was behind.
    matches: u64,
    /// Total duration of the matches in which the bot was behind.
    matches_ms: u64,
    /// The number of annulled matches in which the bot was behind.
    annulled: u64,
    /// The sum, over all moments except the last, of the share of matches in which the bot was
    /// behind.
    of_moments: f64,
    /// For the last moment: the number of its matches, and the number of those in which the bot was
    /// behind.
    last: (u64, u64),
}

impl BehindStats {
    /// Adds the last moment to the sum, and starts a new moment.
    fn close_moment(&mut self) {
        self.of_moments += self.of_last();
        self.last = (0, 0);
    }

    fn of_last(&self) -> f64 {
        let (matches, behind) = self.last;
        behind as f64 / (matches as f64).max(1.0)
    }

    /// Tests, at this significance level, whether the bot was behind in its annulled matches
    /// improbably often.
    fn when_behind(&self, spoiled: MatchTotals, level: f64) -> Option<Suspicion> {
        let of = |own: u64, all: u64| own as f64 / (all as f64).max(1.0);
        let usual = of(self.matches, spoiled.matches());
        let usual = usual.max(of(self.matches_ms, spoiled.matches_ms));
        let sum = self.of_moments + self.of_last();
        (chance_of_mean(sum, spoiled.moments, usual) < level)
            .then_some(Suspicion::WhenBehind { behind: self.annulled, annulled: spoiled.annulled })
    }
}

/// Returns the probability of at least `successes` successes in `trials` trials, each of which
/// succeeds with the probability `share`.
fn chance_of_share(successes: u64, trials: u64, share: f64) -> f64 {
    let Some(fewer) = successes.checked_sub(1) else {
        return 1.0;
    };
    Binomial::new(share, trials).map_or(1.0, |chance| chance.sf(fewer))
}

/// Returns an upper bound on the probability that the sum of `count` independent values in 0..=1
/// with the mean `usual` is at least `sum` (W. Hoeffding, "Probability Inequalities for Sums of
/// Bounded Random Variables", 1963, theorem 1).
fn chance_of_mean(sum: f64, count: u64, usual: f64) -> f64 {
    let mean = sum / (count as f64).max(1.0);
    if mean <= usual || usual <= 0.0 {
        return 1.0;
    }
    let part = |share: f64, usual: f64| {
        if share > 0.0 { share * (share / usual).ln() } else { 0.0 }
    };
    (-(count as f64) * (part(mean, usual) + part(1.0 - mean, 1.0 - usual))).exp()
}

/// A bot's finished match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinishedMatchSpan {
    pub(crate) span: Span,
    pub(crate) is_annulled: bool,
    pub(crate) is_behind: bool,
}

/// Statistics of a bot's played and annulled matches. Matches are processed in order of their
/// numbers, which is the order in which they started, even if they end in another order.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnnulmentStats {
    sums: MatchTotals,
    behind: BehindStats,
    /// Finished matches that wait until matches with lower numbers have ended.
    waiting: BTreeMap<u64, FinishedMatchSpan>,
    /// The latest possible time of the last moment, in ms since a fixed epoch.
    moment_until_ms: u64,
    in_play_until_ms: u64,
    /// The totals over all bots at the bot's first match, so that totals are compared over the same
    /// period.
    initial_totals: Option<MatchTotals>,
}

impl AnnulmentStats {
    pub(crate) fn sums(&self) -> MatchTotals {
        self.sums
    }

    /// Records a match, and processes matches that waited for it. `first_open` is the lowest number
    /// among the bot's matches in progress. `all` has the totals over all bots before this match.
    pub(crate) fn record(
        &mut self,
        number: u64,
        span: FinishedMatchSpan,
        first_open: Option<u64>,
        all: MatchTotals,
    ) {
        self.initial_totals.get_or_insert(all);
        self.waiting.insert(number, span);
        while let Some((number, span)) = self.waiting.pop_first() {
            if first_open.is_some_and(|open| open < number) && self.waiting.len() < MAX_WAITING {
                self.waiting.insert(number, span);
                return;
            }
            self.add_to_sums(span);
        }
    }

    fn add_to_sums(&mut self, span: FinishedMatchSpan) {
        let FinishedMatchSpan { span: Span { started_ms, ended_ms }, is_annulled, is_behind } =
            span;
        let sums = &mut self.sums;
        let ended_ms = ended_ms.max(started_ms);
        sums.matches_ms += ended_ms - started_ms;
        sums.in_play_ms += ended_ms.saturating_sub(started_ms.max(self.in_play_until_ms));
        self.in_play_until_ms = self.in_play_until_ms.max(ended_ms);
        let behind = &mut self.behind;
        behind.matches += u64::from(is_behind);
        behind.matches_ms += u64::from(is_behind) * (ended_ms - started_ms);
        if !is_annulled {
            sums.played += 1;
            return;
        }
        sums.annulled += 1;
        behind.annulled += u64::from(is_behind);
        if sums.moments == 0 || started_ms >= self.moment_until_ms {
            sums.moments += 1;
            self.moment_until_ms = ended_ms;
            behind.close_moment();
        } else {
            self.moment_until_ms = self.moment_until_ms.min(ended_ms);
        }
        behind.last.0 += 1;
        behind.last.1 += u64::from(is_behind);
    }

    /// Runs the next test if it became due after the bot's totals were `before`. Returns the
    /// suspicion if the test fails. `all` is the sum of the totals of all bots, this one included.
    pub(crate) fn suspicion(&self, before: MatchTotals, all: MatchTotals) -> Option<Suspicion> {
        let test = test_number(self.sums.matches())?;
        if test_number(before.matches()) == Some(test) {
            return None;
        }
        // Divides the rate among all tests, whose shares 1/2 + 1/6 + 1/12 + ... add up to 1.
        let level = FALSE_ALARM_RATE / ((test + 1) * (test + 2)) as f64;
        let since = all.minus(self.initial_totals.unwrap_or_default());
        let more = self.sums.more_than_others(since, level);
        more.or_else(|| self.behind.when_behind(self.sums, level))
    }
}

/// Returns the number of the last test that is due for this many matches; `None` before the first
/// test.
fn test_number(matches: u64) -> Option<u64> {
    let doubled = (matches / FIRST_TEST_MATCHES).checked_ilog2()?;
    Some(doubled.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(started_ms: u64, ended_ms: u64, is_annulled: bool) -> FinishedMatchSpan {
        FinishedMatchSpan { span: Span { started_ms, ended_ms }, is_annulled, is_behind: false }
    }

    fn finished(matches: &[(u64, FinishedMatchSpan)], open: &[u64]) -> MatchTotals {
        let mut annulments = AnnulmentStats::default();
        for (place, (number, span)) in matches.iter().enumerate() {
            let later = matches[place + 1..].iter().map(|(number, _)| *number);
            let first_open = later.chain(open.iter().copied()).min();
            annulments.record(*number, *span, first_open, MatchTotals::default());
        }
        annulments.sums()
    }

    #[test]
    fn annulled_matches_that_share_a_moment_count_as_one_moment() {
        let annulled = |spans: [(u64, u64); 3]| {
            let spans = spans.map(|(start, end)| span(start, end, true));
            let numbered: Vec<_> = (0..).zip(spans).collect();
            finished(&numbered, &[])
        };
        let sums = annulled([(0, 50), (10, 60), (40, 90)]);
        assert_eq!((sums.annulled, sums.moments), (3, 1));
        assert_eq!((sums.in_play_ms, sums.matches_ms), (90, 150));
        // Each match overlaps the next one, but the first and the last match do not overlap.
        assert_eq!(annulled([(0, 20), (10, 60), (20, 90)]).moments, 2);
        let apart = [(0, span(0, 10, true)), (1, span(30, 40, true)), (2, span(50, 60, false))];
        assert_eq!(finished(&apart, &[]).moments, 2);
    }

    #[test]
    fn totals_do_not_depend_on_the_order_in_which_matches_end() {
        let mut matches = [
            (0, span(0, 90, true)),
            (1, span(10, 20, true)),
            (2, span(30, 60, true)),
            (3, span(30, 40, false)),
        ];
        let in_order = finished(&matches, &[]);
        matches.sort_by_key(|(_, span)| span.span.ended_ms);
        assert_eq!(finished(&matches, &[]), in_order);
        let mut ended = matches.to_vec();
        ended.retain(|(number, _)| *number != 2);
        let sums = finished(&ended, &[2]);
        assert_eq!(sums.matches(), 2, "the one after it waits");
    }

    #[test]
    fn a_bot_is_suspected_of_more_moments_than_its_share_explains() {
        let of = |played, annulled| MatchTotals {
            played,
            annulled,
            moments: annulled,
            in_play_ms: played + annulled,
            matches_ms: played + annulled,
        };
        let level = FALSE_ALARM_RATE / 42.0;
        let all = of(10_000, 100);
        assert_eq!(of(495, 5).more_than_others(all, level), None, "as others");
        assert_eq!(of(0, 2).more_than_others(all, level), None, "too few");
        assert!(matches!(
            of(480, 24).more_than_others(all, level),
            Some(Suspicion::MoreThanOthers { moments: 24, of_others: 76 })
        ));
        let one_moment = MatchTotals { moments: 1, ..of(480, 24) };
        let suspicion = one_moment.more_than_others(all, level);
        assert_eq!(suspicion, None, "the server stalled once");
    }

    /// Returns the suspicion of a bot after these matches, each given as duration in ms, annulled,
    /// behind.
    fn suspicion_of(matches: impl IntoIterator<Item = (u64, bool, bool)>) -> Option<Suspicion> {
        let mut annulments = AnnulmentStats::default();
        let mut now_ms = 0;
        for (number, (takes_ms, is_annulled, is_behind)) in (0..).zip(matches) {
            let span =
                FinishedMatchSpan { is_behind, ..span(now_ms, now_ms + takes_ms, is_annulled) };
            annulments.record(number, span, None, MatchTotals::default());
            now_ms += takes_ms;
        }
        let AnnulmentStats { behind, sums, .. } = annulments;
        behind.when_behind(sums, FALSE_ALARM_RATE / 42.0)
    }

    #[test]
    fn a_bot_is_suspected_of_being_behind_in_annulled_matches_far_more_often_than_in_others() {
        let lags = (0..154).map(|number| (10, number % 7 == 0, number % 2 == 0 || number % 7 == 0));
        assert!(matches!(
            suspicion_of(lags),
            Some(Suspicion::WhenBehind { behind: 22, annulled: 22 })
        ));
        let as_often = (0..154).map(|number| (10, number % 7 == 0, number % 2 == 0));
        assert_eq!(suspicion_of(as_often), None);
    }

    #[test]
    fn a_bot_that_is_behind_in_long_matches_is_not_suspected() {
        // One match in ten is long and annulled, and the bot is behind in it. In two of three short
        // matches it is behind, too.
        let long = |number: u64| number.is_multiple_of(10);
        let matches = |long_ms: u64| {
            (0..400).map(move |number| match long(number) {
                true => (long_ms, true, true),
                false => (10, false, number % 3 > 0),
            })
        };
        assert_eq!(suspicion_of(matches(500)), None);
        let not_longer = suspicion_of(matches(10));
        assert!(not_longer.is_some());
    }

    #[test]
    fn matches_annulled_at_one_moment_count_once_as_behind() {
        let mut annulments = AnnulmentStats::default();
        let mut number = 0;
        for round in 0..10 {
            for seat in 0..16 {
                let span = FinishedMatchSpan {
                    // All matches of a moment are against the same opponent.
                    is_behind: round < 4 || seat % 2 == 0,
                    ..span(round * 100, round * 100 + 50, round < 4)
                };
                annulments.record(number, span, None, MatchTotals::default());
                number += 1;
            }
        }
        let AnnulmentStats { behind, sums, .. } = annulments;
        assert_eq!((sums.annulled, behind.annulled, sums.moments), (64, 64, 4));
        assert_eq!(behind.when_behind(sums, FALSE_ALARM_RATE), None);
    }

    #[test]
    fn the_tests_share_the_remaining_significance_level() {
        let tests: Vec<u64> = (1..=256).filter_map(test_number).collect();
        let different: std::collections::BTreeSet<u64> = tests.iter().copied().collect();
        assert_eq!(tests.len(), 241, "none before the first sixteen");
        assert_eq!(different.len(), 5, "16, 32, 64, 128 and 256 matches");
    }

    #[test]
    fn the_chance_of_a_mean_is_hoeffdings_bound() {
        // With a usual rate of 1/2, all of ten are at most as likely as ten heads in a row; the
        // others were computed by hand.
        for (sum, expected) in [(10.0, 0.5f64.powi(10)), (8.0, 0.145_519), (7.0, 0.439_188)] {
            let chance = chance_of_mean(sum, 10, 0.5);
            assert!((chance - expected).abs() < 1e-6, "{chance} for {sum}");
        }
        for (sum, usual) in [(5.0, 0.5), (4.0, 0.5), (3.0, 0.0)] {
            assert_eq!(chance_of_mean(sum, 10, usual), 1.0, "{sum} of ten, {usual}");
        }
    }
}
