//! TCP connections that can be cut while the service behind them goes on.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    io::{DuplexStream, copy_bidirectional, duplex},
    net::{TcpListener, TcpSocket, TcpStream},
    select,
    sync::mpsc,
    time::{Instant, sleep},
};
use tokio_stream::{StreamExt as _, wrappers::ReceiverStream};
use tokio_util::{
    sync::CancellationToken,
    task::{AbortOnDropHandle, TaskTracker},
};

/// Bytes on the way between a connection and the service in each direction.
const PIPE_BYTES: usize = 64 * 1024;
/// Connections that wait to be accepted.
const BACKLOG: u32 = 64;

/// Time for the port to be free once nobody listens on it, and the pause between two tries.
const FREE_PORT_TIME: Duration = Duration::from_secs(2);
const FREE_PORT_PAUSE: Duration = Duration::from_millis(5);

/// A listening address whose connections can be reset.
pub(super) struct Line {
    local_addr: SocketAddr,
    service: mpsc::Sender<DuplexStream>,
    carriers: Arc<Mutex<Carriers>>,
    state: State,
}

/// The tasks that carry the connections of now, and what makes them reset theirs.
#[derive(Default)]
struct Carriers {
    cut: CancellationToken,
    tasks: TaskTracker,
}

enum State {
    Listening(AbortOnDropHandle<()>),
    /// Keeps the port, so that nobody else gets it; connections to it are refused.
    Away(TcpSocket),
    /// Between the two, or after a failure of the system.
    Closed,
}

impl Line {
    /// Listens on a free loopback port; the connections are for the service.
    pub(super) async fn open() -> io::Result<(
        Self,
        impl tokio_stream::Stream<Item = io::Result<DuplexStream>>,
    )> {
        let (service, connections) = mpsc::channel(1);
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let mut line = Self {
            local_addr: listener.local_addr()?,
            service,
            carriers: Arc::default(),
            state: State::Closed,
        };
        line.listen(listener);
        Ok((line, ReceiverStream::new(connections).map(Ok)))
    }

    pub(super) fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    fn listen(&mut self, listener: TcpListener) {
        let accepting = accept(listener, self.service.clone(), Arc::clone(&self.carriers));
        self.state = State::Listening(AbortOnDropHandle::new(tokio::spawn(accepting)));
    }

    /// Returns when every connection is reset: nothing that the service does later is seen on them.
    pub(super) async fn reset_connections(&self) {
        let carriers = std::mem::take(&mut *self.carriers.lock());
        carriers.cut.cancel();
        carriers.tasks.close();
        carriers.tasks.wait().await;
    }

    pub(super) async fn go_away(&mut self) -> io::Result<()> {
        if let State::Listening(accepting) = std::mem::replace(&mut self.state, State::Closed) {
            accepting.abort();
            // The listener is dropped when its task has ended, and only then is the port free.
            let _ = accepting.await;
        }
        self.reset_connections().await;
        let end = Instant::now() + FREE_PORT_TIME;
        loop {
            let socket = TcpSocket::new_v4()?;
            socket.set_reuseaddr(true)?;
            match socket.bind(self.local_addr) {
                Ok(()) => {
                    self.state = State::Away(socket);
                    return Ok(());
                }
                // The system may still be closing what held the port.
                Err(_) if Instant::now() < end => sleep(FREE_PORT_PAUSE).await,
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) async fn come_back(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Away(socket) => self.listen(socket.listen(BACKLOG)?),
            other => self.state = other,
        }
        Ok(())
    }
}

async fn accept(
    listener: TcpListener,
    service: mpsc::Sender<DuplexStream>,
    carriers: Arc<Mutex<Carriers>>,
) {
    while let Ok((connection, _)) = listener.accept().await {
        let (near, far) = duplex(PIPE_BYTES);
        if service.send(far).await.is_err() {
            return;
        }
        let carriers = carriers.lock();
        let cut = carriers.cut.clone();
        carriers.tasks.spawn(carry(connection, near, cut));
    }
}

/// Carries bytes until one end closes or the connection is cut.
async fn carry(mut connection: TcpStream, mut service: DuplexStream, cut: CancellationToken) {
    // Without nodelay a small message waits for the peer's delayed acknowledgement.
    let _ = connection.set_nodelay(true);
    select! {
        _ = copy_bidirectional(&mut connection, &mut service) => {}
        () = cut.cancelled() => {
            // With it the connection ends with a reset and not with an orderly close.
            let _ = connection.set_zero_linger();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_connection_is_reset_refused_while_away_and_accepted_again_at_the_same_address() {
        let (mut line, connections) = Line::open().await.unwrap();
        tokio::pin!(connections);
        let addr = line.local_addr();
        let mut bot = TcpStream::connect(addr).await.unwrap();
        bot.write_all(b"a").await.unwrap();
        let mut service = connections.next().await.unwrap().unwrap();
        assert_eq!(service.read_u8().await.unwrap(), b'a');

        line.reset_connections().await;
        let error = bot.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(service.read(&mut [0]).await.unwrap(), 0);

        line.go_away().await.unwrap();
        let error = TcpStream::connect(addr).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);

        line.come_back().await.unwrap();
        TcpStream::connect(addr).await.unwrap();
        assert!(connections.next().await.is_some());
    }
}
