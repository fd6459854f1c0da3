//! Makes match creation idempotent: names each request, stores its result, and serializes requests
//! with the same name.

use std::sync::Arc;

use bridgemaster_match::MatchId;
use bridgemaster_proto::{internal::v1::RequestNote, v1::CreateMatchRequest};
use bridgemaster_store::{KeyName, LadderId, Write};
use prost::Message as _;
use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The name prefix of request records.
const RECORD_PREFIX: &str = "request";
/// The name prefix of records for ladder matches.
const LADDER_RECORD_PREFIX: &str = "ladder match";
/// The number of locks that serialize requests. The hash of a name selects the lock, so requests
/// with different names rarely share one.
const LOCK_COUNT: usize = 64;

/// A request that is not executed twice if a client retries it.
#[derive(Clone, Debug)]
pub struct IdempotentRequest {
    /// The name of the stored record, derived from the API key and the idempotency key.
    name: String,
    content: [u8; 32],
}

impl IdempotentRequest {
    /// Returns the request of `maker`, if it has an idempotency key.
    pub fn from_request(request: &mut CreateMatchRequest, maker: Option<&KeyName>) -> Option<Self> {
        if request.idempotency_key.is_empty() {
            return None;
        }
        let maker = maker.map(KeyName::as_str).unwrap_or_default();
        // The idempotency key is not part of the content.
        let key = std::mem::take(&mut request.idempotency_key);
        let content = Sha256::digest(request.encode_to_vec()).into();
        let name = format!("{RECORD_PREFIX}\n{maker}\n{key}");
        request.idempotency_key = key;
        Some(Self { name, content })
    }

    /// Returns the request for a ladder's match. The request's name contains the ladder's creation
    /// time, since a ladder that is dropped and created again reuses its identifier and match
    /// numbers.
    pub fn for_ladder_match(id: &LadderId, made_unix_ms: u64, number: u64) -> Self {
        let name = format!("{LADDER_RECORD_PREFIX}\n{id}\n{made_unix_ms}\n{number}");
        Self { content: Sha256::digest(name.as_bytes()).into(), name }
    }

    /// Returns the write that removes the request's record, once the match has ended.
    pub fn remove_record(&self) -> Write {
        let name = self.name.clone();
        Write::RemoveRecord { name }
    }

    /// Returns the SHA-256 hash of the request's content.
    pub(super) fn content(&self) -> &[u8] {
        &self.content
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the record which states that the request created this match.
    pub(super) fn record(&self, id: &MatchId) -> Write {
        let record =
            RequestNote { match_id: id.to_string(), request_sha256: self.content.to_vec() };
        Write::PutRecord { name: self.name.clone(), value: record.encode_to_vec() }
    }
}

/// The match that a request created.
#[derive(Clone, Debug)]
pub(super) struct PreviousResult {
    pub(super) id: MatchId,
    pub(super) content: Vec<u8>,
}

impl PreviousResult {
    pub(super) fn new(id: MatchId, request: &IdempotentRequest) -> Self {
        let content = request.content.to_vec();
        Self { id, content }
    }
}

/// Serializes requests with the same name, so that a retry finds the result of the first request.
pub(super) struct RequestLocks([Arc<Mutex<()>>; LOCK_COUNT]);

impl Default for RequestLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Arc::default()))
    }
}

impl RequestLocks {
    /// Waits until no other request with this name is in progress.
    pub(super) async fn lock(&self, request: &IdempotentRequest) -> OwnedMutexGuard<()> {
        let bytes = request.name.bytes();
        let mixed =
            bytes.fold(0_usize, |mixed, byte| mixed.wrapping_mul(31).wrapping_add(byte.into()));
        Arc::clone(&self.0[mixed % LOCK_COUNT]).lock_owned().await
    }
}
