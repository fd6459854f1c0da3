//! A store that runs a future before commits or reads, or has damaged values.

use std::{
    future::{pending, ready},
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use bridgemaster_store::{
    DamageReport, DamagedKey, DamagedValue, FinishedCursor, FinishedMatch, FinishedPage, Flush,
    IndexKey, Key, KeyId, KeyName, KeyStore, KeysVersion, LadderId, LadderRows, LadderStore,
    ListedPage, MatchId, MemoryStore, NewKey, OpenMatch, OpenReport, RecordStore, Records,
    ReplayMetadata, Store, StoreError, StoredLadder, StoredLadderMatch, StoredLadderVersion, Write,
};

/// A future that runs before a commit or read. If it returns an error, the commit or read fails.
type Interception = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

/// A store that runs a future before commits or before reads of finished matches, or has damaged
/// values.
pub(crate) struct InterceptedStore {
    store: Arc<dyn Store>,
    damaged: Vec<DamagedValue>,
    key_faults: Mutex<KeyFaults>,
    before_commit: Box<dyn Fn() -> Interception + Send + Sync>,
    before_read: Box<dyn Fn() -> Interception + Send + Sync>,
    finished_read: AtomicUsize,
}

fn no_interception() -> Interception {
    Box::pin(ready(Ok(())))
}

/// How reading the keys fails.
#[derive(Default)]
pub(crate) struct KeyFaults {
    pub(crate) are_unreadable: bool,
    pub(crate) damaged: Option<KeyId>,
    /// Whether the identifier of the damaged key is damaged too.
    pub(crate) is_id_damaged: bool,
    pub(crate) removed: Option<KeyId>,
}

impl InterceptedStore {
    /// Wraps `store` without a change.
    pub(crate) fn over(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            damaged: Vec::new(),
            key_faults: Mutex::default(),
            before_commit: Box::new(no_interception),
            before_read: Box::new(no_interception),
            finished_read: AtomicUsize::default(),
        }
    }

    /// Wraps `store` so that `intercept` runs before each commit.
    pub(crate) fn before_commits<F>(
        store: Arc<dyn Store>,
        intercept: impl Fn() -> F + Send + Sync + 'static,
    ) -> Arc<dyn Store>
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        Arc::new(Self {
            before_commit: Box::new(move || Box::pin(intercept())),
            ..Self::over(store)
        })
    }

    /// Creates a store in memory whose commits do not complete while the flag is set.
    pub(crate) fn that_can_stall() -> (Arc<dyn Store>, Arc<AtomicBool>) {
        let hangs = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&hangs);
        let store = Self::before_commits(Arc::new(MemoryStore::new()), move || {
            let hangs = flag.load(Ordering::Relaxed);
            async move {
                if hangs {
                    pending::<()>().await;
                }
                Ok(())
            }
        });
        (store, hangs)
    }

    /// Wraps `store` so that `intercept` runs before each read of finished matches.
    pub(crate) fn before_reads<F>(
        store: Arc<dyn Store>,
        intercept: impl Fn() -> F + Send + Sync + 'static,
    ) -> Arc<Self>
    where
        F: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        Arc::new(Self { before_read: Box::new(move || Box::pin(intercept())), ..Self::over(store) })
    }

    /// Wraps `store` so that these values are damaged.
    pub(crate) fn damaged(store: &Arc<dyn Store>, damaged: &[DamagedValue]) -> Arc<Self> {
        Arc::new(Self { damaged: damaged.to_vec(), ..Self::over(Arc::clone(store)) })
    }

    pub(crate) fn key_faults(&self) -> MutexGuard<'_, KeyFaults> {
        self.key_faults.lock().unwrap()
    }

    /// Fails while the keys are unreadable.
    fn read_keys(&self) -> Result<(), StoreError> {
        match self.key_faults().are_unreadable {
            true => Err(StoreError::Busy { path: "keys".into() }),
            false => Ok(()),
        }
    }

    /// Returns the number of reads of finished matches so far, not counting their replays.
    pub(crate) fn finished_read(&self) -> usize {
        self.finished_read.load(Ordering::Relaxed)
    }

    /// Counts the matches of a page, and moves the damaged ones.
    fn damage_summaries(&self, matches: &mut Vec<FinishedMatch>, damaged: &mut Vec<DamageReport>) {
        self.finished_read.fetch_add(matches.len(), Ordering::Relaxed);
        matches.retain(|finished| {
            let summary = DamagedValue::Summary(finished.match_id.clone());
            let is_damaged = self.damaged.contains(&summary);
            damaged.extend(is_damaged.then(|| damage(&summary)));
            !is_damaged
        });
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

fn damage(value: &DamagedValue) -> DamageReport {
    DamageReport { value: value.clone(), detail: "checksum mismatch".to_owned() }
}

#[async_trait]
impl Store for InterceptedStore {
    async fn begin_commit(&self, batch: Vec<Write>) -> Result<Flush, StoreError> {
        (self.before_commit)().await?;
        self.store.begin_commit(batch).await
    }
    fn open_report(&self) -> OpenReport {
        self.store.open_report()
    }
    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.store.open_match_ids().await
    }
    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        self.check(&[DamagedValue::Header(id.clone()), DamagedValue::Journal(id.clone())])?;
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
    ) -> Result<FinishedPage, StoreError> {
        (self.before_read)().await?;
        let mut page = self.store.finished(after, limit).await?;
        self.damage_summaries(&mut page.matches, &mut page.damaged);
        Ok(page)
    }
    async fn list(
        &self,
        before: Option<&MatchId>,
        limit: u32,
        keys: &[IndexKey],
    ) -> Result<ListedPage, StoreError> {
        (self.before_read)().await?;
        let mut page = self.store.list(before, limit, keys).await?;
        self.damage_summaries(&mut page.matches, &mut page.damaged);
        Ok(page)
    }
    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        (self.before_read)().await?;
        self.check(&[DamagedValue::Summary(id.clone())])?;
        self.finished_read.fetch_add(1, Ordering::Relaxed);
        self.store.finished_match(id).await
    }
    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        self.store.is_party(id, name).await
    }
    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        (self.before_read)().await?;
        self.check(&[DamagedValue::Replay(id.clone())])?;
        self.store.replay(id).await
    }
    async fn stored_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        spared: u64,
    ) -> Result<Vec<ReplayMetadata>, StoreError> {
        self.store.stored_replays(after, limit, spared).await
    }
    /// Does nothing, so that the store stays open for the next server.
    async fn close(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl RecordStore for InterceptedStore {
    async fn record(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        (self.before_read)().await?;
        self.check(&[DamagedValue::Record(name.to_owned())])?;
        self.store.record(name).await
    }
    async fn records(&self, prefix: &str) -> Result<Records, StoreError> {
        let mut records = self.store.records(prefix).await?;
        records.intact.retain(|name, _| {
            let record = DamagedValue::Record(name.clone());
            let is_damaged = self.damaged.contains(&record);
            records.damaged.extend(is_damaged.then(|| damage(&record)));
            !is_damaged
        });
        Ok(records)
    }
    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.secret(name).await
    }
    async fn get_or_insert_secret(
        &self,
        name: &str,
        value: Vec<u8>,
    ) -> Result<Vec<u8>, StoreError> {
        self.store.get_or_insert_secret(name, value).await
    }
    async fn remove_damaged_secrets(&self) -> Result<Vec<DamageReport>, StoreError> {
        self.store.remove_damaged_secrets().await
    }
}

#[async_trait]
impl LadderStore for InterceptedStore {
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
impl KeyStore for InterceptedStore {
    async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError> {
        self.store.add_keys(keys).await
    }
    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.read_keys()?;
        let mut keys = self.store.keys().await?;
        let faults = self.key_faults();
        let hidden = [&faults.damaged, &faults.removed];
        keys.retain(|key| hidden.iter().all(|id| id.as_ref() != Some(&key.id)));
        Ok(keys)
    }
    async fn keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.read_keys()?;
        self.store.keys_version().await
    }
    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let id = self.key_faults().damaged.clone();
        let Some(id) = id else {
            return self.store.damaged_keys().await;
        };
        let key = self.store.key(&id).await?.unwrap();
        let (id, name) = match self.key_faults().is_id_damaged {
            true => (KeyId::new("damaged-key-1").unwrap(), Some(key.name)),
            false => (id, None),
        };
        let detail = "checksum mismatch".to_owned();
        Ok(vec![DamagedKey { id, name, detail }])
    }
    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        self.store.remove_damaged_key(id).await
    }
    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        self.read_keys()?;
        self.store.key(id).await
    }
    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        self.store.revoke_key(id, revoked_at_unix_ms).await
    }
    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        self.store.record_key_uses(uses).await
    }
}
