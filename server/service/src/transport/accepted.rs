//! A TCP connection that was accepted and has acquired its slot, before TLS and HTTP/2.

use std::net::SocketAddr;

use tokio::net::TcpStream;

use super::{connection_slots::ConnectionSlot, origin::Origin};

pub(super) struct AcceptedConnection {
    pub(super) tcp: TcpStream,
    pub(super) peer: SocketAddr,
    pub(super) slot: ConnectionSlot,
}

impl AcceptedConnection {
    /// The network address of the peer.
    pub(super) fn origin(&self) -> Origin {
        self.peer.ip().into()
    }
}
