//! The key that a server signs replays with: drawn, or kept in its store.

use bridgemaster_replay::{SECRET_BYTES, SigningKey};
use bridgemaster_store::{Store, StoreError};
use thiserror::Error;

use crate::random::system_bytes;

/// Name of the secret in a store.
const SECRET_NAME: &str = "replay_signing_key";

/// Why a server has no key to sign replays with.
#[derive(Debug, Error)]
pub enum SigningKeyError {
    /// The store has no answer.
    #[error("the key that signs replays cannot be read")]
    Store(#[from] StoreError),
    /// What the store keeps is no secret of a key.
    #[error(
        "the key that signs replays cannot be read: the secret {SECRET_NAME:?} of the store has \
         {found} bytes, not {SECRET_BYTES}; restore a backup"
    )]
    Length {
        /// Its bytes.
        found: usize,
    },
}

/// A key for as long as the process.
pub(crate) fn draw() -> SigningKey {
    SigningKey::new(&system_bytes())
}

/// The key of a store. The first server that asks for one makes it.
///
/// # Errors
/// When the store fails, or what it keeps is damaged.
pub(crate) async fn kept_in(store: &dyn Store) -> Result<SigningKey, SigningKeyError> {
    let secret = match store.secret(SECRET_NAME).await? {
        Some(secret) => secret,
        None => {
            let drawn: [u8; SECRET_BYTES] = system_bytes();
            store.keep_secret(SECRET_NAME, drawn.to_vec()).await?
        }
    };
    let found = secret.len();
    let secret = secret.try_into();
    Ok(SigningKey::new(
        &secret.map_err(|_| SigningKeyError::Length { found })?,
    ))
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn a_store_keeps_its_key_and_a_secret_that_is_none_is_refused() {
        let store = MemoryStore::new();
        let first = kept_in(&store).await.unwrap();
        let again = kept_in(&store).await.unwrap();
        assert_eq!(first.public(), again.public());
        let store = MemoryStore::new();
        store.keep_secret(SECRET_NAME, vec![0; 31]).await.unwrap();
        let refused = kept_in(&store).await.unwrap_err();
        assert!(refused.to_string().contains("has 31 bytes"), "{refused}");
    }
}
