//! Parses the API key that a call presents, and refuses invalid keys.

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{Key, KeyId};
use tonic::codegen::http::HeaderMap;

use super::{ApiKey, KEY_METADATA};
use crate::refusal::Refusal;

/// The refusal for a call without a key.
pub(super) fn missing() -> Refusal {
    Refusal::new(
        RefusalReason::KeyMissing,
        format!("an API key is required in the metadata `{KEY_METADATA}`"),
    )
}

/// Checks that a key is valid at this time, in ms since 1970 UTC.
pub(super) fn check_valid(key: &Key, now_unix_ms: i64) -> Result<(), Refusal> {
    let id = &key.id;
    if !key.is_in_force() {
        let message = format!("the API key {id} was revoked; ask the operator for a new key");
        return Err(Refusal::new(RefusalReason::KeyRevoked, message));
    }
    if key.has_expired(now_unix_ms) {
        let message = format!("the API key {id} has expired; ask the operator for a new key");
        return Err(Refusal::new(RefusalReason::KeyExpired, message));
    }
    Ok(())
}

/// The refusal for an unknown key or a wrong secret.
pub(super) fn unknown() -> Refusal {
    Refusal::new(
        RefusalReason::KeyUnknown,
        "the API key is unknown to this server; check the key, or ask the operator for a new one",
    )
}

/// The refusal for a damaged key. The key's secret cannot be verified, but its identifier is not
/// secret.
pub(super) fn damaged(id: &KeyId) -> Refusal {
    Refusal::damaged(format!(
        "the stored API key {id} is damaged; ask the operator for a new key"
    ))
}

/// The refusal for a key that is not cached while the store is unreadable.
pub(super) fn unreadable() -> Refusal {
    Refusal::new(
        RefusalReason::KeysUnreadable,
        "the server cannot read its API keys at present; retry later",
    )
}

/// Parses the key that a call presents. The key's text is never logged or repeated.
pub(super) fn presented_key(metadata: &HeaderMap) -> Result<ApiKey, Refusal> {
    let refused = |message: String| Refusal::new(RefusalReason::KeyMissing, message);
    let mut values = metadata.get_all(KEY_METADATA).iter();
    let value = values.next().ok_or_else(missing)?;
    if values.next().is_some() {
        return Err(refused(format!(
            "the metadata has more than one `{KEY_METADATA}`; send one key"
        )));
    }
    let text = value
        .to_str()
        .map_err(|_| refused(format!("the metadata `{KEY_METADATA}` is not ASCII text")))?;
    text.trim().parse().map_err(|_| unknown())
}
