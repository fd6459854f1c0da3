//! A TCP connection that has got its slot.

use std::{net::SocketAddr, time::Duration};

use tokio::{net::TcpStream, time::Instant};

use super::{
    connection::{Connection, Transport},
    connection_slots::ConnectionSlot,
    origin::Origin,
};

/// A TCP connection with its slot.
pub(super) struct Accepted {
    pub(super) tcp: TcpStream,
    pub(super) peer: SocketAddr,
    pub(super) slot: ConnectionSlot,
}

impl Accepted {
    /// Where it comes from.
    pub(super) fn origin(&self) -> Origin {
        self.peer.ip().into()
    }

    /// A connection without TLS, whose HTTP/2 preface is to come within `preface_time`.
    pub(super) fn plain(self, preface_time: Duration) -> Connection {
        let preface_by = Instant::now() + preface_time;
        Connection::new(Transport::Plain(self.tcp), self.peer, self.slot, preface_by)
    }
}
