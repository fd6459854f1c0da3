//! Formats counts with singular and plural.

use std::fmt::Display;

/// Formats a number with the noun in its singular or plural.
pub(super) fn count(
    number: impl Display + TryInto<u64> + Copy,
    singular: &str,
    plural: &str,
) -> String {
    let word = if let Ok(1) = number.try_into() {
        singular
    } else {
        plural
    };
    format!("{number} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_takes_the_singular() {
        let matches = |number: u32| count(number, "match", "matches");
        assert_eq!(
            [0, 1, 2].map(matches),
            ["0 matches", "1 match", "2 matches"]
        );
    }
}
