//! Bots as processes: started with what they need to find their seat, and heard to the end.

#![forbid(unsafe_code)]

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Write as _},
    path::{Path, PathBuf, is_separator},
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use bridgemaster_sdk::{SERVER_VARIABLE, TICKET_VARIABLE};
use parking_lot::Mutex;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{Child, Command},
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;

/// How much of the end of a bot's standard error is kept, in bytes: about a screen.
const STDERR_TAIL_BYTES: usize = 2048;
/// How much of a bot's standard error is written to a file, in bytes: what a person still reads, and
/// a thousand matches with two talkative bots take a few GiB of disk at most.
const STDERR_FILE_BYTES: usize = 1024 * 1024;
/// What a file ends with that would have been longer.
const CUT: &[u8] = b"\n[cut here: the bot wrote more]\n";
/// Time for the rest of a bot's standard error once its process has ended: a process that it left
/// behind may hold the pipe open for ever.
const LAST_WORDS_TIME: Duration = Duration::from_millis(500);

/// The command that starts a bot.
#[derive(Clone, Debug)]
pub struct BotCommand {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    has_own_group: bool,
}

impl BotCommand {
    /// A program, by its path or its name in a folder of `PATH`, without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            has_own_group: false,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn with<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Adds a variable to the environment.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Puts the process into a group of its own where the system has groups: Ctrl-C in a terminal
    /// does not reach it, and on Linux its children are killed with it.
    #[must_use]
    pub fn in_own_group(mut self) -> Self {
        self.has_own_group = true;
        self
    }

    /// The program and its arguments.
    pub fn words(&self) -> impl Iterator<Item = &OsString> {
        std::iter::once(&self.program).chain(&self.arguments)
    }

    /// Starts the bot for the seat of a ticket. Dropping the process kills it.
    ///
    /// The ticket travels by the environment: the arguments of a process can be read by every
    /// user of a machine.
    ///
    /// # Errors
    /// When the system cannot start the program.
    pub fn start(&self, server_url: &str, ticket: &str) -> io::Result<BotProcess> {
        self.start_with(server_url, ticket, None)
    }

    /// The same, and writes what the bot says on its standard error to a file too, which is made
    /// when it says something.
    ///
    /// # Errors
    /// When the system cannot start the program.
    pub fn start_and_keep(
        &self,
        server_url: &str,
        ticket: &str,
        stderr: &Path,
    ) -> io::Result<BotProcess> {
        self.start_with(server_url, ticket, Some(StderrFile::at(stderr)))
    }

    fn start_with(
        &self,
        server_url: &str,
        ticket: &str,
        file: Option<StderrFile>,
    ) -> io::Result<BotProcess> {
        let mut command = Command::new(&self.program);
        #[cfg(unix)]
        if self.has_own_group {
            command.process_group(0);
        }
        let mut child = command
            .args(&self.arguments)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env(SERVER_VARIABLE, server_url)
            .env(TICKET_VARIABLE, ticket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let tail = Arc::new(Mutex::new(Tail::default()));
        let reading = child.stderr.take().map(|stderr| {
            let reading = read_to_end(stderr, Arc::clone(&tail), file);
            AbortOnDropHandle::new(tokio::spawn(reading))
        });
        Ok(BotProcess {
            child,
            has_own_group: self.has_own_group,
            tail,
            reading,
        })
    }
}

/// A bot that was started. Dropping it kills the process.
#[derive(Debug)]
pub struct BotProcess {
    child: Child,
    has_own_group: bool,
    tail: Arc<Mutex<Tail>>,
    reading: Option<AbortOnDropHandle<()>>,
}

impl BotProcess {
    /// Waits for the end of the process. May be dropped and called again.
    ///
    /// # Errors
    /// When the system cannot wait for the process.
    pub async fn ended(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Its number, until [`ended`](Self::ended) has told of its end.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Kills the process, and those of its group if it has its own.
    ///
    /// # Errors
    /// When the system cannot.
    pub async fn kill(&mut self) -> io::Result<()> {
        self.kill_group();
        self.child.kill().await
    }

    /// Kills all processes of its group, if it has its own and has not ended: its number is not
    /// given to another before its end was told.
    fn kill_group(&self) {
        #[cfg(target_os = "linux")]
        if self.has_own_group
            && let Some(group) = self.child.id().and_then(|id| i32::try_from(id).ok())
        {
            // What is gone need not be killed.
            let _ = uapi::kill(-group, uapi::c::SIGKILL);
        }
    }

    /// The last whole lines that the process, which has ended, wrote to its standard error.
    pub async fn last_words(&mut self) -> String {
        if let Some(reading) = &mut self.reading {
            // What did not come in time is not shown.
            let _ = timeout(LAST_WORDS_TIME, reading).await;
        }
        self.reading = None;
        self.stderr_so_far()
    }

    /// The last whole lines that the process wrote to its standard error until now.
    pub fn stderr_so_far(&self) -> String {
        let tail = self.tail.lock();
        tail.whole_lines()
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// A file for a bot's standard error.
#[derive(Debug)]
struct StderrFile {
    path: PathBuf,
    /// `None` until there is something to write.
    file: Option<File>,
    /// Bytes that it may still take; 0 when it is full or cannot be written.
    room: usize,
}

impl StderrFile {
    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: None,
            room: STDERR_FILE_BYTES,
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
            file => file.insert(File::create(&self.path)?),
        };
        file.write_all(bytes)
    }
}

/// The end of a text of any length.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > STDERR_TAIL_BYTES {
            self.bytes.drain(..self.bytes.len() - STDERR_TAIL_BYTES);
            self.is_cut = true;
        }
    }

    fn whole_lines(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let whole = text
            .split_once('\n')
            .filter(|_| self.is_cut)
            .map_or(&*text, |(_, rest)| rest);
        whole.trim_end().to_owned()
    }
}

async fn read_to_end(
    mut source: impl AsyncRead + Unpin,
    tail: Arc<Mutex<Tail>>,
    mut file: Option<StderrFile>,
) {
    let mut buffer = [0; STDERR_TAIL_BYTES];
    // An error ends the reading like the end does: what was read is shown.
    while let Ok(count @ 1..) = source.read(&mut buffer).await {
        tail.lock().push(&buffer[..count]);
        if let Some(file) = &mut file {
            file.push(&buffer[..count]);
        }
    }
}

/// Whether a program is there: at its path, or in a folder of `PATH` when it has no folder.
pub fn is_program(program: &str) -> bool {
    let has_file = |folder: &Path| {
        let file = folder.join(program);
        file.is_file() || file.with_extension(env::consts::EXE_EXTENSION).is_file()
    };
    if program.contains(is_separator) {
        return has_file(Path::new(""));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| has_file(&folder))
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
        assert!(kept.len() <= STDERR_TAIL_BYTES);
    }

    #[test]
    fn a_short_text_is_kept_whole() {
        assert_eq!(kept("first\nlast\n"), "first\nlast");
    }

    #[test]
    fn a_file_is_made_with_the_first_bytes_and_cut_at_its_limit() {
        let path = env::temp_dir().join(format!("bot-stderr-{}", std::process::id()));
        let mut file = StderrFile::at(&path);
        assert!(!path.exists());
        for _ in 0..3 {
            file.push(&vec![b'x'; STDERR_FILE_BYTES / 2]);
        }
        let kept = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(kept.len(), STDERR_FILE_BYTES + CUT.len());
        assert!(kept.ends_with(CUT));
    }
}
