//! A store in which something comes before each commit or each reading of matches, or some values
//! are damaged.

use std::{
    future::{pending, ready},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use bridgemaster_store::{
    Damage, DamagedKey, DamagedValue, FinishedCursor, FinishedMatch, FinishedPage, KeptReplay, Key,
    KeyId, KeyName, KeyStore, KeysMark, LadderId, LadderRows, LadderStore, MatchCounts, MatchId,
    MemoryStore, NewKey, Notes, OpenMatch, Opening, Store, StoreError, StoredLadder,
    StoredLadderMatch, StoredLadderVersion, Write,
};

/// What comes before a commit or a reading; with an error it does not take place.
type Hindrance = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

/// A store in which something comes before each commit or before each reading of finished matches,
/// or some values are damaged.
pub(crate) struct HinderedStore {
    store: Arc<dyn Store>,
    damaged: Vec<DamagedValue>,
    hinder: Box<dyn Fn() -> Hindrance + Send + Sync>,
    hinder_reading: Box<dyn Fn() -> Hindrance + Send + Sync>,
    finished_read: AtomicUsize,
}

fn no_hindrance() -> Hindrance {
    Box::pin(ready(Ok(())))
}

impl HinderedStore {
    /// `store`, where `hinder` comes before each commit.
    pub(crate) fn over<F>(
        store: Arc<dyn Store>,
        hinder: impl Fn() -> F + Send + Sync + 'static,
    ) -> Arc<dyn Store>
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        Arc::new(Self {
            store,
            damaged: Vec::new(),
            hinder: Box::new(move || Box::pin(hinder())),
            hinder_reading: Box::new(no_hindrance),
            finished_read: AtomicUsize::default(),
        })
    }

    /// A store in memory whose commits do not end once what comes with it is set.
    pub(crate) fn that_may_hang() -> (Arc<dyn Store>, Arc<AtomicBool>) {
        let hangs = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&hangs);
        let store = Self::over(Arc::new(MemoryStore::new()), move || {
            let hangs = told.load(Ordering::Relaxed);
            async move {
                if hangs {
                    pending::<()>().await;
                }
                Ok(())
            }
        });
        (store, hangs)
    }

    /// `store`, where `hinder` comes before each reading of finished matches.
    pub(crate) fn read_over<F>(
        store: Arc<dyn Store>,
        hinder: impl Fn() -> F + Send + Sync + 'static,
    ) -> Arc<Self>
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        Arc::new(Self {
            store,
            damaged: Vec::new(),
            hinder: Box::new(no_hindrance),
            hinder_reading: Box::new(move || Box::pin(hinder())),
            finished_read: AtomicUsize::default(),
        })
    }

    /// `store`, where these values do not read back.
    pub(crate) fn damaged(store: &Arc<dyn Store>, damaged: &[DamagedValue]) -> Arc<dyn Store> {
        Arc::new(Self {
            store: Arc::clone(store),
            damaged: damaged.to_vec(),
            hinder: Box::new(no_hindrance),
            hinder_reading: Box::new(no_hindrance),
            finished_read: AtomicUsize::default(),
        })
    }

    /// Finished matches that were read so far, without their replays.
    pub(crate) fn finished_read(&self) -> usize {
        self.finished_read.load(Ordering::Relaxed)
    }

    /// Fails if one of these values is damaged.
    fn check(&self, values: &[DamagedValue]) -> Result<(), StoreError> {
        match self.damaged.iter().find(|damaged| values.contains(damaged)) {
            Some(value) => Err(StoreError::Damaged {
                path: "matches.sqlite".into(),
                damage: Box::new(damage(value)),
            }),
            None => Ok(()),
        }
    }
}

fn damage(value: &DamagedValue) -> Damage {
    Damage {
        value: value.clone(),
        detail: "its checksum differs".to_owned(),
    }
}

#[async_trait]
impl Store for HinderedStore {
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        (self.hinder)().await?;
        self.store.commit(batch).await
    }
    fn opening(&self) -> Opening {
        self.store.opening()
    }
    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.store.open_match_ids().await
    }
    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        self.check(&[
            DamagedValue::Header(id.clone()),
            DamagedValue::Journal(id.clone()),
        ])?;
        self.store.open_match(id).await
    }
    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.check(&[DamagedValue::Header(id.clone())])?;
        self.store.open_match_header(id).await
    }
    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        of: Option<&KeyName>,
    ) -> Result<FinishedPage, StoreError> {
        (self.hinder_reading)().await?;
        let mut page = self.store.finished(after, limit, of).await?;
        self.finished_read
            .fetch_add(page.matches.len(), Ordering::Relaxed);
        page.matches.retain(|finished| {
            let summary = DamagedValue::Summary(finished.match_id.clone());
            let is_damaged = self.damaged.contains(&summary);
            page.damaged.extend(is_damaged.then(|| damage(&summary)));
            !is_damaged
        });
        Ok(page)
    }
    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        (self.hinder_reading)().await?;
        self.check(&[DamagedValue::Summary(id.clone())])?;
        self.finished_read.fetch_add(1, Ordering::Relaxed);
        self.store.finished_match(id).await
    }
    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        self.store.is_party(id, name).await
    }
    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        (self.hinder_reading)().await?;
        self.check(&[DamagedValue::Note(name.to_owned())])?;
        self.store.note(name).await
    }
    async fn notes(&self, prefix: &str) -> Result<Notes, StoreError> {
        let mut notes = self.store.notes(prefix).await?;
        notes.kept.retain(|name, _| {
            let note = DamagedValue::Note(name.clone());
            let is_damaged = self.damaged.contains(&note);
            notes.damaged.extend(is_damaged.then(|| damage(&note)));
            !is_damaged
        });
        Ok(notes)
    }
    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        (self.hinder_reading)().await?;
        self.check(&[DamagedValue::Replay(id.clone())])?;
        self.store.replay(id).await
    }
    async fn kept_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        spared: u64,
    ) -> Result<Vec<KeptReplay>, StoreError> {
        self.store.kept_replays(after, limit, spared).await
    }
    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        self.store.match_counts().await
    }
    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.secret(name).await
    }
    async fn keep_secret(&self, name: &str, value: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        self.store.keep_secret(name, value).await
    }
    async fn remove_damaged_secrets(&self) -> Result<Vec<Damage>, StoreError> {
        self.store.remove_damaged_secrets().await
    }
    /// Leaves the store open for the server that comes next.
    async fn close(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl LadderStore for HinderedStore {
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError> {
        self.store.ladders().await
    }
    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError> {
        self.store.ladder_versions(id).await
    }
    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError> {
        self.store.ladder_matches(id, from, limit).await
    }
    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError> {
        self.store.ladder_match(id, number).await
    }
}

#[async_trait]
impl KeyStore for HinderedStore {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.store.add_key(key).await
    }
    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.store.keys().await
    }
    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        self.store.keys_mark().await
    }
    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        self.store.damaged_keys().await
    }
    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        self.store.remove_damaged_key(id).await
    }
    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        self.store.key(id).await
    }
    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        self.store.revoke_key(id, revoked_at_unix_ms).await
    }
    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        self.store.note_key_uses(uses).await
    }
}
