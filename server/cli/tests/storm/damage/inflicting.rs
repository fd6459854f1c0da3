//! The kinds of damage.

use std::{
    fs,
    path::{Path, PathBuf},
};

use bridgemaster_store::DATABASE_FILE;
use rand::{RngExt as _, rngs::SmallRng, seq::IndexedRandom as _};

use super::{
    fixture::{Fixture, Folders, files_in, name_of},
    sql,
};

/// Size of a database page in bytes.
const PAGE: usize = 4096;
/// Maximum number of bits that one case of damage flips.
const MAX_FLIPS: usize = 4;

/// Damages copied folders. Returns a description, or `None` if the selected kind of damage is not
/// applicable.
pub(crate) fn inflict(
    fixture: &Fixture,
    folders: &Folders,
    random: &mut SmallRng,
) -> Option<String> {
    match random.random_range(0..10) {
        0..=1 => sql::change_rows(&folders.data.join(DATABASE_FILE), random),
        2 => junk_log(&folders.data, random),
        3..=4 => {
            let file = files_in(&folders.replays).choose(random)?.clone();
            damage_file(&file, [&fixture.earlier.replays, &folders.replays], random)
        }
        _ => {
            // The lock file only names the process for people, and shared memory is rebuilt. Both
            // are damaged as often as other files, without effect.
            let file = files_in(&folders.data).choose(random)?.clone();
            damage_file(&file, [&fixture.earlier.data, &fixture.other.data], random)
        }
    }
}

/// Writes random bytes to the log, or removes an existing log.
fn junk_log(data: &Path, random: &mut SmallRng) -> Option<String> {
    let log = data.join(format!("{DATABASE_FILE}-wal"));
    if log.exists() && random.random() {
        fs::remove_file(&log).unwrap();
        return Some("the log removed".to_owned());
    }
    let mut bytes = vec![0; random.random_range(1..5) * PAGE];
    bytes.iter_mut().for_each(|byte| *byte = random.random());
    if let Ok(real) = fs::read(&log)
        && random.random()
    {
        // The header is that of a real log.
        let head = real.len().min(32);
        bytes[..head].copy_from_slice(&real[..head]);
    }
    fs::write(&log, &bytes).unwrap();
    Some(format!("{} bytes of junk as the log", bytes.len()))
}

/// Damages a file. Files from `sources` may be put in its place.
fn damage_file(file: &Path, sources: [&PathBuf; 2], random: &mut SmallRng) -> Option<String> {
    let mut bytes = fs::read(file).unwrap();
    let name = name_of(file);
    let page_at = |bytes: &[u8], random: &mut SmallRng| {
        let pages = bytes.len().div_ceil(PAGE);
        (pages > 0).then(|| random.random_range(0..pages) * PAGE)
    };
    let description = match random.random_range(0..8) {
        0 | 1 => {
            if bytes.is_empty() {
                return None;
            }
            let flips = random.random_range(1..=MAX_FLIPS);
            let places: Vec<usize> =
                (0..flips).map(|_| random.random_range(0..bytes.len())).collect();
            for &place in &places {
                bytes[place] ^= 1 << random.random_range(0..8);
            }
            format!("bits of bytes {places:?} of {name} flipped")
        }
        2 => {
            let length = bytes.len();
            bytes.truncate(random.random_range(0..length.max(1)));
            format!("{name} cut from {length} to {} bytes", bytes.len())
        }
        3 => {
            let at = page_at(&bytes, random)?;
            let end = bytes.len().min(at + PAGE);
            if bytes[at..end].iter().all(|byte| *byte == 0) {
                return None;
            }
            bytes[at..end].fill(0);
            format!("the page at {at} of {name} zeroed")
        }
        4 => {
            let (from, to) = (page_at(&bytes, random)?, page_at(&bytes, random)?);
            let end = bytes.len().min(from + PAGE);
            let page = bytes[from..end].to_vec();
            let end = bytes.len().min(to + page.len());
            if bytes[to..end] == page[..end - to] {
                return None;
            }
            bytes[to..end].copy_from_slice(&page[..end - to]);
            format!("the page at {from} of {name} written over that at {to}")
        }
        5 => {
            fs::remove_file(file).unwrap();
            return Some(format!("{name} removed"));
        }
        _ => {
            let source = sources.choose(random)?;
            let of_same_name = source.join(name);
            let other = if source.as_path() == file.parent()? {
                files_in(source).choose(random)?.clone()
            } else {
                of_same_name
            };
            let put = fs::read(&other).ok().filter(|put| *put != bytes)?;
            bytes = put;
            format!("{} put in place of {name}", other.display())
        }
    };
    fs::write(file, bytes).unwrap();
    Some(description)
}
