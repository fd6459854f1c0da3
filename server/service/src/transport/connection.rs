//! A connection that was accepted.

use std::{
    io,
    mem::MaybeUninit,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, atomic::AtomicUsize},
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};
use tokio_rustls::server::TlsStream;
use tonic::{Request, transport::server::Connected};

use super::{
    connection_slots::ConnectionSlot,
    gathering::Gathering,
    held_slot::HeldSlot,
    hop::Hop,
    lines::Lines,
    origin::Origin,
    round_trip::{LeastRoundTrip, RoundTripWatch},
};

/// Bytes of the HTTP/2 client preface (RFC 9113, section 3.4).
const PREFACE_BYTES: usize = 24;

/// Bytes that are read of one connection before other tasks have their turn: thirty decisions, or
/// two ordinary requests. All that has come is handled in one go otherwise, and several hundred
/// frames of HTTP/2 fit into so few bytes, so that connections that send frames without end would
/// leave matches no processor.
const TURN_BYTES: usize = 4 * 1024;

/// A connection with its slot, which it gives back when it is dropped.
pub(crate) struct Connection {
    stream: Transport,
    /// `None` once the preface is there.
    awaited: Option<AwaitedPreface>,
    peer: SocketAddr,
    round_trip: RoundTripWatch,
    lines: Lines,
    slot: HeldSlot,
    writing: Writing,
    gathering: Gathering,
    /// What may still be read in this turn.
    turn_bytes_left: usize,
}

/// Whether the peer takes what is written. While it does not, nothing is read from it: otherwise
/// each of its calls would leave an answer in the transport's memory, which a call that was
/// refused does not even count for. The windows are too small for an honest peer to be stuck in
/// writing at that moment, so the two never wait for each other.
#[derive(Default)]
struct Writing {
    is_stuck: bool,
    /// Of a read that was put off.
    reader: Option<Waker>,
    /// How long the peer may take nothing; `None` where others see to that.
    unread_time: Option<Duration>,
    /// Until when the peer has to take something; `None` while it does.
    until: Option<Pin<Box<Sleep>>>,
}

impl Writing {
    fn note<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        self.is_stuck = written.is_pending();
        if self.is_stuck {
            if let Some(unread_time) = self.unread_time {
                let until = self
                    .until
                    .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + unread_time)));
                if until.as_mut().poll(cx).is_ready() {
                    let late = "what was written was not read in time";
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

/// What every call of a connection may know of it: an extension of its request.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionInfo {
    /// The other end.
    pub(crate) peer: SocketAddr,
    /// Where the caller is: there, or with a call that was passed on elsewhere.
    pub(crate) origin: Origin,
    /// What TCP knows of the way to the caller.
    pub(crate) round_trip: LeastRoundTrip,
    /// Another server of the cluster has passed the call on.
    pub(crate) is_passed_on: bool,
    /// The connections over which its calls are passed on.
    pub(crate) lines: Lines,
}

impl ConnectionInfo {
    /// Of the connection that a request came over; `None` for one that came over none of ours.
    /// `Request::remote_addr` knows nothing of our connections.
    pub(crate) fn of<T>(request: &Request<T>) -> Option<&Self> {
        request.extensions().get()
    }

    /// The same for a call that another server has passed on.
    pub(super) fn passed_on(self, hop: Hop) -> Self {
        Self {
            origin: hop.address.into(),
            round_trip: self.round_trip.beyond(hop.round_trip_us),
            is_passed_on: true,
            ..self
        }
    }
}

/// What carries the bytes.
pub(super) enum Transport {
    /// TCP alone.
    Plain(TcpStream),
    /// TLS over TCP.
    Tls(Box<TlsStream<TcpStream>>),
}

/// A peer that has not yet said that it speaks HTTP/2: the transport would wait for it for ever.
struct AwaitedPreface {
    bytes_left: usize,
    until: Pin<Box<Sleep>>,
}

impl Connection {
    /// A connection whose peer has until `preface_by` to send the HTTP/2 preface, or as many bytes of a
    /// request. It may take nothing of what is written for `unread_time`, where that is the
    /// connection's business.
    pub(super) fn new(
        stream: Transport,
        peer: SocketAddr,
        slot: ConnectionSlot,
        preface_by: Instant,
        unread_time: Option<Duration>,
    ) -> Self {
        Self {
            peer,
            round_trip: RoundTripWatch::new(stream.tcp()),
            lines: Lines::default(),
            stream,
            awaited: Some(AwaitedPreface {
                bytes_left: PREFACE_BYTES,
                until: Box::pin(sleep_until(preface_by)),
            }),
            slot: HeldSlot::new(slot),
            writing: Writing {
                unread_time,
                ..Writing::default()
            },
            gathering: Gathering::default(),
            turn_bytes_left: TURN_BYTES,
        }
    }

    /// Where it comes from.
    pub(super) fn origin(&self) -> Origin {
        self.peer.ip().into()
    }

    /// Gathers what so many calls in progress have to say before it writes.
    pub(super) fn gathers_for(&mut self, open_calls: Arc<AtomicUsize>) {
        self.gathering = Gathering::of(open_calls);
    }
}

impl Transport {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.get_ref().0,
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = ConnectionInfo;

    fn connect_info(&self) -> ConnectionInfo {
        ConnectionInfo {
            peer: self.peer,
            origin: self.origin(),
            round_trip: self.round_trip.least(),
            is_passed_on: false,
            lines: self.lines.clone(),
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
        if this.writing.is_stuck {
            this.writing.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        if this.turn_bytes_left == 0 {
            this.turn_bytes_left = TURN_BYTES;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut space = [const { MaybeUninit::uninit() }; TURN_BYTES];
        let most = this.turn_bytes_left.min(buffer.remaining());
        let mut in_turn = ReadBuf::uninit(&mut space[..most]);
        let read = match &mut this.stream {
            Transport::Plain(stream) => Pin::new(stream).poll_read(cx, &mut in_turn),
            Transport::Tls(stream) => Pin::new(stream).poll_read(cx, &mut in_turn),
        };
        let came = in_turn.filled().len();
        buffer.put_slice(in_turn.filled());
        this.turn_bytes_left = match read {
            Poll::Ready(_) => this.turn_bytes_left.saturating_sub(came),
            Poll::Pending => TURN_BYTES,
        };
        if came > 0 {
            this.round_trip.look(this.stream.tcp());
        }
        if let Some(awaited) = &mut this.awaited {
            awaited.bytes_left = awaited.bytes_left.saturating_sub(came);
            if awaited.bytes_left == 0 {
                this.awaited = None;
            } else if awaited.until.as_mut().poll(cx).is_ready() {
                let late = "no HTTP/2 preface came in time";
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
        ready!(this.gathering.poll(cx));
        let written = match &mut this.stream {
            Transport::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Transport::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        };
        this.writing.note(written, cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.slot.check(cx)?;
        ready!(this.gathering.poll(cx));
        let written = match &mut this.stream {
            Transport::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
            Transport::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
        };
        this.writing.note(written, cx)
    }

    /// Not at its beginning: a transport that finds it so copies messages of up to 1 KiB into one
    /// buffer, which goes out at once, where it would otherwise write each for itself.
    fn is_write_vectored(&self) -> bool {
        let is_begun = self.awaited.is_none();
        is_begun
            && match &self.stream {
                Transport::Plain(stream) => stream.is_write_vectored(),
                Transport::Tls(stream) => stream.is_write_vectored(),
            }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.slot.check(cx)?;
        let written = match &mut this.stream {
            Transport::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Transport::Tls(stream) => Pin::new(stream).poll_flush(cx),
        };
        if written.is_ready() {
            this.gathering.begin_anew();
        }
        this.writing.note(written, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            Transport::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Transport::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::{net::TcpListener, task::unconstrained, time::timeout};

    use super::*;
    use crate::{Limits, transport::ConnectionSlots};

    /// A connection, its other end, and a table with one slot.
    async fn connected() -> (Connection, TcpStream, Arc<ConnectionSlots>) {
        let slots = ConnectionSlots::new(&Limits {
            connections_per_address: 1,
            ..Limits::default()
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let other_end = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let (tcp, peer) = listener.accept().await.unwrap();
        let (slot, _) = slots.acquire(peer);
        let preface_by = Instant::now() + Duration::from_secs(3_600);
        let connection = Connection::new(Transport::Plain(tcp), peer, slot, preface_by, None);
        (connection, other_end, slots)
    }

    #[tokio::test]
    async fn a_connection_whose_peer_reads_nothing_gives_way_too() {
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
    async fn what_several_calls_say_is_gathered_before_it_is_written() {
        let (mut connection, _other_end, _slots) = connected().await;
        let mut write = async |calls| {
            connection.gathers_for(Arc::new(AtomicUsize::new(calls)));
            let mut turns = 0;
            let written = poll_fn(|cx| {
                turns += 1;
                Pin::new(&mut connection).poll_write(cx, &[0])
            });
            written.await.unwrap();
            let again = poll_fn(|cx| Pin::new(&mut connection).poll_write(cx, &[0]));
            assert_eq!(again.await.unwrap(), 1);
            let flushed = poll_fn(|cx| Pin::new(&mut connection).poll_flush(cx));
            flushed.await.unwrap();
            turns
        };
        assert_eq!(write(2).await, 1);
        assert_eq!(write(3).await, 2);
        assert_eq!(write(3).await, 2, "anew after what was written is out");
    }

    #[tokio::test]
    async fn a_peer_that_sends_much_at_once_leaves_others_their_turn() {
        let (mut connection, sender, _slots) = connected().await;
        sender.writable().await.unwrap();
        let mut to_come = 0;
        while let Ok(sent) = sender.try_write(&[0; 64 * 1024]) {
            to_come += sent;
        }
        let mut space = [0; 8 * 1024];
        let mut longest_turn = 0;
        // Without the runtime's own bound, which counts readings and not bytes.
        let all = unconstrained(poll_fn(|cx| {
            let mut turn = 0;
            while to_come > 0 {
                let mut buffer = ReadBuf::new(&mut space);
                let read = Pin::new(&mut connection).poll_read(cx, &mut buffer);
                turn += buffer.filled().len();
                to_come -= buffer.filled().len();
                longest_turn = longest_turn.max(turn);
                ready!(read).unwrap();
            }
            Poll::Ready(())
        }));
        timeout(Duration::from_secs(10), all).await.unwrap();
        assert_eq!(longest_turn, TURN_BYTES);
    }
}
