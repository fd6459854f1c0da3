//! The traits that every store implements.

use async_trait::async_trait;

use crate::{
    Damage, FinishedCursor, FinishedMatch, FinishedPage, Key, KeyId, KeyName, KeysMark,
    MatchCounts, MatchId, NewKey, OpenMatch, Opening, StoreError, Write,
};

/// The API keys of a server.
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Adds a key. Adding a key in force just as it stands does nothing, so that an add of
    /// unknown outcome can be repeated.
    ///
    /// # Errors
    /// [`StoreError::KeyIdTaken`], [`StoreError::KeyNameTaken`], [`StoreError::TooManyKeys`], or
    /// a failure of the storage.
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError>;

    /// Every key, revoked ones included, by the moment of its making and then by its id. Damaged
    /// ones are left out: [`damaged_keys`](Self::damaged_keys) tells of them. No reading of
    /// matches holds it up.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn keys(&self) -> Result<Vec<Key>, StoreError>;

    /// Tells whether the keys have changed: two marks that are equal are of the same keys. It
    /// costs less than reading them, and no reading of matches holds it up.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn keys_mark(&self) -> Result<KeysMark, StoreError>;

    /// The keys that cannot be read.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn damaged_keys(&self) -> Result<Vec<Damage>, StoreError>;

    /// The key of this id, in force or revoked.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read; or a failure of the storage.
    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError>;

    /// Revokes a key for good, and tells how it then stands. A key that is revoked already
    /// keeps the moment when that was first done.
    ///
    /// # Errors
    /// [`StoreError::UnknownKey`], or a failure of the storage.
    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError>;
}

/// Everything that a server must not forget.
///
/// A match is opened, gains journal entries, and is finished or dropped; each of these is a
/// [`Write`], and writes of any number of matches are committed together. The store checks the
/// order of the writes, and reads nothing of their bytes.
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
pub trait Store: KeyStore {
    /// Stores the whole batch, in its order, or nothing of it. When this returns `Ok`, the
    /// batch survives whatever the store promises to survive. Commits that run at once are
    /// stored one after the other. A caller that stops waiting does not stop the commit.
    ///
    /// # Errors
    /// [`StoreError::WriteRefused`] names the first write that does not fit; or a failure of
    /// the storage.
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError>;

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
    /// [`MAX_PAGE_MATCHES`](crate::limits::MAX_PAGE_MATCHES), from the one that finished last,
    /// or from `after` on. A `limit` of 0 counts as 1. With `of`, only the matches that this name
    /// is a party of, which takes no longer however many others there are. Matches that cannot be
    /// read take their place in the page, as [`FinishedPage::damaged`].
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
    /// [`StoreError::Damaged`] if it cannot be read; or a failure of the storage.
    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError>;

    /// How many matches there are. Takes time in proportion to the finished matches.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn match_counts(&self) -> Result<MatchCounts, StoreError>;

    /// A secret of the server, such as a key that it signs with; `None` if none of this name is
    /// kept. Secrets belong to the store: a backup has them.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read; or a failure of the storage.
    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps a secret, up to [`MAX_SECRET_BYTES`](crate::limits::MAX_SECRET_BYTES), unless one of
    /// this name is kept already. Returns the one that is kept: the first.
    ///
    /// # Errors
    /// [`StoreError::SecretTooLarge`]; [`StoreError::Damaged`] if the one that is kept cannot be
    /// read; or a failure of the storage.
    async fn keep_secret(&self, name: &str, value: Vec<u8>) -> Result<Vec<u8>, StoreError>;

    /// Waits for the commit that runs, then lets go of everything that the store holds. Every
    /// later call fails with [`StoreError::Closed`]; closing again does nothing. A store that
    /// is dropped without this loses nothing.
    ///
    /// # Errors
    /// A failure of the storage; the store is closed nevertheless.
    async fn close(&self) -> Result<(), StoreError>;
}
