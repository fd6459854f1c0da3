//! Identifiers and secrets that the server draws.

use std::fmt;

use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_wire::SeedSalt;
use sha2::{Digest as _, Sha256};

use crate::random::system_bytes;

/// The right to play one seat: 32 lower hex digits (128 bits), from the system's generator.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Ticket(String);

/// The identifier of a new match: 16 lower hex digits, unique by chance (64 bits).
pub(super) fn draw_match_id() -> MatchId {
    MatchId::new(format!("{:016x}", u64::from_le_bytes(system_bytes())))
        .expect("16 hex digits are within the length and alphabet of an identifier")
}

impl Ticket {
    /// A new ticket.
    pub(crate) fn draw() -> Self {
        Self(format!("{:032x}", u128::from_le_bytes(system_bytes())))
    }

    /// The ticket of these bytes, which nobody else can know.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self(hex::encode(bytes))
    }

    /// The ticket that a client presents.
    pub(crate) fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The secret itself, to be shown to its owner.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> TicketHash {
        TicketHash::new(Sha256::digest(&self.0).into())
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
