//! Accepts connections within limits, and completes their TLS handshakes.

use std::{
    collections::{HashMap, VecDeque},
    io,
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use async_stream::stream;
use tokio::{
    net::{TcpListener, TcpStream},
    select,
    task::{AbortHandle, JoinSet},
    time::{Instant, sleep, timeout_at},
};
use tokio_rustls::TlsAcceptor;
use tokio_stream::Stream;
use tokio_util::either::Either;
use tracing::{debug, warn};

use super::{
    ClientKind, Origin,
    connection::{Connection, Transport},
    connection_slots::{ConnectionSlot, ConnectionSlots},
    tls::Tls,
};
use crate::limits::Limits;

/// The pause after `accept` failed, usually for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The minimum interval between two warnings about evicted connections.
const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// Streams a listener's connections, within the limits. A connection beyond a limit evicts an
/// unprotected connection. A connection that does not finish its TLS handshake or its HTTP/2
/// preface in time is closed.
pub fn incoming(
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
                // Finished handshakes are polled first, so that a flood of new connections does not
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
        Self { listener, slots, warned_at: None }
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

pub(super) struct Handshakes {
    limits: Limits,
    client_kind: ClientKind,
    running: JoinSet<Option<Connection>>,
    pending: VecDeque<PendingHandshake>,
}

/// A handshake and the address of its peer, ordered by age. Finished handshakes are removed when
/// the next one starts.
struct PendingHandshake {
    origin: Origin,
    handshake: AbortHandle,
}

impl Handshakes {
    pub(super) fn new(limits: Limits, client_kind: ClientKind) -> Self {
        Self { limits, client_kind, running: JoinSet::new(), pending: VecDeque::new() }
    }

    /// Wraps a connection on a port without TLS.
    pub(super) fn without_tls(&self, accepted: AcceptedConnection) -> Connection {
        let AcceptedConnection { tcp, peer, slot } = accepted;
        self.timeouts().connection(Either::Left(tcp), peer, slot)
    }

    fn timeouts(&self) -> PeerTimeouts {
        PeerTimeouts {
            preface_time: self.limits.preface_time,
            unread_time: (self.client_kind == ClientKind::Browsers)
                .then_some(self.limits.unread_time),
        }
    }

    /// Starts a handshake. If there are too many, aborts the oldest handshake from the address with
    /// the most handshakes. A normal handshake takes milliseconds, so the aborted one has probably
    /// stalled.
    pub(super) fn start(&mut self, accepted: AcceptedConnection, tls: &Tls) {
        self.pending.retain(|pending| !pending.handshake.is_finished());
        let origin = accepted.origin();
        if self.pending.len() >= self.limits.tls_handshakes {
            let origins = self.pending.iter().map(|pending| pending.origin);
            let evicted = oldest_in_largest(origins, origin);
            if let Some(oldest) = evicted.and_then(|index| self.pending.remove(index)) {
                oldest.handshake.abort();
            }
        }
        let acceptor = TlsAcceptor::from(tls.current(self.client_kind));
        let deadline = Instant::now() + self.limits.tls_handshake_time;
        let handshake = accept_tls(accepted, acceptor, deadline, self.timeouts());
        let handshake = self.running.spawn(handshake);
        self.pending.push_back(PendingHandshake { origin, handshake });
    }

    /// Waits for the next finished handshake; `None` when none is in progress.
    pub(super) async fn next_finished(&mut self) -> Option<Connection> {
        while let Some(ended) = self.running.join_next().await {
            if let Ok(Some(connection)) = ended {
                return Some(connection);
            }
        }
        None
    }
}

/// Returns the index of the oldest entry for the address with the most entries, where `newcomer`
/// counts as one entry. Among addresses with the same number, selects the one with the oldest
/// entry.
fn oldest_in_largest(
    origins: impl Iterator<Item = Origin> + Clone,
    newcomer: Origin,
) -> Option<usize> {
    let mut count_of: HashMap<Origin, usize> = HashMap::from([(newcomer, 1)]);
    for origin in origins.clone() {
        *count_of.entry(origin).or_default() += 1;
    }
    let most = origins.clone().filter_map(|origin| count_of.get(&origin));
    let most = most.max()?;
    let mut counts = origins.map(|origin| count_of.get(&origin));
    counts.position(|count| count == Some(most))
}

/// The times that a connection waits for its peer.
#[derive(Clone, Copy)]
struct PeerTimeouts {
    preface_time: Duration,
    /// `None` with HTTP/2, where each call has its own time limit.
    unread_time: Option<Duration>,
}

impl PeerTimeouts {
    fn connection(self, stream: Transport, peer: SocketAddr, slot: ConnectionSlot) -> Connection {
        let preface_by = Instant::now() + self.preface_time;
        Connection::new(stream, peer, slot, preface_by, self.unread_time)
    }
}

async fn accept_tls(
    accepted: AcceptedConnection,
    acceptor: TlsAcceptor,
    deadline: Instant,
    timeouts: PeerTimeouts,
) -> Option<Connection> {
    let AcceptedConnection { tcp, peer, slot } = accepted;
    let accepted_stream = select! {
        accepted_stream = timeout_at(deadline, acceptor.accept(tcp)) => accepted_stream,
        () = slot.evicted().cancelled() => return None,
    };
    match accepted_stream {
        Ok(Ok(stream)) => {
            let stream = Either::Right(Box::new(stream));
            Some(timeouts.connection(stream, peer, slot))
        }
        Ok(Err(error)) => {
            debug!(%peer, %error, "the TLS handshake failed");
            None
        }
        Err(_) => {
            debug!(%peer, "the TLS handshake took too long");
            None
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_with_most_handshakes_loses_its_oldest() {
        let evicted = |pending: &[u32], newcomer: u32| {
            let origin = |number: u32| Origin::from(std::net::IpAddr::V4(number.into()));
            let origins = pending.iter().copied().map(origin);
            oldest_in_largest(origins, origin(newcomer))
        };
        assert_eq!(evicted(&[1, 2, 2, 2], 3), Some(1));
        assert_eq!(evicted(&[1, 2, 2, 2], 2), Some(1));
        assert_eq!(evicted(&[3, 1, 2, 2], 1), Some(1));
        assert_eq!(evicted(&[3, 1, 2], 4), Some(0));
        assert_eq!(evicted(&[], 4), None);
    }
}
