//! Log-likelihood ratios of frequencies from the lowest score up.

use bridgemaster_contest::{Bounds, Elo, Frequencies, NormalizedElo, closed_form_llr};

use crate::assert_six_digits;

#[test]
fn exact_ratios_are_those_of_fishtest() {
    let cases: &[(&[u64], Bounds, f64)] = &[
        (&[36027, 68692, 36433], Bounds::NormalizedElo([0.0, 2.0]), 0.923_293),
        (&[10650, 20431, 10871], Bounds::NormalizedElo([-1.75, 0.25]), 2.297_500),
        (&[0, 0, 4250], Bounds::NormalizedElo([0.0, 10.0]), 120.548_268),
        (&[21184, 40708, 21404], Bounds::Elo([0.5, 2.5]), -1.571_889),
        (&[57030, 106_593, 57433], Bounds::Elo([0.0, 2.0]), -2.593_024),
        (&[365, 16618, 36229, 16974, 390], Bounds::NormalizedElo([0.0, 2.0]), 2.250_368),
        (&[127, 4883, 10712, 5150, 104], Bounds::NormalizedElo([-1.75, 0.25]), 3.010_154),
        (&[0, 0, 0, 0, 5550], Bounds::NormalizedElo([0.0, 5.0]), 111.797_555),
        (&[223, 9863, 21279, 10037, 246], Bounds::Elo([0.5, 2.5]), -3.074_126),
        (&[871, 26175, 55983, 26678, 821], Bounds::Elo([0.0, 2.0]), -4.978_673),
        (&[10789, 19328, 33806, 19402, 10543], Bounds::Elo([-3.0, 1.0]), 2.131_068),
        (&[10789, 19328, 33806, 19402, 10543], Bounds::NormalizedElo([-3.0, 1.0]), 0.300_870),
        (&[39, 2226, 31451, 2412, 40], Bounds::Elo([0.2, 0.9]), 2.162_543),
        (&[39, 2226, 31451, 2412, 40], Bounds::NormalizedElo([0.764, 3.439]), 2.162_941),
        (&[10, 20, 30, 20, 20], Bounds::Elo([0.0, 5.0]), 0.338_338),
        (&[10, 20, 30, 20, 20], Bounds::NormalizedElo([0.0, 5.0]), 0.303_188),
        (&[2, 5, 10, 20, 15], Bounds::NormalizedElo([0.0, 50.0]), 5.011_538),
        (&[1, 2, 4, 8, 15], Bounds::NormalizedElo([0.0, 100.0]), 6.333_559),
        (&[5, 10, 20, 30, 22, 14, 9], Bounds::Elo([0.0, 10.0]), 0.625_276),
    ];
    for (counts, bounds, expected) in cases {
        let llr = Frequencies::new(counts).unwrap().llr(*bounds);
        assert_six_digits(llr, *expected, &format!("{counts:?} {bounds:?}"));
    }
}

#[test]
fn the_closed_form_counts_by_group() {
    let cases: &[(&[u64], Bounds, f64)] = &[
        (&[10, 20, 30, 20, 20], Bounds::NormalizedElo([0.0, 5.0]), 0.298_444),
        (&[2, 5, 10, 20, 15], Bounds::NormalizedElo([0.0, 50.0]), 4.744_974),
        (&[1, 2, 4, 8, 15], Bounds::NormalizedElo([0.0, 100.0]), 5.946_495),
        (&[10789, 19328, 33806, 19402, 10543], Bounds::NormalizedElo([-3.0, 1.0]), 0.300_895),
        (&[39, 2226, 31451, 2412, 40], Bounds::NormalizedElo([0.764, 3.439]), 2.162_779),
        // In Elo, fishtest calls this form `alt`.
        (&[10789, 19328, 33806, 19402, 10543], Bounds::Elo([-3.0, 1.0]), 2.131_028),
    ];
    for (counts, bounds, expected) in cases {
        let groups: u64 = counts.iter().sum();
        let shares = counts.iter().map(|count| *count as f64 / groups as f64);
        let scored = || (0..).map(|number| f64::from(number) / 4.0).zip(shares.clone());
        let mean: f64 = scored().map(|(score, share)| score * share).sum();
        let variance: f64 = scored().map(|(score, share)| share * (score - mean).powi(2)).sum();
        let t_value = |bounded: f64| (bounded - 0.5) / variance.sqrt();
        let bounds_as_t = match bounds {
            Bounds::Elo(elo) => elo.map(|elo| t_value(Elo(elo).expected_score())),
            Bounds::NormalizedElo(nelo) => nelo.map(|nelo| NormalizedElo(nelo).t_of_group(2)),
        };
        let llr = closed_form_llr(groups as f64, t_value(mean), bounds_as_t);
        assert_six_digits(llr, *expected, &format!("{counts:?} {bounds:?}"));
    }
}
