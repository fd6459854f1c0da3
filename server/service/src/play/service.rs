//! `PlayService` by hand: requests are read as messages, responses are sent as the bytes that the
//! match made of them. The generated service would take messages and encode them here.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use bridgemaster_proto::{
    BytesCodec,
    v1::{PlayRequest, play_service_server::SERVICE_NAME},
};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codegen::{BoxFuture, Bytes, Service, http},
    server::{Grpc, NamedService, StreamingService},
};

use super::{Play, Responses};

/// The path of the one method.
const PLAY: &str = "/bridgemaster.v1.PlayService/Play";

impl NamedService for Play {
    const NAME: &'static str = SERVICE_NAME;
}

impl Service<http::Request<Body>> for Play {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let play = self.clone();
        Box::pin(async move {
            if request.uri().path() != PLAY {
                return Ok(Status::unimplemented("PlayService has the method Play").into_http());
            }
            let most_bytes = play.door.matches().limits().play_message_bytes;
            let grpc = Grpc::new(BytesCodec::<PlayRequest>::default());
            let mut grpc = grpc.max_decoding_message_size(most_bytes);
            Ok(grpc.streaming(PlayMethod(play), request).await)
        })
    }
}

struct PlayMethod(Play);

impl StreamingService<PlayRequest> for PlayMethod {
    type Response = Bytes;
    type ResponseStream = Responses;
    type Future = BoxFuture<Response<Responses>, Status>;

    fn call(&mut self, request: Request<Streaming<PlayRequest>>) -> Self::Future {
        Box::pin(self.0.clone().play(request))
    }
}
