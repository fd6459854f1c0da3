//! Published and recomputed numbers of other programs, to six digits where they are exact.
//!
//! Sources: fishtest (`LLRcalc`, `sprt`, `stat_util`) and the tests of fastchess, choix 0.4.1, and
//! the three engines of "EloStat, Bayeselo and Ordo" (K. Laskos, 2012).
#![allow(clippy::unwrap_used)]

mod fits;
mod likelihood_ratios;
mod stopped;

/// Asserts that both agree to an error of 1e-6 of the greater one.
#[track_caller]
fn assert_six_digits(found: f64, expected: f64, what: &str) {
    let allowed = 1e-6 * expected.abs().max(1.0);
    assert!((found - expected).abs() <= allowed, "{what}: {found}; expected {expected}");
}
