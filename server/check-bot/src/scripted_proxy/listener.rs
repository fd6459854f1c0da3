//! A TCP listener that can reset its connections while the service behind it keeps running, and a
//! TCP relay to the real server.

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
    task::JoinSet,
    time::{Instant, sleep},
};
use tokio_stream::{StreamExt as _, wrappers::ReceiverStream};
use tokio_util::{
    sync::CancellationToken,
    task::{AbortOnDropHandle, TaskTracker},
};

/// Size of the buffer between a connection and the service, in bytes per direction.
const PIPE_BYTES: usize = 64 * 1024;
/// The number of connections that can wait to be accepted.
const BACKLOG: u32 = 64;

/// Maximum time to wait until the port is free after the listener has been closed.
const FREE_PORT_TIMEOUT: Duration = Duration::from_secs(2);
const FREE_PORT_INTERVAL: Duration = Duration::from_millis(5);

/// A listening address whose connections can be reset.
pub(crate) struct Listener {
    local_addr: SocketAddr,
    service: mpsc::Sender<DuplexStream>,
    connections: Arc<Mutex<ConnectionTasks>>,
    state: State,
}

/// The tasks of the open connections, and the token that resets the connections.
#[derive(Default)]
struct ConnectionTasks {
    cut: CancellationToken,
    tasks: TaskTracker,
}

enum State {
    Listening(AbortOnDropHandle<()>),
    /// The socket is bound but not listening, so the port stays reserved and connections are
    /// refused.
    Reserved(TcpSocket),
    /// The state during a transition, or after an I/O error.
    Closed,
}

impl Listener {
    /// Listens on a free loopback port. Returns the listener and a stream of its connections.
    pub(super) async fn open()
    -> io::Result<(Self, impl tokio_stream::Stream<Item = io::Result<DuplexStream>>)> {
        let (service, connections) = mpsc::channel(1);
        let tcp_listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let mut listener = Self {
            local_addr: tcp_listener.local_addr()?,
            service,
            connections: Arc::default(),
            state: State::Closed,
        };
        listener.listen(tcp_listener);
        Ok((listener, ReceiverStream::new(connections).map(Ok)))
    }

    /// Returns the address for the bot.
    pub(crate) fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    fn listen(&mut self, listener: TcpListener) {
        let accepting = accept(listener, self.service.clone(), Arc::clone(&self.connections));
        self.state = State::Listening(AbortOnDropHandle::new(tokio::spawn(accepting)));
    }

    /// Resets all connections. After this function returns, nothing that the service does affects
    /// them.
    pub(crate) async fn reset_connections(&self) {
        let connections = std::mem::take(&mut *self.connections.lock());
        connections.cut.cancel();
        connections.tasks.close();
        connections.tasks.wait().await;
    }

    pub(super) async fn stop_listening(&mut self) -> io::Result<()> {
        if let State::Listening(accepting) = std::mem::replace(&mut self.state, State::Closed) {
            accepting.abort();
            // The task must end before the port is free, because it owns the listener.
            let _ = accepting.await;
        }
        self.reset_connections().await;
        let end = Instant::now() + FREE_PORT_TIMEOUT;
        loop {
            let socket = TcpSocket::new_v4()?;
            socket.set_reuseaddr(true)?;
            match socket.bind(self.local_addr) {
                Ok(()) => {
                    self.state = State::Reserved(socket);
                    return Ok(());
                }
                // The operating system might still be releasing the port.
                Err(_) if Instant::now() < end => sleep(FREE_PORT_INTERVAL).await,
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) async fn resume_listening(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Reserved(socket) => self.listen(socket.listen(BACKLOG)?),
            other => self.state = other,
        }
        Ok(())
    }
}

async fn accept(
    listener: TcpListener,
    service: mpsc::Sender<DuplexStream>,
    connections: Arc<Mutex<ConnectionTasks>>,
) {
    while let Ok((connection, _)) = listener.accept().await {
        let (near, far) = duplex(PIPE_BYTES);
        if service.send(far).await.is_err() {
            return;
        }
        let connections = connections.lock();
        let cut = connections.cut.clone();
        connections.tasks.spawn(copy_until_reset(connection, near, cut));
    }
}

/// Copies bytes until one end closes or the connection is reset.
async fn copy_until_reset(
    mut connection: TcpStream,
    mut service: DuplexStream,
    cut: CancellationToken,
) {
    // Without TCP_NODELAY, a small message would wait for the peer's delayed acknowledgement.
    let _ = connection.set_nodelay(true);
    select! {
        _ = copy_bidirectional(&mut connection, &mut service) => {}
        () = cut.cancelled() => {
            // With a linger time of zero, closing sends RST instead of FIN.
            let _ = connection.set_zero_linger();
        }
    }
}

/// A listening address whose connections are relayed to a server until a reset.
pub(crate) struct Relay {
    pub(crate) listener: Listener,
    _relaying: AbortOnDropHandle<()>,
}

impl Relay {
    /// Listens on a free loopback port.
    pub(crate) async fn open(server: SocketAddr) -> io::Result<Self> {
        let (listener, connections) = Listener::open().await?;
        let relaying = async move {
            let mut relays = JoinSet::new();
            tokio::pin!(connections);
            while let Some(Ok(mut near)) = connections.next().await {
                relays.spawn(async move {
                    // When either side closes its connection, the connections to both sides are
                    // dropped.
                    if let Ok(mut far) = TcpStream::connect(server).await {
                        let _ = far.set_nodelay(true);
                        let _ = copy_bidirectional(&mut near, &mut far).await;
                    }
                });
                while relays.try_join_next().is_some() {}
            }
        };
        Ok(Self { listener, _relaying: AbortOnDropHandle::new(tokio::spawn(relaying)) })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn connections_are_reset_refused_and_accepted_again_at_the_same_address() {
        let (mut listener, connections) = Listener::open().await.unwrap();
        tokio::pin!(connections);
        let addr = listener.local_addr();
        let mut bot = TcpStream::connect(addr).await.unwrap();
        bot.write_all(b"a").await.unwrap();
        let mut service = connections.next().await.unwrap().unwrap();
        assert_eq!(service.read_u8().await.unwrap(), b'a');

        listener.reset_connections().await;
        let error = bot.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(service.read(&mut [0]).await.unwrap(), 0);

        listener.stop_listening().await.unwrap();
        let error = TcpStream::connect(addr).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);

        listener.resume_listening().await.unwrap();
        TcpStream::connect(addr).await.unwrap();
        assert!(connections.next().await.is_some());
    }
}
