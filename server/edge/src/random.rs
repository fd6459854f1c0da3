//! Random bytes of the operating system, and secrets that are generated once per store.

use bridgemaster_store::{Store, StoreError};
use rand::{TryRng as _, rngs::SysRng};
use thiserror::Error;

/// Returns unpredictable bytes.
///
/// # Panics
/// If the operating system has no random source.
pub fn system_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SysRng
        .try_fill_bytes(&mut bytes)
        .expect("the system's random source fails; a server without it cannot keep secrets");
    bytes
}

/// The error when a secret of the store is not available.
#[derive(Debug, Error)]
pub enum SecretError {
    /// The secret could not be read from the store.
    #[error("cannot read {purpose}")]
    Store {
        /// The purpose of the secret, as a noun phrase.
        purpose: &'static str,
        /// The failure of the store.
        source: StoreError,
    },
    /// The stored value does not have the length of the secret.
    #[error(
        "cannot read {purpose}: the secret {name:?} of the store has {found} bytes instead of \
         {expected}; restore a backup"
    )]
    Length {
        /// The purpose of the secret, as a noun phrase.
        purpose: &'static str,
        /// The name of the secret in the store.
        name: &'static str,
        /// The length of the stored value, in bytes.
        found: usize,
        /// The length of the secret, in bytes.
        expected: usize,
    },
}

/// Loads a secret from the store. The first server that opens the store creates the secret.
///
/// # Errors
/// Returns an error if the store fails, or the stored value is damaged.
pub async fn load_or_create_secret<const N: usize>(
    store: &dyn Store,
    name: &'static str,
    purpose: &'static str,
) -> Result<[u8; N], SecretError> {
    let failed = |source| SecretError::Store { purpose, source };
    let secret = match store.secret(name).await.map_err(failed)? {
        Some(secret) => secret,
        None => {
            let generated: [u8; N] = system_bytes();
            let created = store.get_or_insert_secret(name, generated.to_vec()).await;
            created.map_err(failed)?
        }
    };
    let found = secret.len();
    secret.try_into().map_err(|_| SecretError::Length { purpose, name, found, expected: N })
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn a_stored_secret_is_reused_and_one_of_wrong_length_is_refused() {
        let store = MemoryStore::new();
        let load = || load_or_create_secret::<32>(&store, "name", "the key");
        let first = load().await.unwrap();
        assert_eq!(first, load().await.unwrap());
        let refused = load_or_create_secret::<31>(&store, "name", "the key").await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("has 32 bytes instead of 31"), "{refused}");
    }
}
