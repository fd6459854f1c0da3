//! Estimates from groups and after a sequential test, and the bounds of a test.

use bridgemaster_contest::{
    Bounds, ConfidenceSequence, DecidedBy, Elo, ErrorRates, Estimate, Frequencies, GroupScore,
    GroupScores, Hypotheses, Interval, SequentialTest, StoppedEstimate, Verdict,
};

use crate::assert_six_digits;

fn assert_estimate(counts: &[u64], bounds: Bounds, expected: [f64; 3], superiority: Option<f64>) {
    let rates = ErrorRates::new(0.05, 0.05).unwrap();
    let frequencies = Frequencies::new(counts).unwrap();
    let StoppedEstimate { elo, elo_interval, superiority: found, .. } =
        frequencies.estimate_after_stopping(bounds, rates, 0.95).unwrap();
    let estimate = [elo.0, elo_interval.low, elo_interval.high];
    for (found, expected) in estimate.into_iter().zip(expected) {
        assert_six_digits(found, expected, &format!("{counts:?} {bounds:?}"));
    }
    if let Some(superiority) = superiority {
        assert_six_digits(found, superiority, &format!("superiority of {counts:?}"));
    }
}

#[test]
fn the_estimate_after_stopping_is_that_of_fishtest() {
    assert_estimate(
        &[10789, 19328, 33806, 19402, 10543],
        Bounds::Elo([-3.0, 1.0]),
        [-0.992_537, -3.488_492, 1.488_586],
        Some(0.188_035),
    );
    assert_estimate(
        &[39, 2226, 31451, 2412, 40],
        Bounds::Elo([0.2, 0.9]),
        [0.865_183, 0.168_307, 1.540_599],
        Some(0.992_002),
    );
    assert_estimate(
        &[39, 2226, 31451, 2412, 40],
        Bounds::NormalizedElo([0.764, 3.439]),
        [0.865_160, 0.168_271, 1.540_583],
        None,
    );
}

#[test]
fn the_estimate_matches_a_hand_calculation() {
    // Mean 0.6 and variance 1.95 / 29. Student's 0.975 quantile for 29 degrees of freedom is
    // 2.045230.
    let scores = [0.25, 0.5, 0.75, 1.0, 0.5].map(|score| GroupScore::new(score).unwrap());
    let scores: GroupScores = scores.repeat(6).into_iter().collect();
    let estimate = Estimate::from_groups(&scores, 4, 0.95).unwrap();
    let found = [
        ("score", estimate.score, 0.6),
        ("low score", estimate.score_interval.low, 0.503_172),
        ("high score", estimate.score_interval.high, 0.696_828),
        ("Elo", estimate.elo.0, 70.436_504),
        ("low Elo", estimate.elo_interval.low, 2.204_347),
        ("high Elo", estimate.elo_interval.high, 144.574_381),
        ("normalised Elo", estimate.normalized_elo.0, 66.992_471),
        ("superiority", estimate.superiority, 0.978_301),
    ];
    for (what, found, expected) in found {
        assert_six_digits(found, expected, what);
    }
}

/// The two tests that run in parallel have half of each rate.
#[test]
fn the_bounds_of_a_test_are_those_of_half_the_rates() {
    let bounds = Bounds::Elo([0.0, 5.0]);
    let rates = ErrorRates::new(0.05, 0.1).unwrap();
    let test = SequentialTest::new(Hypotheses::new(bounds, rates, 2).unwrap());
    let (lower, upper) = test.llr_bounds();
    // ln(0.05 / 0.975) and ln(0.95 / 0.025).
    assert_six_digits(lower, -2.970_414, "lower bound");
    assert_six_digits(upper, 3.637_586, "upper bound");
}

#[test]
fn the_interval_after_betting_decides_is_that_of_the_confidence_sequence() {
    let rates = ErrorRates::new(0.05, 0.05).unwrap();
    let hypotheses = Hypotheses::new(Bounds::Elo([0.0, 30.0]), rates, 2).unwrap();
    // Scores without variance, and with a lot.
    for (scores, decided_by) in
        [(&[1.0][..], DecidedBy::Betting), (&[1.0, 0.0, 1.0, 0.5], DecidedBy::TValue)]
    {
        let mut test = SequentialTest::new(hypotheses);
        let mut seen = ConfidenceSequence::new(0.95);
        for score in scores.iter().cycle() {
            let score = GroupScore::new(*score).unwrap();
            seen.record(score);
            if test.record(score) != Verdict::Undecided {
                break;
            }
        }
        assert_eq!(test.decided_by(), Some(decided_by));
        let Interval { low, high } = seen.interval();
        let of_seen = Interval { low: Elo::from_score(low).0, high: Elo::from_score(high).0 };
        let interval = test.estimate(&seen).unwrap().elo_interval;
        let is_by_betting = decided_by == DecidedBy::Betting;
        assert_eq!(interval == of_seen, is_by_betting, "{interval:?} {of_seen:?}");
    }
}
