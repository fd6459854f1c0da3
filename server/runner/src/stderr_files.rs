//! Files with the bots' standard error. This module limits their size, and passes their lines to a
//! listener.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
    sync::Arc,
};

use bridgemaster_bot_process::{StderrFile, open_regular};
use parking_lot::Mutex;

use crate::folder::{Folder, STDERR_FOLDER};

/// Default limit for all files together, in bytes.
const DEFAULT_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum size of a file from an ordinary match, in bytes. In an ordinary match, the candidate
/// had no fault.
const ORDINARY_BYTES: u64 = 32 * 1024;
/// The divisor that gives the maximum size of an ordinary file from the remaining budget, so that
/// some of the budget is left for later files.
const BUDGET_FRACTION: u64 = 64;
/// Minimum size of a truncated file, in bytes. A file that would become smaller is removed.
const MIN_BYTES: u64 = 256;

/// A listener for the lines that bots write to standard error. Its arguments are a bot's name and a
/// line without its line ending.
pub type OutputListener = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// The standard error files in a contest's folder.
pub(crate) struct StderrFiles {
    budget: Mutex<Budget>,
    listener: Option<OutputListener>,
}

/// The number of bytes that can still be stored.
struct Budget {
    total: u64,
    /// The part of the budget for ordinary matches. The rest is reserved for matches in which the
    /// candidate had a fault.
    ordinary: u64,
}

impl StderrFiles {
    /// Opens a folder's standard error files, which can already exist. `max_bytes` limits the total
    /// size of all files.
    pub(crate) fn new(
        folder: &Folder,
        max_bytes: Option<u64>,
        listener: Option<OutputListener>,
    ) -> Self {
        let max_bytes = max_bytes.unwrap_or(DEFAULT_BYTES);
        let files = fs::read_dir(folder.path(STDERR_FOLDER));
        let files = files.into_iter().flatten().flatten();
        let bytes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
        let used = bytes.fold(0, u64::saturating_add);
        Self {
            budget: Mutex::new(Budget {
                total: max_bytes.saturating_sub(used),
                ordinary: (max_bytes / 2).saturating_sub(used),
            }),
            listener,
        }
    }

    /// Attaches the listener, if any, to a bot's file.
    pub(crate) fn file(&self, file: StderrFile, bot: &str) -> StderrFile {
        match &self.listener {
            None => file,
            Some(listener) => {
                let (listener, bot) = (Arc::clone(listener), bot.to_owned());
                file.with_line_callback(Box::new(move |line| listener(&bot, line)))
            }
        }
    }

    /// Truncates the file of a bot, after its match, to the size that the budget allows. The
    /// beginning and the end of the file are kept. If `is_important` is true, the file is truncated
    /// only if the total budget is used up. Returns whether the file still exists.
    pub(crate) fn trim(&self, path: &Path, is_important: bool) -> bool {
        let Ok(metadata) = fs::symlink_metadata(path) else {
            return false;
        };
        let bytes = metadata.len();
        let kept = if metadata.is_file() {
            self.budget.lock().reserve(bytes, is_important)
        } else {
            // Not a regular file: the bot has replaced it.
            0
        };
        if kept == 0 {
            let _ = fs::remove_file(path);
            return false;
        }
        // If the file cannot be truncated, it stays as it is, and the match still counts.
        let _ = truncate(path, bytes, kept);
        true
    }
}

impl Budget {
    /// Reserves bytes for a file, and returns its allowed size in bytes; 0 if the file must be
    /// removed.
    fn reserve(&mut self, bytes: u64, is_important: bool) -> u64 {
        let limit = if is_important {
            self.total
        } else {
            ORDINARY_BYTES.min(self.ordinary / BUDGET_FRACTION).min(self.total)
        };
        let kept = bytes.min(limit);
        if kept < bytes.min(MIN_BYTES) {
            return 0;
        }
        self.total -= kept;
        if !is_important {
            self.ordinary -= kept;
        }
        kept
    }
}

/// Truncates a file of `bytes` bytes to `kept` bytes: its beginning, a mark and its end.
fn truncate(path: &Path, bytes: u64, kept: u64) -> io::Result<()> {
    if kept >= bytes {
        return Ok(());
    }
    let mark = format!("\n[{bytes} bytes, truncated here to {kept}]\n");
    let text_bytes = kept.saturating_sub(mark.len() as u64);
    let (first, last) = (text_bytes.div_ceil(2), text_bytes / 2);
    let mut file = open_regular(File::options().read(true).write(true), path)?;
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(bytes - last))?;
    (&file).take(last).read_to_end(&mut end)?;
    file.set_len(first)?;
    file.seek(SeekFrom::Start(first))?;
    file.write_all(mark.as_bytes())?;
    file.write_all(&end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, samples_for_tests::spec_of};

    const MIB: u64 = 1024 * 1024;

    #[test]
    fn files_stay_within_the_budget_and_keep_their_beginning_and_end() {
        let root = tempfile::tempdir().unwrap();
        let spec = spec_of(2, 2, Format::Series);
        let (folder, _) = Folder::create(root.path(), "id".to_owned(), &spec).unwrap();
        let files = StderrFiles::new(&folder, Some(MIB), None);
        let path = |number: u32| folder.path(&format!("{STDERR_FOLDER}/{number:04}.txt"));
        let text = format!("begin{}end", "x".repeat(100_000));
        for number in 0..400 {
            fs::write(path(number), &text).unwrap();
            let is_kept = files.trim(&path(number), false);
            assert_eq!(is_kept, path(number).exists());
            if number < 200 {
                let kept = fs::read_to_string(path(number)).unwrap();
                assert!(kept.starts_with("beginx") && kept.ends_with("xend"), "{kept}");
                assert!(kept.contains("truncated here"), "{kept}");
            }
        }
        // Important files stay complete until the total budget is used up.
        for number in 400..405 {
            fs::write(path(number), &text).unwrap();
            assert!(files.trim(&path(number), true));
            assert_eq!(fs::read_to_string(path(number)).unwrap(), text);
        }
        for number in 405..420 {
            fs::write(path(number), &text).unwrap();
            files.trim(&path(number), true);
        }
        let used = || {
            let files = fs::read_dir(folder.path(STDERR_FOLDER)).unwrap();
            let bytes = files.map(|file| file.unwrap().metadata().unwrap().len());
            bytes.sum::<u64>()
        };
        assert!(used() <= MIB, "{}", used());
        // The limit also applies after a restart.
        let again = StderrFiles::new(&folder, Some(MIB), None);
        fs::write(path(500), &text).unwrap();
        again.trim(&path(500), true);
        assert!(used() <= MIB, "{}", used());
    }
}
