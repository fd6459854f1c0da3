//! Median-unbiased estimates after a sequential test.

use bridgemaster_contest::{Bounds, Elo, ErrorRates, Frequencies, NormalizedElo, StoppedEstimate};

use crate::assert_six_digits;

fn assert_estimate(counts: &[u64], bounds: Bounds, expected: [f64; 3], superiority: Option<f64>) {
    let rates = ErrorRates::new(0.05, 0.05).unwrap();
    let frequencies = Frequencies::new(counts).unwrap();
    let StoppedEstimate {
        elo,
        elo_interval,
        superiority: found,
        ..
    } = frequencies
        .estimate_after_stopping(bounds, rates, 0.95)
        .unwrap();
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
        Bounds::Elo {
            lower: Elo(-3.0),
            upper: Elo(1.0),
        },
        [-0.992_537, -3.488_492, 1.488_586],
        Some(0.188_035),
    );
    assert_estimate(
        &[39, 2226, 31451, 2412, 40],
        Bounds::Elo {
            lower: Elo(0.2),
            upper: Elo(0.9),
        },
        [0.865_183, 0.168_307, 1.540_599],
        Some(0.992_002),
    );
    assert_estimate(
        &[39, 2226, 31451, 2412, 40],
        Bounds::Normalized {
            lower: NormalizedElo(0.764),
            upper: NormalizedElo(3.439),
        },
        [0.865_160, 0.168_271, 1.540_583],
        None,
    );
}
