//! A TCP connection that has got its slot.

use std::net::SocketAddr;

use tokio::net::TcpStream;

use super::{connection_slots::ConnectionSlot, origin::Origin};

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
}
