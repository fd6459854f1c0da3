//! Bytes of requests that have come and are not handled.

use std::sync::Arc;

use bridgemaster_proto::v1::RefusalReason;

use crate::{
    refusal::Refusal,
    tally::{Taken, Tally},
};

/// The limit of one caller, and that of the server.
const OF_CALLER: &str = "unfinished_request_bytes_per_caller";
const IN_ALL: &str = "unfinished_request_bytes";

/// Bytes of a request that is not there whole, beyond those that every call has room for.
pub(crate) struct RequestBytes {
    of_caller: Taken,
    in_all: Taken,
}

impl RequestBytes {
    /// Counts bytes.
    ///
    /// # Errors
    /// When there are too many, with the limit.
    pub(super) fn acquire(
        of_caller: &Arc<Tally>,
        in_all: &Arc<Tally>,
        bytes: usize,
    ) -> Result<Self, Refusal> {
        let of_caller = of_caller.try_acquire(bytes);
        let of_caller = of_caller.ok_or_else(|| too_many(OF_CALLER))?;
        let in_all = in_all.try_acquire(bytes);
        let in_all = in_all.ok_or_else(|| too_many(IN_ALL))?;
        Ok(Self { of_caller, in_all })
    }

    /// Counts more of them.
    ///
    /// # Errors
    /// When there are too many, with the limit.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Refusal> {
        if !self.of_caller.grow(bytes) {
            return Err(too_many(OF_CALLER));
        }
        if !self.in_all.grow(bytes) {
            return Err(too_many(IN_ALL));
        }
        Ok(())
    }
}

fn too_many(limit: &'static str) -> Refusal {
    Refusal::new(
        RefusalReason::LimitReached,
        format!("too many requests are under way, and the server's limit {limit} is reached"),
    )
    .with("limit", limit)
}
