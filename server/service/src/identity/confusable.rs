//! Detects names that people might confuse.

use unicode_security::skeleton;

/// Returns whether people might confuse two names. Such names differ only in case, in the white
/// space between words, or in confusable characters, such as Latin and Cyrillic letters (Unicode
/// Technical Standard 39).
///
/// ```
/// use bridgemaster_server::identity::are_confusable;
///
/// assert!(are_confusable("bob", "Bob"));
/// assert!(are_confusable("bob", "b\u{43e}b")); // Cyrillic
/// assert!(!are_confusable("bob", "rob"));
/// ```
pub fn are_confusable(one: &str, other: &str) -> bool {
    let others = skeletons(other);
    skeletons(one)
        .iter()
        .any(|skeleton| others.contains(skeleton))
}

/// Returns a name's skeletons regardless of case: one each for the name itself, its lower-case form
/// and its upper-case form. Case is folded before and after the mapping of confusables. Otherwise
/// `Ivan` and `lvan` would differ, since only the capital `I` is confusable with `l`.
fn skeletons(name: &str) -> [String; 3] {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = |text: &str| skeleton(text).collect::<String>();
    [
        bare(&name.to_lowercase()),
        bare(&bare(&name).to_lowercase()),
        bare(&bare(&name.to_uppercase()).to_lowercase()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confusable_names_are_recognised() {
        for (one, other) in [
            ("bob", "bob"),
            ("bob", "Bob"),
            ("bob", "BOB"),
            // Cyrillic: one letter, and all of them as capitals.
            ("bob", "b\u{43e}b"),
            ("bob", "\u{412}\u{41e}\u{412}"),
            // Greek capitals.
            ("anton", "\u{391}\u{39d}\u{3a4}\u{39f}\u{39d}"),
            // Digits and letters.
            ("team 1", "team l"),
            ("Ill", "lll"),
            ("b0b", "Bob"),
            // Case together with a confusable of the other case.
            ("alice", "AL1CE"),
            ("ivan", "lvan"),
            ("modern", "modem"),
            // Composed and decomposed, full width, other spaces, invisible characters.
            ("Zo\u{eb}", "Zoe\u{308}"),
            ("bob", "\u{ff42}ob"),
            ("a b", "a\u{a0}b"),
            ("a b", "a  b"),
            ("bob", "bo\u{fe0f}b"),
            ("\u{df}", "\u{1e9e}"),
        ] {
            assert!(are_confusable(one, other), "{one:?} {other:?}");
            assert!(are_confusable(other, one), "{other:?} {one:?}");
        }
    }

    #[test]
    fn distinguishable_names_are_not_confusable() {
        for (one, other) in [
            ("bob", "rob"),
            ("bob", "bobby"),
            ("bot2", "bot3"),
            ("bot10", "bot11"),
            ("Zo\u{eb}", "Zoe"),
            ("a b", "ab"),
            ("\u{6a4b}", "\u{6a2b}"),
        ] {
            assert!(!are_confusable(one, other), "{one:?} {other:?}");
        }
    }
}
