//! Who may see the replay of a match: what its ladder says is added to what callers see.

use crate::{
    hosting::ShownMatch,
    identity::{Caller, KeyScope, Sight},
    journal::NotStored,
    ladder::{LADDER_LABEL, Ladders},
    refusal::Refusal,
};

/// Makes sure that the caller may see the replay of a match that he sees: it is his, or he sees
/// those of others, and the ladder that it belongs to shows them.
pub(super) async fn check_replay(
    ladders: &Ladders,
    hosted: &dyn ShownMatch,
    caller: &Caller,
) -> Result<(), Refusal> {
    if caller.name().is_some_and(|name| hosted.is_of(name)) {
        return Ok(());
    }
    caller.require_sight(Sight::Replays)?;
    let info = hosted.info_without_config().shown().await;
    let info = info.map_err(|NotStored| Refusal::storage_failed())?;
    match info.labels.get(LADDER_LABEL) {
        Some(ladder) => {
            // Who may see it is known where the ladder is kept.
            ladders.matches().check_leads().await?;
            ladders.check_replays(ladder, caller.may(KeyScope::Admin))
        }
        None => Ok(()),
    }
}
