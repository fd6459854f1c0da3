//! Names that people take for each other.

use unicode_security::skeleton;

/// Whether people can take one name for the other: the two differ at most in case, in how many
/// spaces or which separate their words, and in characters that look alike by the Unicode Technical Standard 39, as Latin and Cyrillic ones.
///
/// ```
/// use bridgemaster_server::identity::look_alike;
///
/// assert!(look_alike("bob", "Bob"));
/// assert!(look_alike("bob", "b\u{43e}b")); // Cyrillic
/// assert!(!look_alike("bob", "rob"));
/// ```
pub fn look_alike(one: &str, other: &str) -> bool {
    let others = looks(other);
    looks(one).iter().any(|look| others.contains(look))
}

/// How a name looks to whoever takes no notice of case: as it is, in small letters, and in capitals.
/// Case is folded before and after look-alikes are put in place of each other: the small letters of
/// two capitals that look alike may differ, as those of `I` and `l` in `Ivan` and `lvan`.
fn looks(name: &str) -> [String; 3] {
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
    fn names_that_look_alike_are_one_to_people() {
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
            // In case and in a look-alike of the other case.
            ("alice", "AL1CE"),
            ("ivan", "lvan"),
            ("modern", "modem"),
            // Composed and not, full width, other spaces, what is not seen.
            ("Zo\u{eb}", "Zoe\u{308}"),
            ("bob", "\u{ff42}ob"),
            ("a b", "a\u{a0}b"),
            ("a b", "a  b"),
            ("bob", "bo\u{fe0f}b"),
            ("\u{df}", "\u{1e9e}"),
        ] {
            assert!(look_alike(one, other), "{one:?} {other:?}");
            assert!(look_alike(other, one), "{other:?} {one:?}");
        }
    }

    #[test]
    fn names_that_differ_to_the_eye_are_two() {
        for (one, other) in [
            ("bob", "rob"),
            ("bob", "bobby"),
            ("bot2", "bot3"),
            ("bot10", "bot11"),
            ("Zo\u{eb}", "Zoe"),
            ("a b", "ab"),
            ("\u{6a4b}", "\u{6a2b}"),
        ] {
            assert!(!look_alike(one, other), "{one:?} {other:?}");
        }
    }
}
