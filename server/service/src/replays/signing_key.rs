//! The key that signs replays: generated, or loaded from the store.

use bridgemaster_replay::{SECRET_BYTES, SigningKey};
use bridgemaster_store::{Store, StoreError};
use thiserror::Error;

use crate::random::system_bytes;

/// The name of the secret in the store.
const SECRET_NAME: &str = "replay_signing_key";

/// The error when the key that signs replays is not available.
#[derive(Debug, Error)]
pub enum SigningKeyError {
    /// The secret could not be read from the store.
    #[error("cannot read the key that signs replays")]
    Store(#[from] StoreError),
    /// The stored secret does not have the length of a key.
    #[error(
        "cannot read the key that signs replays: the secret {SECRET_NAME:?} of the store has \
         {found} bytes instead of {SECRET_BYTES}; restore a backup"
    )]
    Length {
        /// The length of the stored secret, in bytes.
        found: usize,
    },
}

/// Generates a key that lasts as long as the process.
pub(crate) fn generate() -> SigningKey {
    SigningKey::new(&system_bytes())
}

/// Loads a store's signing key. The first server that opens the store creates the key.
///
/// # Errors
/// If the store fails, or the stored secret is damaged.
pub(crate) async fn load_or_create(store: &dyn Store) -> Result<SigningKey, SigningKeyError> {
    let secret = match store.secret(SECRET_NAME).await? {
        Some(secret) => secret,
        None => {
            let generated: [u8; SECRET_BYTES] = system_bytes();
            store
                .get_or_insert_secret(SECRET_NAME, generated.to_vec())
                .await?
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
    async fn a_store_keeps_its_key_and_an_invalid_secret_is_refused() {
        let store = MemoryStore::new();
        let first = load_or_create(&store).await.unwrap();
        let again = load_or_create(&store).await.unwrap();
        assert_eq!(first.public(), again.public());
        let store = MemoryStore::new();
        store
            .get_or_insert_secret(SECRET_NAME, vec![0; 31])
            .await
            .unwrap();
        let refused = load_or_create(&store).await.unwrap_err();
        assert!(refused.to_string().contains("has 31 bytes"), "{refused}");
    }
}
