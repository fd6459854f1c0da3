//! Elo, its error at 95 %, and the likelihood of superiority.

use bridgemaster_contest::Frequencies;

use crate::assert_six_digits;

#[test]
fn elo_error_and_superiority_are_those_of_fishtest() {
    let cases: &[(&[u64], f64, f64, f64)] = &[
        (&[34, 54, 63, 64, 75], 55.579_780, 27.653_430, 0.999_970),
        (
            &[332, 433, 498, 333, 334],
            -8.642_667,
            10.334_194,
            0.050_470,
        ),
        (
            &[1187, 7410, 13475, 7378, 1164],
            -0.442_608,
            1.729_859,
            0.308_014,
        ),
        (
            &[10789, 19328, 33806, 19402, 10543],
            -0.773_577,
            1.277_580,
            0.117_659,
        ),
        (
            &[39, 2226, 31451, 2412, 40],
            0.902_981,
            0.662_531,
            0.996_222,
        ),
        (&[10, 20, 30, 20, 20], 34.860_070, 43.183_245, 0.945_343),
        (&[65804, 56553, 65388], -0.769_839, 1.313_743, 0.125_376),
    ];
    for (counts, elo, error, superiority) in cases {
        let estimate = Frequencies::new(counts).unwrap().estimate(0.95).unwrap();
        assert_six_digits(estimate.elo.0, *elo, &format!("Elo of {counts:?}"));
        assert_six_digits(
            estimate.elo_error(),
            *error,
            &format!("error of {counts:?}"),
        );
        let what = format!("superiority of {counts:?}");
        assert_six_digits(estimate.superiority, *superiority, &what);
    }
}

#[test]
fn the_figures_are_those_that_fastchess_prints() {
    let cases: &[(&[u64], [f64; 4])] = &[
        (&[34, 54, 63, 64, 75], [55.58, 27.65, 57.94, 100.0]),
        (&[332, 433, 498, 333, 334], [-8.64, 10.33, -9.17, 5.05]),
        (&[96, 111, 136], [40.70, 30.43, 49.77, 99.60]),
    ];
    for (counts, expected) in cases {
        let estimate = Frequencies::new(counts).unwrap().estimate(0.95).unwrap();
        let printed = |value: f64| (value * 100.0).round() / 100.0;
        let found = [
            estimate.elo.0,
            estimate.elo_error(),
            estimate.normalized_elo.0,
            estimate.superiority * 100.0,
        ];
        assert_eq!(found.map(printed), *expected, "{counts:?}");
    }
}
