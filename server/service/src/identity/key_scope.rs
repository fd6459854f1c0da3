//! The scopes of API keys: the permissions that a key can have.

use std::{fmt, str::FromStr};

use bridgemaster_store::Scope;
use thiserror::Error;

/// A permission of an API key. A key has any number of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyScope {
    /// Takes seats with tickets, as the bot that the key is named after.
    Play,
    /// Creates matches, groups and queues.
    Create,
    /// Reads other callers' matches and replays.
    Read,
    /// Manages other callers' matches and queues, and runs ladders.
    Admin,
    /// Calls `RulesService`.
    Rules,
}

/// The error for a text that is not a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("unknown scope; the scopes are play, create, read, admin and rules")]
pub struct UnknownScope;

impl KeyScope {
    /// All scopes, in the order in which they are documented.
    pub const ALL: [Self; 5] = [
        Self::Play,
        Self::Create,
        Self::Read,
        Self::Admin,
        Self::Rules,
    ];

    /// The name of the scope, as in `--scope play`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Create => "create",
            Self::Read => "read",
            Self::Admin => "admin",
            Self::Rules => "rules",
        }
    }

    /// Converts the scope for the store.
    pub fn to_scope(self) -> Scope {
        Scope::new(self.as_str()).expect("a lower-case word is the text of a scope")
    }
}

impl FromStr for KeyScope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        found.ok_or(UnknownScope)
    }
}

impl fmt::Display for KeyScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_is_read_back_from_its_name_and_named_in_the_error() {
        for scope in KeyScope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(scope));
            assert_eq!(scope.to_scope().as_str(), scope.as_str());
            assert!(UnknownScope.to_string().contains(scope.as_str()));
        }
        assert_eq!("root".parse::<KeyScope>(), Err(UnknownScope));
    }
}
