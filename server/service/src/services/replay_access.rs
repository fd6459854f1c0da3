//! Checks access to replays: the caller's permissions, restricted by the match's ladder.

use crate::{
    identity::{Caller, KeyScope, ReadAccess},
    ladder::{LADDER_LABEL, Ladders},
    live::MatchView,
    refusal::Refusal,
};

/// Checks that the caller may see the replay of a match. Either the caller's bot played in the
/// match, or the caller may read all replays and the match's ladder publishes them.
pub(super) async fn check_replay(
    ladders: &Ladders,
    hosted: &MatchView,
    caller: &Caller,
) -> Result<(), Refusal> {
    if caller.name().is_some_and(|name| hosted.belongs_to(name)) {
        return Ok(());
    }
    caller.require_read(ReadAccess::Replays)?;
    let info = hosted.info_without_config().committed().await?;
    match info.labels.get(LADDER_LABEL) {
        Some(ladder) => {
            // Only the leader has the ladder's settings.
            ladders.matches().check_leader().await?;
            ladders.check_replays(ladder, caller.has_scope(KeyScope::Admin))
        }
        None => Ok(()),
    }
}
