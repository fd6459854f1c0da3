//! Random texts.

use rand::{TryRng as _, rngs::SysRng};

use crate::RunError;

/// So many random bytes in hex.
pub(crate) fn drawn<const BYTES: usize>() -> Result<String, RunError> {
    let mut bytes = [0; BYTES];
    SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|_| RunError::NoRandomness)?;
    Ok(hex::encode(bytes))
}
