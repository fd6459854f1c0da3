//! `PlayService` and `SeatService`: the streams of bots and of seats that people play.

mod exchange;
mod inbound;
mod interruptions;
mod least_privilege;
mod play_responses;
mod seat_authenticator;
mod seat_rpc;

use bridgemaster_edge::transport::{Calls, ConnectionInfo};
use bridgemaster_proto::{BytesCodec, v1::PlayRequest};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codegen::{Service as _, http},
    server::Grpc,
    service::Routes,
};
use tower::service_fn;

use self::{inbound::Inbound, play_responses::PlayResponses};

pub(crate) use inbound::SeatRegistry;
pub(crate) use least_privilege::with_least_privilege;
pub(crate) use seat_authenticator::{SeatAdmission, SeatAuthenticator};
pub(crate) use seat_rpc::SeatRpc;

/// The path of the only method of `PlayService`.
const PLAY_PATH: &str = "/bridgemaster.v1.PlayService/Play";

/// Adds `PlayService` in front of the router to all other services, without the generated server.
/// Requests are decoded here, and responses are sent as the bytes that the match has encoded. The
/// generated service would instead encode a message for each response, and the router would wrap
/// each request and response body, which would add overhead to every message of a bot.
pub(crate) fn with_play(authenticator: SeatAuthenticator, routes: Routes) -> impl Calls {
    let routes = routes.prepare();
    service_fn(move |request: http::Request<Body>| {
        let (authenticator, mut routes) = (authenticator.clone(), routes.clone());
        async move {
            if request.uri().path() != PLAY_PATH {
                return routes.call(request).await;
            }
            let max_bytes = authenticator.matches().limits().play_message_bytes;
            let grpc = Grpc::new(BytesCodec::<PlayRequest>::default());
            let mut grpc = grpc.max_decoding_message_size(max_bytes);
            let play = service_fn(move |request| play(authenticator.clone(), request));
            Ok(grpc.streaming(play, request).await)
        }
    })
}

/// Returns the responses of a bot's stream. The client's call returns with the response head, so
/// the head must not wait for the Hello.
async fn play(
    authenticator: SeatAuthenticator,
    request: Request<Streaming<PlayRequest>>,
) -> Result<Response<PlayResponses>, Status> {
    let authenticated = authenticator.authenticate(request.metadata()).await?;
    let connection = ConnectionInfo::from_request(&request).cloned();
    let inbound = Inbound::Stream(request.into_inner());
    let responses = PlayResponses::new(&authenticator, authenticated, connection.as_ref(), inbound);
    Ok(Response::new(responses))
}
