//! The supervisor, a process between a bot and its parent. The supervisor is this program, started
//! with [`SUPERVISOR_COMMAND`] as its first argument:
//!
//! ```text
//! bridgemaster contest
//!  └ supervisor   makes the PID namespace, and ends everything when its parent ends
//!     └ init      PID 1 of the namespace: starts the bot, reaps orphans
//!        └ bot
//! ```
//!
//! If the system refuses namespaces, there is no init, and the supervisor adopts orphans.
//!
//! The standard input of each stage is a socket for messages to its parent. A closed socket means
//! that the process at the other end has ended. The bot gets no socket: its standard input and
//! output are `/dev/null`, and its only other descriptor is standard error.

mod init;
mod messages;
mod namespaces;
mod stage;
mod tree;

use std::{ffi::OsString, io};

pub use self::{
    init::run_as_init_if_pid_1, messages::SUPERVISOR_COMMAND, namespaces::hide_from_bots,
};
pub(crate) use self::{
    messages::{Control, Message, Stage, SupervisorOptions},
    tree::children,
};

/// Supervises a bot. `arguments` are the arguments after [`SUPERVISOR_COMMAND`]. Must be called
/// before the process has a second thread.
///
/// # Errors
/// Returns an error if the arguments do not come from a [`BotCommand`](crate::BotCommand), or an
/// operating system call fails.
pub fn supervise(arguments: impl Iterator<Item = OsString>) -> io::Result<()> {
    let options = SupervisorOptions::parse(arguments).ok_or_else(|| {
        let problem = "invalid arguments of the internal command that starts bots";
        io::Error::new(io::ErrorKind::InvalidInput, problem)
    })?;
    match options.stage {
        Stage::Supervisor => stage::supervise(options),
        Stage::Init => init::run(&options),
        Stage::Program => init::become_program(&options),
    }
}
