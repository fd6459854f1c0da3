//! Roots of decreasing functions.

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
    fn the_root_is_found_to_the_last_digits() {
        let root = root_of_decreasing(0.0, 10.0, |x| 2.0 - x * x);
        assert!((root - 2f64.sqrt()).abs() < 1e-14);
        assert!(root_of_decreasing(0.0, 1.0, |_| 1.0) > 0.999_999);
        assert!(root_of_decreasing(0.0, 1.0, |_| -1.0) < 1e-6);
    }
}
