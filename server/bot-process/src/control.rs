//! The connection between this process and a bot's supervisor.

use std::{io, os::unix::net::UnixStream as StdStream, process::ExitStatus};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    net::UnixStream,
};

use crate::supervisor::Message;

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
        Message::parse(&line)
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
