//! The operating system's random source.

use rand::{TryRng as _, rngs::SysRng};

/// Returns unpredictable bytes.
///
/// # Panics
/// If the operating system has no random source.
pub(crate) fn system_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SysRng
        .try_fill_bytes(&mut bytes)
        .expect("the system's random source fails; a server without it cannot keep secrets");
    bytes
}
