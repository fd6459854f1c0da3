//! API keys as the store keeps them: the hash of a secret, never the secret.

use std::{collections::BTreeSet, fmt};

use crate::{Damage, DamagedValue, KeyId, KeyName, OwnerName, Scope};

/// The 32-byte hash of a key's secret. It never appears in logs, and has no `==`: compare
/// [`as_bytes`](Self::as_bytes) in constant time.
#[derive(Clone, Copy)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// Holds a hash.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The hash.
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
    /// An id that no key of the store has.
    pub id: KeyId,
    /// A name that no key in force has; the name of a revoked key can be reused.
    pub name: KeyName,
    /// Who has it; `None` for somebody of the key's own name.
    pub owner: Option<OwnerName>,
    /// Its scopes; may be empty.
    pub scopes: BTreeSet<Scope>,
    /// The hash of its secret.
    pub secret_hash: SecretHash,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_at_unix_ms: i64,
    /// From when on it is not good any more, in milliseconds since 1970 UTC; `None` for never.
    pub expires_at_unix_ms: Option<i64>,
}

/// An API key of the store.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its id.
    pub id: KeyId,
    /// The name of its holder.
    pub name: KeyName,
    /// Who has it; `None` for somebody of the key's own name.
    pub owner: Option<OwnerName>,
    /// Its scopes.
    pub scopes: BTreeSet<Scope>,
    /// The hash of its secret.
    pub secret_hash: SecretHash,
    /// When it was made, in milliseconds since 1970 UTC.
    pub created_at_unix_ms: i64,
    /// From when on it is not good any more, in milliseconds since 1970 UTC; `None` for never.
    pub expires_at_unix_ms: Option<i64>,
    /// A moment of its use, in milliseconds since 1970 UTC, which is not the last one but not long
    /// before it; `None` if none was noted.
    pub last_used_at_unix_ms: Option<i64>,
    /// When it was first revoked, in milliseconds since 1970 UTC; `None` while it is in force.
    pub revoked_at_unix_ms: Option<i64>,
}

impl Key {
    /// Who has it: keys with the same owner are of the same people.
    #[must_use]
    pub fn owner(&self) -> &str {
        let owner = self.owner.as_ref();
        owner.map_or(self.name.as_str(), OwnerName::as_str)
    }

    /// Whether its time is over at this moment, in milliseconds since 1970 UTC.
    #[must_use]
    pub fn has_expired(&self, now_unix_ms: i64) -> bool {
        self.expires_at_unix_ms.is_some_and(|at| at <= now_unix_ms)
    }

    /// Whether it has not been revoked. One whose time is over keeps its name until it is.
    #[must_use]
    pub fn is_in_force(&self) -> bool {
        self.revoked_at_unix_ms.is_none()
    }

    /// Whether this is `key` as it was added, unchanged.
    pub(crate) fn stands_as(&self, key: &NewKey) -> bool {
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

/// An API key that cannot be read. It opens nothing, and may keep its name from others until it is
/// [removed](crate::KeyStore::remove_damaged_key).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedKey {
    /// Its id; where that is damaged too, one that stands in for it.
    pub id: KeyId,
    /// What is left of its name, if that is one.
    pub name: Option<KeyName>,
    /// What is wrong with it.
    pub detail: String,
}

impl From<DamagedKey> for Damage {
    fn from(key: DamagedKey) -> Self {
        Self {
            value: DamagedValue::Key(key.id),
            detail: key.detail,
        }
    }
}

/// A version mark of the keys of a store, from [`KeyStore::keys_mark`](crate::KeyStore::keys_mark).
/// Keys are only ever added, revoked, and removed when they are damaged, so it reveals every change
/// but that of a last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysMark {
    /// Keys, revoked ones included.
    pub kept: u64,
    /// Keys that are revoked.
    pub revoked: u64,
    /// Number of the key that was added last; 0 without keys. No number is given twice.
    pub newest: u64,
}

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
