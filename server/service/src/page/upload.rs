//! Uploads of replay files from the page: `POST /open-replay`. The response streams the positions,
//! as a spectator and every seat see them, in length-delimited messages.

use std::error::Error as _;

use axum::body::{Body as AxumBody, to_bytes};
use bridgemaster_edge::{
    limits::MAX_REPLAY_FILE_BYTES, refusal::limit_name, transport::awaited_body,
};
use bridgemaster_games::Viewer;
use bridgemaster_proto::v1::RefusalReason;
use prost::{encoding::encode_varint, length_delimiter_len};
use tokio_stream::StreamExt as _;
use tonic::{
    Code, Status,
    body::Body,
    codegen::{
        Bytes,
        http::{HeaderValue, Request, Response, StatusCode},
    },
    metadata::MetadataMap,
};

use super::{
    PageContext,
    reply::{response_with_body, text_response},
};

impl PageContext {
    /// Responds to an upload of a replay file.
    pub(super) async fn open_replay(&self, request: Request<Body>) -> Response<Body> {
        let metadata = MetadataMap::from_headers(request.headers().clone());
        match self.authenticator.caller(&metadata).await {
            Ok(caller) if caller.is_started_bot() => {
                return text_response(StatusCode::UNAUTHORIZED, "bots may not use the page");
            }
            Ok(_) => {}
            Err(refusal) => return text_response(StatusCode::UNAUTHORIZED, refusal.message()),
        }
        let body = awaited_body(request.into_body(), self.limits.hello_time);
        let file = match to_bytes(AxumBody::new(body), MAX_REPLAY_FILE_BYTES).await {
            Ok(file) => file,
            Err(error) => return upload_failed(&error),
        };
        let opened = match self.replays.verify(file).await {
            Ok(opened) => opened,
            Err(refusal) => {
                let status = match refusal.reason() {
                    RefusalReason::ReplayInvalid => StatusCode::BAD_REQUEST,
                    _ => StatusCode::SERVICE_UNAVAILABLE,
                };
                return text_response(status, refusal.message());
            }
        };
        let seats = opened.seats().into_iter().flat_map(|seats| seats.seats());
        let seats = seats.map(Viewer::Seat);
        let viewers = std::iter::once(Viewer::Spectator).chain(seats).collect();
        let messages = opened.positions(viewers, 0);
        let messages = messages.map(|message| message.map(length_prefixed));
        let content_type = HeaderValue::from_static("application/octet-stream");
        response_with_body(AxumBody::from_stream(messages), content_type)
    }
}

/// Prefixes a message with its length.
fn length_prefixed(message: Bytes) -> Bytes {
    let mut bytes = Vec::with_capacity(length_delimiter_len(message.len()) + message.len());
    encode_varint(message.len() as u64, &mut bytes);
    bytes.extend_from_slice(&message);
    bytes.into()
}

/// Responds to an upload that is too large, incomplete or late.
fn upload_failed(error: &axum::Error) -> Response<Body> {
    let sources = std::iter::successors(error.source(), |source| (*source).source());
    match sources.filter_map(|source| source.downcast_ref::<Status>()).next() {
        // A limit that the message names.
        Some(status) if status.code() == Code::ResourceExhausted => {
            let is_late = limit_name(status).as_deref() == Some("hello_time");
            // Clients may repeat a request after a 408 at once, which a full server must not ask
            // for.
            let code =
                if is_late { StatusCode::REQUEST_TIMEOUT } else { StatusCode::TOO_MANY_REQUESTS };
            text_response(code, status.message())
        }
        Some(_) => {
            let why = "the upload is incomplete; send the file again";
            text_response(StatusCode::BAD_REQUEST, why)
        }
        // The body has no other errors than its statuses, so its length is the problem.
        None => {
            let why =
                format!("the file is too large; the maximum is {MAX_REPLAY_FILE_BYTES} bytes");
            text_response(StatusCode::PAYLOAD_TOO_LARGE, &why)
        }
    }
}
