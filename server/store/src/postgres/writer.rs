//! What writes for a server, and knows what it has written.

use std::{
    collections::HashSet,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use sqlx::postgres::PgPool;

use super::{
    address::Address,
    commit::{Ask, Commit, Known},
    failure::Fault,
    journal,
    left_matches::LeftMatches,
    link,
    link::{AsServer, Link, Work},
    node_number::{HeldNode, NodeNumber},
    node_rows::{Lead, Release},
    open_rows, opening,
    released_rows::{self, Released},
    taking::{TakeOrphans, Taking},
    unflushed::Unflushed,
};
use crate::{
    Damage, DamagedValue, Durability, IsLed, MatchId, NodeIdentity, OpenMatch, Opening, StoreError,
    Tail, Write,
    batch::{self, Standing},
    checksum::StoreId,
    journal::{
        in_play::MatchesInPlay,
        plan::{Plan, Step},
        sweep::Sweep,
    },
    journal_batch, ladder_batch,
};

/// Writes for a server.
pub(super) struct Writer {
    link: Link,
    store: StoreId,
    node: NodeNumber,
    /// With the numbers of its commits.
    unflushed: Arc<Unflushed>,
    /// Commits are flushed at all.
    survives_power: bool,
    matches: MatchesInPlay,
    /// How many these are, for the renewal of the lease, which does not wait for a commit.
    in_play: Arc<AtomicU64>,
    sweep: Sweep,
}

/// What it holds are secrets of matches in play.
impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("commits", &self.unflushed.last())
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Takes a node of the store.
    pub(super) async fn start(
        address: &Address,
        identity: &NodeIdentity,
    ) -> Result<(Self, HeldNode, Opening), StoreError> {
        let work = async {
            let mut connection = opening::believed(address).await?;
            let taken = opening::take_over(&mut connection, identity).await?;
            Ok((connection, taken))
        };
        let (connection, taken) = work
            .await
            .map_err(|fault: Fault| fault.at(address.shown()))?;
        let opening = Opening {
            // Nothing beside the database says how many commits there were.
            tail: Tail::Whole,
            damages: taken.loaded.damages,
            indexes_rebuilt: false,
        };
        let unflushed = Arc::new(Unflushed::new(taken.node.number, taken.commits));
        let server = AsServer {
            node: taken.node,
            unflushed: Arc::clone(&unflushed),
        };
        let mut writer = Self {
            link: Link::new(address.clone(), connection, Some(server)),
            store: taken.store,
            node: taken.node.number,
            unflushed,
            survives_power: address.durability() == Durability::Power,
            matches: taken.loaded.matches,
            in_play: Arc::default(),
            sweep: taken.loaded.sweep,
        };
        writer.sweep.has_been(writer.unflushed.last());
        writer.count();
        Ok((writer, taken.node, opening))
    }

    pub(super) fn store(&self) -> StoreId {
        self.store
    }

    /// What it has committed and not flushed.
    pub(super) fn unflushed(&self) -> &Arc<Unflushed> {
        &self.unflushed
    }

    /// The number of matches in play, as it is after each commit.
    pub(super) fn in_play(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.in_play)
    }

    fn count(&self) {
        let matches = self.matches.by_id.len() as u64;
        self.in_play.store(matches, Ordering::Relaxed);
    }

    /// Does a piece of work that has no part in the journal.
    pub(super) async fn write<W: Work>(&mut self, work: &W) -> Result<W::Done, Fault> {
        self.link.write(work).await
    }

    /// Makes what a crash of the database has lost again.
    pub(super) async fn put_back(&mut self) -> Result<(), Fault> {
        self.link.put_back().await
    }

    /// Stores a batch or nothing of it. The number of its commit if that has to be flushed yet.
    pub(super) async fn commit(&mut self, batch: Vec<Write>) -> Result<Option<i64>, Fault> {
        if batch.is_empty() {
            return Ok(self.unflushed.has_any().then(|| self.unflushed.last()));
        }
        let known = self.ask(&batch).await?;
        let standing = |id: &MatchId| match self.matches.get(id) {
            Some(in_play) if in_play.damage.is_some() => Standing::Damaged,
            Some(in_play) => Standing::InPlay {
                entries: in_play.standing.entries,
            },
            None if known.finished.contains(id) => Standing::Finished,
            None => Standing::Unknown,
        };
        if let Err(refused) = batch::check(&batch, standing, known.ladders) {
            // That another server holds the store by now is the better reason.
            self.link.write(&link::Nothing).await?;
            return Err(refused.into());
        }
        let mut plan = Plan::of(batch, &self.matches);
        let none_in_play = self.matches.count_after(&plan.changes) == 0;
        let number = self.unflushed.next()?;
        let parts = plan.take_parts();
        let commit = Arc::new(Commit {
            store: self.store,
            node: self.node,
            number,
            is_flushed_apart: self.is_flushed_apart(&plan.steps),
            steps: plan.steps,
            swept: self.sweep.step(none_in_play),
            body: journal_batch::write(self.store, number, plan.match_keys_given, parts),
        });
        self.add(&commit).await?;
        self.sweep.done(&commit.swept);
        self.matches.apply(plan.changes, number, &mut self.sweep);
        self.count();
        self.matches.match_keys_given = plan.match_keys_given;
        self.sweep.has_been(number);
        if commit.is_flushed_apart {
            self.unflushed.committed_unflushed(commit);
            return Ok(Some(number));
        }
        self.unflushed.committed();
        Ok(None)
    }

    /// Whether a commit with these steps is flushed while the next one is made.
    fn is_flushed_apart(&self, steps: &[Step]) -> bool {
        self.survives_power
            && self.unflushed.is_worth_while()
            && !steps.iter().any(Step::is_acted_on_at_once)
    }

    /// Asks what must be known of matches that are not in play, and of ladders.
    async fn ask(&mut self, batch: &[Write]) -> Result<Known, Fault> {
        let ids = batch.iter().filter_map(Write::match_id);
        let ids: HashSet<MatchId> = ids
            .filter(|id| self.matches.get(id).is_none())
            .cloned()
            .collect();
        let ladders = ladder_batch::asked(batch);
        if ids.is_empty() && ladders.is_empty() {
            return Ok(Known::default());
        }
        let store = self.store;
        let ask = Ask {
            store,
            ids,
            ladders,
        };
        self.link.write(&ask).await
    }

    /// Adds the next batch.
    async fn add(&mut self, commit: &Commit) -> Result<(), Fault> {
        let added = self.link.write(commit).await;
        if added.as_ref().is_err_and(Fault::may_pass) {
            self.unflushed.lost();
        }
        added
    }

    /// Takes over some matches that a node without a lease has left. `None` if that cannot be done
    /// now.
    pub(super) async fn take_orphans(
        &mut self,
        left: &mut LeftMatches,
        is_led: IsLed,
    ) -> Result<Option<Vec<OpenMatch>>, Fault> {
        let number = self.unflushed.next()?;
        let taking = TakeOrphans {
            store: self.store,
            node: self.node,
            number,
            match_keys_given: self.matches.match_keys_given,
            is_led,
            left,
            tried: parking_lot::Mutex::default(),
        };
        let taking = self.link.write(&taking).await;
        if taking.as_ref().is_err_and(Fault::may_pass) {
            self.unflushed.lost();
        }
        let Taking::Done(taken) = taking? else {
            return Ok(None);
        };
        let given = left.take(&taken, number);
        if given.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.unflushed.committed();
        let mut matches = Vec::with_capacity(given.len());
        for (standing, open) in given {
            self.matches.match_keys_given = standing.match_key;
            self.matches
                .take(open.match_id.clone(), standing, &mut self.sweep);
            matches.push(open);
        }
        self.count();
        self.sweep.has_been(number);
        Ok(Some(matches))
    }

    /// Releases matches: whoever takes them over needs their batches, which stay.
    pub(super) async fn release(&mut self, ids: &[MatchId]) -> Result<(), Fault> {
        let matches = ids.iter().filter_map(|id| self.matches.get(id));
        let matches = matches.filter(|in_play| in_play.damage.is_none());
        let released: Vec<Released> = matches.map(Released::of).collect();
        self.link.write(&released_rows::Release(&released)).await?;
        for id in ids {
            self.matches.release(id);
        }
        self.count();
        Ok(())
    }

    /// Whether this node leads, now that it has tried.
    pub(super) async fn lead(&mut self) -> Result<bool, Fault> {
        self.link.write(&Lead(self.node)).await
    }

    pub(super) fn open_match_ids(&self) -> Vec<MatchId> {
        self.matches.ids()
    }

    pub(super) async fn open_match(
        &mut self,
        readers: &PgPool,
        id: &MatchId,
    ) -> Result<Option<OpenMatch>, Fault> {
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
        let header = match in_play.header_at_open.take() {
            Some(header) => header,
            None => {
                let read = open_rows::header(readers, self.store, match_key).await?;
                read.map_err(damaged(DamagedValue::Header))?
            }
        };
        let journal = match in_play.read_at_open.take() {
            Some(journal) => journal,
            None => {
                let read = journal::read(readers, self.store, in_play).await?;
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
        &self,
        readers: &PgPool,
        id: &MatchId,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let Some(in_play) = self.matches.get(id) else {
            return Ok(None);
        };
        let match_key = in_play.standing.match_key;
        let header = open_rows::header(readers, self.store, match_key).await?;
        header.map(Some).map_err(|detail| {
            Fault::Damage(Damage {
                value: DamagedValue::Header(id.clone()),
                detail,
            })
        })
    }

    /// Gives up the lease, and lets go of the database.
    pub(super) async fn close(mut self) -> Result<(), Fault> {
        if self.unflushed.has_any() {
            // Whoever waits for it would find that the epoch is over.
            self.link.write(&link::Nothing).await?;
        }
        match self.link.write(&Release(self.node)).await {
            // Nothing is left to be given up.
            Ok(()) | Err(Fault::Superseded) => self.link.close().await,
            Err(fault) => Err(fault),
        }
    }
}
