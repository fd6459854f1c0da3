//! Log-likelihood ratios of frequencies from the lowest score up.

use bridgemaster_contest::{BayesElo, Bounds, DrawElo, Elo, Frequencies, NormalizedElo};

use crate::assert_six_digits;

fn logistic(lower: f64, upper: f64) -> Bounds {
    Bounds::Elo {
        lower: Elo(lower),
        upper: Elo(upper),
    }
}

fn normalized(lower: f64, upper: f64) -> Bounds {
    Bounds::Normalized {
        lower: NormalizedElo(lower),
        upper: NormalizedElo(upper),
    }
}

#[test]
fn exact_ratios_are_those_of_fishtest() {
    let cases: &[(&[u64], Bounds, f64)] = &[
        (&[36027, 68692, 36433], normalized(0.0, 2.0), 0.923_293),
        (&[10650, 20431, 10871], normalized(-1.75, 0.25), 2.297_500),
        (&[0, 0, 4250], normalized(0.0, 10.0), 120.548_268),
        (&[21184, 40708, 21404], logistic(0.5, 2.5), -1.571_889),
        (&[57030, 106_593, 57433], logistic(0.0, 2.0), -2.593_024),
        (
            &[365, 16618, 36229, 16974, 390],
            normalized(0.0, 2.0),
            2.250_368,
        ),
        (
            &[127, 4883, 10712, 5150, 104],
            normalized(-1.75, 0.25),
            3.010_154,
        ),
        (&[0, 0, 0, 0, 5550], normalized(0.0, 5.0), 111.797_555),
        (
            &[223, 9863, 21279, 10037, 246],
            logistic(0.5, 2.5),
            -3.074_126,
        ),
        (
            &[871, 26175, 55983, 26678, 821],
            logistic(0.0, 2.0),
            -4.978_673,
        ),
        (
            &[10789, 19328, 33806, 19402, 10543],
            logistic(-3.0, 1.0),
            2.131_068,
        ),
        (
            &[10789, 19328, 33806, 19402, 10543],
            normalized(-3.0, 1.0),
            0.300_870,
        ),
        (&[39, 2226, 31451, 2412, 40], logistic(0.2, 0.9), 2.162_543),
        (
            &[39, 2226, 31451, 2412, 40],
            normalized(0.764, 3.439),
            2.162_941,
        ),
        (&[10, 20, 30, 20, 20], logistic(0.0, 5.0), 0.338_338),
        (&[10, 20, 30, 20, 20], normalized(0.0, 5.0), 0.303_188),
        (&[2, 5, 10, 20, 15], normalized(0.0, 50.0), 5.011_538),
        (&[1, 2, 4, 8, 15], normalized(0.0, 100.0), 6.333_559),
        (&[5, 10, 20, 30, 22, 14, 9], logistic(0.0, 10.0), 0.625_276),
    ];
    for (counts, bounds, expected) in cases {
        let llr = Frequencies::new(counts).unwrap().llr(*bounds);
        assert_six_digits(llr, *expected, &format!("{counts:?} {bounds:?}"));
    }
}

#[test]
fn ratios_of_bounds_in_bayes_elo_are_those_of_fastchess() {
    // Losses, draws and wins; fastchess prints two digits.
    let cases: [(&[u64], [f64; 2], f64); 2] = [
        (&[68526, 128_429, 68965], [0.0, 2.0], -1.26),
        (&[21484, 41111, 21629], [0.5, 2.5], -1.13),
    ];
    for (counts, bounds, expected) in cases {
        let frequencies = Frequencies::new(counts).unwrap();
        let draws = DrawElo::of(&frequencies).unwrap();
        let [lower, upper] = bounds.map(|bound| BayesElo(bound).to_elo(draws));
        let llr = frequencies.llr(Bounds::Elo { lower, upper });
        assert!((llr - expected).abs() < 0.005, "{counts:?}: {llr}");
    }
}

#[test]
fn the_closed_form_counts_by_group() {
    let cases: &[(&[u64], Bounds, f64)] = &[
        (&[10, 20, 30, 20, 20], normalized(0.0, 5.0), 0.298_444),
        (&[2, 5, 10, 20, 15], normalized(0.0, 50.0), 4.744_974),
        (&[1, 2, 4, 8, 15], normalized(0.0, 100.0), 5.946_495),
        (
            &[10789, 19328, 33806, 19402, 10543],
            normalized(-3.0, 1.0),
            0.300_895,
        ),
        (
            &[39, 2226, 31451, 2412, 40],
            normalized(0.764, 3.439),
            2.162_779,
        ),
        // In Elo, fishtest calls this form `alt`.
        (
            &[10789, 19328, 33806, 19402, 10543],
            logistic(-3.0, 1.0),
            2.131_028,
        ),
    ];
    for (counts, bounds, expected) in cases {
        let llr = Frequencies::new(counts).unwrap().closed_form_llr(*bounds);
        assert_six_digits(llr, *expected, &format!("{counts:?} {bounds:?}"));
    }
}
