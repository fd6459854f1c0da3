//! A connection that was accepted.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::{Request, transport::server::Connected};

use super::{
    connection_slots::ConnectionSlot,
    origin::Origin,
    round_trip::{LeastRoundTrip, RoundTripWatch},
};

/// Bytes of the HTTP/2 client preface (RFC 9113, section 3.4).
const PREFACE_BYTES: usize = 24;

/// A connection with its slot, which it gives back when it is dropped.
pub(crate) struct Connection {
    stream: Transport,
    /// `None` once the preface is there.
    awaited: Option<AwaitedPreface>,
    peer: SocketAddr,
    round_trip: RoundTripWatch,
    /// Completes when it has to give way to another.
    gives_way: Pin<Box<WaitForCancellationFutureOwned>>,
    writing: Writing,
    _slot: ConnectionSlot,
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
}

impl Writing {
    fn note<T>(&mut self, written: Poll<T>) -> Poll<T> {
        self.is_stuck = written.is_pending();
        if !self.is_stuck
            && let Some(reader) = self.reader.take()
        {
            reader.wake();
        }
        written
    }
}

/// What every call of a connection may know of it: an extension of its request.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionInfo {
    /// The other end.
    pub(crate) peer: SocketAddr,
    /// What TCP knows of the way there.
    pub(crate) round_trip: LeastRoundTrip,
}

impl ConnectionInfo {
    /// Of the connection that a request came over; `None` for one that came over none of ours.
    /// `Request::remote_addr` knows nothing of our connections.
    pub(crate) fn of<T>(request: &Request<T>) -> Option<&Self> {
        request.extensions().get()
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
    /// A connection whose peer has until `preface_by` to send the HTTP/2 preface.
    pub(super) fn new(
        stream: Transport,
        peer: SocketAddr,
        slot: ConnectionSlot,
        preface_by: Instant,
    ) -> Self {
        Self {
            peer,
            round_trip: RoundTripWatch::new(stream.tcp()),
            stream,
            awaited: Some(AwaitedPreface {
                bytes_left: PREFACE_BYTES,
                until: Box::pin(sleep_until(preface_by)),
            }),
            gives_way: Box::pin(slot.gives_way().clone().cancelled_owned()),
            writing: Writing::default(),
            _slot: slot,
        }
    }

    /// Where it comes from.
    pub(super) fn origin(&self) -> Origin {
        self.peer.ip().into()
    }

    /// Fails once it has to give way. Asked whenever the connection is read or written: one whose
    /// peer reads nothing is written to and no more read.
    fn check_slot(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.gives_way.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "it gave its slot to another connection",
            )),
        }
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
            round_trip: self.round_trip.least(),
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
        this.check_slot(cx)?;
        if this.writing.is_stuck {
            this.writing.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let read = match &mut this.stream {
            Transport::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Transport::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        };
        let came = buffer.filled().len() - before;
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
        this.check_slot(cx)?;
        this.writing.note(match &mut this.stream {
            Transport::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Transport::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        })
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.check_slot(cx)?;
        this.writing.note(match &mut this.stream {
            Transport::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
            Transport::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
        })
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Transport::Plain(stream) => stream.is_write_vectored(),
            Transport::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check_slot(cx)?;
        this.writing.note(match &mut this.stream {
            Transport::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Transport::Tls(stream) => Pin::new(stream).poll_flush(cx),
        })
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
    use std::{future::poll_fn, time::Duration};

    use tokio::{net::TcpListener, time::timeout};

    use super::*;
    use crate::{Limits, transport::ConnectionSlots};

    #[tokio::test]
    async fn a_connection_whose_peer_reads_nothing_gives_way_too() {
        let slots = ConnectionSlots::new(&Limits {
            connections_per_address: 1,
            ..Limits::default()
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _silent = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let (tcp, peer) = listener.accept().await.unwrap();
        let (slot, _) = slots.acquire(peer).ok().unwrap();
        let preface_by = Instant::now() + Duration::from_secs(3_600);
        let mut connection = Connection::new(Transport::Plain(tcp), peer, slot, preface_by);
        let mut write =
            async || poll_fn(|cx| Pin::new(&mut connection).poll_write(cx, &[0; 64 * 1024])).await;
        let full = async { while write().await.is_ok() {} };
        tokio::pin!(full);
        let is_full = poll_fn(|cx| Poll::Ready(full.as_mut().poll(cx).is_pending())).await;
        assert!(is_full);
        let newer = SocketAddr::new(peer.ip(), peer.port() ^ 1);
        let _newer = slots.acquire(newer).ok().unwrap();
        timeout(Duration::from_secs(10), full).await.unwrap();
    }
}
