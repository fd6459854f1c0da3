//! Identifiers, tickets and seeds that the server generates.

use std::fmt;

use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_wire::SeedSalt;
use sha2::{Digest as _, Sha256};

use crate::random::system_bytes;

/// The right to play one seat. A ticket consists of the match identifier and a secret of 32
/// lower-case hex digits (128 bits). The identifier lets every server in a cluster locate the
/// match.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Ticket(String);

/// Separates the match identifier from the secret in a ticket.
const TICKET_SEPARATOR: char = '-';
/// The length of a ticket's secret in bytes.
pub(super) const TICKET_SECRET_BYTES: usize = 16;

/// Generates the identifier of a new match: 16 lower-case hex digits (64 random bits).
pub(super) fn generate_match_id() -> MatchId {
    MatchId::new(format!("{:016x}", u64::from_le_bytes(system_bytes())))
        .expect("16 hex digits are within the length and alphabet of an identifier")
}

impl Ticket {
    /// Generates a ticket, with a secret from the system's random number generator.
    pub(crate) fn generate(id: &MatchId) -> Self {
        let secret: [u8; TICKET_SECRET_BYTES] = system_bytes();
        Self::with_secret(id, &secret)
    }

    /// Creates the ticket with this secret. The secret must be unpredictable.
    pub(super) fn with_secret(id: &MatchId, secret: &[u8]) -> Self {
        Self(format!("{id}{TICKET_SEPARATOR}{}", hex::encode(secret)))
    }

    /// Creates a ticket in the format of earlier versions. Such a ticket names no match.
    pub(super) fn without_match(secret: &[u8]) -> Self {
        Self(hex::encode(secret))
    }

    /// Returns the match that the ticket names; `None` for tickets of earlier versions and for
    /// invalid tickets.
    pub(super) fn match_id(&self) -> Option<MatchId> {
        let (id, _) = self.0.rsplit_once(TICKET_SEPARATOR)?;
        MatchId::new(id).ok()
    }

    /// Wraps the text that a client presents. The text need not be a valid ticket.
    pub(crate) fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the ticket itself, to be sent to its owner.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> TicketHash {
        TicketHash::new(Sha256::digest(&self.0).into())
    }
}

/// Omits the text, since a ticket is a secret and must not appear in logs.
impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket(..)")
    }
}

/// Generates an unpredictable seed of 32 lower-case hex digits.
pub(crate) fn generate_seed() -> bridgemaster_games::Seed {
    let text = format!("{:032x}", u128::from_le_bytes(system_bytes()));
    text.parse()
        .expect("32 hex digits are within the length and alphabet of a seed")
}

/// Generates a salt for the commitment to a seed.
pub(super) fn generate_seed_salt() -> SeedSalt {
    SeedSalt::new(system_bytes())
}
