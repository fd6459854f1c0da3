//! TLS handshakes under way, and which of them gives way when there are too many.

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
    accepted::Accepted,
    connection::{Connection, Transport},
    connection_slots::ConnectionSlot,
    origin::Origin,
    peers::Peers,
    tls::Tls,
};
use crate::limits::Limits;

/// TLS handshakes under way.
pub(super) struct Handshakes {
    limits: Limits,
    peers: Peers,
    running: JoinSet<Option<Connection>>,
    begun: VecDeque<Begun>,
}

/// A handshake, with the address that it is of. The oldest first; those that are over are still
/// among them for a while.
struct Begun {
    origin: Origin,
    handshake: AbortHandle,
}

impl Handshakes {
    pub(super) fn new(limits: Limits, peers: Peers) -> Self {
        Self {
            limits,
            peers,
            running: JoinSet::new(),
            begun: VecDeque::new(),
        }
    }

    /// A connection without TLS, on which there is none to be made.
    pub(super) fn none(&self, accepted: Accepted) -> Connection {
        let Accepted { tcp, peer, slot } = accepted;
        self.expectations()
            .connection(Transport::Plain(tcp), peer, slot)
    }

    fn expectations(&self) -> Expectations {
        Expectations {
            preface_time: self.limits.preface_time,
            unread_time: (self.peers == Peers::Browsers).then_some(self.limits.unread_time),
        }
    }

    /// Starts a handshake. When there are too many, the oldest gives way of the address that has
    /// most of them: an honest one takes milliseconds, so that is one which has stalled, and
    /// nobody's who begins few.
    pub(super) fn start(&mut self, accepted: Accepted, tls: &Tls) {
        self.begun.retain(|begun| !begun.handshake.is_finished());
        let origin = accepted.origin();
        if self.begun.len() >= self.limits.tls_handshakes {
            let origins = self.begun.iter().map(|begun| begun.origin);
            let gives_way = oldest_of_largest(origins, origin);
            if let Some(begun) = gives_way.and_then(|index| self.begun.remove(index)) {
                begun.handshake.abort();
            }
        }
        let acceptor = TlsAcceptor::from(tls.current(self.peers));
        let by = Instant::now() + self.limits.tls_handshake_time;
        let handshake = shake_hands(accepted, acceptor, by, self.expectations());
        let handshake = self.running.spawn(handshake);
        self.begun.push_back(Begun { origin, handshake });
    }

    /// The next connection whose handshake is done; `None` when none is under way.
    pub(super) async fn finished(&mut self) -> Option<Connection> {
        while let Some(ended) = self.running.join_next().await {
            if let Ok(Some(connection)) = ended {
                return Some(connection);
            }
        }
        None
    }
}

/// Which of these is the oldest of the address that has most of them, one of `newcomer` counted
/// too. Among addresses with as many it is the oldest of all.
fn oldest_of_largest(
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

/// How long a connection waits for its peer.
#[derive(Clone, Copy)]
struct Expectations {
    preface_time: Duration,
    /// With HTTP/2 the call of an answer waits; otherwise the connection does.
    unread_time: Option<Duration>,
}

impl Expectations {
    fn connection(self, stream: Transport, peer: SocketAddr, slot: ConnectionSlot) -> Connection {
        let preface_by = Instant::now() + self.preface_time;
        Connection::new(stream, peer, slot, preface_by, self.unread_time)
    }
}

async fn shake_hands(
    accepted: Accepted,
    acceptor: TlsAcceptor,
    by: Instant,
    expectations: Expectations,
) -> Option<Connection> {
    let Accepted { tcp, peer, slot } = accepted;
    let shaken = select! {
        shaken = timeout_at(by, acceptor.accept(tcp)) => shaken,
        () = slot.gives_way().cancelled() => return None,
    };
    match shaken {
        Ok(Ok(stream)) => {
            let stream = Transport::Tls(Box::new(stream));
            Some(expectations.connection(stream, peer, slot))
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
    fn the_address_with_most_handshakes_gives_its_oldest_up() {
        let gives_way = |begun: &[u32], newcomer: u32| {
            let origin = |number: u32| Origin::from(std::net::IpAddr::V4(number.into()));
            let origins = begun.iter().copied().map(origin);
            oldest_of_largest(origins, origin(newcomer))
        };
        assert_eq!(gives_way(&[1, 2, 2, 2], 3), Some(1));
        assert_eq!(gives_way(&[1, 2, 2, 2], 2), Some(1));
        assert_eq!(gives_way(&[3, 1, 2, 2], 1), Some(1));
        assert_eq!(gives_way(&[3, 1, 2], 4), Some(0));
        assert_eq!(gives_way(&[], 4), None);
    }
}
