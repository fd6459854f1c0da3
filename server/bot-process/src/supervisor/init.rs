//! The init processes: PID 1 of a bot's namespace, which is the stage below the supervisor, and PID
//! 1 of a container without an init. Without a namespace, the stage below the supervisor becomes
//! the bot.

use std::{
    env, io,
    os::unix::{net::UnixStream, process::CommandExt as _},
    process::{Command, ExitCode, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::{
    process::{Signal, WaitOptions, getegid, getpid, set_parent_process_death_signal, wait},
    thread::set_no_new_privs,
};
use uapi::{c, kill, pthread_sigmask, sigwaitinfo};

use super::{
    messages::{
        Message, SupervisorOptions, failed, parent_socket, poll_closed, report_isolation, send,
    },
    namespaces::{drop_capabilities, hide_from_bots, hide_other_processes},
    tree::{Reaped, reap},
};
use crate::{CURRENT_EXE, Isolation};

/// Maximum time for which starting the program is retried while another process has the executable
/// open for writing.
const TEXT_BUSY_TIMEOUT: Duration = Duration::from_secs(1);
/// Interval between two attempts to execute the program.
const TEXT_BUSY_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Runs as PID 1 of a namespace: starts the program, reaps all processes that end, and exits when
/// the program has ended. The kernel then kills the remaining processes.
pub(super) fn run(options: &SupervisorOptions) -> io::Result<()> {
    let mut supervisor = parent_socket()?;
    let isolation = if hide_other_processes() {
        Isolation::PidNamespace
    } else {
        Isolation::PidNamespaceSharedProc
    };
    if !report_isolation(&mut supervisor, isolation, options)? {
        return Ok(());
    }
    let Some(mut command) = prepare(options, &mut supervisor)? else {
        return Ok(());
    };
    // Setting a gid makes the standard library use `fork` instead of `posix_spawn`, which maps a
    // stack for the child. The mapping can exceed a small memory limit, because this program's
    // reserved memory also counts.
    command.gid(getegid().as_raw());
    hide_from_bots()?;
    let bot = match retry_while_busy(|| command.spawn()) {
        Ok(child) => child.id().cast_signed(),
        Err(error) => return send(&mut supervisor, failed(&error)),
    };
    send(&mut supervisor, Message::Started)?;
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process.as_raw_pid() == bot => {
                return send(&mut supervisor, Message::Ended(status.as_raw()));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Replaces this process with the program, for a bot without a namespace.
pub(super) fn become_program(options: &SupervisorOptions) -> io::Result<()> {
    let mut supervisor = parent_socket()?;
    let Some(mut command) = prepare(options, &mut supervisor)? else {
        return Ok(());
    };
    // Returns only if the program cannot be executed.
    let executed: io::Result<()> = retry_while_busy(|| Err(command.exec()));
    executed.or_else(|error| send(&mut supervisor, failed(&error)))
}

/// Applies all limits and restrictions, and returns the command to execute. Returns `None` if the
/// program must no longer be started.
fn prepare(
    options: &SupervisorOptions,
    supervisor: &mut UnixStream,
) -> io::Result<Option<Command>> {
    if let Err(error) = drop_capabilities().and_then(|()| options.limits.apply()) {
        send(supervisor, failed(&error))?;
        return Ok(None);
    }
    if !options.may_gain_privileges {
        set_no_new_privs(true)?;
    }
    // Unblocks all signals that the supervisor or its parents have blocked.
    pthread_sigmask(c::SIG_SETMASK, Some(&uapi::empty_sig_set()?), None)?;
    // Changing capabilities resets the parent-death signal, so the signal is set last.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The supervisor might have ended before the setting took effect.
    if poll_closed(supervisor)? {
        return Ok(None);
    }
    let Some((program, arguments)) = options.command.split_first() else {
        return Ok(None);
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    Ok(Some(command))
}

/// Retries to start a program while another process has the executable open for writing.
fn retry_while_busy<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let until = Instant::now() + TEXT_BUSY_TIMEOUT;
    loop {
        match start() {
            Err(error)
                if error.kind() == io::ErrorKind::ExecutableFileBusy && Instant::now() < until =>
            {
                sleep(TEXT_BUSY_RETRY_INTERVAL);
            }
            started => return started,
        }
    }
}

/// Exit code offset for signals. If a signal ended the program, the exit code is this offset plus
/// the signal's number, as in shells.
const SIGNALLED: i32 = 128;

/// If this process is PID 1, starts this program again with the same arguments and acts as its
/// init. As init, it forwards signals, reaps orphans, and returns the program's exit code. Returns
/// `None` if the process is not PID 1. Must be called before the process has a second thread.
///
/// # Errors
/// Returns an error if the operating system cannot start the program.
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
