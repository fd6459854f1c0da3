//! What a bot writes to its standard error: the end of it in memory, and the beginning in a file.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much of the end of a bot's standard error is kept, in bytes: about a screen.
const TAIL_BYTES: usize = 2048;
/// How much of a bot's standard error is written to a file, in bytes: what a person still reads, and
/// a thousand matches with two talkative bots take a few GiB of disk at most.
const FILE_BYTES: usize = 1024 * 1024;
/// What a file ends with that would have been longer.
const CUT: &[u8] = b"\n[cut here: the bot wrote more]\n";

/// A file for a bot's standard error, which is made when the bot says something.
#[derive(Debug)]
pub struct StderrFile {
    path: PathBuf,
    /// `None` until there is something to write.
    file: Option<File>,
    /// Whether it begins behind what the file has.
    is_added: bool,
    /// Bytes that it may still take; 0 when it is full or cannot be written.
    room: usize,
}

impl StderrFile {
    /// One that has nothing else.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            is_added: false,
            room: FILE_BYTES,
        }
    }

    /// One that goes on where this file ends, for a bot that is started again.
    #[must_use]
    pub fn end_of(path: &Path) -> Self {
        let there = fs::metadata(path).map_or(0, |there| there.len());
        let there = usize::try_from(there).unwrap_or(usize::MAX);
        Self {
            is_added: true,
            room: FILE_BYTES.saturating_sub(there),
            ..Self::at(path)
        }
    }

    /// Adds bytes. A file that cannot be written stays as it is: the match goes on.
    fn push(&mut self, bytes: &[u8]) {
        if self.room == 0 {
            return;
        }
        let written = self.write(&bytes[..bytes.len().min(self.room)]);
        self.room = self.room.saturating_sub(bytes.len());
        if written.is_err() || (self.room == 0 && self.write(CUT).is_err()) {
            self.room = 0;
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            file => file.insert(
                OpenOptions::new()
                    .create(true)
                    .write(true)
                    .append(self.is_added)
                    .truncate(!self.is_added)
                    .open(&self.path)?,
            ),
        };
        file.write_all(bytes)
    }
}

/// The end of a text of any length.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > TAIL_BYTES {
            self.bytes.drain(..self.bytes.len() - TAIL_BYTES);
            self.is_cut = true;
        }
    }

    pub(crate) fn whole_lines(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let whole = text
            .split_once('\n')
            .filter(|_| self.is_cut)
            .map_or(&*text, |(_, rest)| rest);
        whole.trim_end().to_owned()
    }
}

pub(crate) async fn read_to_end(
    mut source: impl AsyncRead + Unpin,
    tail: Arc<Mutex<Tail>>,
    mut file: Option<StderrFile>,
) {
    let mut buffer = [0; TAIL_BYTES];
    // An error ends the reading like the end does: what was read is shown.
    while let Ok(count @ 1..) = source.read(&mut buffer).await {
        tail.lock().push(&buffer[..count]);
        if let Some(file) = &mut file {
            file.push(&buffer[..count]);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let mut tail = Tail::default();
        for part in text.as_bytes().chunks(700) {
            tail.push(part);
        }
        tail.whole_lines()
    }

    #[test]
    fn of_a_long_text_the_last_whole_lines_are_kept() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let kept = kept(&text);
        assert!(kept.ends_with("line 9999"), "{kept}");
        assert!(kept.starts_with("line "), "{kept}");
        assert!(kept.len() <= TAIL_BYTES);
    }

    #[test]
    fn a_short_text_is_kept_whole() {
        assert_eq!(kept("first\nlast\n"), "first\nlast");
    }

    #[test]
    fn a_file_is_made_with_the_first_bytes_and_cut_at_its_limit() {
        let path = std::env::temp_dir().join(format!("bot-stderr-{}", std::process::id()));
        let mut file = StderrFile::at(&path);
        assert!(!path.exists());
        for _ in 0..3 {
            file.push(&vec![b'x'; FILE_BYTES / 2]);
        }
        let kept = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(kept.len(), FILE_BYTES + CUT.len());
        assert!(kept.ends_with(CUT));
    }

    #[test]
    fn what_a_bot_says_that_was_started_again_is_added_to_the_file() {
        let path = std::env::temp_dir().join(format!("bot-stderr-again-{}", std::process::id()));
        StderrFile::at(&path).push(b"died\n");
        StderrFile::end_of(&path).push(b"alive\n");
        let kept = std::fs::read(&path).unwrap();
        assert_eq!(kept, b"died\nalive\n");
        // One that was full stays so.
        StderrFile::at(&path).push(&vec![b'x'; FILE_BYTES]);
        StderrFile::end_of(&path).push(b"more\n");
        let kept = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(kept.len(), FILE_BYTES + CUT.len());
    }
}
