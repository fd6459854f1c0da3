//! How a key that a call shows is refused.

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{Key, KeyId};

use crate::refusal::Refusal;

/// Refuses a key that is not in force any more.
pub(super) fn check_in_force(key: &Key) -> Result<(), Refusal> {
    if key.is_in_force() {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalReason::KeyRevoked,
        format!("the API key {} was revoked", key.id),
    ))
}

/// The refusal of a key that the server does not have, or of a wrong secret.
pub(super) fn unknown() -> Refusal {
    Refusal::new(
        RefusalReason::KeyUnknown,
        "the API key is none of this server's",
    )
}

/// Whether the secret is the key's cannot be known any more; the identifier is no secret.
pub(super) fn damaged(id: &KeyId) -> Refusal {
    Refusal::damaged(format!(
        "what the server has stored of the API key {id} is damaged: ask its operator for a new key"
    ))
}

/// The refusal while the store does not tell which keys there are.
pub(super) fn unreadable() -> Refusal {
    Refusal::new(
        RefusalReason::KeysUnreadable,
        "the server cannot read its API keys at the moment",
    )
}
