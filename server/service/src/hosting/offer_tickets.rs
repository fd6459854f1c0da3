//! The tickets of seats that are offered in queues.
//!
//! They follow from a secret of the store. So an offer is sent again with the same ticket after a
//! restart, although only hashes of tickets are stored, and a bot that takes its seat at that
//! moment is not turned away.

use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;
use bridgemaster_store::{Store, StoreError};
use ring::hmac;
use thiserror::Error;

use super::Ticket;
use crate::random::system_bytes;

/// Name of the secret in a store.
const SECRET_NAME: &str = "offer_tickets";
const SECRET_BYTES: usize = 32;
/// Bytes of a ticket.
const TICKET_BYTES: usize = 16;

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
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut signing = hmac::Context::with_key(&key);
        signing.update(&[seat.number()]);
        signing.update(id.as_str().as_bytes());
        let tag = signing.sign();
        Ticket::from_bytes(&tag.as_ref()[..TICKET_BYTES])
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
        assert_eq!(ticket.reveal().len(), Ticket::draw().reveal().len());
        for another in [
            first.ticket(&one, south),
            first.ticket(&other, north),
            OfferTickets::draw().ticket(&one, north),
        ] {
            assert_ne!(ticket.reveal(), another.reveal());
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
