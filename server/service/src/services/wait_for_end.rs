//! Lets a call wait until a match has ended.

use std::time::Duration;

use tokio::{select, time::sleep};

use crate::{
    identity::Caller,
    limits::MAX_MATCH_END_WAIT_MS,
    live::{MatchView, Matches},
    refusal::Refusal,
};

/// Validates the requested waiting time; `None` if the call does not wait.
pub(super) fn wait_for_end(wait_ms: u32) -> Result<Option<Duration>, Refusal> {
    if wait_ms > MAX_MATCH_END_WAIT_MS {
        let detail = format!("{wait_ms} is out of range (0 to {MAX_MATCH_END_WAIT_MS})");
        return Err(Refusal::field("wait_ms", detail));
    }
    Ok((wait_ms > 0).then(|| Duration::from_millis(wait_ms.into())))
}

/// Waits until the caller sees the match as ended, for at most `wait`. Also completes when the
/// server drains, since waiting calls must not delay the server's shutdown.
///
/// # Errors
/// When the server stops, or the caller's key is revoked or expires.
pub(super) async fn until_over(
    hosted: &MatchView,
    wait: Duration,
    matches: &Matches,
    caller: &Caller,
) -> Result<(), Refusal> {
    if hosted.is_over() {
        return Ok(());
    }
    let draining = matches.lifecycle().drain_token();
    select! {
        biased;
        () = hosted.until_over() => Ok(()),
        refusal = matches.until_interrupted() => Err(refusal),
        refusal = caller.until_revoked() => Err(refusal),
        () = draining.cancelled() => Ok(()),
        () = sleep(wait) => Ok(()),
    }
}
