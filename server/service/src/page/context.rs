//! State that all requests to the page share.

use std::{sync::Arc, time::Instant};

use tonic::{
    body::Body,
    codegen::http::{Request, StatusCode},
};

use super::{guard::OriginGuard, reply::ErrorReply};
use crate::{
    identity::Authenticator,
    limits::Limits,
    services::ReplaySlots,
    transport::{Call, CallerId, ConnectionInfo, Origin, TokenBuckets},
};

const KEY_RATE_EXCEEDED: &str = "the server's limit calls_per_key is reached; retry in a moment";
const ADDRESS_RATE_EXCEEDED: &str =
    "the server's limit calls_per_address is reached; retry in a moment";

/// State that all requests to the page share.
pub(crate) struct PageContext {
    /// Checks the host and the origin of requests.
    pub(crate) guard: OriginGuard,
    pub(crate) authenticator: Authenticator,
    pub(crate) replays: Arc<ReplaySlots>,
    /// The limit on each address's call rate.
    pub(crate) calls: Arc<TokenBuckets<Option<Origin>>>,
    pub(crate) limits: Limits,
}

impl PageContext {
    /// Debits a request from its key's rate limit; without a valid key, from its address's rate
    /// limit.
    pub(super) fn debit(&self, request: &Request<Body>) -> Result<(), ErrorReply> {
        let caller = Call::current().map(|call| call.caller_id());
        if let Some(CallerId::Key(key)) = caller {
            let debited = self.authenticator.debit_call(&key);
            return debited.map_err(|_| rate_exceeded(KEY_RATE_EXCEEDED));
        }
        let connection: Option<&ConnectionInfo> = request.extensions().get();
        let origin = connection.map(|connection| connection.origin);
        let debited = self.calls.debit(origin, Instant::now());
        debited.map_err(|_| rate_exceeded(ADDRESS_RATE_EXCEEDED))
    }
}

fn rate_exceeded(why: &'static str) -> ErrorReply {
    ErrorReply(StatusCode::TOO_MANY_REQUESTS, why)
}
