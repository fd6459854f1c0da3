//! Exact likelihood ratios of a discrete score under a constraint on its mean or its t-value.
//!
//! Sources: M. Van den Bergh, "A practical introduction to the GSPRT" and "Normalized Elo" (section
//! 4.1). The likelihood is at its maximum if each observed share is divided by `1 + theta *
//! moment`. The value of theta is chosen so that the mean of the moments is 0.

/// Scores with their shares. Shares are positive and add up to 1.
pub(crate) type Distribution = Vec<(f64, f64)>;

/// Minimum distance of theta from the poles of its equation.
const POLE_MARGIN: f64 = 1e-9;

/// The maximum number of iterations when a t-value is given. As in the paper, iteration stops
/// earlier once the change is small enough.
const ROUNDS: usize = 10;
const SETTLED: f64 = 1e-9;

/// Returns the mean and the variance of a distribution.
pub(crate) fn moments(distribution: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = distribution.iter().map(|(score, share)| score * share).sum();
    let variance = distribution.iter().map(|(score, share)| share * (score - mean).powi(2)).sum();
    (mean, variance)
}

/// Returns the most likely shares for which the mean of these moments is 0.
fn most_likely(shares: &[f64], moments: &[f64]) -> Vec<f64> {
    let min = moments.iter().copied().fold(f64::INFINITY, f64::min);
    let max = moments.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weighed = || shares.iter().zip(moments);
    let theta = root_of_decreasing(-1.0 / max + POLE_MARGIN, -1.0 / min - POLE_MARGIN, |theta| {
        weighed().map(|(share, moment)| share * moment / (1.0 + theta * moment)).sum()
    });
    weighed().map(|(share, moment)| share / (1.0 + theta * moment)).collect()
}

fn shares(distribution: &[(f64, f64)]) -> Vec<f64> {
    distribution.iter().map(|(_, share)| *share).collect()
}

fn with_mean(distribution: &[(f64, f64)], mean: f64) -> Vec<f64> {
    let moments: Vec<f64> = distribution.iter().map(|(score, _)| score - mean).collect();
    most_likely(&shares(distribution), &moments)
}

fn with_t_value(distribution: &[(f64, f64)], t: f64) -> Vec<f64> {
    let observed = shares(distribution);
    let mut fitted = vec![1.0 / observed.len() as f64; observed.len()];
    for _ in 0..ROUNDS {
        let scores = distribution.iter().map(|(score, _)| *score);
        let current: Distribution = scores.clone().zip(fitted.iter().copied()).collect();
        let (mean, variance) = moments(&current);
        let deviation = variance.sqrt();
        let constraints: Vec<f64> = scores
            .map(|score| {
                let off = (score - mean) / deviation;
                score - 0.5 - t * deviation * (1.0 + off * off) / 2.0
            })
            .collect();
        let next = most_likely(&observed, &constraints);
        let change = next.iter().zip(&fitted).map(|(a, b)| (a - b).abs());
        let largest = change.fold(0.0, f64::max);
        fitted = next;
        if largest < SETTLED {
            break;
        }
    }
    fitted
}

fn log_ratio(distribution: &[(f64, f64)], lower: &[f64], upper: &[f64]) -> f64 {
    let shares = distribution.iter().map(|(_, share)| share);
    shares
        .zip(lower.iter().zip(upper))
        .map(|(share, (lower, upper))| share * (upper / lower).ln())
        .sum()
}

/// Returns the log-likelihood ratio between two means, per observation.
pub(crate) fn llr_of_means(distribution: &[(f64, f64)], [lower, upper]: [f64; 2]) -> f64 {
    let (lower, upper) = (with_mean(distribution, lower), with_mean(distribution, upper));
    log_ratio(distribution, &lower, &upper)
}

/// Returns the log-likelihood ratio between two t-values `(mean - 0.5) / deviation`, per
/// observation.
pub(crate) fn llr_of_t_values(distribution: &[(f64, f64)], [lower, upper]: [f64; 2]) -> f64 {
    let (lower, upper) = (with_t_value(distribution, lower), with_t_value(distribution, upper));
    log_ratio(distribution, &lower, &upper)
}

/// Returns the log-likelihood ratio between two t-values, given the observed t-value: `groups/2 *
/// ln((1 + (t - lower)^2) / (1 + (t - upper)^2))`.
pub fn closed_form_llr(groups: f64, t: f64, [lower, upper]: [f64; 2]) -> f64 {
    groups / 2.0 * ((1.0 + (t - lower).powi(2)) / (1.0 + (t - upper).powi(2))).ln()
}

/// The maximum number of bisection steps. It is more than the precision of a double requires.
const STEPS: usize = 200;

/// Returns a decreasing function's root between `low` and `high`, or the nearer end if there is no
/// root.
pub(crate) fn root_of_decreasing(
    mut low: f64,
    mut high: f64,
    function: impl Fn(f64) -> f64,
) -> f64 {
    for _ in 0..STEPS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if function(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_to_full_precision() {
        let root = root_of_decreasing(0.0, 10.0, |x| 2.0 - x * x);
        assert!((root - 2f64.sqrt()).abs() < 1e-14);
        assert!(root_of_decreasing(0.0, 1.0, |_| 1.0) > 0.999_999);
        assert!(root_of_decreasing(0.0, 1.0, |_| -1.0) < 1e-6);
    }
}
