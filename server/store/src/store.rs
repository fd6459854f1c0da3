//! The traits that every store implements.

use std::{fmt, pin::Pin};

use async_trait::async_trait;

use crate::{
    DamageReport, DamagedKey, FinishedCursor, FinishedMatch, FinishedPage, IndexKey, Key, KeyId,
    KeyName, KeysVersion, LadderStore, ListedPage, MatchId, NewKey, OpenMatch, OpenReport, Records,
    ReplayMetadata, StoreError, Write,
};

/// A server's API keys.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Adds keys, all of them or none. An identical key that is already in force is skipped, so
    /// that a call with an unknown outcome can be retried.
    ///
    /// # Errors
    /// Returns the error of the first refused key: [`StoreError::KeyIdTaken`],
    /// [`StoreError::KeyNameTaken`], [`StoreError::TooManyKeys`], or [`StoreError::Damaged`] if a
    /// key with the same id cannot be read; or a storage failure.
    async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError>;

    /// Adds one key, as [`add_keys`](Self::add_keys) does.
    ///
    /// # Errors
    /// Returns the errors of [`add_keys`](Self::add_keys).
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.add_keys(vec![key]).await
    }

    /// Returns every key, including revoked ones, ordered by creation time and then by id. Damaged
    /// keys are omitted; see [`damaged_keys`](Self::damaged_keys). Reads of matches never delay
    /// this call.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn keys(&self) -> Result<Vec<Key>, StoreError>;

    /// Returns the version of the keys. The version stays the same as long as the keys do not
    /// change. The call is cheaper than reading the keys, and reads of matches never delay it.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn keys_version(&self) -> Result<KeysVersion, StoreError>;

    /// Returns the keys that cannot be read.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError>;

    /// Removes a key that cannot be read, so that its name can be used again.
    ///
    /// # Errors
    /// Returns [`StoreError::UnknownKey`]; [`StoreError::NotDamaged`] if the key can be read; or a
    /// storage failure.
    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError>;

    /// Returns the key with this id, in force or revoked.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if it cannot be read; or a storage failure.
    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError>;

    /// Revokes a key permanently, and returns the key. A key that is already revoked keeps the time
    /// of its first revocation.
    ///
    /// # Errors
    /// Returns [`StoreError::UnknownKey`]; [`StoreError::Damaged`] if it cannot be read; or a
    /// storage failure.
    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError>;

    /// Records uses of keys, each with its time in milliseconds since 1970 UTC. Only the latest use
    /// of a key is stored. Unknown and unreadable keys are skipped, since uses are only
    /// informational. The [version](Self::keys_version) of the keys does not change. Many uses are
    /// stored in several transactions, so that they do not delay match commits.
    ///
    /// # Errors
    /// Returns a storage failure; some of the uses might then be stored.
    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError>;
}

/// A server's records and secrets. [`Store::commit`] changes records.
#[async_trait]
pub trait RecordStore: Send + Sync {
    /// Returns the record with this name, if one is stored.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if it cannot be read; or a storage failure.
    async fn record(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns all records whose names start with `prefix`.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn records(&self, prefix: &str) -> Result<Records, StoreError>;

    /// Returns one of the server's secrets, such as a signing key; `None` if no secret has this
    /// name. Secrets belong to the store, so backups contain them.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if the secret cannot be read, or if a row with an unreadable
    /// name might be this secret; or a storage failure.
    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores a secret of at most [`MAX_SECRET_BYTES`](crate::limits::MAX_SECRET_BYTES), unless a
    /// secret with this name exists. Returns the stored secret.
    ///
    /// # Errors
    /// Returns [`StoreError::SecretTooLarge`]; [`StoreError::Damaged`] as for
    /// [`secret`](Self::secret); [`StoreError::SecretMissing`] if the secret might have been lost;
    /// or a storage failure.
    async fn get_or_insert_secret(&self, name: &str, value: Vec<u8>)
    -> Result<Vec<u8>, StoreError>;

    /// Removes the secrets that cannot be read, accepts that secrets are missing, and returns the
    /// damage. New secrets can then be stored under their names.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn remove_damaged_secrets(&self) -> Result<Vec<DamageReport>, StoreError>;
}

/// A server's durable state.
///
/// A match is opened, gains journal entries, and is finished or dropped. Each of these steps is a
/// [`Write`]. Writes for any number of matches are committed together. The store checks the order
/// of the writes, but never interprets their bytes.
///
/// ```
/// use bridgemaster_store::{KeyName, MatchId, MemoryStore, Store, StoreError, Write, WriteRefusal};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store: Box<dyn Store> = Box::new(MemoryStore::new());
/// let match_id = MatchId::new("3f9a01")?;
/// store
///     .commit(vec![
///         Write::OpenMatch {
///             match_id: match_id.clone(),
///             opened_at_unix_ms: 1_790_000_000_000,
///             header: b"rules and tickets".to_vec(),
///         },
///         Write::Append { match_id: match_id.clone(), number: 0, entry: b"joined".to_vec() },
///     ])
///     .await?;
///
/// // After a restart, one match at a time.
/// for id in store.open_match_ids().await? {
///     if let Some(open) = store.open_match(&id).await? {
///         assert_eq!(open.journal, [b"joined"]);
///     }
/// }
///
/// let finish = Write::FinishMatch {
///     match_id: match_id.clone(),
///     ended_at_unix_ms: 1_790_000_060_000,
///     summary: b"north won".to_vec(),
///     replay: b"every record".to_vec(),
///     parties: vec![KeyName::new("north")?],
///     index_keys: Vec::new(),
/// };
/// store.commit(vec![finish.clone()]).await?;
/// assert_eq!(store.replay(&match_id).await?.as_deref(), Some(&b"every record"[..]));
///
/// // Nothing is counted twice.
/// let again = store.commit(vec![finish]).await;
/// assert!(matches!(
///     again,
///     Err(StoreError::WriteRefused { index: 0, refusal: WriteRefusal::MatchFinished { .. } })
/// ));
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Store: KeyStore + RecordStore + LadderStore {
    /// Stores the whole batch in order, or none of it. When this returns `Ok`, the batch is as
    /// durable as the store guarantees. Concurrent commits are serialized. Dropping the future does
    /// not cancel the commit.
    ///
    /// # Errors
    /// Returns [`StoreError::WriteRefused`] for the first write that contradicts the stored state;
    /// or a storage failure.
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.begin_commit(batch).await?.wait().await
    }

    /// Stores a batch as [`commit`](Self::commit) does, but may return before the batch is durable,
    /// so that the next commit can begin. The [`Flush`] completes once this batch and all earlier
    /// ones are durable. Until then, the effects of the batch must not become visible. Only stores
    /// that flush several commits at once return early.
    ///
    /// # Errors
    /// Returns the errors of [`commit`](Self::commit). A refused batch has no effect.
    async fn begin_commit(&self, batch: Vec<Write>) -> Result<Flush, StoreError>;

    /// Returns the problems found when the store was opened.
    fn open_report(&self) -> OpenReport;

    /// Returns the matches in play, in the order in which they were opened.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError>;

    /// Returns a match in play with its whole journal; `None` if no match with this id is in play.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if this match cannot be read, in which case it can only be
    /// dropped; or a storage failure.
    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError>;

    /// Returns the header of a match in play; `None` if no match with this id is in play. The
    /// header can be intact even if the journal is not.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if it cannot be read; or a storage failure.
    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns a page of finished matches in the order in which they finished, newest first,
    /// starting after `after`. The page has at most `limit` matches, clamped to
    /// `1..=`[`MAX_PAGE_MATCHES`](crate::limits::MAX_PAGE_MATCHES). Matches that cannot be read
    /// count towards the page, as [`FinishedPage::damaged`].
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
    ) -> Result<FinishedPage, StoreError>;

    /// Returns a page of the list of finished matches: those with the highest ids below `before`.
    /// The page has at most `limit` matches, clamped as for [`finished`](Self::finished). Only
    /// matches with all of `keys` are returned. The duration of the call does not depend on the
    /// number of matches, so with several keys a page can be short although more matches follow:
    /// see [`MAX_SCANNED_ENTRIES`](crate::limits::MAX_SCANNED_ENTRIES). Matches that cannot be read
    /// count towards the page, as [`ListedPage::damaged`].
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn list(
        &self,
        before: Option<&MatchId>,
        limit: u32,
        keys: &[IndexKey],
    ) -> Result<ListedPage, StoreError>;

    /// Returns a finished match; `None` if no match with this id has finished.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if it cannot be read; or a storage failure.
    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError>;

    /// Returns whether this name is a party of a finished match. The call works even if the match
    /// itself cannot be read.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError>;

    /// Returns the replay of a finished match; `None` if no match with this id has finished.
    ///
    /// # Errors
    /// Returns [`StoreError::ReplayForgotten`] if the replay was deleted; [`StoreError::Damaged`]
    /// if it cannot be read; or a storage failure.
    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns stored replays that are not empty, oldest match first, starting after `after`. The
    /// page has at most `limit` replays, clamped to
    /// `1..=`[`MAX_PAGE_MATCHES`](crate::limits::MAX_PAGE_MATCHES); an empty page is the last one.
    /// Replays of unreadable matches are omitted, and so are those of the newest `skip_newest`
    /// finished matches. Dropped matches may count towards `skip_newest`. In a cluster, matches
    /// next to which others may still appear are omitted too.
    ///
    /// # Errors
    /// Returns a storage failure.
    async fn stored_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        skip_newest: u64,
    ) -> Result<Vec<ReplayMetadata>, StoreError>;

    /// Waits for the running commit, then releases all of the store's resources. Every later call
    /// fails with [`StoreError::Closed`], except that closing again has no effect. Dropping a store
    /// without closing it loses no data.
    ///
    /// # Errors
    /// Returns a storage failure. The store is closed even then.
    async fn close(&self) -> Result<(), StoreError>;
}

type FlushFuture = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

/// A batch that is committed, but might not be durable yet. The batch becomes durable even if this
/// handle is not awaited.
#[must_use = "effects of a commit must not become visible before it is durable"]
pub struct Flush(Option<FlushFuture>);

impl Flush {
    /// Returns the flush of a batch that is already durable.
    pub fn already_durable() -> Self {
        Self(None)
    }

    /// Returns the flush of a batch that is durable once `flushed` completes. The batch must become
    /// durable even if the future is never polled.
    pub fn from_future(
        flushed: impl Future<Output = Result<(), StoreError>> + Send + 'static,
    ) -> Self {
        Self(Some(Box::pin(flushed)))
    }

    /// Returns whether the batch is known to be durable already.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.0.is_none()
    }

    /// Completes when the batch and all earlier batches are as durable as the store guarantees.
    ///
    /// # Errors
    /// Returns a storage failure. It is then unknown whether the batch is stored.
    pub async fn wait(self) -> Result<(), StoreError> {
        match self.0 {
            Some(flushing) => flushing.await,
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Flush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flush").field("is_durable", &self.is_durable()).finish()
    }
}
