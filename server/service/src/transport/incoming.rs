//! Accepts connections.

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
    accepted::Accepted, connection::Connection, connection_slots::ConnectionSlots,
    handshakes::Handshakes, peers::Peers, tls::Tls,
};
use crate::limits::Limits;

/// Pause after the system had no connection to give, for want of file descriptors as a rule.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Least time between two warnings that connections give way.
const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// The connections that come to a listener, within the limits. For one more than there may be
/// another gives way that is not protected. One that does not finish its TLS handshake or its
/// HTTP/2 preface in time is closed then.
pub(crate) fn incoming(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    peers: Peers,
    limits: Limits,
    slots: Arc<ConnectionSlots>,
) -> impl Stream<Item = Connection> {
    let mut acceptor = Acceptor::new(listener, slots);
    let mut handshakes = Handshakes::new(limits, peers);
    stream! {
        loop {
            select! {
                // Finished handshakes first: a flood of new connections must not hold them up.
                biased;
                Some(connection) = handshakes.finished() => yield connection,
                accepted = acceptor.accept() => match &tls {
                    Some(tls) => handshakes.start(accepted, tls),
                    None => yield handshakes.none(accepted),
                },
            }
        }
    }
}

/// Accepts connections and gives them slots.
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

    /// The next connection that gets a slot. Cancel-safe: no connection with a slot is lost.
    async fn accept(&mut self) -> Accepted {
        loop {
            let (tcp, peer) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) if is_of_one_connection(&error) => continue,
                Err(error) => {
                    self.warn(|| warn!(%error, "no connection can be accepted"));
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let (slot, full) = self.slots.acquire(peer);
            if let Some(limit) = full {
                let gives_way = "an unprotected connection was closed for a new one";
                self.warn(|| warn!(%peer, limit, "{gives_way}"));
            }
            // Without it a small message waits for the peer's delayed acknowledgement. A socket
            // that refuses it is one that is closed already.
            let _ = tcp.set_nodelay(true);
            return Accepted { tcp, peer, slot };
        }
    }

    /// Warns now and then: who makes connections must not be able to fill the log.
    fn warn(&mut self, warn: impl FnOnce()) {
        let is_due = |at: Instant| at.elapsed() >= WARNING_INTERVAL;
        if self.warned_at.is_none_or(is_due) {
            self.warned_at = Some(Instant::now());
            warn();
        }
    }
}

/// Whether an error of `accept` tells of the connection that was to be accepted, and not of the
/// listener.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(
        error.kind(),
        K::ConnectionAborted | K::ConnectionReset | K::ConnectionRefused | K::Interrupted
    )
}
