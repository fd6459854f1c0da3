//! Reads files of limited size. Every error names the file.

use std::{fs::File, io::Read as _, path::Path};

use anyhow::{Context as _, bail};

/// Reads a file of at most `limit_bytes`.
pub(super) fn read(path: &Path, limit_bytes: u64) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let mut bytes = Vec::new();
    // Read one byte more than the limit, to detect a file that is too large.
    file.take(limit_bytes + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > limit_bytes {
        bail!("{shown} is too large; the limit is {limit_bytes} bytes");
    }
    Ok(bytes)
}

/// Reads a UTF-8 file of at most `limit_bytes`.
pub(super) fn read_text(path: &Path, limit_bytes: u64) -> anyhow::Result<String> {
    String::from_utf8(read(path, limit_bytes)?)
        .with_context(|| format!("{} is not UTF-8", path.display()))
}
