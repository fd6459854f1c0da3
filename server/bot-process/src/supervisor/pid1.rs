//! Runs this program as PID 1 of a container without an init.

use std::{
    env, io,
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use rustix::process::getpid;
use uapi::{c, kill, pthread_sigmask, sigwaitinfo};

use super::{
    hiding::hide_from_bots,
    tree::{Reaped, reap},
};
use crate::CURRENT_EXE;

/// Exit code offset for signals. If a signal ended the program, the exit code is this offset plus
/// the signal's number, as in shells.
const SIGNALLED: i32 = 128;

/// If this process is PID 1, starts this program again with the same arguments and acts as its
/// init. As init, it forwards signals, reaps orphans, and returns the program's exit code. Returns
/// `None` if the process is not PID 1. Must be called before the process has a second thread.
///
/// # Errors
/// The operating system cannot start the program.
pub fn run_as_init_if_pid_1() -> io::Result<Option<ExitCode>> {
    if !getpid().is_init() {
        return Ok(None);
    }
    // This process has the same environment as the program, and must also be hidden from bots.
    hide_from_bots()?;
    let mut arguments = env::args_os();
    let mut command = Command::new(CURRENT_EXE);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    let child = command.args(arguments).spawn()?.id().cast_signed();
    let mut signals = uapi::empty_sig_set()?;
    uapi::sigfillset(&mut signals)?;
    pthread_sigmask(c::SIG_SETMASK, Some(&signals), None)?;
    loop {
        // The first wait also detects a child that ended before the signals were blocked.
        if let Reaped::Bot(status) = reap(child)? {
            let code = if c::WIFEXITED(status) {
                c::WEXITSTATUS(status)
            } else {
                SIGNALLED + c::WTERMSIG(status)
            };
            let code = u8::try_from(code).unwrap_or(u8::MAX);
            return Ok(Some(ExitCode::from(code)));
        }
        let mut info = uapi::pod_zeroed::<c::siginfo_t>();
        match sigwaitinfo(&signals, Some(&mut info)) {
            // Signals from the terminal reach the child directly, so they are not forwarded.
            Ok(signal) if signal != c::SIGCHLD && info.si_code != c::SI_KERNEL => {
                // The call fails if the child has already ended.
                let _ = kill(child, signal);
            }
            Ok(_) => {}
            Err(error) if error.0 == c::EINTR => {}
            Err(error) => return Err(error.into()),
        }
    }
}
