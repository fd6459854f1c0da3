//! The texts that name matches, API keys and what a key allows. Each is checked where it is made, so
//! that a match has one identifier in memory, in messages and in the store.

#![forbid(unsafe_code)]

use std::{fmt, str::FromStr, sync::Arc};

use thiserror::Error;

/// Longest [`MatchId`], [`KeyId`], [`LadderId`] and [`NodeName`], in bytes.
pub const MAX_ID_BYTES: usize = 64;

/// Longest [`KeyName`] and [`OwnerName`], in characters: a bot's name fits a table column.
pub const MAX_KEY_NAME_CHARS: usize = 64;

/// Longest [`Scope`], in bytes.
pub const MAX_SCOPE_BYTES: usize = 64;

/// A text that does not name what it is meant to name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is no {what}: it must be {rule}")]
pub struct InvalidText {
    /// What the text was meant to be: `match id`, `key id`, `key name`, `owner`, `scope`,
    /// `ladder id`, `node name` or `node address`.
    pub what: &'static str,
    /// The beginning of the text.
    pub text: String,
    /// What would be valid.
    pub rule: &'static str,
}

/// Characters of a refused text that an error repeats.
const MAX_REPEATED_CHARS: usize = 64;

macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $is_valid:expr) => {
        $(#[$doc])*
        ///
        /// Clones share the text.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks the text.
            ///
            /// # Errors
            /// [`InvalidText`] says what would be valid.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidText> {
                let text = text.into();
                let is_valid: fn(&str) -> bool = $is_valid;
                if is_valid(&text) {
                    return Ok(Self(text.into()));
                }
                Err(InvalidText {
                    what: $what,
                    text: text.chars().take(MAX_REPEATED_CHARS).collect(),
                    rule: $rule,
                })
            }

            /// Its text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidText;

            fn from_str(text: &str) -> Result<Self, InvalidText> {
                Self::new(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

checked_text!(
    /// Names a match: 1 to [`MAX_ID_BYTES`] ASCII letters, digits, `-`, `_` and `.`.
    MatchId,
    "match id",
    "1 to 64 ASCII letters, digits, '-', '_' and '.'",
    is_id
);

checked_text!(
    /// Names an API key, and is no secret: 1 to [`MAX_ID_BYTES`] ASCII letters, digits, `-`,
    /// `_` and `.`.
    KeyId,
    "key id",
    "1 to 64 ASCII letters, digits, '-', '_' and '.'",
    is_id
);

checked_text!(
    /// Whom a key is for: 1 to [`MAX_KEY_NAME_CHARS`] characters, none of them a control
    /// character, no space at either end.
    KeyName,
    "key name",
    "1 to 64 characters without control characters, and without a space at either end",
    is_name
);

checked_text!(
    /// Who has a key, and maybe others: as a [`KeyName`].
    OwnerName,
    "owner",
    "1 to 64 characters without control characters, and without a space at either end",
    is_name
);

checked_text!(
    /// What a key allows, in the server's words: 1 to [`MAX_SCOPE_BYTES`] visible ASCII
    /// characters without spaces.
    Scope,
    "scope",
    "1 to 64 visible ASCII characters without spaces",
    |text| {
        (1..=MAX_SCOPE_BYTES).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
    }
);

checked_text!(
    /// Names a ladder: 1 to [`MAX_ID_BYTES`] of `a` to `z`, `0` to `9`, `.`, `_` and `-`.
    LadderId,
    "ladder id",
    "1 to 64 of a to z, 0 to 9, '.', '_' and '-'",
    |text| is_id(text) && !text.bytes().any(|b| b.is_ascii_uppercase())
);

checked_text!(
    /// Names a server among those that share a database: 1 to [`MAX_ID_BYTES`] ASCII letters,
    /// digits, `-`, `_` and `.`.
    NodeName,
    "node name",
    "1 to 64 ASCII letters, digits, '-', '_' and '.'",
    is_id
);

/// Longest [`NodeAddress`], in bytes: the longest name of a host, and a port.
pub const MAX_ADDRESS_BYTES: usize = 259;

checked_text!(
    /// Where a server is reached: `HOST:PORT`, up to [`MAX_ADDRESS_BYTES`].
    NodeAddress,
    "node address",
    "HOST:PORT, such as one.example:50051",
    is_address
);

fn is_address(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else {
        return false;
    };
    // An IPv6 address is in brackets.
    let is_v6 = host.starts_with('[') && host.ends_with(']');
    text.len() <= MAX_ADDRESS_BYTES
        && port.parse::<u16>().is_ok_and(|port| port > 0)
        && !host.is_empty()
        && (is_v6 || !host.contains(':'))
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b))
}

fn is_name(text: &str) -> bool {
    (1..=MAX_KEY_NAME_CHARS).contains(&text.chars().count())
        && text.trim() == text
        && !text.chars().any(char::is_control)
}

fn is_id(text: &str) -> bool {
    (1..=MAX_ID_BYTES).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_ascii_words() {
        for good in ["a", "0f3a-9", "north_sea.2", &"x".repeat(64)] {
            assert_eq!(MatchId::new(good).unwrap().as_str(), good);
        }
        for bad in ["", "a b", "a/b", "ä", "a\n", &"x".repeat(65)] {
            assert!(MatchId::new(bad).is_err(), "{bad:?}");
            assert!(KeyId::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn key_names_are_any_language_but_no_control_characters() {
        for good in ["Ælfric the 2nd", "木", &"ß".repeat(64)] {
            assert!(KeyName::new(good).is_ok(), "{good:?}");
        }
        for bad in ["", " a", "a ", "a\u{7}b", &"ß".repeat(65)] {
            assert!(KeyName::new(bad).is_err(), "{bad:?}");
            assert!(OwnerName::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn scopes_hold_no_space_since_a_space_parts_them() {
        assert!(Scope::new("matches:create").is_ok());
        for bad in ["", "a b", "tab\t", "ü", &"x".repeat(65)] {
            assert!(Scope::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_address_is_a_host_and_a_port() {
        for good in ["one.example:50051", "127.0.0.1:1", "[::1]:50051"] {
            assert!(NodeAddress::new(good).is_ok(), "{good:?}");
        }
        for bad in [
            "",
            "one.example",
            ":1",
            "a:0",
            "a:70000",
            "::1:5",
            "http://a:1",
            "a b:1",
        ] {
            assert!(NodeAddress::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_refusal_says_what_would_be_valid_and_repeats_little() {
        let error = MatchId::new(format!("{}/", "x".repeat(100_000))).unwrap_err();
        assert_eq!(error.text.len(), MAX_REPEATED_CHARS);
        let words = MatchId::new("a b").unwrap_err().to_string();
        assert_eq!(
            words,
            "\"a b\" is no match id: it must be 1 to 64 ASCII letters, digits, '-', '_' and '.'"
        );
    }
}
