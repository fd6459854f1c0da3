//! Identifiers and secrets that the server draws.

use std::fmt;

use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_wire::SeedSalt;
use sha2::{Digest as _, Sha256};

use crate::random::system_bytes;

/// The right to play one seat: the identifier of the match, so that every server of a cluster knows
/// where it is played, and a secret of 32 lower hex digits (128 bits).
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Ticket(String);

/// Between the match and the secret of a ticket.
const BETWEEN: char = '-';
/// Bytes of the secret of a ticket.
pub(super) const SECRET_BYTES: usize = 16;

/// The identifier of a new match: 16 lower hex digits, unique by chance (64 bits).
pub(super) fn draw_match_id() -> MatchId {
    MatchId::new(format!("{:016x}", u64::from_le_bytes(system_bytes())))
        .expect("16 hex digits are within the length and alphabet of an identifier")
}

impl Ticket {
    /// A new ticket, with a secret from the system's generator.
    pub(crate) fn draw(id: &MatchId) -> Self {
        let secret: [u8; SECRET_BYTES] = system_bytes();
        Self::with_secret(id, &secret)
    }

    /// The ticket with this secret, which nobody else can know.
    pub(super) fn with_secret(id: &MatchId, secret: &[u8]) -> Self {
        Self(format!("{id}{BETWEEN}{}", hex::encode(secret)))
    }

    /// One as earlier versions made them: it names no match.
    pub(super) fn nameless(secret: &[u8]) -> Self {
        Self(hex::encode(secret))
    }

    /// The match that it names; `None` for one of an earlier version, which names none, and for one
    /// that somebody made up.
    pub(super) fn match_id(&self) -> Option<MatchId> {
        let (id, _) = self.0.rsplit_once(BETWEEN)?;
        MatchId::new(id).ok()
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
