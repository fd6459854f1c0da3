//! Starts a bot below a supervisor.

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    os::fd::OwnedFd,
    path::Path,
    process::Stdio,
    sync::atomic::{AtomicBool, Ordering},
};

use parking_lot::Mutex;
use tokio::process::Child;

use crate::{
    BotCommand, BotProcess, Isolation, Limits, StartError, StderrFile,
    supervisor::{Control, Message, Stage, SupervisorOptions},
};

/// True if the operating system allowed namespaces to be created but not to be set up. Later bots
/// then start without namespaces.
static ARE_NAMESPACES_REFUSED: AtomicBool = AtomicBool::new(false);

/// The strongest isolation of any bot so far. Later bots must not have weaker isolation. Otherwise,
/// a bot could exhaust the machine's namespaces to weaken the next bot's isolation.
static STRONGEST: Mutex<Isolation> = Mutex::new(Isolation::ProcessGroup);

/// Environment variable that this program reads. The value `off` starts bots without namespaces. It
/// is meant for bots that change their user, for example with `sudo`.
const NAMESPACES_VARIABLE: &str = "BRIDGEMASTER_BOT_NAMESPACES";

fn are_namespaces_off() -> bool {
    env::var_os(NAMESPACES_VARIABLE).is_some_and(|value| value == "off")
}

impl BotCommand {
    /// Starts the supervisor and waits until the bot's program is running.
    pub(crate) async fn start_supervised(
        &self,
        supervisor: &Path,
        spawn: impl Fn(&OsStr, &[OsString], Stdio) -> Result<Child, StartError>,
        file: Option<StderrFile>,
    ) -> Result<BotProcess, StartError> {
        let supervisor_error = |error| StartError::new(supervisor.as_os_str(), error);
        let options = SupervisorOptions {
            stage: Stage::Supervisor,
            may_use_namespaces: !are_namespaces_off()
                && !ARE_NAMESPACES_REFUSED.load(Ordering::Relaxed),
            min_isolation: self.min_isolation.max(*STRONGEST.lock()),
            may_gain_privileges: are_namespaces_off(),
            limits: Limits {
                group: self.group.as_ref().map(|group| group.folder().to_owned()),
                ..self.limits.clone()
            },
            command: self.command_line().cloned().collect(),
        };
        let (mut control, remote) = Control::pair().map_err(supervisor_error)?;
        let stdin = Stdio::from(OwnedFd::from(remote));
        let arguments = options.arguments();
        let arguments = arguments.map_err(|error| StartError::Supervisor(error.to_string()))?;
        let child = spawn(supervisor.as_os_str(), &arguments, stdin)?;
        let mut isolation = Isolation::ProcessTree;
        loop {
            match control.next_message().await {
                Some(Message::Isolation(in_force)) => {
                    isolation = in_force;
                    let mut strongest = STRONGEST.lock();
                    *strongest = in_force.max(*strongest);
                }
                Some(Message::TooWeak(in_force)) => {
                    return Err(StartError::Isolation { in_force, least: options.min_isolation });
                }
                Some(Message::Started) => {
                    let mut process = self.process(child, isolation, file);
                    process.control = Some(control);
                    return Ok(process);
                }
                Some(Message::Failed(number)) => {
                    let error = io::Error::from_raw_os_error(number);
                    return Err(StartError::new(&self.program, error));
                }
                Some(Message::NamespacesRefused) => {
                    ARE_NAMESPACES_REFUSED.store(true, Ordering::Relaxed);
                    return Box::pin(self.start_supervised(supervisor, spawn, file)).await;
                }
                Some(Message::Ended(_)) | None => {
                    let mut process = self.process(child, isolation, None);
                    let status = process.child.wait().await.map_err(supervisor_error)?;
                    let stderr = process.final_stderr().await;
                    return Err(StartError::Supervisor(format!("{status}; {stderr}")));
                }
            }
        }
    }
}
