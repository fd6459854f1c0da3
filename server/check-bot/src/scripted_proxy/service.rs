//! A hand-written `PlayService` that sends responses as raw bytes, since the generated types cannot
//! express a newer protocol's messages.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use bridgemaster_proto::{BytesCodec, v1::PlayRequest};
use prost::bytes::Bytes;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codegen::{BoxFuture, Service, http},
    metadata::MetadataMap,
    server::{Grpc, NamedService},
};

/// Maximum number of queued messages to the bot. It is enough for all messages that the server
/// replays on a resumed stream.
const OUTBOUND_CAPACITY: usize = 4096;

/// A stream that the bot has just opened. The response headers have been sent, but no message.
pub(crate) struct Arrival {
    /// The call's metadata.
    pub(crate) metadata: MetadataMap,
    pub(crate) stream: BotStream,
}

/// A bidirectional stream that the bot opened. Dropping this value closes the stream with OK.
pub(crate) struct BotStream {
    /// The bot's messages.
    pub(crate) inbound: Streaming<PlayRequest>,
    outbound: mpsc::Sender<Result<Bytes, Status>>,
}

impl BotStream {
    /// Sends an encoded `PlayResponse`. On a closed stream the message is dropped, and the next
    /// read returns the reason.
    pub(crate) async fn send(&self, message: Vec<u8>) {
        let _ = self.outbound.send(Ok(message.into())).await;
    }

    /// Closes the stream with an error.
    pub(crate) async fn refuse(self, status: Status) {
        let _ = self.outbound.send(Err(status)).await;
    }
}

/// The service, which passes every stream to the check's script.
#[derive(Clone)]
pub(super) struct ScriptedPlay {
    arrivals: mpsc::Sender<Arrival>,
}

impl ScriptedPlay {
    pub(super) fn new(arrivals: mpsc::Sender<Arrival>) -> Self {
        Self { arrivals }
    }
}

impl NamedService for ScriptedPlay {
    const NAME: &'static str = "bridgemaster.v1.PlayService";
}

impl Service<http::Request<Body>> for ScriptedPlay {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let arrivals = self.arrivals.clone();
        Box::pin(async move {
            if request.uri().path() != "/bridgemaster.v1.PlayService/Play" {
                return Ok(
                    Status::unimplemented("unknown method; PlayService has only Play").into_http()
                );
            }
            Ok(Grpc::new(BytesCodec::default()).streaming(PlayMethod { arrivals }, request).await)
        })
    }
}

struct PlayMethod {
    arrivals: mpsc::Sender<Arrival>,
}

impl Service<Request<Streaming<PlayRequest>>> for PlayMethod {
    type Response = Response<ReceiverStream<Result<Bytes, Status>>>;
    type Error = Status;
    type Future = BoxFuture<Self::Response, Status>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Streaming<PlayRequest>>) -> Self::Future {
        let arrivals = self.arrivals.clone();
        Box::pin(async move {
            let (outbound, messages) = mpsc::channel(OUTBOUND_CAPACITY);
            let (metadata, _, inbound) = request.into_parts();
            let stream = BotStream { inbound, outbound };
            arrivals
                .send(Arrival { metadata, stream })
                .await
                .map_err(|_| Status::unavailable("the check has ended"))?;
            Ok(Response::new(ReceiverStream::new(messages)))
        })
    }
}
