//! The socket to the parent stage, and the messages on it.

use std::{
    io::{self, Write as _},
    os::{
        fd::{AsFd as _, AsRawFd as _},
        unix::net::UnixStream,
    },
};

use uapi::{c, poll};

use super::{message::Message, options::SupervisorOptions};
use crate::Isolation;

/// Returns the standard input, a socket to the parent stage. Children do not inherit this
/// descriptor.
pub(super) fn parent_socket() -> io::Result<UnixStream> {
    io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map(UnixStream::from)
}

/// Returns whether the other end is closed. Stages send nothing to their children, so a socket is
/// readable only once its other end is closed.
pub(super) fn poll_closed(socket: &UnixStream) -> io::Result<bool> {
    let mut polled = [readable(socket.as_raw_fd())];
    poll(&mut polled, 0)?;
    Ok(polled[0].revents != 0)
}

pub(super) const fn readable(fd: c::c_int) -> c::pollfd {
    c::pollfd {
        fd,
        events: c::POLLIN,
        revents: 0,
    }
}

/// Reports the isolation of a bot that is about to start. Returns whether the isolation is strong
/// enough.
pub(super) fn report_isolation(
    to: &mut UnixStream,
    isolation: Isolation,
    options: &SupervisorOptions,
) -> io::Result<bool> {
    let is_enough = isolation >= options.min_isolation;
    send(
        to,
        if is_enough {
            Message::Isolation(isolation)
        } else {
            Message::TooWeak(isolation)
        },
    )?;
    Ok(is_enough)
}

pub(super) fn failed(error: &io::Error) -> Message {
    Message::Failed(error.raw_os_error().unwrap_or_default())
}

pub(super) fn send(to: &mut UnixStream, message: Message) -> io::Result<()> {
    to.write_all(message.to_string().as_bytes())
}
