//! The port of the page with the metrics: few connections at once, and none for long.

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
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Sleep, sleep},
};

/// A listener that accepts no more connections at once than it may; others wait in the system's
/// queue.
pub(super) struct FewConnections {
    listener: TcpListener,
    places: Arc<Semaphore>,
    connection_time: Duration,
}

/// A connection that fails once its time is over.
pub(super) struct ShortConnection {
    tcp: TcpStream,
    until: Pin<Box<Sleep>>,
    /// `None` only if there were no places to give, which never happens.
    _place: Option<OwnedSemaphorePermit>,
}

impl FewConnections {
    pub(super) fn new(
        listener: TcpListener,
        connections: usize,
        connection_time: Duration,
    ) -> Self {
        Self {
            listener,
            places: Arc::new(Semaphore::new(connections)),
            connection_time,
        }
    }
}

impl Listener for FewConnections {
    type Io = ShortConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (ShortConnection, SocketAddr) {
        // The semaphore is never closed.
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let (tcp, peer) = Listener::accept(&mut self.listener).await;
        let connection = ShortConnection {
            tcp,
            until: Box::pin(sleep(self.connection_time)),
            _place: place,
        };
        (connection, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl ShortConnection {
    fn check_time(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
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
        this.check_time(cx)?;
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
        this.check_time(cx)?;
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
        time::timeout,
    };

    use super::*;

    #[tokio::test]
    async fn who_connects_and_says_nothing_keeps_the_page_from_nobody_for_long() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let few = FewConnections::new(listener, 2, Duration::from_millis(30));
        let pages = Router::new().route("/metrics", get(async || "page"));
        let serving = tokio::spawn(async { axum::serve(few, pages).await });
        let mut silent = Vec::new();
        for _ in 0..5 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let answer = async {
            let mut asking = TcpStream::connect(address).await.unwrap();
            let request = b"GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n";
            asking.write_all(request).await.unwrap();
            let mut answer = String::new();
            asking.read_to_string(&mut answer).await.unwrap();
            answer
        };
        let answer = timeout(Duration::from_secs(10), answer).await.unwrap();
        assert!(answer.ends_with("page"), "{answer}");
        for mut silent in silent {
            let end = timeout(Duration::from_secs(10), silent.read(&mut [0])).await;
            assert!(matches!(end.unwrap(), Ok(0) | Err(_)));
        }
        serving.abort();
    }
}
