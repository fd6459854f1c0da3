//! `PlayService` and `SeatService`: the streams of bots and of seats that people play.

mod exchange;
mod inbound;
mod interruptions;
mod least_privilege;
mod play_responses;
mod seat_authenticator;
mod seat_rpc;

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bridgemaster_edge::transport::ConnectionInfo;
use bridgemaster_proto::{
    BytesCodec,
    v1::{PlayRequest, play_service_server::SERVICE_NAME},
};
use http_body::Frame;
use parking_lot::Mutex;
use prost::bytes::{BufMut as _, Bytes, BytesMut};
use tokio_stream::{Empty, Stream};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codegen::{
        BoxFuture, Service,
        http::{self, HeaderMap},
    },
    server::{Grpc, NamedService, StreamingService},
    service::Routes,
};

use self::{inbound::Inbound, play_responses::PlayResponses};

pub(crate) use inbound::SeatRegistry;
pub(crate) use least_privilege::LeastPrivilege;
pub(crate) use seat_authenticator::{SeatAdmission, SeatAuthenticator};
pub(crate) use seat_rpc::SeatRpc;

#[derive(Clone)]
pub(crate) struct PlayRpc {
    authenticator: SeatAuthenticator,
}

impl PlayRpc {
    pub(crate) fn new(authenticator: SeatAuthenticator) -> Self {
        Self { authenticator }
    }

    /// Returns the responses of a stream. The client's call returns with the response head, so
    /// the head must not wait for the Hello.
    async fn play(self, request: Request<Streaming<PlayRequest>>) -> Result<PlayResponses, Status> {
        let authenticated = self.authenticator.authenticate(request.metadata()).await?;
        let connection = ConnectionInfo::from_request(&request).cloned();
        let inbound = Inbound::Stream(request.into_inner());
        Ok(PlayResponses::new(&self.authenticator, authenticated, connection.as_ref(), inbound))
    }
}

/// The path of the service's only method.
const PLAY_PATH: &str = "/bridgemaster.v1.PlayService/Play";

impl NamedService for PlayRpc {
    const NAME: &'static str = SERVICE_NAME;
}

/// `PlayService` without the generated server. Requests are decoded here, and responses are sent as
/// the bytes that the match has encoded. The generated service would instead encode a message for
/// each response.
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
                    Status::unimplemented("unknown method; PlayService has only Play").into_http()
                );
            }
            let max_bytes = play.authenticator.matches().limits().play_message_bytes;
            let grpc = Grpc::new(BytesCodec::<PlayRequest>::default());
            let mut grpc = grpc.max_decoding_message_size(max_bytes);
            let responses = Mutex::default();
            let method = PlayMethod { play, responses: &responses };
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
    responses: &'a Mutex<Option<PlayResponses>>,
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

/// Length of the prefix of a gRPC message: the compression flag and the message length.
const HEADER_BYTES: usize = 5;

/// The responses of a stream, and the status at its end. Tonic's own body would poll for further
/// messages before it returns one, and copy each into a buffer that exists as long as the stream.
struct ResponseBody<S> {
    responses: S,
    is_over: bool,
}

impl<S> ResponseBody<S> {
    fn new(responses: S) -> Self {
        Self { responses, is_over: false }
    }
}

impl<S: Stream<Item = Result<Bytes, Status>> + Unpin> http_body::Body for ResponseBody<S> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let next = ready!(Pin::new(&mut self.responses).poll_next(context));
        let framed = match next {
            Some(Ok(message)) => with_grpc_header(&message),
            Some(Err(status)) => Err(status),
            None => Err(Status::ok("")),
        };
        let frame = match framed {
            Ok(data) => Ok(Frame::data(data)),
            Err(status) => {
                self.is_over = true;
                let mut trailers = HeaderMap::new();
                let added = status.add_header(&mut trailers);
                added.map(|()| Frame::trailers(trailers))
            }
        };
        Poll::Ready(Some(frame))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }
}

/// Prefixes an uncompressed message with its gRPC header.
fn with_grpc_header(message: &[u8]) -> Result<Bytes, Status> {
    let length = u32::try_from(message.len()).map_err(|_| {
        Status::resource_exhausted("the message exceeds 4 GiB, the maximum of gRPC")
    })?;
    let mut framed = BytesMut::with_capacity(HEADER_BYTES + message.len());
    framed.put_u8(0);
    framed.put_u32(length);
    framed.put_slice(message);
    Ok(framed.freeze())
}

/// Passes calls of `PlayService` directly to the service, and all other calls to the router. The
/// router wraps each request and response body, which would add overhead to every message of a bot.
#[derive(Clone)]
pub(crate) struct PlayDispatcher {
    play: PlayRpc,
    rest: Routes,
}

impl PlayDispatcher {
    pub(crate) fn new(play: PlayRpc, rest: Routes) -> Self {
        Self { play, rest: rest.prepare() }
    }
}

impl Service<http::Request<Body>> for PlayDispatcher {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        let Self { play, rest } = self;
        match play.poll_ready(context) {
            Poll::Ready(Ok(())) => Service::<http::Request<Body>>::poll_ready(rest, context),
            pending => pending,
        }
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let mut parts = request.uri().path().split('/').skip(1);
        match parts.next() {
            Some(PlayRpc::NAME) => self.play.call(request),
            _ => Box::pin(self.rest.call(request)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use http_body::Body as _;
    use tonic::Code;

    use super::*;

    /// Returns the data frames of a body and the status in its trailers.
    fn frames(responses: Vec<Result<Bytes, Status>>) -> (Vec<Bytes>, Status) {
        let mut body = ResponseBody::new(tokio_stream::iter(responses));
        let mut next = || {
            let mut context = Context::from_waker(Waker::noop());
            let Poll::Ready(frame) = Pin::new(&mut body).poll_frame(&mut context) else {
                panic!("the body is never pending");
            };
            (frame, body.is_end_stream())
        };
        let mut data = Vec::new();
        loop {
            let (frame, is_over) = next();
            match frame.unwrap().unwrap().into_data() {
                Ok(bytes) => data.push(bytes),
                Err(trailers) => {
                    assert!(is_over);
                    assert!(next().0.is_none(), "nothing follows");
                    let trailers = trailers.into_trailers().unwrap();
                    return (data, Status::from_header_map(&trailers).unwrap());
                }
            }
            assert!(!is_over);
        }
    }

    #[test]
    fn each_message_is_a_frame_with_its_head_and_the_status_is_last() {
        let messages = [Bytes::from_static(b"ab"), Bytes::from(vec![7; 300])];
        let (data, status) = frames(messages.map(Ok).to_vec());
        assert_eq!(status.code(), Code::Ok);
        assert_eq!(data[0], b"\0\0\0\0\x02ab"[..]);
        assert_eq!((data.len(), data[1].len()), (2, HEADER_BYTES + 300));
        assert_eq!(data[1][..HEADER_BYTES], [0, 0, 0, 1, 44]);
    }

    #[test]
    fn the_final_status_keeps_its_details() {
        let details = Bytes::from_static(b"why");
        let refused = Status::with_details(Code::Aborted, "no more", details.clone());
        let (data, status) = frames(vec![Ok(Bytes::new()), Err(refused), Ok(Bytes::new())]);
        assert_eq!(data, [Bytes::from_static(&[0; HEADER_BYTES])]);
        assert_eq!((status.code(), status.message()), (Code::Aborted, "no more"));
        assert_eq!(status.details(), details);
    }
}
