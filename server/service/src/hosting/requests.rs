//! Calls that make a match, and that may be sent twice and make one.

use std::sync::Arc;

use bridgemaster_match::MatchId;
use bridgemaster_proto::{internal::v1::RequestNote, v1::CreateMatchRequest};
use bridgemaster_store::{KeyName, LadderId, Write};
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// What the names of these notes begin with.
const NOTES: &str = "request";
/// The same of those of matches of ladders.
const LADDER_NOTES: &str = "ladder match";
/// Locks of names: calls with different names seldom wait for each other.
const LOCKS: usize = 64;

/// A call that may be sent twice.
#[derive(Clone, Debug)]
pub(crate) struct RepeatableRequest {
    /// Of its note: the key that calls, and the idempotency key.
    name: String,
    content: [u8; 32],
}

impl RepeatableRequest {
    /// The call of `maker`, if it has an idempotency key.
    pub(crate) fn of(request: &mut CreateMatchRequest, maker: Option<&KeyName>) -> Option<Self> {
        if request.idempotency_key.is_empty() {
            return None;
        }
        let maker = maker.map(KeyName::as_str).unwrap_or_default();
        // The content is all but the key.
        let key = std::mem::take(&mut request.idempotency_key);
        let content = Sha256::digest(request.encode_to_vec()).into();
        let name = format!("{NOTES}\n{maker}\n{key}");
        request.idempotency_key = key;
        Some(Self { name, content })
    }

    /// What makes the match of this number of a ladder that was made at this moment: a ladder that
    /// is dropped and made again has the same name and numbers.
    pub(crate) fn of_ladder(id: &LadderId, made_unix_ms: u64, number: u64) -> Self {
        let name = format!("{LADDER_NOTES}\n{id}\n{made_unix_ms}\n{number}");
        Self {
            content: Sha256::digest(name.as_bytes()).into(),
            name,
        }
    }

    /// What makes its note go, once its match is over for good.
    pub(crate) fn forgotten(&self) -> Write {
        let name = self.name.clone();
        Write::DropNote { name }
    }

    /// SHA-256 of what it asks for.
    pub(super) fn content(&self) -> &[u8] {
        &self.content
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The note that it made a match.
    pub(super) fn note(&self, id: &MatchId) -> Write {
        let note = RequestNote {
            match_id: id.to_string(),
            request_sha256: self.content.to_vec(),
        };
        Write::KeepNote {
            name: self.name.clone(),
            value: note.encode_to_vec(),
        }
    }
}

/// The match that a call made.
#[derive(Clone, Debug)]
pub(super) struct MadeBefore {
    pub(super) id: MatchId,
    pub(super) content: Vec<u8>,
}

impl MadeBefore {
    pub(super) fn new(id: MatchId, request: &RepeatableRequest) -> Self {
        let content = request.content.to_vec();
        Self { id, content }
    }
}

/// Lets one call with a name make its match before the next looks for it.
pub(super) struct RequestLocks([Arc<Mutex<()>>; LOCKS]);

impl Default for RequestLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Arc::default()))
    }
}

impl RequestLocks {
    /// Waits until no other call with this name is looked at.
    pub(super) async fn lock(&self, request: &RepeatableRequest) -> OwnedMutexGuard<()> {
        let bytes = request.name.bytes();
        let mixed = bytes.fold(0_usize, |mixed, byte| {
            mixed.wrapping_mul(31).wrapping_add(byte.into())
        });
        Arc::clone(&self.0[mixed % LOCKS]).lock_owned().await
    }
}
