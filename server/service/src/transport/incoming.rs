//! Accepts connections within limits, and completes their TLS handshakes.

use std::{io, sync::Arc, time::Duration};

use async_stream::stream;
use tokio::{
    net::TcpListener,
    select,
    time::{Instant, sleep},
};
use tokio_stream::Stream;
use tracing::warn;

use super::{
    accepted::AcceptedConnection, client_kind::ClientKind, connection::Connection,
    connection_slots::ConnectionSlots, handshakes::Handshakes, tls::Tls,
};
use crate::limits::Limits;

/// The pause after `accept` failed, usually for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The minimum interval between two warnings about evicted connections.
const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// Streams a listener's connections, within the limits. A connection beyond a limit evicts an
/// unprotected connection. A connection that does not finish its TLS handshake or its HTTP/2
/// preface in time is closed.
pub(crate) fn incoming(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    client_kind: ClientKind,
    limits: Limits,
    slots: Arc<ConnectionSlots>,
) -> impl Stream<Item = Connection> {
    let mut acceptor = Acceptor::new(listener, slots);
    let mut handshakes = Handshakes::new(limits, client_kind);
    stream! {
        loop {
            select! {
                // Finished handshakes are polled first, since a flood of new connections must not
                // delay them.
                biased;
                Some(connection) = handshakes.next_finished() => yield connection,
                accepted = acceptor.accept() => match &tls {
                    Some(tls) => handshakes.start(accepted, tls),
                    None => yield handshakes.without_tls(accepted),
                },
            }
        }
    }
}

/// Accepts connections and acquires their slots.
struct Acceptor {
    listener: TcpListener,
    slots: Arc<ConnectionSlots>,
    warned_at: Option<Instant>,
}

impl Acceptor {
    fn new(listener: TcpListener, slots: Arc<ConnectionSlots>) -> Self {
        Self {
            listener,
            slots,
            warned_at: None,
        }
    }

    /// Accepts the next connection. Cancel-safe: no connection with a slot is lost.
    async fn accept(&mut self) -> AcceptedConnection {
        loop {
            let (tcp, peer) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) if is_connection_error(&error) => continue,
                Err(error) => {
                    self.limit_warnings(|| warn!(%error, "cannot accept connections"));
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let (slot, full) = self.slots.acquire(peer);
            if let Some(limit) = full {
                let evicted = "evicted an unprotected connection";
                self.limit_warnings(|| warn!(%peer, limit, "{evicted}"));
            }
            // Without TCP_NODELAY a small message waits for the peer's delayed acknowledgement.
            // Setting TCP_NODELAY fails only if the socket is already closed.
            let _ = tcp.set_nodelay(true);
            return AcceptedConnection { tcp, peer, slot };
        }
    }

    /// Warns at most once per interval, so that a flood of connections cannot fill the log.
    fn limit_warnings(&mut self, warn: impl FnOnce()) {
        let is_due = |at: Instant| at.elapsed() >= WARNING_INTERVAL;
        if self.warned_at.is_none_or(is_due) {
            self.warned_at = Some(Instant::now());
            warn();
        }
    }
}

/// Returns whether an error from `accept` concerns only the connection, not the listener.
fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(
        error.kind(),
        K::ConnectionAborted | K::ConnectionReset | K::ConnectionRefused | K::Interrupted
    )
}
