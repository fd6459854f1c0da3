//! Cross-checks of the fits against other programs with other algorithms: choix, which uses the
//! stationary distribution of a Markov chain, and openskill, which updates ratings match by match.
//!
//! Both are Python packages. If they are missing, these tests are ignored and print the command
//! that installs them; if `CI` is set or an environment is named, missing packages are a failure.
#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods, reason = "the environment says where Python is")]

#[path = "../simulation/luck.rs"]
mod luck;
mod played;
#[path = "../../../cli/tests/tool/mod.rs"]
mod tool;

use std::{
    io::Write as _,
    path::Path,
    process::{Command, ExitCode, Stdio},
};

use bridgemaster_contest::{Bias, PlackettLuce, RatingMethod as _, Ratings};
use libtest_mimic::{Arguments, Failed, Trial};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use played::Played;
use tool::{PYTHON, Tool};

const PEERS: Tool = Tool {
    name: "Python environment with choix and openskill",
    check: &["-c", "import choix, openskill"],
    install: "python3 sdk/python/develop.py --with-checks",
    ..PYTHON
};

/// The number of bots of each case.
const BOTS: usize = 6;

fn main() -> ExitCode {
    let trials = vec![
        Trial::ignorable_test("choix_fits_the_same_ratings", || {
            PEERS.with(choix_fits_the_same_ratings)
        }),
        Trial::ignorable_test("openskill_changes_nothing_at_the_fit", || {
            PEERS.with(openskill_changes_nothing_at_the_fit)
        }),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The input of `peers.py`.
#[derive(Serialize)]
struct Case {
    bots: usize,
    rankings: Vec<Vec<usize>>,
    ridge: f64,
    log_odds: Vec<f64>,
    asks_openskill: bool,
}

#[derive(Deserialize)]
struct Answer {
    log_odds: Vec<f64>,
    slope: Vec<f64>,
    curvature: Vec<f64>,
}

fn fit(ridge: f64, played: &Played) -> Ratings {
    let fit = PlackettLuce { ridge, bias: Bias::Uncorrected };
    fit.fit(BOTS, &played.rankings()).unwrap()
}

fn case(rankings: Vec<Vec<usize>>, ridge: f64, ratings: &Ratings, asks_openskill: bool) -> Case {
    Case { bots: BOTS, rankings, ridge, log_odds: ratings.log_odds().to_vec(), asks_openskill }
}

fn ask(python: &Path, cases: &[Case]) -> Result<Vec<Answer>, Failed> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cross_checks/peers.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // The script reads its whole input before it writes.
    let mut stdin = child.stdin.take().ok_or("its standard input is a pipe")?;
    stdin.write_all(&serde_json::to_vec(cases)?)?;
    drop(stdin);
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn assert_near(found: &[f64], expected: &[f64], allowed: f64, name: &str) {
    assert_eq!(found.len(), expected.len(), "{name}");
    for (bot, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        assert!(off <= allowed, "{name}, bot {bot}: {found}; expected {expected}");
    }
}

/// choix does not support ties. It therefore gets each match in every order of the tied bots, and
/// the matches are repeated so that each counts the same.
fn choix_fits_the_same_ratings(python: &Path) -> Result<(), Failed> {
    let mut cases = Vec::new();
    let mut fits = Vec::new();
    // With a ridge, choix uses a slow algorithm.
    let ridges = [(0.0, vec![2, 3, 4, 6]), (0.01, vec![2])];
    for (ridge, counts) in ridges {
        for (seats, ties) in counts.into_iter().flat_map(|seats| [(seats, false), (seats, true)]) {
            let played = Played::new(BOTS, seats, ties);
            let (rankings, copies) = played.in_every_order();
            let ratings = fit(ridge, &played);
            // The likelihood of choix is a multiple of ours, so the ridge must be, too.
            let their_ridge = ridge * f64::from(copies);
            cases.push(case(rankings, their_ridge, &ratings, false));
            let name = format!("{seats} seats, ties {ties}, ridge {ridge}");
            fits.push((name, ratings));
        }
    }
    for (answer, (name, ratings)) in ask(python, &cases)?.iter().zip(&fits) {
        assert_near(ratings.log_odds(), &answer.log_odds, 1e-6, name);
    }
    Ok(())
}

/// At the maximum of the likelihood, the updates of all matches add up to zero, and their reduction
/// of the variances is the information from which our standard errors follow. openskill treats ties
/// differently, so these matches have none.
fn openskill_changes_nothing_at_the_fit(python: &Path) -> Result<(), Failed> {
    let mut cases = Vec::new();
    let mut fits = Vec::new();
    for seats in [2, 3, 4, 5, 6] {
        let played = Played::new(BOTS, seats, false);
        let ratings = fit(0.0, &played);
        let rankings = played.in_every_order().0;
        cases.push(case(rankings, 0.0, &ratings, true));
        fits.push((seats, ratings));
    }
    for (answer, (seats, ratings)) in ask(python, &cases)?.iter().zip(&fits) {
        let name = |what| format!("{seats} seats: {what}");
        assert_near(&answer.slope, &[0.0; BOTS], 1e-5, &name("slope"));
        let ours = information(ratings);
        assert_near(&answer.curvature, &ours, 1e-3, &name("curvature"));
    }
    Ok(())
}

/// Returns the information about each bot: the diagonal of the inverse of the covariance, in the
/// space of ratings with the mean 0.
fn information(ratings: &Ratings) -> Vec<f64> {
    let share = 1.0 / BOTS as f64;
    let covariance =
        DMatrix::from_fn(BOTS, BOTS, |row, column| ratings.covariance(row, column) + share);
    let inverse = covariance.try_inverse().unwrap();
    (0..BOTS).map(|bot| inverse[(bot, bot)] - share).collect()
}
