//! Numbers of things in sentences.

use std::fmt::Display;

/// A number of things, with the word for one of them or for several.
pub(super) fn count(
    number: impl Display + TryInto<u64> + Copy,
    one: &str,
    several: &str,
) -> String {
    let word = if let Ok(1) = number.try_into() {
        one
    } else {
        several
    };
    format!("{number} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_told_from_several_and_from_none() {
        let matches = |number: u32| count(number, "match", "matches");
        assert_eq!(
            [0, 1, 2].map(matches),
            ["0 matches", "1 match", "2 matches"]
        );
    }
}
