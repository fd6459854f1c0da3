//! The response body that is passed to the HTTP/2 library.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http_body::Frame;
use tonic::{Status, body::Body, codegen::Bytes};

use super::call::Call;

/// A call's response, which releases the call's permits that the response does not need.
pub(super) struct AnswerBody {
    call: Arc<Call>,
}

impl AnswerBody {
    pub(super) fn new(call: Arc<Call>, body: Body) -> Self {
        call.answer.set_body(body);
        Self { call }
    }
}

impl http_body::Body for AnswerBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let call = &self.call;
        call.answer
            .poll_frame(context, |bytes| call.shrink_answer(bytes))
    }

    fn is_end_stream(&self) -> bool {
        self.call.answer.is_end_stream()
    }
}
