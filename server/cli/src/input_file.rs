//! Files that commands read: bounded, and named in every error.

use std::{fs::File, io::Read as _, path::Path};

use anyhow::{Context as _, bail};

/// The bytes of a file of at most `limit_bytes`.
pub(super) fn read(path: &Path, limit_bytes: u64) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("{shown} cannot be opened"))?;
    let mut bytes = Vec::new();
    // One byte more than the limit tells a file that is too large from one that just fits.
    file.take(limit_bytes + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{shown} cannot be read"))?;
    if bytes.len() as u64 > limit_bytes {
        bail!("{shown} is larger than {limit_bytes} bytes, the most that is read");
    }
    Ok(bytes)
}

/// The text of a file of at most `limit_bytes`.
pub(super) fn read_text(path: &Path, limit_bytes: u64) -> anyhow::Result<String> {
    String::from_utf8(read(path, limit_bytes)?)
        .with_context(|| format!("{} is no UTF-8 text", path.display()))
}
