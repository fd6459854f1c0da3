//! API keys as stored. A stored key contains the hash of its secret, never the secret itself.

use std::{collections::BTreeSet, fmt};

use crate::{DamageReport, DamagedValue, KeyId, KeyName, OwnerName, Scope, row_sums::RowSum};

/// The 32-byte hash of a key's secret. The hash never appears in logs. This type does not implement
/// `==`, so compare [`as_bytes`](Self::as_bytes) in constant time.
#[derive(Clone, Copy)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Wraps a hash's 32 bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the hash's 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(..)")
    }
}

/// An API key to be added.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Id of the key, unique in the store.
    pub id: KeyId,
    /// Name of the key, unique among the unrevoked keys. A revoked key's name can be reused.
    pub name: KeyName,
    /// Owner of the key; `None` if the owner has the same name as the key.
    pub owner: Option<OwnerName>,
    /// The scopes of the key; may be empty.
    pub scopes: BTreeSet<Scope>,
    /// The hash of the key's secret.
    pub secret_hash: SecretHash,
    /// Creation time, in milliseconds since 1970 UTC.
    pub created_at_unix_ms: i64,
    /// Expiry time, in milliseconds since 1970 UTC; `None` if the key never expires.
    pub expires_at_unix_ms: Option<i64>,
}

/// An API key in the store.
#[derive(Clone, Debug)]
pub struct Key {
    /// Unique id of the key.
    pub id: KeyId,
    /// Name of the key, unique among the unrevoked keys.
    pub name: KeyName,
    /// Owner of the key; `None` if the owner has the same name as the key.
    pub owner: Option<OwnerName>,
    /// The scopes of the key; may be empty.
    pub scopes: BTreeSet<Scope>,
    /// The hash of the key's secret.
    pub secret_hash: SecretHash,
    /// Creation time, in milliseconds since 1970 UTC.
    pub created_at_unix_ms: i64,
    /// Expiry time, in milliseconds since 1970 UTC; `None` if the key never expires.
    pub expires_at_unix_ms: Option<i64>,
    /// Time of the last recorded use, in milliseconds since 1970 UTC; `None` if no use is recorded.
    /// The key might have been used since, because not every use is recorded.
    pub last_used_at_unix_ms: Option<i64>,
    /// Time of the first revocation, in milliseconds since 1970 UTC; `None` while the key is in
    /// force.
    pub revoked_at_unix_ms: Option<i64>,
}

impl Key {
    /// Returns the name of the owner, which is that of the key by default.
    #[must_use]
    pub fn owner(&self) -> &str {
        let owner = self.owner.as_ref();
        owner.map_or(self.name.as_str(), OwnerName::as_str)
    }

    /// Returns whether the key has expired at this time, in milliseconds since 1970 UTC.
    #[must_use]
    pub fn has_expired(&self, now_unix_ms: i64) -> bool {
        self.expires_at_unix_ms.is_some_and(|at| at <= now_unix_ms)
    }

    /// Returns whether the key has not been revoked. An expired key keeps its name until it is
    /// revoked.
    #[must_use]
    pub fn is_in_force(&self) -> bool {
        self.revoked_at_unix_ms.is_none()
    }

    /// Returns whether this key is the result of adding `key` and has not changed since.
    pub(crate) fn is_result_of_adding(&self, key: &NewKey) -> bool {
        self.is_in_force()
            && self.id == key.id
            && self.name == key.name
            && self.owner == key.owner
            && self.scopes == key.scopes
            && self.secret_hash.0 == key.secret_hash.0
            && self.created_at_unix_ms == key.created_at_unix_ms
            && self.expires_at_unix_ms == key.expires_at_unix_ms
    }
}

/// An API key that cannot be read. It grants no access. Its name can stay in use until the key is
/// [removed](crate::KeyStore::remove_damaged_key).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedKey {
    /// Id of the key, or a substitute id if the id is damaged too.
    pub id: KeyId,
    /// Name of the key, if it is readable.
    pub name: Option<KeyName>,
    /// Description of the damage, for people.
    pub detail: String,
}

impl From<DamagedKey> for DamageReport {
    fn from(key: DamagedKey) -> Self {
        Self { value: DamagedValue::Key(key.id), detail: key.detail }
    }
}

/// The version of a store's keys, from [`KeyStore::keys_version`](crate::KeyStore::keys_version).
/// The version changes when a key is added or revoked, and when a damaged key is removed, but not
/// when a use is recorded. It is the sum of the rows of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysVersion(pub(crate) RowSum);

impl From<NewKey> for Key {
    fn from(key: NewKey) -> Self {
        Self {
            id: key.id,
            name: key.name,
            owner: key.owner,
            scopes: key.scopes,
            secret_hash: key.secret_hash,
            created_at_unix_ms: key.created_at_unix_ms,
            expires_at_unix_ms: key.expires_at_unix_ms,
            last_used_at_unix_ms: None,
            revoked_at_unix_ms: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_secret_stays_out_of_logs() {
        let key = NewKey {
            id: KeyId::new("k1").unwrap(),
            name: KeyName::new("greedy").unwrap(),
            owner: None,
            scopes: BTreeSet::new(),
            secret_hash: SecretHash::new([0xab; 32]),
            created_at_unix_ms: 0,
            expires_at_unix_ms: None,
        };
        let text = format!("{key:?} {:?}", Key::from(key.clone()));
        assert!(text.contains("SecretHash(..)"));
        assert!(!text.contains("171") && !text.contains("ab,"), "{text}");
    }
}
