//! `PlayService` by hand: requests are read as messages, responses are sent as bytes, so that they
//! can be what the generated types cannot express.

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

/// Messages to the bot that its transport has not taken yet: a script sends a few at a time, and a
/// resumed stream as many as the server keeps.
const OUTBOUND_MESSAGES: usize = 4096;

/// A stream that the bot has opened; its response head is sent, and no message yet.
pub(crate) struct Arrival {
    /// The metadata of the call.
    pub(crate) metadata: MetadataMap,
    pub(crate) stream: BotStream,
}

/// Both halves of a stream of the bot. Dropping it ends the stream with OK.
pub(crate) struct BotStream {
    /// What the bot says.
    pub(crate) inbound: Streaming<PlayRequest>,
    outbound: mpsc::Sender<Result<Bytes, Status>>,
}

impl BotStream {
    /// Sends an encoded `PlayResponse`. When the bot is gone, its half of the stream tells so.
    pub(crate) async fn send(&self, message: Vec<u8>) {
        let _ = self.outbound.send(Ok(message.into())).await;
    }

    /// Ends the stream with an error.
    pub(crate) async fn refuse(self, status: Status) {
        let _ = self.outbound.send(Err(status)).await;
    }
}

/// The service: hands every stream over.
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
                return Ok(Status::unimplemented("PlayService has the method Play").into_http());
            }
            Ok(Grpc::new(BytesCodec::default())
                .streaming(PlayMethod { arrivals }, request)
                .await)
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
            let (outbound, messages) = mpsc::channel(OUTBOUND_MESSAGES);
            let (metadata, _, inbound) = request.into_parts();
            let stream = BotStream { inbound, outbound };
            arrivals
                .send(Arrival { metadata, stream })
                .await
                .map_err(|_| Status::unavailable("the check is over"))?;
            Ok(Response::new(ReceiverStream::new(messages)))
        })
    }
}
