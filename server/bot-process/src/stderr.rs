//! Collects a bot's standard error. The last lines stay in memory; the beginning and the end go to
//! a file.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::untrusted_files::{create_regular, open_regular};

/// Number of bytes that are kept in memory from the end of the output. About one screen fits.
const MAX_TAIL_BYTES: usize = 2048;
/// Maximum number of bytes written to the file from the beginning of the output.
const MAX_HEAD_BYTES: usize = 1024 * 1024;
/// Maximum number of bytes written to the file from the end of a longer output.
const MAX_END_BYTES: usize = 64 * 1024;
/// Maximum number of forwarded lines per process.
const MAX_LINES: usize = 1_000;
const MAX_FORWARDED_BYTES: usize = 64 * 1024;
/// Maximum length of a forwarded line, in bytes. Longer lines are split.
const MAX_LINE_BYTES: usize = 4096;

/// A function that is called with each line.
type LineCallback = Box<dyn Fn(&str) + Send + Sync>;

/// A file for a bot's standard error. The first output creates the file. If the output is too long,
/// its end is written when this value is dropped.
pub struct StderrFile {
    path: PathBuf,
    /// `None` before the first output.
    file: Option<File>,
    /// True to append to an existing file.
    is_append: bool,
    /// True after a failed write; further output is discarded.
    has_failed: bool,
    /// The number of bytes that are left of [`MAX_HEAD_BYTES`].
    head_remaining: usize,
    /// The last bytes of the output, after its beginning.
    end: Tail<MAX_END_BYTES>,
    lines: Option<Lines>,
}

/// Forwards each line once it is complete.
struct Lines {
    partial: Vec<u8>,
    /// The number of lines that are left of [`MAX_LINES`].
    remaining_lines: usize,
    remaining_bytes: usize,
    callback: LineCallback,
}

impl StderrFile {
    /// Creates a file. An existing file is replaced.
    pub fn create(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            is_append: false,
            has_failed: false,
            head_remaining: MAX_HEAD_BYTES,
            end: Tail::default(),
            lines: None,
        }
    }

    /// Appends to an existing file, for a bot that was restarted.
    pub fn append(path: &Path) -> Self {
        let length = fs::symlink_metadata(path).map_or(0, |metadata| metadata.len());
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let mut file = Self::create(path);
        file.is_append = true;
        file.head_remaining = MAX_HEAD_BYTES.saturating_sub(length);
        file
    }

    /// Also forwards each line, without its line ending. Long lines are split. After `MAX_LINES`
    /// lines, one more line reports the limit.
    #[must_use]
    pub fn with_line_callback(mut self, callback: LineCallback) -> Self {
        self.lines = Some(Lines {
            partial: Vec::new(),
            remaining_lines: MAX_LINES,
            remaining_bytes: MAX_FORWARDED_BYTES,
            callback,
        });
        self
    }

    /// Adds output. A failed write does not affect the match.
    fn push(&mut self, bytes: &[u8]) {
        if let Some(lines) = &mut self.lines {
            lines.push(bytes);
        }
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_remaining));
        self.head_remaining -= head.len();
        self.write(head);
        self.end.push(rest);
    }

    fn write(&mut self, bytes: &[u8]) {
        if !self.has_failed && !bytes.is_empty() {
            self.has_failed = self.try_write(bytes).is_err();
        }
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            file => {
                let mut options = File::options();
                options.write(true).append(self.is_append);
                // Only the owner can read the file, because a bot's output might be confidential.
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                let opened = if self.is_append {
                    open_regular(options.create(true), &self.path)?
                } else {
                    create_regular(&mut options, &self.path)?
                };
                file.insert(opened)
            }
        };
        file.write_all(bytes)
    }
}

impl Drop for StderrFile {
    fn drop(&mut self) {
        let Tail { bytes, omitted_bytes } = std::mem::take(&mut self.end);
        if omitted_bytes > 0 {
            self.write(format!("\n[{omitted_bytes} bytes omitted]\n").as_bytes());
        }
        let (first, second) = bytes.as_slices();
        self.write(first);
        self.write(second);
        if let Some(lines) = &mut self.lines {
            lines.finish();
        }
    }
}

impl std::fmt::Debug for StderrFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("StderrFile");
        debug.field("path", &self.path).finish_non_exhaustive()
    }
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.remaining_lines == 0 {
                return;
            }
            if *byte == b'\n' || self.partial.len() >= MAX_LINE_BYTES {
                self.emit();
            }
            if *byte != b'\n' {
                self.partial.push(*byte);
            }
        }
    }

    fn emit(&mut self) {
        let line = String::from_utf8_lossy(&self.partial);
        (self.callback)(line.strip_suffix('\r').unwrap_or(&line));
        self.remaining_lines -= 1;
        self.remaining_bytes = self.remaining_bytes.saturating_sub(self.partial.len() + 1);
        self.partial.clear();
        if self.remaining_lines == 0 || self.remaining_bytes == 0 {
            self.remaining_lines = 0;
            (self.callback)(&format!(
                "[at most {MAX_LINES} lines or {} KiB per bot and match are shown; the bot's file has \
                 more]",
                MAX_FORWARDED_BYTES / 1024
            ));
        }
    }

    fn finish(&mut self) {
        if !self.partial.is_empty() && self.remaining_lines > 0 {
            self.emit();
        }
    }
}

/// The end of a text, whose earlier part is discarded.
#[derive(Debug, Default)]
pub(crate) struct Tail<const MAX_BYTES: usize = MAX_TAIL_BYTES> {
    bytes: VecDeque<u8>,
    omitted_bytes: usize,
}

impl<const MAX_BYTES: usize> Tail<MAX_BYTES> {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let surplus = self.bytes.len().saturating_sub(MAX_BYTES);
        self.bytes.drain(..surplus);
        self.omitted_bytes = self.omitted_bytes.saturating_add(surplus);
    }

    pub(crate) fn whole_lines(&self) -> String {
        let bytes = Vec::from(self.bytes.clone());
        let text = String::from_utf8_lossy(&bytes);
        let is_cut = self.omitted_bytes > 0;
        let whole = text.split_once('\n').filter(|_| is_cut).map_or(&*text, |(_, rest)| rest);
        whole.trim_end().to_owned()
    }
}

pub(crate) async fn read_to_end(
    mut source: impl AsyncRead + Unpin,
    tail: Arc<Mutex<Tail>>,
    mut file: Option<StderrFile>,
) {
    let mut buffer = [0; MAX_TAIL_BYTES];
    // A read error is treated as the end of the output.
    while let Ok(count @ 1..) = source.read(&mut buffer).await {
        tail.lock().push(&buffer[..count]);
        if let Some(file) = &mut file {
            file.push(&buffer[..count]);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn tail_of(text: &str) -> String {
        let mut tail: Tail = Tail::default();
        for part in text.as_bytes().chunks(700) {
            tail.push(part);
        }
        tail.whole_lines()
    }

    #[test]
    fn the_last_complete_lines_of_a_long_text_are_kept() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let tail = tail_of(&text);
        assert!(tail.ends_with("line 9999"), "{tail}");
        assert!(tail.starts_with("line "), "{tail}");
        assert!(tail.len() <= MAX_TAIL_BYTES);
    }

    #[test]
    fn a_short_text_is_kept_whole() {
        assert_eq!(tail_of("first\nlast\n"), "first\nlast");
    }

    #[test]
    fn a_file_has_the_beginning_and_the_end_of_long_output() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stderr");
        let mut file = StderrFile::create(&path);
        assert!(!path.exists());
        file.push(b"begin");
        for _ in 0..4 {
            file.push(&vec![b'x'; MAX_HEAD_BYTES / 2]);
        }
        file.push(b"end");
        drop(file);
        let kept = fs::read_to_string(&path).unwrap();
        assert!(kept.starts_with("beginx") && kept.ends_with("xend"));
        let omitted = MAX_HEAD_BYTES + "beginend".len() - MAX_END_BYTES;
        let mark = format!("\n[{omitted} bytes omitted]\n");
        assert!(kept.contains(&mark), "{mark}");
        assert_eq!(kept.len(), MAX_HEAD_BYTES + mark.len() + MAX_END_BYTES);
    }

    #[test]
    fn output_of_a_restarted_bot_is_appended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stderr");
        StderrFile::create(&path).push(b"died\n");
        StderrFile::append(&path).push(b"alive\n");
        assert_eq!(fs::read(&path).unwrap(), b"died\nalive\n");
        // If the output exceeds the limit, its end is kept.
        StderrFile::create(&path).push(&vec![b'x'; MAX_HEAD_BYTES]);
        StderrFile::append(&path).push(&vec![b'y'; 2 * MAX_END_BYTES]);
        let kept = fs::read_to_string(&path).unwrap();
        assert!(kept.ends_with('y') && kept.len() < MAX_HEAD_BYTES + 2 * MAX_END_BYTES);
    }

    /// Returns a file with the lines that it forwards.
    fn forwarding(path: &Path) -> (StderrFile, Arc<Mutex<Vec<String>>>) {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines);
        let callback = Box::new(move |line: &str| sink.lock().push(line.to_owned()));
        (StderrFile::create(path).with_line_callback(callback), lines)
    }

    #[test]
    fn forwarded_lines_and_bytes_are_limited() {
        let folder = tempfile::tempdir().unwrap();
        for line in ["\n".to_owned(), "x".repeat(MAX_LINE_BYTES)] {
            let (mut file, lines) = forwarding(&folder.path().join("stderr"));
            for _ in 0..2 * MAX_LINES {
                file.push(line.as_bytes());
            }
            drop(file);
            let lines = lines.lock();
            assert!(lines.len() <= MAX_LINES + 1, "{}", lines.len());
            let bytes: usize = lines.iter().map(String::len).sum();
            assert!(bytes < MAX_FORWARDED_BYTES + 2 * MAX_LINE_BYTES, "{bytes}");
            let is_note = |line: &&String| line.contains("the bot's file has more");
            assert_eq!(lines.iter().filter(is_note).count(), 1);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_replaced_and_never_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("stderr"), folder.path().join("other"));
        fs::write(&other, "kept").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        StderrFile::append(&path).push(b"lost");
        StderrFile::create(&path).push(b"said");
        assert_eq!(fs::read(&other).unwrap(), b"kept");
        assert_eq!(fs::read(&path).unwrap(), b"said");
        fs::remove_file(&path).unwrap();
        let mut mkfifo = std::process::Command::new("mkfifo");
        assert!(mkfifo.arg(&path).status().unwrap().success());
        StderrFile::append(&path).push(b"lost");
        StderrFile::create(&path).push(b"said");
        assert_eq!(fs::read(&path).unwrap(), b"said");
    }

    #[test]
    fn lines_are_forwarded_as_they_are_completed_and_long_ones_are_split() {
        let folder = tempfile::tempdir().unwrap();
        let (mut file, lines) = forwarding(&folder.path().join("stderr"));
        file.push(b"one\r\ntw");
        file.push(b"o\n\n");
        assert_eq!(*lines.lock(), ["one", "two", ""]);
        file.push(&vec![b'x'; MAX_LINE_BYTES + 1]);
        drop(file);
        let lengths: Vec<_> = lines.lock().iter().map(String::len).collect();
        assert_eq!(lengths[3..], [MAX_LINE_BYTES, 1]);
    }
}
