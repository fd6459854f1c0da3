//! The tickets of seats that are offered in queues.
//!
//! They follow from a secret of the store. So an offer is sent again with the same ticket after a
//! restart, although only hashes of tickets are stored, and a bot that takes its seat at that
//! moment is not turned away.

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, TicketHash};
use bridgemaster_store::{Store, StoreError};
use ring::hmac;
use thiserror::Error;

use super::{Ticket, ids};
use crate::random::system_bytes;

/// Name of the secret in a store.
const SECRET_NAME: &str = "offer_tickets";
const SECRET_BYTES: usize = 32;

/// Why a server cannot make tickets of offers.
#[derive(Debug, Error)]
pub enum OfferSecretError {
    /// The store has no answer.
    #[error("the secret of the tickets of offers cannot be read")]
    Store(#[from] StoreError),
    /// What the store keeps is no such secret.
    #[error(
        "the secret {SECRET_NAME:?} of the store has {found} bytes, not {SECRET_BYTES}; restore a \
         backup"
    )]
    Length {
        /// Its bytes.
        found: usize,
    },
}

/// Makes the tickets of offered seats.
pub(crate) struct OfferTickets([u8; SECRET_BYTES]);

impl OfferTickets {
    /// By a secret of its own, for a server without a store.
    pub(crate) fn draw() -> Self {
        Self(system_bytes())
    }

    /// By the secret of a store. The first server that asks for it makes it.
    ///
    /// # Errors
    /// When the store fails, or what it keeps is damaged.
    pub(crate) async fn kept_in(store: &dyn Store) -> Result<Self, OfferSecretError> {
        let secret = match store.secret(SECRET_NAME).await? {
            Some(secret) => secret,
            None => {
                let drawn: [u8; SECRET_BYTES] = system_bytes();
                store.keep_secret(SECRET_NAME, drawn.to_vec()).await?
            }
        };
        let found = secret.len();
        let secret = secret.try_into();
        Ok(Self(
            secret.map_err(|_| OfferSecretError::Length { found })?,
        ))
    }

    /// The ticket of a seat.
    pub(super) fn ticket(&self, id: &MatchId, seat: Seat) -> Ticket {
        Ticket::with_secret(id, &self.secret(id, seat))
    }

    /// The ticket of a seat that has this hash: that of a match which an earlier version of this
    /// program made names no match.
    pub(super) fn ticket_of(&self, id: &MatchId, seat: Seat, hash: TicketHash) -> Ticket {
        let ticket = self.ticket(id, seat);
        match ticket.hash() == hash {
            true => ticket,
            false => Ticket::nameless(&self.secret(id, seat)),
        }
    }

    fn secret(&self, id: &MatchId, seat: Seat) -> [u8; ids::SECRET_BYTES] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut signing = hmac::Context::with_key(&key);
        signing.update(&[seat.number()]);
        signing.update(id.as_str().as_bytes());
        let mut secret = [0; ids::SECRET_BYTES];
        secret.copy_from_slice(&signing.sign().as_ref()[..ids::SECRET_BYTES]);
        secret
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn a_store_gives_the_same_tickets_again_and_each_seat_its_own() {
        let store = MemoryStore::new();
        let first = OfferTickets::kept_in(&store).await.unwrap();
        let again = OfferTickets::kept_in(&store).await.unwrap();
        let (one, other) = (MatchId::new("one").unwrap(), MatchId::new("other").unwrap());
        let (north, south) = (Seat::new(0).unwrap(), Seat::new(1).unwrap());
        let ticket = first.ticket(&one, north);
        assert_eq!(ticket.reveal(), again.ticket(&one, north).reveal());
        assert_eq!(ticket.reveal().len(), Ticket::draw(&one).reveal().len());
        for another in [
            first.ticket(&one, south),
            first.ticket(&other, north),
            OfferTickets::draw().ticket(&one, north),
        ] {
            assert_ne!(ticket.reveal(), another.reveal());
        }
    }

    #[test]
    fn a_ticket_of_an_earlier_version_is_given_again_as_it_was() {
        let tickets = OfferTickets::draw();
        let (id, seat) = (MatchId::new("one").unwrap(), Seat::new(0).unwrap());
        let new = tickets.ticket(&id, seat);
        let old = Ticket::nameless(&tickets.secret(&id, seat));
        for ticket in [new, old] {
            let again = tickets.ticket_of(&id, seat, ticket.hash());
            assert_eq!(again.reveal(), ticket.reveal());
        }
    }

    #[tokio::test]
    async fn a_secret_of_another_length_is_refused() {
        let store = MemoryStore::new();
        store.keep_secret(SECRET_NAME, vec![0; 31]).await.unwrap();
        let refused = OfferTickets::kept_in(&store).await.err().unwrap();
        assert!(refused.to_string().contains("has 31 bytes"), "{refused}");
    }
}
