//! Checks whether a caller is allowed to manage a queue.

use crate::{
    identity::{Caller, KeyScope},
    lobby::{Lobby, QueueId, queue_unknown},
    refusal::Refusal,
};

/// Returns the queue `queue_id` if the caller manages it: the caller's key created the queue, or
/// has the `admin` scope.
pub(super) fn managed_queue(
    lobby: &Lobby,
    queue_id: &str,
    caller: &Caller,
) -> Result<QueueId, Refusal> {
    let unknown = || queue_unknown(queue_id);
    let named = QueueId::new(queue_id).ok_or_else(unknown)?;
    let rules = lobby.rules(&named).ok_or_else(unknown)?;
    let is_owner = !rules.is_ladder && rules.owner.as_ref() == caller.name();
    if is_owner || (caller.name().is_some() && caller.has_scope(KeyScope::Admin)) {
        Ok(named)
    } else {
        Err(unknown())
    }
}
