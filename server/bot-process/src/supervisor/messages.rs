//! Communication between the stages: options, which are arguments of the next stage, and messages
//! to the parent, one JSON value per line, with both ends of the socket that carries them.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    os::{
        fd::{AsFd as _, AsRawFd as _},
        unix::net::UnixStream as StdStream,
    },
    process::ExitStatus,
};

use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    net::UnixStream,
};
use uapi::{c, poll};

use crate::{Isolation, Limits};

/// A message to the process that started the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// The isolation of the bot's processes.
    Isolation(Isolation),
    /// The bot was not started, because only this isolation was available but a stronger one is
    /// required.
    TooWeak(Isolation),
    /// Namespaces were created but cannot be set up. The bot can be started without namespaces.
    NamespacesRefused,
    /// The program is running.
    Started,
    /// The program cannot be started, with this errno.
    Failed(i32),
    /// The bot's first process ended with this wait status.
    Ended(i32),
}

/// A connection to a supervisor. Dropping the connection makes the supervisor end all of its bot's
/// processes.
#[derive(Debug)]
pub(crate) struct Control {
    lines: Lines<BufReader<UnixStream>>,
}

impl Control {
    /// Creates a socket pair. The second socket becomes the supervisor's standard input.
    pub(crate) fn pair() -> io::Result<(Self, StdStream)> {
        let (local, remote) = StdStream::pair()?;
        local.set_nonblocking(true)?;
        let lines = BufReader::new(UnixStream::from_std(local)?).lines();
        Ok((Self { lines }, remote))
    }

    /// Receives the next message. Returns `None` if no more messages follow. Cancel safe.
    pub(crate) async fn next_message(&mut self) -> Option<Message> {
        // Reading fails if the other end was closed before all of its received data was read.
        let line = self.lines.next_line().await.ok()??;
        serde_json::from_str(&line).ok()
    }

    /// Waits until the supervisor has ended, and returns the wait status of the bot's first
    /// process. Returns `None` if the supervisor was killed before it reported the status.
    pub(crate) async fn exit_status(&mut self) -> Option<ExitStatus> {
        loop {
            if let Message::Ended(status) = self.next_message().await? {
                return Some(std::os::unix::process::ExitStatusExt::from_raw(status));
            }
        }
    }

    /// Makes the supervisor end all of its bot's processes.
    pub(crate) async fn shut_down(&mut self) {
        // The call fails if the supervisor has already ended.
        let _ = self.lines.get_mut().get_mut().shutdown().await;
    }
}

/// Returns the standard input, a socket to the parent stage. Children do not inherit this
/// descriptor.
pub(super) fn parent_socket() -> io::Result<StdStream> {
    io::stdin().as_fd().try_clone_to_owned().map(StdStream::from)
}

/// Returns whether the other end is closed. Stages send nothing to their children, so a socket is
/// readable only once its other end is closed.
pub(super) fn poll_closed(socket: &StdStream) -> io::Result<bool> {
    let mut polled = [readable(socket.as_raw_fd())];
    poll(&mut polled, 0)?;
    Ok(polled[0].revents != 0)
}

pub(super) const fn readable(fd: c::c_int) -> c::pollfd {
    c::pollfd { fd, events: c::POLLIN, revents: 0 }
}

/// Reports the isolation of a bot that is about to start. Returns whether the isolation is strong
/// enough.
pub(super) fn report_isolation(
    to: &mut StdStream,
    isolation: Isolation,
    options: &SupervisorOptions,
) -> io::Result<bool> {
    let is_enough = isolation >= options.min_isolation;
    let message = if is_enough { Message::Isolation } else { Message::TooWeak };
    send(to, message(isolation))?;
    Ok(is_enough)
}

pub(super) fn failed(error: &io::Error) -> Message {
    Message::Failed(error.raw_os_error().unwrap_or_default())
}

pub(super) fn send(to: &mut StdStream, message: Message) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// The first argument that makes a program supervise a bot.
pub const SUPERVISOR_COMMAND: &str = "limited";

/// A stage in the start of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stage {
    /// Creates the namespaces, starts the next stage, and ends all of the bot's processes when the
    /// supervisor's parent ends.
    Supervisor,
    /// Runs as PID 1 of the namespace: starts the bot and reaps orphans.
    Init,
    /// Executes the bot's program in this process.
    Program,
}

/// The options with which a stage is started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SupervisorOptions {
    pub(crate) stage: Stage,
    pub(crate) may_use_namespaces: bool,
    /// The weakest isolation that is accepted.
    pub(crate) min_isolation: Isolation,
    /// True if the bot's programs can change their user, as `sudo` does.
    pub(crate) may_gain_privileges: bool,
    pub(crate) limits: Limits,
    /// The program and its arguments; never empty.
    #[serde(skip)]
    pub(crate) command: Vec<OsString>,
}

impl SupervisorOptions {
    /// Encodes the options as arguments: the options as JSON, and the command.
    ///
    /// # Errors
    /// Returns an error if the path of the cgroup is not valid Unicode.
    pub(crate) fn arguments(&self) -> serde_json::Result<Vec<OsString>> {
        let options = serde_json::to_string(self)?;
        let head = [SUPERVISOR_COMMAND.into(), options.into()];
        Ok(head.into_iter().chain(self.command.clone()).collect())
    }

    /// Parses the arguments after [`SUPERVISOR_COMMAND`]. Returns `None` if they are invalid.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let options = arguments.next()?;
        let mut options: Self = serde_json::from_str(options.to_str()?).ok()?;
        options.command = arguments.collect();
        (!options.command.is_empty()).then_some(options)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn options_survive_a_round_trip_through_arguments() {
        for stage in [Stage::Supervisor, Stage::Init, Stage::Program] {
            let options = SupervisorOptions {
                stage,
                may_use_namespaces: stage == Stage::Supervisor,
                min_isolation: Isolation::PidNamespace,
                may_gain_privileges: stage == Stage::Program,
                limits: Limits {
                    memory_bytes: Some(1 << 28),
                    group: Some("/sys/fs/cgroup/a b=c".into()),
                    cores: vec![0, 3],
                },
                command: ["bot", "--", "--stage=init", ""].map(OsString::from).into(),
            };
            let mut arguments = options.arguments().unwrap().into_iter();
            assert_eq!(arguments.next().unwrap(), SUPERVISOR_COMMAND);
            assert_eq!(SupervisorOptions::parse(arguments), Some(options));
        }
    }

    #[test]
    fn other_arguments_are_rejected() {
        let valid = r#"{"stage":"Init","may_use_namespaces":false,"min_isolation":"process_tree",
        "may_gain_privileges":false,"limits":{"memory_bytes":null,"group":null,"cores":[]}}"#;
        let parse =
            |arguments: &[&str]| SupervisorOptions::parse(arguments.iter().map(OsString::from));
        assert!(parse(&[valid, "bot"]).is_some());
        assert_eq!(parse(&[]), None);
        assert_eq!(parse(&[valid]), None, "no command");
        for (part, other) in [
            ("Init", "Other"),
            ("null,\"cores", "7,\"cores"),
            ("{\"stage", "{\"unknown\":1,\"stage"),
            ("\"stage\":\"Init\",", ""),
        ] {
            let invalid = valid.replace(part, other);
            assert_ne!(invalid, valid);
            assert_eq!(parse(&[&invalid, "bot"]), None, "{invalid}");
        }
    }
}
