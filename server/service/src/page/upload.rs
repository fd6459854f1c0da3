//! Uploads of replay files from the page: `POST /open-replay`. The response streams the positions,
//! as a spectator and every seat see them, in length-delimited messages.

use std::{future::poll_fn, pin::Pin};

use axum::body::Body as AxumBody;
use bridgemaster_edge::{limits::MAX_REPLAY_FILE_BYTES, refusal::Refusal};
use bridgemaster_games::Viewer;
use http_body::Body as _;
use prost::{encoding::encode_varint, length_delimiter_len};
use tokio::time::timeout;
use tokio_stream::StreamExt as _;
use tonic::{
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
use crate::services::UploadedReplay;

/// The reason why a file upload failed.
enum UploadError {
    TooLarge,
    Incomplete,
}

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
        let slot = match self.replays.acquire(&self.limits).await {
            Ok(slot) => slot,
            Err(refusal) => {
                return text_response(StatusCode::SERVICE_UNAVAILABLE, refusal.message());
            }
        };
        let file = match timeout(self.limits.hello_time, read_body(request.into_body())).await {
            Ok(Ok(file)) => file,
            Ok(Err(UploadError::TooLarge)) => {
                let why =
                    format!("the file is too large; the maximum is {MAX_REPLAY_FILE_BYTES} bytes");
                return text_response(StatusCode::PAYLOAD_TOO_LARGE, &why);
            }
            Ok(Err(UploadError::Incomplete)) => {
                return text_response(
                    StatusCode::BAD_REQUEST,
                    "the upload is incomplete; send the file again",
                );
            }
            Err(_) => {
                let time_ms = self.limits.hello_time.as_millis();
                let why =
                    format!("the upload was incomplete after {time_ms} ms; send the file again");
                return text_response(StatusCode::REQUEST_TIMEOUT, &why);
            }
        };
        let invalid = |refusal: Refusal| text_response(StatusCode::BAD_REQUEST, refusal.message());
        let opened = match UploadedReplay::verify(file, slot).await {
            Ok(opened) => opened,
            Err(refusal) => return invalid(refusal),
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

/// Reads the body of a request.
async fn read_body(mut body: Body) -> Result<Vec<u8>, UploadError> {
    let mut file = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| UploadError::Incomplete)?;
        if let Some(data) = frame.data_ref() {
            if file.len() + data.len() > MAX_REPLAY_FILE_BYTES {
                return Err(UploadError::TooLarge);
            }
            file.extend_from_slice(data);
        }
    }
    Ok(file)
}
