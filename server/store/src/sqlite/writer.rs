//! The one connection that changes matches.

use std::{collections::HashSet, fmt, path::Path};

use sqlx::{Connection as _, SqliteConnection};

use super::{
    failure::Fault,
    finished_rows, identity, journal, key_rows, ladder_rows, open_rows, party_lists, secret_rows,
    steps,
    transaction::{self, JournalRow},
};
use crate::{
    Damage, DamagedValue, DataDir, Key, KeyId, LostTail, MatchId, NewKey, OpenMatch, Opening,
    StoreError, Tail, Write,
    batch::{self, Standing},
    checksum::StoreId,
    commits_file::{CommitsFile, Told},
    data_dir::DirLock,
    journal::{in_play::MatchesInPlay, plan::Plan, reading::Loaded, sweep::Sweep},
    journal_batch, ladder_batch,
};

/// Bytes of the journal after which what was noted of commits is made to survive the loss of power:
/// about as often as SQLite does the same for its log, which is every 1,000 pages.
const SYNC_EVERY_BYTES: usize = 4 * 1024 * 1024;

/// Bytes that a commit writes at least: a page of 4 KiB.
const MIN_COMMIT_BYTES: usize = 4 * 1024;

/// Writes for a server, and knows what it has written.
pub(super) struct Writer {
    connection: SqliteConnection,
    store: StoreId,
    /// Drawn when the store was opened. Another in the database is that of a later server.
    server_id: Vec<u8>,
    /// Commits so far.
    commits: i64,
    matches: MatchesInPlay,
    sweep: Sweep,
    commits_file: CommitsFile,
    unsynced_bytes: usize,
    /// Last, so that the folder is held until the connection is gone.
    _lock: DirLock,
}

/// What it holds are secrets of matches in play.
impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("commits", &self.commits)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Begins on a database that has been checked and migrated.
    pub(super) async fn start(
        mut connection: SqliteConnection,
        lock: DirLock,
        dir: &DataDir,
        told: &Told,
    ) -> Result<(Self, Opening), StoreError> {
        let path = dir.database();
        let taken = take_over(&mut connection, told).await;
        let taken = taken.map_err(|fault: Fault| fault.at(&path))?;
        let commits_file = CommitsFile::begin(dir.path(), taken.store, taken.commits)?;
        let opening = Opening {
            tail: taken.tail,
            damages: taken.loaded.damages,
            indexes_rebuilt: taken.party_lists_mended,
        };
        let mut writer = Self {
            connection,
            store: taken.store,
            server_id: taken.server_id,
            commits: taken.commits,
            matches: taken.loaded.matches,
            sweep: taken.loaded.sweep,
            commits_file,
            unsynced_bytes: 0,
            _lock: lock,
        };
        writer.sweep.has_been(writer.commits);
        Ok((writer, opening))
    }

    pub(super) fn store(&self) -> StoreId {
        self.store
    }

    /// Stores a batch or nothing of it.
    pub(super) async fn commit(&mut self, batch: Vec<Write>) -> Result<(), Fault> {
        if batch.is_empty() {
            return Ok(());
        }
        let finished = self.finished_among(&batch).await?;
        let asked = ladder_batch::asked(&batch);
        let ladders = ladder_rows::standings(&mut self.connection, self.store, asked).await?;
        let standing = |id: &MatchId| match self.matches.get(id) {
            Some(in_play) if in_play.damage.is_some() => Standing::Damaged,
            Some(in_play) => Standing::InPlay {
                entries: in_play.standing.entries,
            },
            None if finished.contains(id) => Standing::Finished,
            None => Standing::Unknown,
        };
        batch::check(&batch, standing, ladders)?;
        let mut plan = Plan::of(batch, &self.matches);
        let none_in_play = self.matches.count_after(&plan.changes) == 0;
        let mut parts = plan.take_parts();
        if plan.steps.is_empty() && self.sweep.is_idle(none_in_play) {
            let (number, given) = (self.commits + 1, plan.match_keys_given);
            let body = journal_batch::write(self.store, number, given, parts);
            let row = JournalRow { number, body };
            if transaction::commit_alone(&mut self.connection, &self.server_id, &row).await? {
                self.matches.apply(plan.changes, number, &mut self.sweep);
                self.committed(number, row.body.len());
                return Ok(());
            }
            // Somebody else has committed since: it needs another number.
            parts = journal_batch::read(self.store, number, &row.body).parts;
        }
        let number = self.begin().await?;
        let body = journal_batch::write(self.store, number, plan.match_keys_given, parts);
        let bytes = body.len();
        let work = async {
            for step in plan.steps {
                steps::carry_out(&mut self.connection, self.store, step).await?;
            }
            let swept = self.sweep.step(none_in_play);
            journal::remove(&mut self.connection, &swept).await?;
            Ok((swept, JournalRow { number, body }))
        };
        let work = work.await;
        let swept = transaction::end(&mut self.connection, work).await?;
        self.sweep.done(swept);
        self.matches.apply(plan.changes, number, &mut self.sweep);
        self.matches.match_keys_given = plan.match_keys_given;
        self.committed(number, bytes);
        Ok(())
    }

    /// Begins a transaction; the number of its commit.
    async fn begin(&mut self) -> Result<i64, Fault> {
        let begun = transaction::begin(&mut self.connection).await?;
        let checked = self.check_is_holder(&begun).await;
        if let Err(fault) = checked {
            transaction::roll_back(&mut self.connection).await;
            return Err(fault);
        }
        Ok(begun.commits + 1)
    }

    /// Within a transaction: whether this server still holds the store, and the database is where
    /// it was. Takes note of commits of commands beside the server.
    async fn check_is_holder(&mut self, begun: &transaction::Begun) -> Result<(), Fault> {
        if begun.server_id.as_ref() != Some(&self.server_id) {
            // Unless the row is damaged, which is told as that.
            identity::read(&mut self.connection).await?;
            return Err(Fault::Superseded);
        }
        if begun.commits < self.commits {
            return Err(Fault::Contradiction(format!(
                "it has {} commits, and this server has made {}",
                begun.commits, self.commits
            )));
        }
        if begun.commits > self.commits {
            let others: Vec<i64> = sqlx::query_scalar("SELECT batch FROM journal WHERE batch > ?")
                .bind(self.commits)
                .fetch_all(&mut self.connection)
                .await?;
            for number in others {
                self.sweep.has_been(number);
            }
            self.commits = begun.commits;
        }
        Ok(())
    }

    /// Takes note of a commit.
    fn committed(&mut self, number: i64, bytes: usize) {
        self.commits = number;
        self.sweep.has_been(number);
        self.commits_file.note(number);
        self.unsynced_bytes += bytes.max(MIN_COMMIT_BYTES);
        if self.unsynced_bytes >= SYNC_EVERY_BYTES {
            self.unsynced_bytes = 0;
            if let Some(file) = self.commits_file.another_handle() {
                // Nothing waits for it: until it is done, the file on the disk is only behind.
                tokio::task::spawn_blocking(move || file.sync_data());
            }
        }
    }

    /// Ends a transaction that has no entries.
    async fn end<T>(&mut self, number: i64, work: Result<T, Fault>) -> Result<T, Fault> {
        let given = self.matches.match_keys_given;
        let body = journal_batch::write(self.store, number, given, Vec::new());
        let work = work.map(|value| (value, JournalRow { number, body }));
        let value = transaction::end(&mut self.connection, work).await?;
        self.committed(number, 0);
        Ok(value)
    }

    /// The matches of the batch that have finished before it.
    async fn finished_among(&mut self, batch: &[Write]) -> Result<HashSet<MatchId>, Fault> {
        let mut finished = HashSet::new();
        for id in batch.iter().filter_map(Write::match_id) {
            if self.matches.get(id).is_none()
                && !finished.contains(id)
                && finished_rows::number(&mut self.connection, id)
                    .await?
                    .is_some()
            {
                finished.insert(id.clone());
            }
        }
        Ok(finished)
    }

    pub(super) fn open_match_ids(&self) -> Vec<MatchId> {
        self.matches.ids()
    }

    pub(super) async fn open_match(&mut self, id: &MatchId) -> Result<Option<OpenMatch>, Fault> {
        let Some(in_play) = self.matches.by_id.get_mut(id) else {
            return Ok(None);
        };
        if let Some(damage) = &in_play.damage {
            return Err(Fault::Damage((**damage).clone()));
        }
        let damaged = |value: fn(MatchId) -> DamagedValue| {
            move |detail| {
                Fault::Damage(Damage {
                    value: value(id.clone()),
                    detail,
                })
            }
        };
        let match_key = in_play.standing.match_key;
        let header = open_rows::header(&mut self.connection, self.store, match_key).await?;
        let header = header.map_err(damaged(DamagedValue::Header))?;
        let journal = match in_play.read_at_open.take() {
            Some(journal) => journal,
            None => {
                let read = journal::read(&mut self.connection, self.store, in_play).await?;
                read.map_err(damaged(DamagedValue::Journal))?
            }
        };
        Ok(Some(OpenMatch {
            match_id: id.clone(),
            opened_at_unix_ms: in_play.standing.opened_at_unix_ms,
            header,
            journal,
        }))
    }

    pub(super) async fn open_match_header(
        &mut self,
        id: &MatchId,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let Some(in_play) = self.matches.get(id) else {
            return Ok(None);
        };
        let match_key = in_play.standing.match_key;
        let header = open_rows::header(&mut self.connection, self.store, match_key).await?;
        match header {
            Ok(header) => Ok(Some(header)),
            Err(detail) => Err(Fault::Damage(Damage {
                value: DamagedValue::Header(id.clone()),
                detail,
            })),
        }
    }

    pub(super) async fn add_key(&mut self, key: NewKey) -> Result<(), Fault> {
        let number = self.begin().await?;
        let work = key_rows::add(&mut self.connection, self.store, key).await;
        self.end(number, work).await
    }

    pub(super) async fn revoke_key(
        &mut self,
        id: &KeyId,
        revoked_at_unix_ms: i64,
    ) -> Result<Key, Fault> {
        let number = self.begin().await?;
        let work = key_rows::revoke(&mut self.connection, self.store, id, revoked_at_unix_ms).await;
        self.end(number, work).await
    }

    pub(super) async fn remove_damaged_key(&mut self, id: &KeyId) -> Result<(), Fault> {
        let number = self.begin().await?;
        let work = key_rows::remove_damaged(&mut self.connection, self.store, id).await;
        self.end(number, work).await
    }

    pub(super) async fn note_key_uses(&mut self, uses: &[(KeyId, i64)]) -> Result<(), Fault> {
        let number = self.begin().await?;
        let work = key_rows::note_uses(&mut self.connection, self.store, uses).await;
        self.end(number, work).await
    }

    pub(super) async fn keep_secret(
        &mut self,
        name: &str,
        value: Vec<u8>,
    ) -> Result<Vec<u8>, Fault> {
        let number = self.begin().await?;
        let work = secret_rows::keep(&mut self.connection, self.store, name, value).await;
        self.end(number, work).await
    }

    pub(super) async fn remove_damaged_secrets(&mut self) -> Result<Vec<Damage>, Fault> {
        let number = self.begin().await?;
        let work = secret_rows::remove_damaged(&mut self.connection, self.store).await;
        self.end(number, work).await
    }

    /// Lets go of the database, then of the folder.
    pub(super) async fn close(self) -> Result<(), Fault> {
        self.connection.close().await?;
        self.commits_file.sync();
        Ok(())
    }
}

/// What a server finds when it takes the store.
struct Taken {
    store: StoreId,
    server_id: Vec<u8>,
    /// Commits so far, the one that took the store included.
    commits: i64,
    loaded: Loaded,
    tail: Tail,
    party_lists_mended: bool,
}

/// Takes the store in one transaction, so that an earlier server has committed all before it, or
/// commits nothing any more.
async fn take_over(connection: &mut SqliteConnection, told: &Told) -> Result<Taken, Fault> {
    let begun = transaction::begin(connection).await?;
    let work = async {
        let identity = identity::write(connection, true).await?;
        let store = identity.store;
        let open = open_rows::all(connection, store).await?;
        let mut loaded = journal::load(connection, store, open).await?;
        journal::sweep_all(connection, &mut loaded.sweep).await?;
        let party_lists_mended = party_lists::mend(connection, store).await?;
        let tail = tail(told, begun.commits);
        let expected = match &tail {
            Tail::Lost(lost) => lost.expected.cast_signed(),
            Tail::Whole | Tail::Unknown { .. } => 0,
        };
        // Beyond the numbers that are lost: the next start must not miss them again.
        let number = begun.commits.max(expected) + 1;
        let given = loaded.matches.match_keys_given;
        let body = journal_batch::write(store, number, given, Vec::new());
        let taken = Taken {
            store,
            server_id: identity.server_id,
            commits: number,
            loaded,
            tail,
            party_lists_mended,
        };
        Ok((taken, JournalRow { number, body }))
    };
    let work = work.await;
    transaction::end(connection, work).await
}

/// Whether the newest commits are there, by what the file beside the database says.
pub(super) fn tail(told: &Told, commits: i64) -> Tail {
    match told {
        Told::Commits(_, expected) if *expected > commits => Tail::Lost(LostTail {
            found: commits.unsigned_abs(),
            expected: expected.unsigned_abs(),
        }),
        Told::Commits(..) => Tail::Whole,
        // A store that has just been made.
        Told::Nothing if commits == 0 => Tail::Whole,
        Told::Nothing => Tail::Unknown {
            detail: "it is missing".to_owned(),
        },
        Told::Nonsense(detail) => Tail::Unknown {
            detail: (*detail).to_owned(),
        },
    }
}

/// Whether the file beside a database is of another store.
pub(super) fn check_together(path: &Path, told: &Told, store: StoreId) -> Result<(), StoreError> {
    match told {
        Told::Commits(other, _) if *other != store => Err(StoreError::NotTogether {
            path: path.to_owned(),
            beside: path.with_file_name(crate::COMMITS_FILE),
            detail: "it was written beside another database".to_owned(),
        }),
        _ => Ok(()),
    }
}
