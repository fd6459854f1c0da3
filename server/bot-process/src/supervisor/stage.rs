//! The supervisor process, which ends when its parent or the bot ends.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    process::{Child, Command},
};

use rustix::process::{getpid, set_child_subreaper, setsid};
use uapi::{c, close_range, fcntl_setfd, poll, pthread_sigmask, signalfd_new};

use super::{
    messages::{
        Message, Stage, SupervisorOptions, failed, parent_socket, readable, report_isolation, send,
    },
    namespaces::{self, NamespaceStatus, hide_from_bots},
    tree::{Reaped, kill_tree, reap},
};
use crate::{CURRENT_EXE, Isolation};

/// Number of the first descriptor after standard input, output and error.
const FIRST_OTHER: u32 = 3;

/// Starts the next stages and waits until the bot or the parent has ended. When this function
/// returns, all of the bot's processes have ended.
pub(super) fn supervise(options: SupervisorOptions) -> io::Result<()> {
    let mut parent = parent_socket()?;
    close_inherited_on_exec()?;
    // Detaches the bot from the terminal and from signals to the parent's process group.
    let _ = setsid();
    let is_in_namespace = match options.may_use_namespaces.then(namespaces::enter) {
        Some(Ok(NamespaceStatus::Entered)) => true,
        Some(Ok(NamespaceStatus::Refused)) | None => false,
        Some(Ok(NamespaceStatus::Incomplete)) => {
            return send(&mut parent, Message::NamespacesRefused);
        }
        Some(Err(error)) => return send(&mut parent, failed(&error)),
    };
    hide_from_bots()?;
    // In a namespace, the init process reports the isolation.
    if !is_in_namespace && !report_isolation(&mut parent, Isolation::ProcessTree, &options)? {
        return Ok(());
    }
    let (stage, ends) = if is_in_namespace {
        (Stage::Init, None)
    } else {
        set_child_subreaper(Some(getpid()))?;
        (Stage::Program, Some(child_exit_fd()?))
    };
    let (lower, remote) = UnixStream::pair()?;
    let options = SupervisorOptions { stage, ..options };
    let mut command = Command::new(CURRENT_EXE);
    command.args(options.arguments()?).stdin(OwnedFd::from(remote));
    let started = command.spawn();
    // Dropping the command closes its copy of the socket's other end.
    drop(command);
    let child = match started {
        Ok(child) => child,
        Err(error) => return send(&mut parent, failed(&error)),
    };
    match ends {
        None => watch_init(parent, lower, child),
        Some(ends) => watch_tree(parent, lower, &child, ends.raw()),
    }
}

/// Waits until the init process has ended. Kills it when the parent ends.
fn watch_init(mut parent: UnixStream, mut lower: UnixStream, mut init: Child) -> io::Result<()> {
    loop {
        let [parent_left, has_report] = wait_for([parent.as_raw_fd(), lower.as_raw_fd()])?;
        if parent_left {
            init.kill()?;
            break;
        }
        if has_report && !relay(&mut lower, &mut parent)? {
            break;
        }
    }
    // A namespace's init process ends after all other processes in the namespace.
    init.wait()?;
    Ok(())
}

/// Waits until the bot has ended, and reaps orphans. Kills all processes when the bot or the parent
/// ends.
fn watch_tree(
    mut parent: UnixStream,
    lower: UnixStream,
    bot: &Child,
    ends: c::c_int,
) -> io::Result<()> {
    let mut lower = Some(lower);
    let mut has_failed = false;
    loop {
        // The descriptor -1 is never ready.
        let lower_fd = lower.as_ref().map_or(-1, UnixStream::as_raw_fd);
        let [parent_left, has_report, has_ended] = wait_for([parent.as_raw_fd(), lower_fd, ends])?;
        if parent_left {
            return kill_tree();
        }
        if has_report && let Some(socket) = &mut lower {
            if relay(socket, &mut parent)? {
                has_failed = true;
            } else {
                // The socket is closed once the program is running, or once starting it has failed.
                lower = None;
                if !has_failed {
                    send(&mut parent, Message::Started)?;
                }
            }
        }
        if has_ended && lower.is_none() {
            let mut buffer = [0; 512];
            let _ = uapi::read(ends, &mut buffer);
            if let Reaped::Bot(status) = reap(bot.id().cast_signed())? {
                send(&mut parent, Message::Ended(status))?;
                return kill_tree();
            }
        }
    }
}

/// Forwards a stage's messages. Returns whether more messages can follow.
fn relay(from: &mut UnixStream, to: &mut UnixStream) -> io::Result<bool> {
    let mut buffer = [0; 256];
    let length = from.read(&mut buffer)?;
    to.write_all(&buffer[..length])?;
    Ok(length > 0)
}

/// Waits until at least one descriptor is readable or closed. Returns which of the descriptors are
/// ready.
fn wait_for<const N: usize>(descriptors: [c::c_int; N]) -> io::Result<[bool; N]> {
    let mut polled = descriptors.map(readable);
    loop {
        match poll(&mut polled, -1) {
            Ok(_) => return Ok(polled.map(|one| one.revents != 0)),
            Err(error) if error.0 == c::EINTR => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns a descriptor that becomes readable when a child has ended. Blocks all signals, because a
/// bot without a namespace can send signals to this process. The next stage unblocks them.
fn child_exit_fd() -> io::Result<uapi::OwnedFd> {
    let mut signals = uapi::empty_sig_set()?;
    uapi::sigaddset(&mut signals, c::SIGCHLD)?;
    let ends = signalfd_new(&signals, c::SFD_CLOEXEC | c::SFD_NONBLOCK)?;
    uapi::sigfillset(&mut signals)?;
    pthread_sigmask(c::SIG_SETMASK, Some(&signals), None)?;
    Ok(ends)
}

/// Prevents children from inheriting descriptors other than standard input, output and error,
/// including descriptors that this process inherited.
fn close_inherited_on_exec() -> io::Result<()> {
    if close_range(FIRST_OTHER, c::c_uint::MAX, c::CLOSE_RANGE_CLOEXEC).is_ok() {
        return Ok(());
    }
    // Kernels before 5.11 do not support the CLOEXEC flag of `close_range`.
    for entry in fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(number) = number.filter(|number| *number >= FIRST_OTHER.cast_signed()) else {
            continue;
        };
        fcntl_setfd(number, c::FD_CLOEXEC)?;
    }
    Ok(())
}
