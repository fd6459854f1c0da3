//! Limits the received request bytes that are not processed yet.

use std::sync::Arc;

use bridgemaster_proto::v1::RefusalReason;

use crate::{
    limiter::{Limiter, Permit},
    refusal::Refusal,
};

const CALLER_LIMIT_NAME: &str = "unfinished_request_bytes_per_caller";
const SERVER_LIMIT_NAME: &str = "unfinished_request_bytes";

/// A permit for bytes of an incomplete request, beyond the bytes that every call may buffer.
pub(crate) struct RequestBytes {
    of_caller: Permit,
    of_server: Permit,
}

impl RequestBytes {
    /// Acquires a permit for `bytes` bytes.
    ///
    /// # Errors
    /// When a limit is reached. The error names the limit.
    pub(super) fn acquire(
        of_caller: &Arc<Limiter>,
        of_server: &Arc<Limiter>,
        bytes: usize,
    ) -> Result<Self, Refusal> {
        let of_caller = of_caller.try_acquire(bytes);
        let of_caller = of_caller.ok_or_else(|| too_many_bytes(CALLER_LIMIT_NAME))?;
        let of_server = of_server.try_acquire(bytes);
        let of_server = of_server.ok_or_else(|| too_many_bytes(SERVER_LIMIT_NAME))?;
        Ok(Self {
            of_caller,
            of_server,
        })
    }

    /// Extends the permit by `bytes` bytes.
    ///
    /// # Errors
    /// When a limit is reached. The error names the limit.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Refusal> {
        if !self.of_caller.grow(bytes) {
            return Err(too_many_bytes(CALLER_LIMIT_NAME));
        }
        if !self.of_server.grow(bytes) {
            return Err(too_many_bytes(SERVER_LIMIT_NAME));
        }
        Ok(())
    }
}

fn too_many_bytes(limit: &'static str) -> Refusal {
    Refusal::new(
        RefusalReason::LimitReached,
        format!("too many incomplete requests: the server's limit {limit} is reached; retry later"),
    )
    .with("limit", limit)
}
