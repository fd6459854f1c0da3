//! A response body that sends each message as one HTTP/2 data frame.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use http_body::{Body, Frame};
use prost::bytes::{BufMut as _, Bytes, BytesMut};
use tokio_stream::Stream;
use tonic::{Status, codegen::http::HeaderMap};

/// Length of the prefix of a gRPC message: the compression flag and the message length.
const HEADER_BYTES: usize = 5;

/// The responses of a stream, and the status at its end. Tonic's own body would poll for further
/// messages before it returns one, and copy each into a buffer that exists as long as the stream.
pub(super) struct ResponseBody<S> {
    responses: S,
    is_over: bool,
}

impl<S> ResponseBody<S> {
    pub(super) fn new(responses: S) -> Self {
        Self {
            responses,
            is_over: false,
        }
    }
}

impl<S: Stream<Item = Result<Bytes, Status>> + Unpin> Body for ResponseBody<S> {
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

#[cfg(test)]
mod tests {
    use std::task::Waker;

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
        assert_eq!(
            (status.code(), status.message()),
            (Code::Aborted, "no more")
        );
        assert_eq!(status.details(), details);
    }
}
