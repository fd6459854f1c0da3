//! Random identifiers and seeds.

use rand::{TryRng as _, rngs::SysRng};

use crate::RunError;

/// Returns `BYTES` random bytes as hex digits.
pub(crate) fn random_hex<const BYTES: usize>() -> Result<String, RunError> {
    let mut bytes = [0; BYTES];
    SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|_| RunError::NoRandomness)?;
    Ok(hex::encode(bytes))
}
