//! Judges the candidate: passes the results of groups to the statistical test, and reports its
//! verdict and estimates.

use std::borrow::Cow;

use bridgemaster_contest::{
    BettingTest, ConfidenceSequence, ContestError, DecidedBy, Elo, ErrorRates, Estimate,
    FEW_GROUPS, Frequencies, FrequencyTest, GroupScore, GroupScores, Hypotheses, Interval,
    SequentialTest, Verdict, beat_fraction, expected_groups, schedule::BotNumber,
};

use crate::{
    ConfidenceReport, ContestSpec, EloReport, GroupNumber, GroupPoint, MatchRow, SpecError,
    StoppedBy, TestReport, TestSpec, VerdictKind, VerdictReport, report::finite,
};

/// The number of possible scores in a game pair: 0 to 4 half points.
const PAIR_SCORES: usize = 5;

/// The test's state, and the estimates for the candidate, after the groups counted so far.
#[derive(Debug)]
pub(crate) struct Judge {
    candidate: BotNumber,
    level: f64,
    matches_per_group: u32,
    test: Test,
    hypotheses: Option<Hypotheses>,
    confidence: ConfidenceSequence,
    scores: GroupScores,
    /// For groups of two matches at two seats, the number of groups by the candidate's total of
    /// half points.
    half_points: Option<[u64; PAIR_SCORES]>,
    matches: u64,
    series: Vec<GroupPoint>,
}

#[derive(Debug)]
enum Test {
    Sequential(SequentialTest),
    Pentanomial(FrequencyTest),
    None,
}

impl Judge {
    /// Creates the judge of a contest; `None` if the contest has no candidate.
    pub(crate) fn new(spec: &ContestSpec) -> Result<Option<Self>, SpecError> {
        let Some(candidate) = spec.candidate() else {
            return Ok(None);
        };
        let matches_per_group = spec.matches_per_group();
        let chosen = spec.test();
        let hypotheses = match &chosen {
            Some(test) => test.hypotheses(matches_per_group)?,
            None => None,
        };
        let test = match (&chosen, hypotheses) {
            (Some(TestSpec::Pentanomial(_)), Some(hypotheses)) => Test::Pentanomial(
                FrequencyTest::new(hypotheses.bounds(), hypotheses.rates(), PAIR_SCORES)?,
            ),
            (Some(_), Some(hypotheses)) => Test::Sequential(SequentialTest::new(hypotheses)),
            _ => Test::None,
        };
        Ok(Some(Self {
            candidate,
            level: spec.level,
            matches_per_group,
            test,
            hypotheses,
            confidence: ConfidenceSequence::new(spec.level),
            scores: GroupScores::default(),
            half_points: (spec.rules.seats == 2 && matches_per_group == 2)
                .then_some([0; PAIR_SCORES]),
            matches: 0,
            series: Vec::new(),
        }))
    }

    /// Returns whether the test has reached a verdict; groups after the verdict do not count.
    pub(crate) fn has_decided(&self) -> bool {
        matches!(self.verdict(), VerdictKind::Accepted | VerdictKind::Rejected)
    }

    /// Returns the test's verdict.
    pub(crate) fn verdict(&self) -> VerdictKind {
        let verdict = match &self.test {
            Test::Sequential(test) => test.verdict(),
            Test::Pentanomial(test) => test.verdict(),
            Test::None => return VerdictKind::None,
        };
        match verdict {
            Verdict::Accepted => VerdictKind::Accepted,
            Verdict::Rejected => VerdictKind::Rejected,
            Verdict::Undecided => VerdictKind::Undecided,
        }
    }

    /// Returns the candidate's statistics after each group.
    pub(crate) fn series(&self) -> &[GroupPoint] {
        &self.series
    }

    /// Counts the next group. Groups must be passed in order of their numbers.
    pub(crate) fn record(
        &mut self,
        group: GroupNumber,
        rows: &[MatchRow],
    ) -> Result<(), ContestError> {
        let mut fractions = Vec::with_capacity(rows.len());
        let mut margins = 0.0;
        for row in rows {
            let places = row.places();
            let seat = row.seats.iter().position(|seat| seat.bot == self.candidate);
            let fraction = seat.and_then(|seat| beat_fraction(&places, seat));
            fractions.push(fraction.unwrap_or(0.5));
            margins += seat.map_or(0.0, |seat| f64::from(row.margin(seat)));
        }
        let score = GroupScore::from_matches(&fractions)?;
        self.scores.record(score);
        self.confidence.record(score);
        self.matches += rows.len() as u64;
        // A game pair's score is a whole number of half points.
        let half_points = (score.get() * (PAIR_SCORES - 1) as f64).round() as usize;
        if let Some(counts) = &mut self.half_points {
            counts[half_points] += 1;
        }
        match &mut self.test {
            Test::Sequential(test) => {
                test.record(score);
            }
            Test::Pentanomial(test) => {
                test.record(half_points)?;
            }
            Test::None => {}
        }
        let Interval { low, high } = self.confidence.interval();
        self.series.push(GroupPoint {
            group,
            score: score.get(),
            mean_score: self.scores.mean(),
            margin: margins / rows.len().max(1) as f64,
            llr: self.llr(),
            confidence_low: low,
            confidence_high: high,
            wealth_for: self.betting().map(|test| clamp_to_finite(test.wealth_for())),
            wealth_against: self.betting().map(|test| clamp_to_finite(test.wealth_against())),
        });
        Ok(())
    }

    /// Returns whether a test decides on the candidate.
    pub(crate) fn has_test(&self) -> bool {
        !matches!(self.test, Test::None)
    }

    fn betting(&self) -> Option<&BettingTest> {
        match &self.test {
            Test::Sequential(test) => Some(test.betting()),
            Test::Pentanomial(_) | Test::None => None,
        }
    }

    fn llr(&self) -> Option<f64> {
        match &self.test {
            Test::Sequential(test) => Some(test.llr()),
            Test::Pentanomial(test) => Some(test.llr()),
            Test::None => None,
        }
    }

    /// Creates the report on the verdict.
    pub(crate) fn report(&self) -> VerdictReport {
        let plain = Estimate::from_groups(&self.scores, self.matches_per_group, self.level).ok();
        let stopped = self.elo(self.level);
        let Interval { low, high } = self.confidence.interval();
        VerdictReport {
            candidate: self.candidate,
            verdict: self.verdict(),
            decided_by: self.decided_by(),
            groups: self.scores.groups(),
            matches: self.matches,
            test: self.test_report(),
            elo: stopped.map(|(elo, _)| elo),
            normalized_elo: plain
                .filter(|_| self.scores.variance() > 0.0)
                .map(|plain| plain.normalized_elo.0),
            superiority: stopped.map(|(_, superiority)| superiority),
            confidence: ConfidenceReport {
                level: self.confidence.level(),
                score_low: low,
                score_high: high,
                elo_low: finite(Elo::from_score(low).0),
                elo_high: finite(Elo::from_score(high).0),
            },
            rests_on_few_groups: self.scores.groups() < FEW_GROUPS,
            half_points: self.half_points,
        }
    }

    /// Returns the Elo difference, with an interval at this level, and the probability that the
    /// candidate is better. After the verdict of a test, they are corrected for optional stopping.
    /// Before it, the interval is the one that is valid at any time.
    pub(crate) fn elo(&self, level: f64) -> Option<(EloReport, f64)> {
        if self.scores.groups() < 2 {
            return None;
        }
        let stopped = match &self.test {
            Test::Sequential(_) | Test::Pentanomial(_) if !self.has_decided() => {
                let plain =
                    Estimate::from_groups(&self.scores, self.matches_per_group, level).ok()?;
                let seen = self.confidence_at(level)?.elo_interval();
                return Some((EloReport::new(plain.elo, seen), plain.superiority));
            }
            Test::Sequential(test) => test.estimate(&*self.confidence_at(level)?).ok()?,
            Test::Pentanomial(_) => {
                let hypotheses = self.hypotheses?;
                let frequencies = Frequencies::new(&self.half_points?).ok()?;
                frequencies
                    .estimate_after_stopping(hypotheses.bounds(), hypotheses.rates(), level)
                    .ok()?
            }
            Test::None => {
                let plain =
                    Estimate::from_groups(&self.scores, self.matches_per_group, level).ok()?;
                let elo = EloReport::new(plain.elo, plain.elo_interval);
                return Some((elo, plain.superiority));
            }
        };
        let elo = EloReport::new(stopped.elo, stopped.elo_interval);
        Some((elo, stopped.superiority))
    }

    /// Returns the confidence sequence of the groups so far at this level.
    fn confidence_at(&self, level: f64) -> Option<Cow<'_, ConfidenceSequence>> {
        if level == self.level {
            return Some(Cow::Borrowed(&self.confidence));
        }
        let mut seen = ConfidenceSequence::new(level);
        for point in &self.series {
            seen.record(GroupScore::new(point.score).ok()?);
        }
        Some(Cow::Owned(seen))
    }

    fn decided_by(&self) -> Option<StoppedBy> {
        match &self.test {
            Test::Sequential(test) => Some(match test.decided_by()? {
                DecidedBy::TValue => StoppedBy::TValue,
                DecidedBy::Betting => StoppedBy::Betting,
            }),
            Test::Pentanomial(_) => self.has_decided().then_some(StoppedBy::Pentanomial),
            Test::None => None,
        }
    }

    fn test_report(&self) -> Option<TestReport> {
        let hypotheses = self.hypotheses?;
        let (_, variance) = self.scores.regularized();
        let expected = expected_groups(&hypotheses, variance.sqrt());
        let (llr_lower, llr_upper) = match &self.test {
            Test::Sequential(test) => test.llr_bounds(),
            Test::Pentanomial(test) => test.llr_bounds(),
            Test::None => return None,
        };
        let betting = self.betting();
        let halved: ErrorRates = hypotheses.rates().halved();
        Some(TestReport {
            llr: self.llr()?,
            llr_lower,
            llr_upper,
            wealth_for: betting.map(|test| clamp_to_finite(test.wealth_for())),
            wealth_against: betting.map(|test| clamp_to_finite(test.wealth_against())),
            wealth_to_accept: betting.map(|_| 1.0 / halved.alpha()),
            wealth_to_reject: betting.map(|_| 1.0 / halved.beta()),
            expected_groups_at_lower: expected.at_lower,
            expected_groups_at_upper: expected.at_upper,
        })
    }
}

/// Replaces infinity, which JSON cannot represent, by the largest finite number.
fn clamp_to_finite(number: f64) -> f64 {
    number.min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bounds, SequentialSpec,
        samples_for_tests::{row, spec},
    };

    /// Returns the matches of a group in which the candidate takes these places.
    fn group(number: u64, places: [u32; 2]) -> Vec<MatchRow> {
        vec![
            row(number, 0, &[0, 1], &[places[0], 3 - places[0]]),
            row(number, 1, &[1, 0], &[3 - places[1], places[1]]),
        ]
    }

    fn judged(test: TestSpec, groups: &[[u32; 2]]) -> Judge {
        let mut judge = Judge::new(&spec(test)).unwrap().unwrap();
        for (number, places) in (0..).zip(groups) {
            if !judge.has_decided() {
                let rows = group(number, *places);
                judge.record(GroupNumber(number), &rows).unwrap();
            }
        }
        judge
    }

    #[test]
    fn one_sided_results_decide_within_ten_groups() {
        let judge = judged(TestSpec::default(), &[[1, 1]; 20]);
        let accepted = judge.report();
        assert_eq!(accepted.verdict, VerdictKind::Accepted);
        assert!(accepted.groups <= 10, "{}", accepted.groups);
        // The betting test decides when the variance vanishes; its interval is valid at any time.
        assert_eq!(accepted.decided_by, Some(StoppedBy::Betting));
        let (elo, confidence) = (accepted.elo.unwrap(), &accepted.confidence);
        assert!(elo.low > Some(0.0));
        assert_eq!((elo.estimate, elo.high), (None, None), "there is no estimate without a loss");
        assert_eq!((elo.low, elo.high), (confidence.elo_low, confidence.elo_high));
        let (narrower, _) = judge.elo(0.5).unwrap();
        assert!(narrower.low > elo.low, "{narrower:?} {elo:?}");
        let rejected = judged(TestSpec::default(), &[[2, 2]; 20]).report();
        assert_eq!(rejected.verdict, VerdictKind::Rejected);
    }

    #[test]
    fn the_pentanomial_test_counts_the_half_points_of_pairs() {
        let test = TestSpec::Pentanomial(SequentialSpec {
            bounds: Bounds::Elo([0.0, 100.0]),
            most_groups: 100,
            ..SequentialSpec::default()
        });
        let judge = judged(test, &[[1, 1], [1, 2], [2, 2], [1, 1]]);
        assert_eq!(judge.half_points, Some([1, 0, 1, 0, 2]));
        assert_eq!(judge.verdict(), VerdictKind::Undecided);
        let test = judge.report().test.unwrap();
        assert!(test.wealth_for.is_none());
        // The bounds are corrected for the overshoots, so they are closer than ln 19.
        assert!(test.llr_upper < 2.9 && test.llr_lower > -2.944, "{test:?}");
    }

    #[test]
    fn an_undecided_test_has_the_plain_estimate_and_the_anytime_valid_interval() {
        let bounds = Bounds::Elo([0.0, 10.0]);
        let spec = SequentialSpec { bounds, ..SequentialSpec::default() };
        for test in [TestSpec::Pentanomial(spec), TestSpec::Sequential(spec)] {
            for (groups, estimate) in
                [(vec![[1, 1]; 2], None), (vec![[1, 1], [1, 2]], Some(190.848_501_888))]
            {
                let report = judged(test.clone(), &groups).report();
                assert_eq!(report.verdict, VerdictKind::Undecided);
                let (elo, confidence) = (report.elo.unwrap(), &report.confidence);
                let rounded = |elo: Option<f64>| elo.map(|elo| (elo * 1e6).round());
                assert_eq!(rounded(elo.estimate), rounded(estimate));
                assert!(elo.low.is_none_or(|low| low < 0.0), "{elo:?}");
                assert_eq!((elo.low, elo.high), (confidence.elo_low, confidence.elo_high));
            }
        }
    }

    #[test]
    fn a_fixed_number_of_groups_has_an_estimate_and_no_verdict() {
        let report = judged(TestSpec::Fixed { groups: 4 }, &[[1, 1], [1, 2], [1, 2], [1, 1]]);
        let report = report.report();
        assert_eq!(report.verdict, VerdictKind::None);
        assert!(report.test.is_none());
        // A mean score of 3/4 is 400 log10(3) Elo.
        assert!((report.elo.unwrap().estimate.unwrap() - 190.848).abs() < 1e-3);
    }
}
