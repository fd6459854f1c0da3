//! Runs TLS handshakes, and evicts stalled handshakes.

use std::{
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    time::Duration,
};

use tokio::{
    select,
    task::{AbortHandle, JoinSet},
    time::{Instant, timeout_at},
};
use tokio_rustls::TlsAcceptor;
use tracing::debug;

use super::{
    accepted::AcceptedConnection,
    client_kind::ClientKind,
    connection::{Connection, Transport},
    connection_slots::ConnectionSlot,
    origin::Origin,
    tls::Tls,
};
use crate::limits::Limits;

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
        Self {
            limits,
            client_kind,
            running: JoinSet::new(),
            pending: VecDeque::new(),
        }
    }

    /// Wraps a connection on a port without TLS.
    pub(super) fn without_tls(&self, accepted: AcceptedConnection) -> Connection {
        let AcceptedConnection { tcp, peer, slot } = accepted;
        self.timeouts()
            .connection(Transport::Plain(tcp), peer, slot)
    }

    fn timeouts(&self) -> PeerTimeouts {
        PeerTimeouts {
            preface_time: self.limits.preface_time,
            unread_time: (self.client_kind == ClientKind::Browsers)
                .then_some(self.limits.unread_time),
        }
    }

    /// Starts a handshake. When there are too many, aborts the oldest handshake from the address
    /// with the most handshakes. An honest handshake takes milliseconds, so the aborted one has
    /// stalled.
    pub(super) fn start(&mut self, accepted: AcceptedConnection, tls: &Tls) {
        self.pending
            .retain(|pending| !pending.handshake.is_finished());
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
        self.pending
            .push_back(PendingHandshake { origin, handshake });
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

/// Returns the index of the oldest entry for the address with the most entries. An entry for
/// `newcomer` is counted too. If several addresses have the same number of entries, the address
/// with the oldest entry is selected.
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

/// The time that a connection waits for its peer.
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
            let stream = Transport::Tls(Box::new(stream));
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
