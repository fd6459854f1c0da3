//! Identifiers and secrets that the server draws.

use std::fmt;

use bridgemaster_wire::SeedSalt;
use sha2::{Digest as _, Sha256};

use crate::random::system_bytes;

/// Identifier of a match: 16 lower hex digits, unique by chance (64 bits).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MatchId(String);

/// The right to play one seat: 32 lower hex digits (128 bits), from the system's generator.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Ticket(String);

/// SHA-256 of a ticket: what the server keeps, in memory and in its store. How long it takes to
/// find one tells nothing of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TicketHash([u8; 32]);

impl MatchId {
    /// A new identifier.
    pub(crate) fn draw() -> Self {
        Self(format!("{:016x}", u64::from_le_bytes(system_bytes())))
    }

    /// The identifier that a client names.
    pub(crate) fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The identifier of a match in the store.
    pub(crate) fn from_store(id: &bridgemaster_store::MatchId) -> Self {
        Self(id.as_str().to_owned())
    }

    /// What the store calls it; for an identifier of the server's own.
    pub(crate) fn stored(&self) -> bridgemaster_store::MatchId {
        let id = bridgemaster_store::MatchId::new(&*self.0);
        id.expect("16 hex digits, or what the store itself gave, name a match in it")
    }

    /// Its text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Ticket {
    /// A new ticket.
    pub(crate) fn draw() -> Self {
        Self(format!("{:032x}", u128::from_le_bytes(system_bytes())))
    }

    /// The ticket that a client presents.
    pub(crate) fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The secret itself, to be shown to its owner.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Its hash.
    pub(crate) fn hash(&self) -> TicketHash {
        TicketHash(Sha256::digest(&self.0).into())
    }
}

impl TicketHash {
    /// The hash that these bytes are, if they are as many as one has.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A ticket is a secret and stays out of logs.
impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket(..)")
    }
}

/// A seed that nobody can guess: 32 lower hex digits.
pub(crate) fn draw_seed() -> bridgemaster_games::Seed {
    let text = format!("{:032x}", u128::from_le_bytes(system_bytes()));
    text.parse()
        .expect("32 hex digits are within the length and alphabet of a seed")
}

/// A salt for the commitment to a seed.
pub(super) fn draw_seed_salt() -> SeedSalt {
    SeedSalt::new(system_bytes())
}
