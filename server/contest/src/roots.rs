//! Roots of falling functions.

/// Steps of a bisection: more halve nothing that a double can tell apart.
const STEPS: usize = 200;

/// Where a falling function crosses 0 between `low` and `high`; the nearer end if it does not.
pub(crate) fn root_of_falling(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..STEPS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        match function(middle) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_to_the_last_digits() {
        let root = root_of_falling(0.0, 10.0, |x| 2.0 - x * x);
        assert!((root - 2f64.sqrt()).abs() < 1e-14);
        assert!(root_of_falling(0.0, 1.0, |_| 1.0) > 0.999_999);
        assert!(root_of_falling(0.0, 1.0, |_| -1.0) < 1e-6);
    }
}
