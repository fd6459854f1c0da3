//! What a key may allow.

use std::{fmt, str::FromStr};

use bridgemaster_store::Scope;
use thiserror::Error;

/// What a key allows. A key has any number of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyScope {
    /// Take seats with tickets, as the bot that the key is named after.
    Play,
    /// Make matches.
    Create,
    /// See the matches and replays of others.
    Read,
    /// Change what others made: cancel their matches, replace tickets, run ladders.
    Admin,
    /// Call the rules.
    Rules,
}

/// A text that names no scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the scopes are play, create, read, admin and rules")]
pub struct UnknownScope;

impl KeyScope {
    /// Every scope.
    pub const ALL: [Self; 5] = [
        Self::Play,
        Self::Create,
        Self::Read,
        Self::Admin,
        Self::Rules,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Create => "create",
            Self::Read => "read",
            Self::Admin => "admin",
            Self::Rules => "rules",
        }
    }

    /// Its name, as a store keeps it.
    pub fn to_scope(self) -> Scope {
        Scope::new(self.as_str()).expect("a lower-case word is the text of a scope")
    }
}

impl FromStr for KeyScope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let named = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        named.ok_or(UnknownScope)
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
