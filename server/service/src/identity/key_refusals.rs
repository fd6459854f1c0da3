//! How a key that a call shows is refused.

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{Key, KeyId};

use super::KEY_METADATA;
use crate::refusal::Refusal;

/// The refusal of a call without a key.
pub(super) fn missing() -> Refusal {
    Refusal::new(
        RefusalReason::KeyMissing,
        format!("this server asks for an API key, and the metadata has no `{KEY_METADATA}`"),
    )
}

/// Refuses a key that is not good any more at this moment, in milliseconds since 1970 UTC.
pub(super) fn check_good(key: &Key, now_unix_ms: i64) -> Result<(), Refusal> {
    let id = &key.id;
    if !key.is_in_force() {
        let message = format!("the API key {id} was revoked");
        return Err(Refusal::new(RefusalReason::KeyRevoked, message));
    }
    if key.has_expired(now_unix_ms) {
        let message =
            format!("the time of the API key {id} is over: ask its operator for a new key");
        return Err(Refusal::new(RefusalReason::KeyExpired, message));
    }
    Ok(())
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
