//! A port for operators: few connections at once, few of one address, and none for long.

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

use super::{connection_slots::ConnectionSlots, held_slot::HeldSlot};

/// A listener that has no more connections at once than it may. For one more the oldest gives way:
/// of the same address if that has its share, else of the address with most of them.
pub(crate) struct FewConnections {
    listener: TcpListener,
    slots: Arc<ConnectionSlots>,
    connection_time: Duration,
}

/// A connection that fails once its time is over, or it has to give way.
pub(crate) struct ShortConnection {
    tcp: TcpStream,
    until: Pin<Box<Sleep>>,
    slot: HeldSlot,
}

impl FewConnections {
    /// As many connections as `slots` has, each open for `connection_time` at most.
    pub(crate) fn new(
        listener: TcpListener,
        slots: Arc<ConnectionSlots>,
        connection_time: Duration,
    ) -> Self {
        Self {
            listener,
            slots,
            connection_time,
        }
    }
}

impl Listener for FewConnections {
    type Io = ShortConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (ShortConnection, SocketAddr) {
        let (tcp, peer) = Listener::accept(&mut self.listener).await;
        let (slot, full) = self.slots.acquire(peer);
        if full.is_some() {
            warn!(%peer, "a connection to the operator's port was closed for a new one");
        }
        let connection = ShortConnection {
            tcp,
            until: Box::pin(sleep(self.connection_time)),
            slot: HeldSlot::new(slot),
        };
        (connection, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl ShortConnection {
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        self.slot.check(cx)?;
        match self.until.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl AsyncRead for ShortConnection {
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

impl AsyncWrite for ShortConnection {
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

    const PATIENCE: Duration = Duration::from_secs(10);
    /// Over for no connection of a test.
    const LONG: Duration = Duration::from_secs(3_600);

    /// A page on a port with few connections.
    async fn page(
        connections: usize,
        of_one_address: usize,
        connection_time: Duration,
    ) -> (SocketAddr, AbortOnDropHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = listener.local_addr().unwrap();
        let slots = ConnectionSlots::without_bots(connections, of_one_address);
        let few = FewConnections::new(listener, slots, connection_time);
        let pages = Router::new().route("/metrics", get(async || "page"));
        let serving = tokio::spawn(async { axum::serve(few, pages).await.unwrap() });
        (server, AbortOnDropHandle::new(serving))
    }

    /// Connects from a loopback address. Linux has all of 127.0.0.0/8.
    async fn connect_from(address: &str, server: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        let address = SocketAddr::new(address.parse().unwrap(), 0);
        socket.bind(address).unwrap();
        socket.connect(server).await.unwrap()
    }

    async fn assert_answered(mut asking: TcpStream) {
        let request = b"GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
        asking.write_all(request).await.unwrap();
        let mut answer = String::new();
        let read = asking.read_to_string(&mut answer);
        timeout(PATIENCE, read).await.unwrap().unwrap();
        assert!(answer.ends_with("page"), "{answer}");
    }

    async fn assert_closed(mut silent: TcpStream) {
        let end = timeout(PATIENCE, silent.read(&mut [0])).await;
        assert!(matches!(end.unwrap(), Ok(0) | Err(_)));
    }

    #[tokio::test]
    async fn who_connects_and_says_nothing_keeps_no_place_for_long() {
        let (server, _serving) = page(2, 2, Duration::from_millis(30)).await;
        assert_closed(connect_from("127.0.0.1", server).await).await;
    }

    #[tokio::test]
    async fn one_address_that_holds_all_it_can_keeps_the_page_from_nobody() {
        let (server, _serving) = page(4, 2, LONG).await;
        let other = connect_from("127.0.0.3", server).await;
        let mut silent = Vec::new();
        for _ in 0..5 {
            silent.push(connect_from("127.0.0.2", server).await);
        }
        assert_answered(connect_from("127.0.0.4", server).await).await;
        // Not even from itself: its own oldest gives way.
        assert_answered(connect_from("127.0.0.2", server).await).await;
        assert_closed(silent.remove(0)).await;
        assert_answered(other).await;
    }

    #[tokio::test]
    async fn addresses_that_fill_the_port_together_keep_the_page_from_nobody() {
        let (server, _serving) = page(4, 2, LONG).await;
        let mut silent = Vec::new();
        for address in ["127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.5"] {
            silent.push(connect_from(address, server).await);
        }
        assert_answered(connect_from("127.0.0.4", server).await).await;
        assert_closed(silent.remove(0)).await;
    }
}
