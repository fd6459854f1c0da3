//! A hand-written `PlayService` that sends responses as raw bytes, since the generated types cannot
//! express a newer protocol's messages.

use bridgemaster_proto::{BytesCodec, v1::PlayRequest};
use prost::bytes::Bytes;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Response, Status, Streaming, body::Body, codegen::http, metadata::MetadataMap,
    server::Grpc,
};
use tower::service_fn;

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

/// Answers a call to the service. Each stream is passed to the check's script.
pub(super) async fn answer(
    request: http::Request<Body>,
    arrivals: mpsc::Sender<Arrival>,
) -> http::Response<Body> {
    if request.uri().path() != "/bridgemaster.v1.PlayService/Play" {
        return Status::unimplemented("unknown method; PlayService has only Play").into_http();
    }
    let arrivals = &arrivals;
    let play = service_fn(|request: Request<Streaming<PlayRequest>>| async move {
        let (outbound, messages) = mpsc::channel(OUTBOUND_CAPACITY);
        let (metadata, _, inbound) = request.into_parts();
        let arrival = Arrival { metadata, stream: BotStream { inbound, outbound } };
        let accepted = arrivals.send(arrival).await;
        accepted.map_err(|_| Status::unavailable("the check has ended"))?;
        Ok(Response::new(ReceiverStream::new(messages)))
    });
    Grpc::new(BytesCodec::default()).streaming(play, request).await
}
