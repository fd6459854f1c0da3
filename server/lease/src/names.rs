//! Validated identifiers of matches, ladders and nodes, and names and scopes of API keys. Each text
//! is validated on construction, so that a match has the same identifier in memory, in messages and
//! in the store.

use std::{fmt, str::FromStr, sync::Arc};

use thiserror::Error;

/// Maximum length of [`MatchId`], [`KeyId`], [`LadderId`] and [`NodeName`], in bytes.
pub const MAX_ID_BYTES: usize = 64;

/// Maximum length of [`KeyName`] and [`OwnerName`], in characters, so that a name fits a table
/// column.
pub const MAX_KEY_NAME_CHARS: usize = 64;

/// Maximum length of [`Scope`], in bytes.
pub const MAX_SCOPE_BYTES: usize = 64;

/// A text that is not valid for its type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{text:?} is not a valid {what}: must be {rule}")]
pub struct InvalidText {
    /// The kind of text: `match id`, `key id`, `key name`, `owner`, `scope`, `ladder id`, `node
    /// name` or `node address`.
    pub what: &'static str,
    /// The rejected text, truncated if it is long.
    pub text: String,
    /// Description of the valid values.
    pub rule: &'static str,
}

/// The maximum number of characters that an error quotes from a rejected text.
const MAX_QUOTED_CHARS: usize = 64;

macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $is_valid:expr) => {
        $(#[$doc])*
        ///
        /// Clones share the same text.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Validates the text.
            ///
            /// # Errors
            /// Returns an [`InvalidText`] that contains the valid values.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidText> {
                let text = text.into();
                let is_valid: fn(&str) -> bool = $is_valid;
                if is_valid(&text) {
                    return Ok(Self(text.into()));
                }
                Err(InvalidText {
                    what: $what,
                    text: text.chars().take(MAX_QUOTED_CHARS).collect(),
                    rule: $rule,
                })
            }

            /// The text as a string slice.
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
    /// Identifier of a match: 1 to [`MAX_ID_BYTES`] ASCII letters, digits, `-`, `_` and `.`.
    MatchId,
    "match id",
    "1 to 64 ASCII letters, digits, '-', '_' and '.'",
    is_id
);

checked_text!(
    /// Public identifier of an API key: 1 to [`MAX_ID_BYTES`] ASCII letters, digits, `-`, `_` and
    /// `.`.
    KeyId,
    "key id",
    "1 to 64 ASCII letters, digits, '-', '_' and '.'",
    is_id
);

checked_text!(
    /// Name of a key's user: 1 to [`MAX_KEY_NAME_CHARS`] characters, without control characters and
    /// without a space at either end.
    KeyName,
    "key name",
    "1 to 64 characters without control characters, and without a space at either end",
    is_name
);

checked_text!(
    /// Name of the owner of one or more keys. It has the same form as a [`KeyName`].
    OwnerName,
    "owner",
    "1 to 64 characters without control characters, and without a space at either end",
    is_name
);

checked_text!(
    /// A permission of a key: 1 to [`MAX_SCOPE_BYTES`] visible ASCII characters without spaces.
    Scope,
    "scope",
    "1 to 64 visible ASCII characters without spaces",
    |text| {
        (1..=MAX_SCOPE_BYTES).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
    }
);

checked_text!(
    /// Identifier of a ladder: 1 to [`MAX_ID_BYTES`] characters from `a` to `z`, `0` to `9`, `.`,
    /// `_` and `-`.
    LadderId,
    "ladder id",
    "1 to 64 of a to z, 0 to 9, '.', '_' and '-'",
    |text| is_id(text) && !text.bytes().any(|b| b.is_ascii_uppercase())
);

checked_text!(
    /// Name of a server in a cluster: 1 to [`MAX_ID_BYTES`] ASCII letters, digits, `-`, `_` and
    /// `.`.
    NodeName,
    "node name",
    "1 to 64 ASCII letters, digits, '-', '_' and '.'",
    is_id
);

/// Maximum length of a [`NodeAddress`], in bytes. The longest host name and a port fit.
pub const MAX_ADDRESS_BYTES: usize = 259;

checked_text!(
    /// Address at which a server is reached: `HOST:PORT`, at most [`MAX_ADDRESS_BYTES`] long.
    NodeAddress,
    "node address",
    "HOST:PORT, such as one.example:50051",
    is_address
);

fn is_address(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else {
        return false;
    };
    // IPv6 addresses are enclosed in brackets.
    let is_v6 = host.starts_with('[') && host.ends_with(']');
    text.len() <= MAX_ADDRESS_BYTES
        && port.parse::<u16>().is_ok_and(|port| port > 0)
        && !host.is_empty()
        && (is_v6 || !host.contains(':'))
        && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b))
}

fn is_name(text: &str) -> bool {
    (1..=MAX_KEY_NAME_CHARS).contains(&text.chars().count())
        && text.trim() == text
        && !text.chars().any(char::is_control)
}

fn is_id(text: &str) -> bool {
    (1..=MAX_ID_BYTES).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
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
    fn key_names_allow_any_language_but_no_control_characters() {
        for good in ["Ælfric the 2nd", "木", &"ß".repeat(64)] {
            assert!(KeyName::new(good).is_ok(), "{good:?}");
        }
        for bad in ["", " a", "a ", "a\u{7}b", &"ß".repeat(65)] {
            assert!(KeyName::new(bad).is_err(), "{bad:?}");
            assert!(OwnerName::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn scopes_contain_no_space_because_spaces_separate_them() {
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
        for bad in ["", "one.example", ":1", "a:0", "a:70000", "::1:5", "http://a:1", "a b:1"] {
            assert!(NodeAddress::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn errors_name_the_valid_values_and_quote_little_input() {
        let error = MatchId::new(format!("{}/", "x".repeat(100_000))).unwrap_err();
        assert_eq!(error.text.len(), MAX_QUOTED_CHARS);
        let text = MatchId::new("a b").unwrap_err().to_string();
        assert_eq!(
            text,
            "\"a b\" is not a valid match id: must be 1 to 64 ASCII letters, digits, '-', '_' and '.'"
        );
    }
}
