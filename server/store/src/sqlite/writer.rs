//! The one connection that changes matches.

use std::{collections::HashSet, fmt};

use rusqlite::Connection;

use super::{
    after_commit::AfterCommit,
    checkpoints::Checkpoints,
    failure::Fault,
    finished_rows, identity, journal, key_rows, ladder_rows, open_rows, opening,
    options::Durability,
    row::values,
    secret_rows, steps,
    taking::take_over,
    transaction::{self, JournalRow},
};
use crate::{
    Damage, DamagedValue, DataDir, Key, KeyId, MatchId, NewKey, OpenMatch, Opening, StoreError,
    Write,
    batch::{self, Standing},
    checksum::StoreId,
    commits_file::{CommitsFile, Told},
    data_dir::DirLock,
    journal::{
        in_play::MatchesInPlay,
        plan::{Plan, Step},
        sweep::Sweep,
    },
    journal_batch, ladder_batch,
};

/// Bytes of a page of the database.
const PAGE_BYTES: usize = 4 * 1024;

/// Writes for a server, and knows what it has written.
pub(super) struct Writer {
    /// Before the connection: the last one that is closed cleans up.
    checkpoints: Checkpoints,
    connection: Connection,
    store: StoreId,
    /// Drawn when the store was opened. Another in the database is that of a later server.
    server_id: Vec<u8>,
    /// Commits so far.
    commits: i64,
    matches: MatchesInPlay,
    sweep: Sweep,
    after_commit: AfterCommit,
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
    /// Begins on a database that has been checked and migrated, by a connection that waits for the disk
    /// in each commit.
    pub(super) fn start(
        connection: Connection,
        lock: DirLock,
        dir: &DataDir,
        told: &Told,
        durability: Durability,
    ) -> Result<(Self, Opening), StoreError> {
        let path = dir.database();
        let taken = take_over(&path, &connection, told);
        let taken = taken.map_err(|fault: Fault| fault.at(&path))?;
        let commits_file = CommitsFile::begin(dir.path(), taken.store, taken.commits)?;
        let opening = Opening {
            tail: taken.tail,
            damages: taken.loaded.damages,
            indexes_rebuilt: taken.party_lists_mended,
        };
        let checkpoints = Checkpoints::start(path.clone(), commits_file.another_handle());
        let checkpoints = checkpoints.map_err(|error| Fault::System(error).at(&path))?;
        let after_commit =
            AfterCommit::of(durability, &path, &connection, commits_file, taken.commits);
        let after_commit = after_commit.map_err(|fault| fault.at(&path))?;
        let mut writer = Self {
            checkpoints,
            connection,
            store: taken.store,
            server_id: taken.server_id,
            commits: taken.commits,
            matches: taken.loaded.matches,
            sweep: taken.loaded.sweep,
            after_commit,
            _lock: lock,
        };
        writer.sweep.has_been(writer.commits);
        Ok((writer, opening))
    }

    pub(super) fn store(&self) -> StoreId {
        self.store
    }

    /// What is done of commits once they are made.
    pub(super) fn after_commit(&self) -> &AfterCommit {
        &self.after_commit
    }

    /// Stores a batch or nothing of it.
    pub(super) fn commit(&mut self, batch: Vec<Write>) -> Result<(), Fault> {
        if batch.is_empty() {
            return Ok(());
        }
        let finished = self.finished_among(&batch)?;
        let asked = ladder_batch::asked(&batch);
        let ladders = ladder_rows::standings(&self.connection, self.store, asked)?;
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
            let (connection, server_id) = (&self.connection, &self.server_id);
            let commit = || {
                let is_made = transaction::commit_alone(connection, server_id, &row)?;
                Ok((is_made, is_made.then_some(number)))
            };
            if self.after_commit.make(commit)? {
                self.matches.apply(plan.changes, number, &mut self.sweep);
                self.committed(number, pages(row.body.len()));
                return Ok(());
            }
            // Somebody else has committed since: it needs another number.
            parts = journal_batch::read(self.store, number, &row.body).parts;
        }
        let number = self.begin()?;
        let body = journal_batch::write(self.store, number, plan.match_keys_given, parts);
        let pages = pages(body.len()) + plan.steps.iter().map(pages_of).sum::<usize>();
        let work = || {
            for step in plan.steps {
                steps::carry_out(&self.connection, self.store, step)?;
            }
            let swept = self.sweep.step(none_in_play);
            journal::remove(&self.connection, &swept)?;
            Ok((swept, JournalRow { number, body }))
        };
        let work = work();
        let commit = || Ok((transaction::end(&self.connection, work)?, Some(number)));
        let swept = self.after_commit.make(commit)?;
        self.sweep.done(&swept);
        self.matches.apply(plan.changes, number, &mut self.sweep);
        self.matches.match_keys_given = plan.match_keys_given;
        self.committed(number, pages);
        Ok(())
    }

    /// Begins a transaction; the number of its commit.
    fn begin(&mut self) -> Result<i64, Fault> {
        let begun = transaction::begin(&self.connection)?;
        let checked = self.check_is_holder(&begun);
        if let Err(fault) = checked {
            transaction::roll_back(&self.connection);
            return Err(fault);
        }
        Ok(begun.commits + 1)
    }

    /// Within a transaction: whether this server still holds the store, and the database is where
    /// it was. Takes note of commits of commands beside the server.
    fn check_is_holder(&mut self, begun: &transaction::Begun) -> Result<(), Fault> {
        if begun.server_id.as_ref() != Some(&self.server_id) {
            // Unless the row is damaged, which is told as that.
            identity::read(&self.connection)?;
            return Err(Fault::Superseded);
        }
        if begun.commits < self.commits {
            return Err(Fault::Contradiction(format!(
                "it has {} commits, and this server has made {}",
                begun.commits, self.commits
            )));
        }
        if begun.commits > self.commits {
            let others: Vec<i64> = values(
                &self.connection,
                "SELECT batch FROM journal WHERE batch > ?",
                [self.commits],
            )?;
            for number in others {
                self.sweep.has_been(number);
            }
            self.commits = begun.commits;
        }
        Ok(())
    }

    /// Takes note of a commit of about so many pages.
    fn committed(&mut self, number: i64, pages: usize) {
        self.commits = number;
        self.sweep.has_been(number);
        self.checkpoints.committed(pages);
    }

    /// Whether there is something to be done between commits.
    pub(super) fn is_to_be_tended(&self) -> bool {
        self.checkpoints.is_due()
    }

    /// Does what is to be done between commits, while nobody waits.
    pub(super) fn tend(&mut self) {
        self.checkpoints.tend(&self.connection);
    }

    /// Ends a transaction that has no entries.
    fn end<T>(&mut self, number: i64, work: Result<T, Fault>) -> Result<T, Fault> {
        let given = self.matches.match_keys_given;
        let body = journal_batch::write(self.store, number, given, Vec::new());
        let work = work.map(|value| (value, JournalRow { number, body }));
        let commit = || Ok((transaction::end(&self.connection, work)?, Some(number)));
        let value = self.after_commit.make(commit)?;
        self.committed(number, pages(0));
        Ok(value)
    }

    /// The matches of the batch that have finished before it.
    fn finished_among(&mut self, batch: &[Write]) -> Result<HashSet<MatchId>, Fault> {
        let mut finished = HashSet::new();
        for id in batch.iter().filter_map(Write::match_id) {
            if self.matches.get(id).is_none()
                && !finished.contains(id)
                && finished_rows::number(&self.connection, id)?.is_some()
            {
                finished.insert(id.clone());
            }
        }
        Ok(finished)
    }

    pub(super) fn open_match_ids(&self) -> Vec<MatchId> {
        self.matches.ids()
    }

    pub(super) fn open_match(&mut self, id: &MatchId) -> Result<Option<OpenMatch>, Fault> {
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
        let header = open_rows::header(&self.connection, self.store, match_key)?;
        let header = header.map_err(damaged(DamagedValue::Header))?;
        let journal = match in_play.read_at_open.take() {
            Some(journal) => journal,
            None => {
                let read = journal::read(&self.connection, self.store, in_play)?;
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

    pub(super) fn open_match_header(&mut self, id: &MatchId) -> Result<Option<Vec<u8>>, Fault> {
        let Some(in_play) = self.matches.get(id) else {
            return Ok(None);
        };
        let match_key = in_play.standing.match_key;
        let header = open_rows::header(&self.connection, self.store, match_key)?;
        match header {
            Ok(header) => Ok(Some(header)),
            Err(detail) => Err(Fault::Damage(Damage {
                value: DamagedValue::Header(id.clone()),
                detail,
            })),
        }
    }

    pub(super) fn add_key(&mut self, key: NewKey) -> Result<(), Fault> {
        let number = self.begin()?;
        let work = key_rows::add(&self.connection, self.store, key);
        self.end(number, work)
    }

    pub(super) fn revoke_key(&mut self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, Fault> {
        let number = self.begin()?;
        let work = key_rows::revoke(&self.connection, self.store, id, revoked_at_unix_ms);
        self.end(number, work)
    }

    pub(super) fn remove_damaged_key(&mut self, id: &KeyId) -> Result<(), Fault> {
        let number = self.begin()?;
        let work = key_rows::remove_damaged(&self.connection, self.store, id);
        self.end(number, work)
    }

    pub(super) fn note_key_uses(&mut self, uses: &[(KeyId, i64)]) -> Result<(), Fault> {
        let number = self.begin()?;
        let work = key_rows::note_uses(&self.connection, self.store, uses);
        self.end(number, work)
    }

    pub(super) fn keep_secret(&mut self, name: &str, value: Vec<u8>) -> Result<Vec<u8>, Fault> {
        let number = self.begin()?;
        let work = secret_rows::keep(&self.connection, self.store, name, value);
        self.end(number, work)
    }

    pub(super) fn remove_damaged_secrets(&mut self) -> Result<Vec<Damage>, Fault> {
        let number = self.begin()?;
        let work = secret_rows::remove_damaged(&self.connection, self.store);
        self.end(number, work)
    }

    /// Lets go of the database, then of the folder.
    pub(super) fn close(self) -> Result<(), Fault> {
        drop(self.checkpoints);
        opening::closed(self.connection)?;
        self.after_commit.end()
    }
}

/// Pages that a row of so many bytes takes.
fn pages(bytes: usize) -> usize {
    1 + bytes / PAGE_BYTES
}

/// Pages that a step writes, about: each table and each index that it changes has one.
fn pages_of(step: &Step) -> usize {
    match step {
        Step::Open { header, .. } => 2 + pages(header.len()),
        Step::Finish {
            finished,
            replay,
            parties,
            ..
        } => 4 + parties.len() + pages(finished.summary.len()) + pages(replay.len()),
        Step::KeepNote { value, .. } => 1 + pages(value.len()),
        Step::DropOpen { .. }
        | Step::DropFinished { .. }
        | Step::ForgetReplay { .. }
        | Step::DropNote { .. }
        | Step::ChangeLadder { .. } => 4,
    }
}
