//! Secrets of the server: small values that must come back as they are.

use crate::{StoreError, limits::MAX_SECRET_BYTES};

/// Whether a secret may be kept.
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
