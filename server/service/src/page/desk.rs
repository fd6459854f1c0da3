//! What all answers of the page share.

use std::{sync::Arc, time::Instant};

use tonic::{
    body::Body,
    codegen::http::{Request, StatusCode},
};

use super::{guard::Guard, reply::Refused};
use crate::{
    identity::Authenticator,
    limits::Limits,
    services::ReplayDesk,
    transport::{Call, CallerId, ConnectionInfo, Origin, TokenBuckets},
};

const KEY_TOO_OFTEN: &str = "the server's limit calls_per_key is reached; try again in a moment";
const ADDRESS_TOO_OFTEN: &str =
    "the server's limit calls_per_address is reached; try again in a moment";

/// What all answers share.
pub(crate) struct Desk {
    /// Which requests are answered at all.
    pub(crate) guard: Guard,
    pub(crate) authenticator: Authenticator,
    pub(crate) replays: Arc<ReplayDesk>,
    /// How often an address may call.
    pub(crate) calls: Arc<TokenBuckets<Option<Origin>>>,
    pub(crate) limits: Limits,
}

impl Desk {
    /// Refuses a key that calls too often, and an address without a known key that does.
    pub(super) fn debit(&self, request: &Request<Body>) -> Result<(), Refused> {
        let caller = Call::current().map(|call| call.caller_id());
        if let Some(CallerId::Key(key)) = caller {
            let debited = self.authenticator.debit_call(&key);
            return debited.map_err(|_| too_often(KEY_TOO_OFTEN));
        }
        let connection: Option<&ConnectionInfo> = request.extensions().get();
        let origin = connection.map(|connection| connection.origin);
        let debited = self.calls.debit(origin, Instant::now());
        debited.map_err(|_| too_often(ADDRESS_TOO_OFTEN))
    }
}

fn too_often(why: &'static str) -> Refused {
    Refused(StatusCode::TOO_MANY_REQUESTS, why)
}
