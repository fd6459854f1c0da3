//! Bots as processes: started with what they need to find their seat, heard to the end, and
//! measured.

#![forbid(unsafe_code)]

#[cfg(target_os = "linux")]
mod group;
mod limits;
mod memory;
#[cfg(not(target_os = "linux"))]
mod no_groups;
mod stderr;
mod usage;
#[cfg(target_os = "linux")]
mod watch;

use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, is_separator},
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use bridgemaster_sdk::{QUEUE_VARIABLE, SERVER_VARIABLE, TICKET_VARIABLE};
use parking_lot::Mutex;
use tokio::{
    process::{Child, Command},
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;

#[cfg(target_os = "linux")]
pub use self::group::{BotGroup, BotGroups};
#[cfg(not(target_os = "linux"))]
pub use self::no_groups::{BotGroup, BotGroups};
use self::stderr::{Tail, read_to_end};
#[cfg(target_os = "linux")]
use self::watch::Watch;
pub use self::{
    limits::{Limits, allowed_cores},
    memory::says_out_of_memory,
    stderr::StderrFile,
    usage::{Usage, UsageSoFar},
};

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
    is_measured: bool,
    most_memory_bytes: Option<u64>,
    group: Option<Arc<BotGroup>>,
}

impl BotCommand {
    /// A program, by its path or its name in a folder of `PATH`, without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            has_own_group: false,
            is_measured: false,
            most_memory_bytes: None,
            group: None,
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

    /// Measures what its processes use, where the system tells; for a process in a group of its
    /// own. It is killed with its group when all of them together hold more memory of their own
    /// than `most_memory_bytes`.
    #[must_use]
    pub fn measured(mut self, most_memory_bytes: Option<u64>) -> Self {
        self.is_measured = true;
        self.most_memory_bytes = most_memory_bytes;
        self
    }

    /// Says in which group of the kernel its processes are, if they are in one: the program takes
    /// itself there ([`Limits::group`]). They are killed with it.
    #[must_use]
    pub fn in_group(mut self, group: Option<Arc<BotGroup>>) -> Self {
        self.group = group;
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
        self.start_with(server_url, &[(TICKET_VARIABLE, ticket)], None)
    }

    /// The same for a seat that was offered in a queue: the bot is told of the queue too, so that
    /// it looks for a lost server for as long as a bot that attends.
    ///
    /// # Errors
    /// When the system cannot start the program.
    pub fn start_offered(
        &self,
        server_url: &str,
        ticket: &str,
        queue: &str,
    ) -> io::Result<BotProcess> {
        let variables = [(TICKET_VARIABLE, ticket), (QUEUE_VARIABLE, queue)];
        self.start_with(server_url, &variables, None)
    }

    /// The same, and writes what the bot says on its standard error to this file too.
    ///
    /// # Errors
    /// When the system cannot start the program.
    pub fn start_and_keep(
        &self,
        server_url: &str,
        ticket: &str,
        stderr: StderrFile,
    ) -> io::Result<BotProcess> {
        self.start_with(server_url, &[(TICKET_VARIABLE, ticket)], Some(stderr))
    }

    /// Starts the bot for all matches that a queue offers it. Dropping the process kills it.
    ///
    /// # Errors
    /// When the system cannot start the program.
    pub fn start_attending(&self, server_url: &str, queue: &str) -> io::Result<BotProcess> {
        self.start_with(server_url, &[(QUEUE_VARIABLE, queue)], None)
    }

    fn start_with(
        &self,
        server_url: &str,
        variables: &[(&str, &str)],
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
            // What is left of other runs would be taken for what is meant.
            .env_remove(TICKET_VARIABLE)
            .env_remove(QUEUE_VARIABLE)
            .envs(variables.iter().copied())
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
            #[cfg(target_os = "linux")]
            watch: self
                .is_measured
                .then(|| Watch::of(child.id()?, self.most_memory_bytes))
                .flatten(),
            child,
            has_own_group: self.has_own_group,
            most_memory_bytes: self.most_memory_bytes,
            group: self.group.clone(),
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
    most_memory_bytes: Option<u64>,
    group: Option<Arc<BotGroup>>,
    #[cfg(target_os = "linux")]
    watch: Option<Watch>,
    tail: Arc<Mutex<Tail>>,
    reading: Option<AbortOnDropHandle<()>>,
}

impl BotProcess {
    /// Waits for the end of the process. May be dropped and called again.
    ///
    /// # Errors
    /// When the system cannot wait for the process.
    pub async fn ended(&mut self) -> io::Result<ExitStatus> {
        #[cfg(target_os = "linux")]
        if let Some(watch) = &mut self.watch {
            watch.until_ended().await;
        }
        self.child.wait().await
    }

    /// What its processes have used, as far as [`ended`](Self::ended) was waiting meanwhile.
    pub fn usage(&self) -> UsageSoFar {
        #[cfg(target_os = "linux")]
        if let Some(watch) = &self.watch {
            return watch.so_far();
        }
        UsageSoFar::default()
    }

    /// Whether a process with a limit of memory, which has ended with this status and these last
    /// words, ended for it: it was killed, or failed and says that it got none.
    pub fn ran_out_of_memory(&self, status: ExitStatus, last_words: &str) -> bool {
        #[cfg(target_os = "linux")]
        if self.watch.as_ref().is_some_and(|watch| watch.has_killed) {
            return true;
        }
        if self.group.as_ref().is_some_and(|group| group.has_killed()) {
            return true;
        }
        self.most_memory_bytes.is_some() && !status.success() && says_out_of_memory(last_words)
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
    /// given to another before its end was told. And all that are in its group of the kernel.
    fn kill_group(&self) {
        if let Some(group) = &self.group {
            group.kill();
        }
        #[cfg(target_os = "linux")]
        if self.has_own_group
            && let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(id)
        {
            // What is gone need not be killed.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
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
