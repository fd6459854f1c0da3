//! The system's random source.

use rand::{TryRng as _, rngs::SysRng};

/// Bytes that nobody can guess.
pub(crate) fn system_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SysRng
        .try_fill_bytes(&mut bytes)
        .expect("a server without the system's random source cannot keep secrets and must stop");
    bytes
}
