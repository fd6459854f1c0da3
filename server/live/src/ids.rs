//! Identifiers, tickets and seeds that the server generates.
//!
//! The store contains only the hashes of tickets. The tickets of offered seats are derived from a
//! secret in the store. So after a restart an offer is repeated with the same ticket, and a bot
//! that is just joining with it is not refused.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use bridgemaster_edge::random::{SecretError, load_or_create_secret, system_bytes};
use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_proto::v1::SeatTicket;
use bridgemaster_replay::wire::SeedSalt;
use bridgemaster_store::Store;
use ring::hmac;
use sha2::{Digest as _, Sha256};

/// The right to play one seat. A ticket consists of the match identifier and a secret of 32
/// lower-case hex digits (128 bits). The identifier lets every server in a cluster locate the
/// match.
#[derive(Clone, PartialEq, Eq)]
pub struct Ticket(String);

/// Separates the match identifier from the secret in a ticket.
const TICKET_SEPARATOR: char = '-';
/// The length of a ticket's secret in bytes.
pub(super) const TICKET_SECRET_BYTES: usize = 16;

/// Generates the identifiers of a node's matches, each higher than the previous one.
#[derive(Default)]
pub(super) struct MatchIds {
    /// The time in the last identifier, in µs since 1970 UTC.
    last_unix_us: AtomicU64,
}

impl MatchIds {
    /// Generates the identifier of a new match: 24 lower-case hex digits. The first 14 are the
    /// creation time in µs since 1970 UTC, since lists are ordered by identifier. So a match has
    /// the same place in a list whether it is in play or ended, and on whichever node. If the clock
    /// stands still or goes back, the time is 1 µs after the previous one. The last 10 are random
    /// (40 bits), so that the identifiers of nodes differ.
    ///
    /// Returns the identifier and its time, which is the match's creation time.
    pub(super) fn generate(&self, now_unix_us: u64) -> (MatchId, u64) {
        let next = |last: u64| now_unix_us.max(last.saturating_add(1));
        let last = self
            .last_unix_us
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        let unix_us = next(last.unwrap_or_default());
        let random: [u8; 5] = system_bytes();
        let id = MatchId::new(format!("{unix_us:014x}{}", hex::encode(random)))
            .expect("hex digits are within the length and alphabet of an identifier");
        (id, unix_us)
    }
}

/// Returns a position in the order of identifiers: those of matches created before this time are
/// lower, all others higher. `None` if the time does not fit into an identifier.
pub(super) fn position_of_time(created_unix_ms: u64) -> Option<MatchId> {
    let position = format!("{:014x}", created_unix_ms.checked_mul(1_000)?);
    MatchId::new(position).ok().filter(|id| id.as_str().len() == 14)
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

    /// Returns the match that the ticket names; `None` for invalid tickets.
    pub(super) fn match_id(&self) -> Option<MatchId> {
        let (id, _) = self.0.rsplit_once(TICKET_SEPARATOR)?;
        MatchId::new(id).ok()
    }

    /// Wraps the text that a client presents. The text need not be a valid ticket.
    pub fn from_client(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the ticket itself, to be sent to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the message with the ticket of a seat.
    pub(super) fn for_seat(&self, seat: Seat) -> SeatTicket {
        SeatTicket { seat: seat.number().into(), ticket: self.0.clone() }
    }

    /// Returns the hash under which the match stores the ticket.
    pub fn hash(&self) -> TicketHash {
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
pub fn generate_seed() -> bridgemaster_games::Seed {
    let text = format!("{:032x}", u128::from_le_bytes(system_bytes()));
    text.parse().expect("32 hex digits are within the length and alphabet of a seed")
}

/// Generates a salt for the commitment to a seed.
pub(super) fn generate_seed_salt() -> SeedSalt {
    SeedSalt::new(system_bytes())
}

/// The name of the secret for the tickets of offered seats in the store.
const OFFER_SECRET_NAME: &str = "offer_tickets";
const OFFER_SECRET_BYTES: usize = 32;

/// Derives the tickets for offered seats.
pub struct OfferTickets([u8; OFFER_SECRET_BYTES]);

impl OfferTickets {
    /// Generates a secret, for a server without a store.
    pub fn generate() -> Self {
        Self(system_bytes())
    }

    /// Loads the secret from the store. The first server that opens the store creates the secret.
    ///
    /// # Errors
    /// Returns an error if the store fails, or the stored value is damaged.
    pub async fn load_or_create(store: &dyn Store) -> Result<Self, SecretError> {
        let purpose = "the secret for the tickets of offered seats";
        let secret = load_or_create_secret(store, OFFER_SECRET_NAME, purpose).await?;
        Ok(Self(secret))
    }

    /// Returns the ticket for a seat.
    pub(super) fn ticket(&self, id: &MatchId, seat: Seat) -> Ticket {
        Ticket::with_secret(id, &self.secret(id, seat))
    }

    fn secret(&self, id: &MatchId, seat: Seat) -> [u8; TICKET_SECRET_BYTES] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut signing = hmac::Context::with_key(&key);
        signing.update(&[seat.number()]);
        signing.update(id.as_str().as_bytes());
        let mut secret = [0; TICKET_SECRET_BYTES];
        secret.copy_from_slice(&signing.sign().as_ref()[..TICKET_SECRET_BYTES]);
        secret
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::MemoryStore;

    use super::*;

    #[test]
    fn match_ids_ascend_even_if_the_clock_goes_back() {
        let ids = MatchIds::default();
        let generated = [9_000, 9_000, 5, 9_001, 10_000].map(|now| ids.generate(now).0);
        assert!(generated.is_sorted_by(|one, next| one < next), "{generated:?}");
        assert!(generated[4].as_str().starts_with("00000000002710"));
    }

    #[tokio::test]
    async fn tickets_are_stable_per_store_and_differ_per_seat() {
        let store = MemoryStore::new();
        let first = OfferTickets::load_or_create(&store).await.unwrap();
        let again = OfferTickets::load_or_create(&store).await.unwrap();
        let (one, other) = (MatchId::new("one").unwrap(), MatchId::new("other").unwrap());
        let (north, south) = (Seat::new(0).unwrap(), Seat::new(1).unwrap());
        let ticket = first.ticket(&one, north);
        assert_eq!(ticket.reveal(), again.ticket(&one, north).reveal());
        assert_eq!(ticket.reveal().len(), Ticket::generate(&one).reveal().len());
        for another in [
            first.ticket(&one, south),
            first.ticket(&other, north),
            OfferTickets::generate().ticket(&one, north),
        ] {
            assert_ne!(ticket.reveal(), another.reveal());
        }
    }
}
