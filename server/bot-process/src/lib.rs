//! Starts bots as processes, isolates them, limits their resources, and measures their usage.
//! Environment variables state each bot's server and seat.

#![forbid(unsafe_code)]

mod environment;
mod group;
mod isolation;
mod limits;
mod private_folders;
mod process;
mod removal;
mod start_error;
mod stderr;
#[cfg(target_os = "linux")]
mod supervised_start;
#[cfg(target_os = "linux")]
mod supervisor;
mod untrusted_files;
#[cfg(target_os = "linux")]
mod watch;
mod working_copy;

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf, is_separator},
    process::Stdio,
    sync::Arc,
};

use bridgemaster_sdk::{SERVER_VARIABLE, TICKET_VARIABLE};
use parking_lot::Mutex;
use tokio::process::{Child, Command};
use tokio_util::task::AbortOnDropHandle;

#[cfg(target_os = "linux")]
pub use self::supervisor::{SUPERVISOR_COMMAND, hide_from_bots, run_as_init_if_pid_1, supervise};
#[cfg(target_os = "linux")]
use self::watch::Watch;
pub use self::{
    environment::{VariableError, check_variable, read_variable},
    group::{BotGroup, BotGroups, CpuQuota},
    isolation::Isolation,
    limits::{Limits, Usage, UsageTracker, allowed_cores, reports_out_of_memory},
    process::BotProcess,
    start_error::{StartError, machine_hint, windows_line_endings},
    stderr::StderrFile,
    untrusted_files::{open_regular, read_regular},
};
use self::{
    private_folders::PrivateFolders,
    stderr::{Tail, read_to_end},
};

/// Path of the running executable on Linux. The path stays valid even if the file is replaced.
pub const CURRENT_EXE: &str = "/proc/self/exe";

/// A command that starts bots.
///
/// The bot gets only environment variables from an allow list, and variables added to the command.
/// A bot's home, temporary folder and working folder are private, and are removed after the bot has
/// ended. The working folder is a copy of the caller's working folder, with links in place of large
/// files and folders. A malicious bot can still write elsewhere on the disk.
#[derive(Clone, Debug)]
pub struct BotCommand {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    supervisor: Option<PathBuf>,
    /// Whether the working folder is a copy of the caller's working folder, and not empty.
    pub has_working_copy: bool,
    /// A folder that is excluded from the working copy, at any depth.
    pub excluded: Option<PathBuf>,
    /// Resource limits, which require a supervisor. A measured bot is killed when its processes'
    /// total memory exceeds the memory limit for one process.
    pub limits: Limits,
    /// Whether the resource usage of the bot's processes is measured, if the operating system
    /// supports this.
    pub is_measured: bool,
    /// A start fails if only weaker isolation than this is available.
    pub min_isolation: Isolation,
    /// The cgroup of the bot's processes. All processes in it are killed when the bot ends.
    pub group: Option<Arc<BotGroup>>,
}

impl BotCommand {
    /// Creates a command from a program's path, or from the name of a program in `PATH`.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            has_working_copy: true,
            excluded: None,
            supervisor: None,
            limits: Limits::default(),
            is_measured: false,
            min_isolation: Isolation::ProcessGroup,
            group: None,
        }
    }

    /// Appends arguments for the program.
    pub fn with<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Starts the bot below a supervisor on Linux. All of the bot's processes then end when the bot
    /// or this process ends, even if this process is killed. `program` must call [`supervise`] if
    /// its first argument is [`SUPERVISOR_COMMAND`]. Without a supervisor, the bot only has its own
    /// process group.
    #[must_use]
    pub fn supervised(mut self, program: impl Into<PathBuf>) -> Self {
        self.supervisor = cfg!(target_os = "linux").then(|| program.into());
        self
    }

    /// Returns the program and its arguments.
    pub fn command_line(&self) -> impl Iterator<Item = &OsString> {
        std::iter::once(&self.program).chain(&self.arguments)
    }

    /// Starts the bot for a ticket's seat. Dropping the process kills it.
    ///
    /// The ticket is passed in the environment, because every user of a machine can read a
    /// process's arguments.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub async fn start(&self, server_url: &str, ticket: &str) -> Result<BotProcess, StartError> {
        self.start_with(server_url, &[(TICKET_VARIABLE, ticket)], None).await
    }

    /// Starts the bot with these environment variables, which state its seat or its queue, and also
    /// writes its standard error to a file. Dropping the process kills it.
    ///
    /// A bot with a ticket and a queue retries a lost connection for as long as a bot that waits in
    /// the queue by itself.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub async fn start_with(
        &self,
        server_url: &str,
        variables: &[(&str, &str)],
        file: Option<StderrFile>,
    ) -> Result<BotProcess, StartError> {
        let current = env::current_dir().map_err(StartError::Other)?;
        let working_copy_of = self.has_working_copy.then_some(current.as_path());
        // A folder that does not exist need not be excluded.
        let excluded = self.excluded.as_ref().and_then(|folder| folder.canonicalize().ok());
        let folders = PrivateFolders::new(working_copy_of, excluded.as_deref())
            .map_err(StartError::from_folders_error)?;
        let inherited = environment::variables(&folders);
        let spawn = |program: &OsStr, arguments: &[OsString], stdin: Stdio| {
            let mut command = Command::new(program);
            #[cfg(unix)]
            if self.supervisor.is_none() {
                command.process_group(0);
            }
            command
                .args(arguments)
                .current_dir(folders.working())
                .env_clear()
                .envs(inherited.iter().map(|(name, value)| (name, value)))
                .envs(self.variables.iter().map(|(name, value)| (name, value)))
                .env(SERVER_VARIABLE, server_url)
                .envs(variables.iter().copied())
                .stdin(stdin)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                // A supervisor exits by itself after the bot has exited.
                .kill_on_drop(self.supervisor.is_none())
                .spawn()
                .map_err(|error| StartError::new(program, error))
        };
        let mut process = self.spawn_process(spawn, file).await?;
        process.folders = Some(folders);
        Ok(process)
    }

    async fn spawn_process(
        &self,
        spawn: impl Fn(&OsStr, &[OsString], Stdio) -> Result<Child, StartError>,
        file: Option<StderrFile>,
    ) -> Result<BotProcess, StartError> {
        #[cfg(target_os = "linux")]
        if let Some(supervisor) = &self.supervisor {
            return self.start_supervised(supervisor, spawn, file).await;
        }
        let (in_force, least) = (Isolation::ProcessGroup, self.min_isolation);
        if in_force < least {
            return Err(StartError::Isolation { in_force, least });
        }
        let child = spawn(&self.program, &self.arguments, Stdio::null())?;
        Ok(self.process(child, in_force, file))
    }

    fn process(
        &self,
        mut child: Child,
        isolation: Isolation,
        file: Option<StderrFile>,
    ) -> BotProcess {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let reading = child.stderr.take().map(|stderr| {
            let reading = read_to_end(stderr, Arc::clone(&tail), file);
            AbortOnDropHandle::new(tokio::spawn(reading))
        });
        BotProcess {
            #[cfg(target_os = "linux")]
            watch: self
                .is_measured
                .then(|| Watch::for_process(child.id()?, isolation, self.limits.memory_bytes))
                .flatten(),
            #[cfg(target_os = "linux")]
            control: None,
            isolation,
            child,
            max_memory_bytes: self.limits.memory_bytes,
            group: self.group.clone(),
            tail,
            reading,
            folders: None,
        }
    }
}

/// Returns a program's path. A name without a folder is looked up in the folders of `PATH`.
pub fn program_path(program: impl AsRef<OsStr>) -> Option<PathBuf> {
    let program = program.as_ref();
    let file_in = |folder: &Path| {
        let file = folder.join(program);
        let with_extension = file.with_extension(env::consts::EXE_EXTENSION);
        let mut files = [file, with_extension].into_iter();
        files.find(|file| file.is_file())
    };
    if program.to_string_lossy().contains(is_separator) {
        return file_in(Path::new(""));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).find_map(|folder| file_in(&folder))
}
