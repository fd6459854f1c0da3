//! A TCP relay to the real server. A check can reset all connections.

use std::{io, net::SocketAddr};

use tokio::{io::copy_bidirectional, net::TcpStream, task::JoinSet};
use tokio_stream::StreamExt as _;
use tokio_util::task::AbortOnDropHandle;

use super::listener::Listener;

/// A listening address whose connections are relayed to a server until a reset.
pub(crate) struct Relay {
    listener: Listener,
    _relaying: AbortOnDropHandle<()>,
}

impl Relay {
    /// Listens on a free loopback port.
    pub(crate) async fn open(server: SocketAddr) -> io::Result<Self> {
        let (listener, connections) = Listener::open().await?;
        let relaying = async move {
            let mut relays = JoinSet::new();
            tokio::pin!(connections);
            while let Some(Ok(mut near)) = connections.next().await {
                relays.spawn(async move {
                    // When either side closes its connection, the connections to both sides are
                    // dropped.
                    if let Ok(mut far) = TcpStream::connect(server).await {
                        let _ = far.set_nodelay(true);
                        let _ = copy_bidirectional(&mut near, &mut far).await;
                    }
                });
                while relays.try_join_next().is_some() {}
            }
        };
        Ok(Self {
            listener,
            _relaying: AbortOnDropHandle::new(tokio::spawn(relaying)),
        })
    }

    /// Returns the address for the bot.
    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.listener.local_addr()
    }

    /// Resets all connections; the bot can reconnect.
    pub(crate) async fn reset_connections(&self) {
        self.listener.reset_connections().await;
    }
}
