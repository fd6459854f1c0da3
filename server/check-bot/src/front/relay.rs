//! A way to the real server that can be cut.

use std::{io, net::SocketAddr};

use tokio::{io::copy_bidirectional, net::TcpStream, task::JoinSet};
use tokio_stream::StreamExt as _;
use tokio_util::task::AbortOnDropHandle;

use super::line::Line;

/// A listening address whose connections lead to a server, until they are reset.
pub(crate) struct Relay {
    line: Line,
    _carrying: AbortOnDropHandle<()>,
}

impl Relay {
    /// Listens on a free loopback port.
    pub(crate) async fn to(server: SocketAddr) -> io::Result<Self> {
        let (line, connections) = Line::open().await?;
        let carrying = async move {
            let mut carried = JoinSet::new();
            tokio::pin!(connections);
            while let Some(Ok(mut near)) = connections.next().await {
                carried.spawn(async move {
                    // Whatever ends it, the other end sees its own closed.
                    if let Ok(mut far) = TcpStream::connect(server).await {
                        let _ = far.set_nodelay(true);
                        let _ = copy_bidirectional(&mut near, &mut far).await;
                    }
                });
                while carried.try_join_next().is_some() {}
            }
        };
        Ok(Self {
            line,
            _carrying: AbortOnDropHandle::new(tokio::spawn(carrying)),
        })
    }

    /// The address for the bot.
    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.line.local_addr()
    }

    /// Resets every connection; the bot may connect again.
    pub(crate) async fn reset_connections(&self) {
        self.line.reset_connections().await;
    }
}
