//! The server's secrets: small values that are stored unchanged.

use crate::{StoreError, limits::MAX_SECRET_BYTES};

/// Checks the size of a secret.
///
/// # Errors
/// [`StoreError::SecretTooLarge`].
pub(crate) fn check_secret(name: &str, value: &[u8]) -> Result<(), StoreError> {
    if value.len() <= MAX_SECRET_BYTES {
        return Ok(());
    }
    Err(StoreError::SecretTooLarge {
        name: name.to_owned(),
        bytes: value.len(),
        limit: MAX_SECRET_BYTES,
    })
}
