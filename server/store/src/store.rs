//! The traits that every store implements.

use async_trait::async_trait;

use crate::{
    Damage, DamagedKey, FinishedCursor, FinishedMatch, FinishedPage, Flush, KeptReplay, Key, KeyId,
    KeyName, KeysMark, LadderStore, MatchCounts, MatchId, NewKey, Notes, OpenMatch, Opening,
    StoreError, Write,
};

/// The API keys of a server.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Adds a key. Adding an identical key that is in force does nothing, so that an add of unknown
    /// outcome can be repeated.
    ///
    /// # Errors
    /// [`StoreError::KeyIdTaken`], [`StoreError::KeyNameTaken`], [`StoreError::TooManyKeys`], or
    /// a failure of the storage.
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError>;

    /// Every key, revoked ones included, ordered by creation time and then by id. Damaged ones are
    /// left out: see [`damaged_keys`](Self::damaged_keys). Reads of matches never delay it.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn keys(&self) -> Result<Vec<Key>, StoreError>;

    /// A version mark: equal marks mean that the keys have not changed. Cheaper than reading the
    /// keys; reads of matches never delay it.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn keys_mark(&self) -> Result<KeysMark, StoreError>;

    /// The keys that cannot be read.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError>;

    /// Removes a key that cannot be read, so that its name is free.
    ///
    /// # Errors
    /// [`StoreError::UnknownKey`]; [`StoreError::NotDamaged`] if it can be read; or a failure of
    /// the storage.
    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError>;

    /// The key with this id, in force or revoked.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read; or a failure of the storage.
    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError>;

    /// Revokes a key for good, and returns it. A key that is already revoked keeps the time of its
    /// first revocation.
    ///
    /// # Errors
    /// [`StoreError::UnknownKey`]; [`StoreError::Damaged`] if it cannot be read; or a failure of
    /// the storage.
    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError>;

    /// Notes uses of keys, each at a moment in milliseconds since 1970 UTC. A key keeps the latest
    /// one. Keys that are unknown or cannot be read are passed over: a use is told to people only.
    /// The [mark](Self::keys_mark) of the keys stays as it was. Many uses are stored bit by bit, so
    /// that commits of matches go on in between.
    ///
    /// # Errors
    /// A failure of the storage; some uses may be stored then.
    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError>;
}

/// The durable state of a server.
///
/// A match is opened, gains journal entries, and is finished or dropped; each of these is a
/// [`Write`], and writes of any number of matches are committed together. The store checks the
/// order of the writes, and never looks into their bytes.
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
pub trait Store: KeyStore + LadderStore {
    /// Stores the whole batch, in its order, or nothing of it. When this returns `Ok`, the batch is
    /// as durable as the store promises. Concurrent commits are stored one after the other.
    /// Dropping the future does not stop the commit.
    ///
    /// # Errors
    /// [`StoreError::WriteRefused`] names the first write that does not fit; or a failure of
    /// the storage.
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError>;

    /// Stores a batch as [`commit`](Self::commit) does, and returns when the next one may be begun:
    /// the batch is in its place then, behind all before it, and may not be durable yet. That it is,
    /// and all before it, tells the [`Flush`]; until then nobody may see what it is of. A store
    /// returns before that where batches then become durable side by side; others return when the
    /// batch is durable.
    ///
    /// # Errors
    /// Those of [`commit`](Self::commit). After a refusal the store goes on as if the batch had not
    /// been.
    async fn begin_commit(&self, batch: Vec<Write>) -> Result<Flush, StoreError> {
        self.commit(batch).await?;
        Ok(Flush::done())
    }

    /// What was found when the store was opened.
    fn opening(&self) -> Opening;

    /// The matches in play, in the order in which they were opened.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError>;

    /// A match in play with its whole journal; `None` if no match of this id is in play.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if this match cannot be read: it can be dropped, and others may be
    /// sound; or a failure of the storage.
    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError>;

    /// The header of a match in play, which may be sound where its journal is not; `None` if no
    /// match of this id is in play.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read; or a failure of the storage.
    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError>;

    /// At most `limit` finished matches, and never more than
    /// [`MAX_PAGE_MATCHES`](crate::limits::MAX_PAGE_MATCHES), from the one that finished last, or
    /// from `after` on. A `limit` of 0 counts as 1. With `of`, only matches to which this name is a
    /// party; the time does not depend on the number of other matches. Matches that cannot be read
    /// count towards the page, as [`FinishedPage::damaged`].
    ///
    /// # Errors
    /// A failure of the storage.
    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        of: Option<&KeyName>,
    ) -> Result<FinishedPage, StoreError>;

    /// A finished match; `None` if no match of this id has finished.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read; or a failure of the storage.
    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError>;

    /// Whether this name is a party of a finished match, which the lists of parties tell even where
    /// the match itself cannot be read.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError>;

    /// The replay of a finished match; `None` if no match of this id has finished.
    ///
    /// # Errors
    /// [`StoreError::ReplayForgotten`] if it is kept no more; [`StoreError::Damaged`] if it cannot
    /// be read; or a failure of the storage.
    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError>;

    /// At most `limit` replays that are kept and are not empty, and never more than
    /// [`MAX_PAGE_MATCHES`](crate::limits::MAX_PAGE_MATCHES), from the match that finished first,
    /// or from `after` on. Those of the last `spared` matches that finished are left out, dropped
    /// matches counted, and so are those of matches that cannot be read. A `limit` of 0 counts as
    /// 1. An empty page is the last.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn kept_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        spared: u64,
    ) -> Result<Vec<KeptReplay>, StoreError>;

    /// How many matches there are. Takes time in proportion to the finished matches.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn match_counts(&self) -> Result<MatchCounts, StoreError>;

    /// The note of this name; `None` if none is kept.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read; or a failure of the storage.
    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// All notes whose names begin with `prefix`.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn notes(&self, prefix: &str) -> Result<Notes, StoreError>;

    /// A secret of the server, such as a key that it signs with; `None` if none of this name is
    /// kept. Secrets belong to the store: a backup has them.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read, or may be one that cannot be; or a failure of
    /// the storage.
    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores a secret, of at most [`MAX_SECRET_BYTES`](crate::limits::MAX_SECRET_BYTES), unless
    /// one of this name exists. Returns the stored one: the first.
    ///
    /// # Errors
    /// [`StoreError::SecretTooLarge`]; [`StoreError::Damaged`] as for [`secret`](Self::secret); or
    /// a failure of the storage.
    async fn keep_secret(&self, name: &str, value: Vec<u8>) -> Result<Vec<u8>, StoreError>;

    /// Removes the secrets that cannot be read, and returns what was wrong. Others can be kept in
    /// their place.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn remove_damaged_secrets(&self) -> Result<Vec<Damage>, StoreError>;

    /// Waits for the running commit, then releases everything that the store holds. Every later
    /// call fails with [`StoreError::Closed`]; closing again does nothing. Dropping a store without
    /// closing it loses nothing.
    ///
    /// # Errors
    /// A failure of the storage; the store is closed nevertheless.
    async fn close(&self) -> Result<(), StoreError>;
}
