//! The body of a stream's response, in which each message is a frame.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use http_body::{Body, Frame};
use prost::bytes::{BufMut as _, Bytes, BytesMut};
use tokio_stream::Stream as _;
use tonic::{Status, codegen::http::HeaderMap};

use super::Responses;

/// Bytes before each gRPC message: whether it is compressed, and its length.
const HEAD_BYTES: usize = 5;

/// The responses of a stream, and the status at its end. The body of tonic would look for further
/// messages before it gives one away, and copy each into a buffer that it keeps for the stream.
pub(super) struct ResponseBody {
    responses: Responses,
    is_over: bool,
}

impl ResponseBody {
    pub(super) fn new(responses: Responses) -> Self {
        Self {
            responses,
            is_over: false,
        }
    }
}

impl Body for ResponseBody {
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
            Some(Ok(message)) => framed(&message),
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

/// A message that is not compressed, with its head.
fn framed(message: &[u8]) -> Result<Bytes, Status> {
    let length = u32::try_from(message.len())
        .map_err(|_| Status::resource_exhausted("a message has at most 4 GiB"))?;
    let mut framed = BytesMut::with_capacity(HEAD_BYTES + message.len());
    framed.put_u8(0);
    framed.put_u32(length);
    framed.put_slice(message);
    Ok(framed.freeze())
}
