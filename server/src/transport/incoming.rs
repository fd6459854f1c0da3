//! Accepts connections.

use std::{collections::VecDeque, io, net::SocketAddr, sync::Arc, time::Duration};

use async_stream::stream;
use tokio::{
    net::{TcpListener, TcpStream},
    select,
    task::{AbortHandle, JoinSet},
    time::{Instant, sleep, timeout_at},
};
use tokio_rustls::TlsAcceptor;
use tokio_stream::Stream;
use tracing::{debug, warn};

use super::{
    connection::{Connection, Transport},
    places::{Place, Places},
    tls::Tls,
};
use crate::limits::Limits;

/// Pause after the system had no connection to give, for want of file descriptors as a rule.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Least time between two warnings that connections are turned away.
const WARNING_INTERVAL: Duration = Duration::from_secs(1);

/// The connections that come to a listener, within the limits. For one more than there may be the
/// oldest gives way that carries no bot; if all do, it is closed at once. One that does not finish its TLS handshake or its HTTP/2 preface in time is closed then.
pub(crate) fn incoming(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    limits: Limits,
    places: Arc<Places>,
) -> impl Stream<Item = Connection> {
    let mut door = Door::new(listener, places);
    let mut handshakes = Handshakes::new(limits);
    stream! {
        loop {
            select! {
                // Finished handshakes first: a flood of new connections must not hold them up.
                biased;
                Some(connection) = handshakes.finished() => yield connection,
                accepted = door.accept() => match &tls {
                    Some(tls) => handshakes.start(accepted, tls),
                    None => yield accepted.plain(handshakes.limits.preface_time),
                },
            }
        }
    }
}

/// A TCP connection with its place.
struct Accepted {
    tcp: TcpStream,
    peer: SocketAddr,
    place: Place,
}

impl Accepted {
    fn plain(self, preface_time: Duration) -> Connection {
        let preface_by = Instant::now() + preface_time;
        Connection::new(
            Transport::Plain(self.tcp),
            self.peer,
            self.place,
            preface_by,
        )
    }
}

/// Where connections get their places.
struct Door {
    listener: TcpListener,
    places: Arc<Places>,
    warned_at: Option<Instant>,
}

impl Door {
    fn new(listener: TcpListener, places: Arc<Places>) -> Self {
        Self {
            listener,
            places,
            warned_at: None,
        }
    }

    /// The next connection that gets a place. May be dropped at any await without losing one that
    /// has a place.
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
            match self.places.take(peer) {
                Ok((place, full)) => {
                    if let Some(limit) = full {
                        let gives_way = "a connection without a bot gives way to a new one";
                        self.warn(|| warn!(%peer, limit, "{gives_way}"));
                    }
                    // Without it a small message waits for the peer's delayed acknowledgement. A
                    // socket that refuses it is one that is closed already.
                    let _ = tcp.set_nodelay(true);
                    return Accepted { tcp, peer, place };
                }
                Err(limit) => self.warn(|| warn!(%peer, limit, "a connection is turned away")),
            }
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

/// TLS handshakes under way.
struct Handshakes {
    limits: Limits,
    running: JoinSet<Option<Connection>>,
    /// The oldest first; those that are over are still among them for a while.
    begun: VecDeque<AbortHandle>,
}

impl Handshakes {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            running: JoinSet::new(),
            begun: VecDeque::new(),
        }
    }

    /// Starts a handshake. When there are too many, the oldest gives way: an honest one takes
    /// milliseconds, so that is one which has stalled.
    fn start(&mut self, accepted: Accepted, tls: &Tls) {
        self.begun.retain(|handshake| !handshake.is_finished());
        if self.begun.len() >= self.limits.tls_handshakes
            && let Some(oldest) = self.begun.pop_front()
        {
            oldest.abort();
        }
        let acceptor = TlsAcceptor::from(tls.current());
        let by = Instant::now() + self.limits.tls_handshake_time;
        let handshake = shake_hands(accepted, acceptor, by, self.limits.preface_time);
        self.begun.push_back(self.running.spawn(handshake));
    }

    /// The next connection whose handshake is done; `None` when none is under way.
    async fn finished(&mut self) -> Option<Connection> {
        while let Some(ended) = self.running.join_next().await {
            if let Ok(Some(connection)) = ended {
                return Some(connection);
            }
        }
        None
    }
}

async fn shake_hands(
    accepted: Accepted,
    acceptor: TlsAcceptor,
    by: Instant,
    preface_time: Duration,
) -> Option<Connection> {
    let Accepted { tcp, peer, place } = accepted;
    let shaken = select! {
        shaken = timeout_at(by, acceptor.accept(tcp)) => shaken,
        () = place.gives_way().cancelled() => return None,
    };
    match shaken {
        Ok(Ok(stream)) => {
            let preface_by = Instant::now() + preface_time;
            let stream = Transport::Tls(Box::new(stream));
            Some(Connection::new(stream, peer, place, preface_by))
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
