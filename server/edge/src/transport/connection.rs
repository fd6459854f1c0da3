//! A connection after its TLS handshake. The connection enforces read budgets and time limits, and
//! carries information about its caller.

use std::{
    io,
    mem::MaybeUninit,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};
use tokio_rustls::server::TlsStream;
use tokio_util::{either::Either, sync::WaitForCancellationFutureOwned};
use tonic::{Request, transport::server::Connected};

use super::{
    Origin,
    connection_slots::{ConnectionProtection, ConnectionSlot, ConnectionSlots},
    forwarding_node::{ForwardChannels, ForwardedCall, ForwardingNode},
    round_trip::{MinRoundTrip, RoundTripSampler},
};
use crate::identity::ConnectionBot;

/// The length of the HTTP/2 client preface (RFC 9113, section 3.4).
const PREFACE_BYTES: usize = 24;

/// The number of bytes read from one connection before other tasks run: thirty decisions, or two
/// ordinary requests. Without this limit, all received bytes would be processed at once. A few
/// bytes can contain many HTTP/2 frames, so a connection that floods the server with frames would
/// delay matches.
const READ_BUDGET_BYTES: usize = 4 * 1024;

/// A connection with its slot. The slot is released on drop.
pub struct Connection {
    stream: Transport,
    /// `None` once the preface has arrived.
    awaited: Option<AwaitedPreface>,
    peer: SocketAddr,
    round_trip: RoundTripSampler,
    forward_channels: ForwardChannels,
    bot: ConnectionBot,
    protection: ConnectionProtection,
    slot: SlotGuard,
    writing: WriteProgress,
    coalescer: WriteCoalescer,
    /// The unused part of `READ_BUDGET_BYTES`.
    read_budget_left: usize,
}

/// Tracks whether the peer accepts written bytes. While a write is blocked, nothing is read from
/// the peer. Otherwise each further call of the peer would add a response to the transport's
/// memory; even a refused call would, which no quota covers. This cannot deadlock: flow-control
/// windows are so small that a well-behaved peer is never blocked on writing at the same time.
#[derive(Default)]
struct WriteProgress {
    is_blocked: bool,
    /// The waker of a postponed read.
    reader: Option<Waker>,
    /// The time after which a blocked write fails; `None` if each call has its own time limit.
    unread_time: Option<Duration>,
    /// The time by which the peer has to read something; `None` while writes are not blocked.
    until: Option<Pin<Box<Sleep>>>,
}

impl WriteProgress {
    fn track_write<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        self.is_blocked = written.is_pending();
        if self.is_blocked {
            if let Some(unread_time) = self.unread_time {
                let until = self
                    .until
                    .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + unread_time)));
                if until.as_mut().poll(cx).is_ready() {
                    let late = "the peer did not read in time";
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, late)));
                }
            }
        } else {
            self.until = None;
            if let Some(reader) = self.reader.take() {
                reader.wake();
            }
        }
        written
    }
}

/// Information about a connection. Each request on the connection carries it as an extension.
#[derive(Clone)]
pub struct ConnectionInfo {
    /// The address of the peer.
    pub peer: SocketAddr,
    /// The caller's network: for a forwarded call that of the original caller, otherwise that of
    /// the peer.
    pub origin: Origin,
    /// The round trip to the caller, as measured by TCP.
    pub round_trip: MinRoundTrip,
    /// Whether another server in the cluster forwarded the call.
    pub is_forwarded: bool,
    /// The server that forwarded the call, if it sends beats.
    pub forwarding_node: Option<Arc<ForwardingNode>>,
    /// The connections that forward the calls of this connection to other nodes.
    pub forward_channels: ForwardChannels,
    /// The started bot that uses the connection, on a private server.
    pub bot: ConnectionBot,
    /// Protects the connection from eviction, on a private server.
    pub protection: ConnectionProtection,
}

impl ConnectionInfo {
    /// Returns the information about a request's connection, or `None` if the request has none.
    /// `Request::remote_addr` does not support this connection type.
    pub fn from_request<T>(request: &Request<T>) -> Option<&Self> {
        request.extensions().get()
    }

    /// Replaces the origin by the original caller, for a call that another server forwarded.
    pub(super) fn forwarded(self, ForwardedCall { origin, node }: ForwardedCall) -> Self {
        Self {
            origin: origin.address.into(),
            round_trip: self.round_trip.with_forwarding(origin.round_trip_us),
            is_forwarded: true,
            forwarding_node: node,
            ..self
        }
    }
}

/// A connection's byte stream: TCP, or TLS over TCP.
pub(super) type Transport = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// The state of a connection whose peer has not sent the HTTP/2 preface yet. The HTTP/2 library
/// alone would wait forever for the preface.
struct AwaitedPreface {
    bytes_left: usize,
    until: Pin<Box<Sleep>>,
}

impl Connection {
    /// Creates a connection whose peer has until `preface_by` to send the HTTP/2 preface, or an
    /// equal number of request bytes. With `unread_time`, a write that is blocked for longer fails.
    pub(super) fn new(
        stream: Transport,
        peer: SocketAddr,
        slot: ConnectionSlot,
        preface_by: Instant,
        unread_time: Option<Duration>,
    ) -> Self {
        Self {
            peer,
            round_trip: RoundTripSampler::new(tcp_stream(&stream)),
            forward_channels: ForwardChannels::default(),
            bot: ConnectionBot::default(),
            protection: ConnectionProtection::default(),
            stream,
            awaited: Some(AwaitedPreface {
                bytes_left: PREFACE_BYTES,
                until: Box::pin(sleep_until(preface_by)),
            }),
            slot: SlotGuard::new(slot),
            writing: WriteProgress { unread_time, ..WriteProgress::default() },
            coalescer: WriteCoalescer::default(),
            read_budget_left: READ_BUDGET_BYTES,
        }
    }

    /// The network address of the peer.
    pub(super) fn origin(&self) -> Origin {
        self.peer.ip().into()
    }

    /// The slots of the connection's port.
    pub(super) fn slots(&self) -> &Arc<ConnectionSlots> {
        self.slot.slots()
    }

    /// Coalesces the writes of `open_calls` calls in progress.
    pub(super) fn coalesce_for(&mut self, open_calls: Arc<AtomicUsize>) {
        self.coalescer = WriteCoalescer::new(open_calls);
    }
}

fn tcp_stream(stream: &Transport) -> &TcpStream {
    match stream {
        Either::Left(tcp) => tcp,
        Either::Right(tls) => tls.get_ref().0,
    }
}

impl Connected for Connection {
    type ConnectInfo = ConnectionInfo;

    fn connect_info(&self) -> ConnectionInfo {
        ConnectionInfo {
            peer: self.peer,
            origin: self.origin(),
            round_trip: self.round_trip.min(),
            is_forwarded: false,
            forwarding_node: None,
            forward_channels: self.forward_channels.clone(),
            bot: self.bot.clone(),
            protection: self.protection.clone(),
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.slot.check(cx)?;
        if this.writing.is_blocked {
            this.writing.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        if this.read_budget_left == 0 {
            this.read_budget_left = READ_BUDGET_BYTES;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut space = [const { MaybeUninit::uninit() }; READ_BUDGET_BYTES];
        let max = this.read_budget_left.min(buffer.remaining());
        let mut budgeted = ReadBuf::uninit(&mut space[..max]);
        let read = Pin::new(&mut this.stream).poll_read(cx, &mut budgeted);
        let received = budgeted.filled().len();
        buffer.put_slice(budgeted.filled());
        this.read_budget_left = match read {
            Poll::Ready(_) => this.read_budget_left.saturating_sub(received),
            Poll::Pending => READ_BUDGET_BYTES,
        };
        if received > 0 {
            this.round_trip.sample(tcp_stream(&this.stream));
        }
        if let Some(awaited) = &mut this.awaited {
            awaited.bytes_left = awaited.bytes_left.saturating_sub(received);
            if awaited.bytes_left == 0 {
                this.awaited = None;
            } else if awaited.until.as_mut().poll(cx).is_ready() {
                let late = "the HTTP/2 preface did not arrive in time";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, late)));
            }
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.slot.check(cx)?;
        ready!(this.coalescer.poll(cx));
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.writing.track_write(written, cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.slot.check(cx)?;
        ready!(this.coalescer.poll(cx));
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, parts);
        this.writing.track_write(written, cx)
    }

    /// Returns `false` until the preface has arrived. An initial `false` makes the HTTP/2 library
    /// copy messages of up to 1 KiB into one buffer and write them together.
    fn is_write_vectored(&self) -> bool {
        self.awaited.is_none() && self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.slot.check(cx)?;
        let written = Pin::new(&mut this.stream).poll_flush(cx);
        if written.is_ready() {
            this.coalescer.reset();
        }
        this.writing.track_write(written, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// A slot, released on drop, that fails reads and writes once the connection is evicted.
pub(super) struct SlotGuard {
    /// Completes when the connection is evicted.
    evicted: Pin<Box<WaitForCancellationFutureOwned>>,
    slot: ConnectionSlot,
}

impl SlotGuard {
    pub(super) fn new(slot: ConnectionSlot) -> Self {
        Self { evicted: Box::pin(slot.evicted().clone().cancelled_owned()), slot }
    }

    pub(super) fn slots(&self) -> &Arc<ConnectionSlots> {
        self.slot.slots()
    }

    /// Fails once the connection is evicted. Reads and writes both check for an eviction, since the
    /// server might only be writing while the peer does not read.
    pub(super) fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.evicted.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the connection was evicted in favour of a new one",
            )),
        }
    }
}

/// The minimum number of calls for which a connection coalesces writes. Two calls are usually the
/// seats of one match, which act in turn, so there is nothing to coalesce.
const MIN_CALLS: usize = 3;

/// Delays the writes of a connection with several calls until all other ready tasks have run once,
/// so that one write sends the messages of all calls. A write takes the operating system longer
/// than a call takes the server.
#[derive(Default)]
pub(super) struct WriteCoalescer {
    /// The number of calls in progress on the connection.
    open_calls: Arc<AtomicUsize>,
    /// Whether other tasks have run since the last flush.
    has_yielded: bool,
}

impl WriteCoalescer {
    /// Creates a coalescer for a connection with `open_calls` calls.
    pub(super) fn new(open_calls: Arc<AtomicUsize>) -> Self {
        Self { open_calls, has_yielded: false }
    }

    /// Yields to other tasks, once before each flush.
    pub(super) fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        let has_yielded = std::mem::replace(&mut self.has_yielded, true);
        if has_yielded || self.open_calls.load(Ordering::Relaxed) < MIN_CALLS {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Resets the coalescer after a flush.
    pub(super) fn reset(&mut self) {
        self.has_yielded = false;
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::{net::TcpListener, task::unconstrained, time::timeout};

    use super::{super::ConnectionSlots, *};
    use crate::{identity::CallingBot, limits::Limits};

    /// Returns a connection, its other end, and a table with one slot.
    async fn connected() -> (Connection, TcpStream, Arc<ConnectionSlots>) {
        let slots =
            ConnectionSlots::new(&Limits { connections_per_address: 1, ..Limits::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let other_end = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (tcp, peer) = listener.accept().await.unwrap();
        let (slot, _) = slots.acquire(peer);
        let preface_by = Instant::now() + Duration::from_secs(3_600);
        let connection = Connection::new(Either::Left(tcp), peer, slot, preface_by, None);
        (connection, other_end, slots)
    }

    #[tokio::test]
    async fn a_connection_whose_peer_reads_nothing_can_be_evicted() {
        let (mut connection, _silent, slots) = connected().await;
        let peer = connection.peer;
        let mut write =
            async || poll_fn(|cx| Pin::new(&mut connection).poll_write(cx, &[0; 64 * 1024])).await;
        let full = async { while write().await.is_ok() {} };
        tokio::pin!(full);
        let is_full = poll_fn(|cx| Poll::Ready(full.as_mut().poll(cx).is_pending())).await;
        assert!(is_full);
        let newer = SocketAddr::new(peer.ip(), peer.port() ^ 1);
        let _newer = slots.acquire(newer);
        timeout(Duration::from_secs(10), full).await.unwrap();
    }

    #[tokio::test]
    async fn a_later_connection_from_the_same_port_is_not_the_same_bot() {
        let (first, _other_end, _slots) = connected().await;
        let (mut second, _other_end, _slots) = connected().await;
        second.peer = first.peer;
        let seat = CallingBot::Seat { match_id: "a".to_owned(), seat: 1 };
        first.connect_info().bot.set(seat.clone());
        assert_eq!(first.connect_info().bot.get(), Some(seat));
        assert_eq!(second.connect_info().bot.get(), None);
    }

    #[tokio::test]
    async fn writes_of_several_calls_are_coalesced() {
        let (mut connection, _other_end, _slots) = connected().await;
        let mut write = async |calls| {
            connection.coalesce_for(Arc::new(AtomicUsize::new(calls)));
            let mut polls = 0;
            let written = poll_fn(|cx| {
                polls += 1;
                Pin::new(&mut connection).poll_write(cx, &[0])
            });
            written.await.unwrap();
            let again = poll_fn(|cx| Pin::new(&mut connection).poll_write(cx, &[0]));
            assert_eq!(again.await.unwrap(), 1);
            let flushed = poll_fn(|cx| Pin::new(&mut connection).poll_flush(cx));
            flushed.await.unwrap();
            polls
        };
        assert_eq!(write(2).await, 1);
        assert_eq!(write(3).await, 2);
        assert_eq!(write(3).await, 2, "coalesces again after a flush");
    }

    #[tokio::test]
    async fn a_peer_that_sends_much_at_once_does_not_starve_others() {
        let (mut connection, sender, _slots) = connected().await;
        sender.writable().await.unwrap();
        let mut to_come = 0;
        while let Ok(sent) = sender.try_write(&[0; 64 * 1024]) {
            to_come += sent;
        }
        let mut space = [0; 8 * 1024];
        let mut longest_read = 0;
        // Runs without tokio's cooperative budget, which counts reads and not bytes.
        let all = unconstrained(poll_fn(|cx| {
            let mut read_bytes = 0;
            while to_come > 0 {
                let mut buffer = ReadBuf::new(&mut space);
                let read = Pin::new(&mut connection).poll_read(cx, &mut buffer);
                read_bytes += buffer.filled().len();
                to_come -= buffer.filled().len();
                longest_read = longest_read.max(read_bytes);
                ready!(read).unwrap();
            }
            Poll::Ready(())
        }));
        timeout(Duration::from_secs(10), all).await.unwrap();
        assert_eq!(longest_read, READ_BUDGET_BYTES);
    }
}
