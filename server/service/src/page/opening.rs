//! Replay files that somebody drops on the page: `POST /open-replay`. The answer is what a stream of
//! positions has, each message with its length before it, for a spectator and every seat.

use std::{future::poll_fn, pin::Pin};

use axum::body::Body as AxumBody;
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
    desk::Desk,
    reply::{text, with_body},
};
use crate::{limits::REPLAY_FILE_BYTES, refusal::Refusal, services::OpenedReplay};

/// Why a request got no file through.
enum NoFile {
    TooLarge,
    Lost,
}

impl Desk {
    /// Answers a request to open a replay file.
    pub(super) async fn open_replay(&self, request: Request<Body>) -> Response<Body> {
        let metadata = MetadataMap::from_headers(request.headers().clone());
        if let Err(refusal) = self.authenticator.caller(&metadata).await {
            return text(StatusCode::UNAUTHORIZED, refusal.message());
        }
        let place = match self.replays.place(&self.limits).await {
            Ok(place) => place,
            Err(refusal) => return text(StatusCode::SERVICE_UNAVAILABLE, refusal.message()),
        };
        let file = match timeout(self.limits.hello_time, read(request.into_body())).await {
            Ok(Ok(file)) => file,
            Ok(Err(NoFile::TooLarge)) => {
                let why = format!("a replay file has at most {REPLAY_FILE_BYTES} bytes");
                return text(StatusCode::PAYLOAD_TOO_LARGE, &why);
            }
            Ok(Err(NoFile::Lost)) => {
                return text(StatusCode::BAD_REQUEST, "the file did not come whole");
            }
            Err(_) => {
                let time_ms = self.limits.hello_time.as_millis();
                let why = format!("the file was not there within {time_ms} ms");
                return text(StatusCode::REQUEST_TIMEOUT, &why);
            }
        };
        let invalid = |refusal: Refusal| text(StatusCode::BAD_REQUEST, refusal.message());
        let opened = match OpenedReplay::check(file, place).await {
            Ok(opened) => opened,
            Err(refusal) => return invalid(refusal),
        };
        let seats = opened.seats().into_iter().flat_map(|seats| seats.seats());
        let seats = seats.map(Viewer::Seat);
        let viewers = std::iter::once(Viewer::Spectator).chain(seats).collect();
        let messages = opened.positions(viewers, 0);
        let messages = messages.map(|message| message.map(delimited));
        let content_type = HeaderValue::from_static("application/octet-stream");
        with_body(AxumBody::from_stream(messages), content_type)
    }
}

/// A message with its length before it.
fn delimited(message: Bytes) -> Bytes {
    let mut bytes = Vec::with_capacity(length_delimiter_len(message.len()) + message.len());
    encode_varint(message.len() as u64, &mut bytes);
    bytes.extend_from_slice(&message);
    bytes.into()
}

/// The bytes of a request.
async fn read(mut body: Body) -> Result<Vec<u8>, NoFile> {
    let mut file = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| NoFile::Lost)?;
        if let Some(data) = frame.data_ref() {
            if file.len() + data.len() > REPLAY_FILE_BYTES {
                return Err(NoFile::TooLarge);
            }
            file.extend_from_slice(data);
        }
    }
    Ok(file)
}
