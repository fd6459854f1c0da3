//! `PlayService` without the generated server. Requests are decoded here, and responses are sent as
//! the bytes that the match has encoded. The generated service would instead encode a message for
//! each response.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bridgemaster_proto::{
    BytesCodec,
    v1::{PlayRequest, play_service_server::SERVICE_NAME},
};
use parking_lot::Mutex;
use tokio_stream::Empty;
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codegen::{BoxFuture, Bytes, Service, http},
    server::{Grpc, NamedService, StreamingService},
};

use super::{PlayRpc, Responses, response_body::ResponseBody};

/// The path of the service's only method.
const PLAY_PATH: &str = "/bridgemaster.v1.PlayService/Play";

impl NamedService for PlayRpc {
    const NAME: &'static str = SERVICE_NAME;
}

impl Service<http::Request<Body>> for PlayRpc {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let play = self.clone();
        Box::pin(async move {
            if request.uri().path() != PLAY_PATH {
                return Ok(
                    Status::unimplemented("unknown method; PlayService has only Play").into_http(),
                );
            }
            let max_bytes = play.authenticator.matches().limits().play_message_bytes;
            let grpc = Grpc::new(BytesCodec::<PlayRequest>::default());
            let mut grpc = grpc.max_decoding_message_size(max_bytes);
            let responses = Mutex::default();
            let method = PlayMethod {
                play,
                responses: &responses,
            };
            let head = grpc.streaming(method, request).await;
            let responses = responses.lock().take();
            Ok(match responses {
                Some(responses) => head.map(|_| Body::new(ResponseBody::new(responses))),
                None => head,
            })
        })
    }
}

/// The implementation of the method. Tonic creates the response head; the responses go to our own
/// body.
struct PlayMethod<'a> {
    play: PlayRpc,
    responses: &'a Mutex<Option<Responses>>,
}

impl<'a> StreamingService<PlayRequest> for PlayMethod<'a> {
    type Response = Bytes;
    type ResponseStream = Empty<Result<Bytes, Status>>;
    type Future =
        Pin<Box<dyn Future<Output = Result<Response<Self::ResponseStream>, Status>> + Send + 'a>>;

    fn call(&mut self, request: Request<Streaming<PlayRequest>>) -> Self::Future {
        let (play, slot) = (self.play.clone(), self.responses);
        Box::pin(async move {
            *slot.lock() = Some(play.play(request).await?);
            Ok(Response::new(tokio_stream::empty()))
        })
    }
}
