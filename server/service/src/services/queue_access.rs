//! Who may use a queue.

use crate::{
    identity::{Caller, KeyScope},
    lobby::{Lobby, QueueId, queue_unknown},
    refusal::Refusal,
};

/// The queue of this name, if the caller runs it: his key opened it, or has the scope `admin`.
pub(super) fn run_by(lobby: &Lobby, queue_id: &str, caller: &Caller) -> Result<QueueId, Refusal> {
    let unknown = || queue_unknown(queue_id);
    let named = QueueId::new(queue_id).ok_or_else(unknown)?;
    let rules = lobby.rules(&named).ok_or_else(unknown)?;
    let is_owner = !rules.is_ladder && rules.owner.as_ref() == caller.name();
    match is_owner || (caller.name().is_some() && caller.may(KeyScope::Admin)) {
        true => Ok(named),
        false => Err(unknown()),
    }
}
