//! How often keys and addresses may call.

use std::{sync::Arc, time::Instant};

use tonic::{Request, Status};

use crate::{
    hosting::Matches,
    identity::Authenticator,
    play::SeatAdmission,
    refusal::Refusal,
    transport::{Call, CallerId, ConnectionInfo, Origin, TokenBuckets},
};

/// Refuses the calls of a key that calls too often, and those without a known key of an address
/// that does, but for those of bots that come to their seats.
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
            Err(wait) => Err(Refusal::rate("calls_per_address", buckets.rate(), wait).into()),
        }
    }
}
