//! Limits the number of connections, in total and per address, and the lifetime of each connection.
//! Used for the operator's listeners.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::serve::Listener;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    time::{Sleep, sleep},
};
use tracing::warn;

use super::{connection::SlotGuard, connection_slots::ConnectionSlots};

/// A listener with a limited number of connections. A new connection beyond the limit evicts an
/// older one: the oldest from its own address if that address is at its limit, and otherwise the
/// oldest from the address with the most connections.
pub struct BoundedListener {
    listener: TcpListener,
    slots: Arc<ConnectionSlots>,
    max_lifetime: Duration,
}

/// A connection that fails at the end of its lifetime, or when it is evicted.
pub struct BoundedConnection {
    tcp: TcpStream,
    until: Pin<Box<Sleep>>,
    slot: SlotGuard,
}

impl BoundedListener {
    /// Creates a listener with as many connections as `slots` has, each open for at most
    /// `max_lifetime`.
    pub fn new(listener: TcpListener, slots: Arc<ConnectionSlots>, max_lifetime: Duration) -> Self {
        Self { listener, slots, max_lifetime }
    }
}

impl Listener for BoundedListener {
    type Io = BoundedConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (BoundedConnection, SocketAddr) {
        let (tcp, peer) = Listener::accept(&mut self.listener).await;
        let (slot, full) = self.slots.acquire(peer);
        if full.is_some() {
            warn!(%peer, "evicted a connection to the operator's port");
        }
        let connection = BoundedConnection {
            tcp,
            until: Box::pin(sleep(self.max_lifetime)),
            slot: SlotGuard::new(slot),
        };
        (connection, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl BoundedConnection {
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        self.slot.check(cx)?;
        match self.until.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl AsyncRead for BoundedConnection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check(cx)?;
        Pin::new(&mut this.tcp).poll_read(cx, buffer)
    }
}

impl AsyncWrite for BoundedConnection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.check(cx)?;
        Pin::new(&mut this.tcp).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().tcp).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().tcp).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use axum::{Router, routing::get};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpSocket,
        time::timeout,
    };
    use tokio_util::task::AbortOnDropHandle;

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);
    /// Longer than any test runs.
    const LONG: Duration = Duration::from_secs(3_600);

    /// Serves a page on a bounded listener.
    async fn page(
        connections: usize,
        max_per_address: usize,
        max_lifetime: Duration,
    ) -> (SocketAddr, AbortOnDropHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = listener.local_addr().unwrap();
        let slots = ConnectionSlots::without_bots(connections, max_per_address);
        let listener = BoundedListener::new(listener, slots, max_lifetime);
        let pages = Router::new().route("/metrics", get(async || "page"));
        let serving = tokio::spawn(async { axum::serve(listener, pages).await.unwrap() });
        (server, AbortOnDropHandle::new(serving))
    }

    /// Connects from a loopback address. On Linux all addresses in 127.0.0.0/8 are loopback
    /// addresses.
    async fn connect_from(address: &str, server: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        let address = SocketAddr::new(address.parse().unwrap(), 0);
        socket.bind(address).unwrap();
        socket.connect(server).await.unwrap()
    }

    async fn assert_answered(mut stream: TcpStream) {
        let request = b"GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        timeout(TIMEOUT, read).await.unwrap().unwrap();
        assert!(answer.ends_with("page"), "{answer}");
    }

    async fn assert_closed(mut silent: TcpStream) {
        let end = timeout(TIMEOUT, silent.read(&mut [0])).await;
        assert!(matches!(end.unwrap(), Ok(0) | Err(_)));
    }

    #[tokio::test]
    async fn silent_connections_are_closed_after_their_lifetime() {
        let (server, _serving) = page(2, 2, Duration::from_millis(30)).await;
        assert_closed(connect_from("127.0.0.1", server).await).await;
    }

    #[tokio::test]
    async fn one_address_at_its_limit_does_not_block_the_page() {
        let (server, _serving) = page(4, 2, LONG).await;
        let other = connect_from("127.0.0.3", server).await;
        let mut silent = Vec::new();
        for _ in 0..5 {
            silent.push(connect_from("127.0.0.2", server).await);
        }
        assert_answered(connect_from("127.0.0.4", server).await).await;
        // The address is at its limit, so its own oldest connection is evicted.
        assert_answered(connect_from("127.0.0.2", server).await).await;
        assert_closed(silent.remove(0)).await;
        assert_answered(other).await;
    }

    #[tokio::test]
    async fn addresses_that_fill_the_port_do_not_block_the_page() {
        let (server, _serving) = page(4, 2, LONG).await;
        let mut silent = Vec::new();
        for address in ["127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.5"] {
            silent.push(connect_from(address, server).await);
        }
        assert_answered(connect_from("127.0.0.4", server).await).await;
        assert_closed(silent.remove(0)).await;
    }
}
