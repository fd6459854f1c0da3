//! Waiting for the end of a match, in a call that asks about it.

use std::time::Duration;

use tokio::{select, time::sleep};

use crate::{
    hosting::{Matches, ShownMatch},
    identity::Caller,
    limits::MAX_WAIT_MS,
    refusal::Refusal,
};

/// How long a call wants to wait; `None` for one that does not.
pub(super) fn wait_for_end(wait_ms: u32) -> Result<Option<Duration>, Refusal> {
    if wait_ms > MAX_WAIT_MS {
        let detail = format!("0 to {MAX_WAIT_MS}, not {wait_ms}");
        return Err(Refusal::field("wait_ms", detail));
    }
    Ok((wait_ms > 0).then(|| Duration::from_millis(wait_ms.into())))
}

/// Waits until a match is over as the caller sees it, but not longer than that, nor once the server
/// drains: whoever waits is to be gone by its end.
///
/// # Errors
/// When the server stops, or the key of the caller is not good any more.
pub(super) async fn until_over(
    hosted: &dyn ShownMatch,
    wait: Duration,
    matches: &Matches,
    caller: &Caller,
) -> Result<(), Refusal> {
    if hosted.is_over() {
        return Ok(());
    }
    let draining = matches.lifecycle().draining();
    select! {
        biased;
        () = hosted.until_over() => Ok(()),
        refusal = matches.interrupted() => Err(refusal),
        refusal = caller.refused() => Err(refusal),
        () = draining.cancelled() => Ok(()),
        () = sleep(wait) => Ok(()),
    }
}
