//! Bots as processes: started with what they need to find their seat, and heard to the end.

#![forbid(unsafe_code)]

use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, is_separator},
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
/// Time for the rest of a bot's standard error once its process has ended: a process that it left
/// behind may hold the pipe open for ever.
const LAST_WORDS_TIME: Duration = Duration::from_millis(500);

/// The command that starts a bot.
#[derive(Clone, Debug)]
pub struct BotCommand {
    program: OsString,
    arguments: Vec<OsString>,
}

impl BotCommand {
    /// A program, by its path or its name in a folder of `PATH`, without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn with<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
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
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env(SERVER_VARIABLE, server_url)
            .env(TICKET_VARIABLE, ticket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let tail = Arc::new(Mutex::new(Tail::default()));
        let reading = child.stderr.take().map(|stderr| {
            AbortOnDropHandle::new(tokio::spawn(read_to_end(stderr, Arc::clone(&tail))))
        });
        Ok(BotProcess {
            child,
            tail,
            reading,
        })
    }
}

/// A bot that was started. Dropping it kills the process.
#[derive(Debug)]
pub struct BotProcess {
    child: Child,
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

    /// Kills the process.
    ///
    /// # Errors
    /// When the system cannot.
    pub async fn kill(&mut self) -> io::Result<()> {
        self.child.kill().await
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

async fn read_to_end(mut source: impl AsyncRead + Unpin, tail: Arc<Mutex<Tail>>) {
    let mut buffer = [0; STDERR_TAIL_BYTES];
    // An error ends the reading like the end does: what was read is shown.
    while let Ok(count @ 1..) = source.read(&mut buffer).await {
        tail.lock().push(&buffer[..count]);
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
}
