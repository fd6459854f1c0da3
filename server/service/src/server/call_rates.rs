//! Limits the rate of calls, per API key and per address.

use std::{sync::Arc, time::Instant};

use tonic::{Request, Status};

use crate::{
    identity::Authenticator,
    live::Matches,
    play::SeatAdmission,
    refusal::Refusal,
    transport::{Call, CallerId, ConnectionInfo, Origin, TokenBuckets},
};

/// Returns an interceptor that refuses calls beyond the rate limit of their key. A call without a
/// valid key counts against the rate limit of its address. Bots that reconnect to their seats are
/// exempt.
pub(super) fn limit_calls(
    buckets: Arc<TokenBuckets<Option<Origin>>>,
    matches: Arc<Matches>,
    authenticator: Authenticator,
) -> impl Fn(Request<()>) -> Result<Request<()>, Status> + Clone + Send + 'static {
    let admission = Arc::new(SeatAdmission::new(matches));
    move |call| {
        if let Some(CallerId::Key(key)) = Call::current().map(|current| current.caller_id()) {
            authenticator.debit_call(&key)?;
            return Ok(call);
        }
        if admission.admits(call.metadata()) {
            return Ok(call);
        }
        let origin = ConnectionInfo::of(&call).map(|connection| connection.origin);
        match buckets.debit(origin, Instant::now()) {
            Ok(()) => Ok(call),
            Err(wait) => {
                Err(Refusal::rate_exceeded("calls_per_address", buckets.rate(), wait).into())
            }
        }
    }
}
