//! Restores an earlier server's matches, one by one, so that an unreadable match does not affect
//! other matches.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::{Instant, SystemTime},
};

use bridgemaster_cluster::Cluster;
use bridgemaster_edge::{metrics::DamagedValue, spans::SEATS};
use bridgemaster_games::with_game;
use bridgemaster_match::{Header, MatchId, MatchParties, TicketHash, Unreplayable, recover};
use bridgemaster_referee::Time;
use bridgemaster_store::{
    COMMITS_FILE, CommitCompleteness, DamagedValue as Value, OpenMatch, OpenReport, Store,
    StoreError, Write, limits::MAX_PAGE_MATCHES,
};
use thiserror::Error;
use tracing::{error, info, warn};

use super::{
    LiveMatch, Matches, StoredMatch,
    clock::MatchClock,
    delayed::delay_records::{self, DelayRecord},
    group_repair::find_lost_groups,
    hosted_match::{ActiveMatch, HostedMatch as _},
};
use crate::journal::{Journal, NotStored};

/// A match that was in play.
struct RecoveredMatch {
    played: Arc<dyn ActiveMatch>,
    tickets: Vec<TicketHash>,
    /// The time of the match's last journal entry.
    known_until: Time,
    /// Whether only the leader may play the match.
    requires_leader: bool,
    /// The time at which the replay of the journal started, for the trace span.
    started: SystemTime,
}

/// The finished matches that are still delayed when a server starts.
struct DelayedAtStart {
    /// Matches whose delayed view this server serves, in the order in which they ended.
    local: Vec<StoredMatch>,
    /// Matches whose delayed view other nodes serve.
    remote: HashSet<MatchId>,
}

/// Returns whether only the leader may play a match with this header.
pub fn requires_leader(header: &[u8]) -> bool {
    Header::read(header).is_ok_and(|header| header.requires_leader())
}

impl Matches {
    /// Restores everything in `journal`'s store. The matches in `dropped_ids` are removed from the
    /// store instead. The matches in `taken_over` are already loaded. A match that cannot be read
    /// is quarantined, and all other matches continue. Call this before the clock is watched or a
    /// match is created.
    ///
    /// # Errors
    /// Returns an error if the store fails, or does not contain a match to drop. On an error, the
    /// store is unchanged, except that matches might have been dropped.
    pub async fn recover(
        self: &Arc<Self>,
        journal: &Journal,
        dropped_ids: &[String],
        taken_over: Vec<OpenMatch>,
    ) -> Result<(), RecoveryError> {
        let store = &**journal.store();
        self.log_opening(&store.open_report());
        drop_matches(store, dropped_ids).await?;
        for key in store.damaged_keys().await? {
            error!(
                key_id = %key.id,
                problem = key.detail,
                "an API key is damaged and cannot be used; remove it with `bridgemaster key revoke`"
            );
            self.metrics().count_damaged(DamagedValue::Key);
        }
        let finished = self.last_finished(store).await?;
        let delayed = self.read_delayed(journal).await?;
        // Groups are read after finished matches. The store then contains every group that
        // withholds one of these matches' data.
        self.read_groups(store, self.is_leader()).await?;
        let mut recovered = Vec::new();
        let clock = MatchClock::from(self.clock());
        let by_id = |open: OpenMatch| (open.match_id.clone(), open);
        let mut taken_over: HashMap<_, _> = taken_over.into_iter().map(by_id).collect();
        for id in store.open_match_ids().await? {
            let open = match taken_over.remove(&id) {
                Some(open) => Some(open),
                None => self.read_match(store, &id).await?,
            };
            recovered
                .extend(open.and_then(|open| self.replay_or_quarantine(&open, |_| clock.clone())));
        }
        if let Some(cluster) = self.cluster().filter(|_| !self.is_leader()) {
            recovered = release_leader_matches(cluster, recovered).await?;
        }
        // The clock starts at the latest time in any journal, so that the time of no match
        // decreases.
        let known_until = recovered.iter().map(|one| one.known_until).max();
        self.clock().advance_to(known_until.unwrap_or_default());
        let in_play = recovered.len();
        for stored in delayed.local {
            self.add_finished(stored, true);
        }
        for stored in finished {
            let shows_view_here = !delayed.remote.contains(stored.id());
            self.add_finished(stored, shows_view_here);
        }
        for recovered in recovered {
            self.resume_recovered(recovered);
        }
        if self.is_leader() {
            self.end_complete_groups(journal);
        }
        let quarantined = self.quarantined().in_play_count();
        info!(in_play, quarantined, "matches restored from the store");
        Ok(())
    }

    /// Resumes a match that was taken over from another node, at the time of its last input.
    pub fn resume_takeover(self: &Arc<Self>, open: &OpenMatch) {
        let clock = |time| MatchClock::starting_at(self.clock(), time);
        if let Some(recovered) = self.replay_or_quarantine(open, clock) {
            self.resume_recovered(recovered);
        }
    }

    /// Reads which groups are open. If `is_owner`, this server becomes the owner of the groups;
    /// otherwise another node owns them.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn read_groups(
        &self,
        store: &dyn Store,
        is_owner: bool,
    ) -> Result<(), RecoveryError> {
        let groups = &self.context.groups;
        if !is_owner {
            let started = Instant::now();
            groups.load_replica(store.records("").await?, started);
            return Ok(());
        }
        if groups.load_authoritative(store.records("").await?) {
            return Ok(());
        }
        let found = find_lost_groups(store, groups).await?.len();
        warn!(
            found,
            "stored records of groups are damaged; open groups were restored from the finished matches"
        );
        Ok(())
    }

    /// Closes groups that are complete. Called once all their matches have resumed.
    pub fn end_complete_groups(&self, journal: &Journal) {
        let groups = &self.context.groups;
        for group in groups.complete_groups() {
            groups.close(&group, |records| Some(journal.queue_records(records)));
        }
    }

    /// Reads the finished matches that spectators still see in play, because of a delay. These
    /// matches stay in memory, even if many other matches have ended since. An unreadable match is
    /// reported when it is requested.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    async fn read_delayed(&self, journal: &Journal) -> Result<DelayedAtStart, StoreError> {
        let records = delay_records::read_records(&**journal.store()).await?;
        let is_alone = self.cluster().is_none_or(|cluster| !cluster.is_shared());
        let is_local = |record: &DelayRecord| is_alone || record.node == self.context.node_name();
        let (local, remote): (Vec<_>, Vec<_>) = records.into_iter().partition(is_local);
        Ok(DelayedAtStart {
            local: self.filter_delayed(journal, local).await?,
            remote: remote.into_iter().map(|record| record.id).collect(),
        })
    }

    /// Takes over the delayed views of all nodes except the live ones: dead nodes may no longer be
    /// listed. `live_nodes` reads the names of the live nodes. It is awaited after the records are
    /// read. In the other order, a node that joins between the two reads could have a record and
    /// still not be among the live nodes.
    ///
    /// # Errors
    /// Returns an error if the store fails; the call can be retried.
    pub async fn take_over_delayed_views(
        self: &Arc<Self>,
        journal: &Journal,
        live_nodes: impl Future<Output = Result<HashSet<String>, StoreError>>,
    ) -> Result<(), StoreError> {
        let records = delay_records::read_records(&**journal.store()).await?;
        let live_nodes = live_nodes.await?;
        let records = records.into_iter().filter(|record| !live_nodes.contains(&record.node));
        let delayed = self.filter_delayed(journal, records.collect()).await?;
        if delayed.is_empty() {
            return Ok(());
        }
        let node = self.context.node_name();
        let records = delayed.iter().map(|stored| delay_records::put_record(stored.id(), node));
        let stored = journal.queue_records(records).wait().await;
        stored.map_err(|NotStored| StoreError::Closed)?;
        info!(matches = delayed.len(), "took over the delayed views of a dead node");
        for stored in delayed {
            self.add_finished(stored, true);
        }
        Ok(())
    }

    /// Returns the recorded matches that are still delayed, in the order in which they ended.
    /// Removes the records of all other matches.
    async fn filter_delayed(
        &self,
        journal: &Journal,
        records: Vec<DelayRecord>,
    ) -> Result<Vec<StoredMatch>, StoreError> {
        let (mut delayed, mut over) = (Vec::new(), Vec::new());
        for DelayRecord { id, .. } in records {
            let finished = match journal.store().finished_match(&id).await {
                Ok(finished) => finished,
                Err(StoreError::Damaged { .. }) => None,
                Err(failure) => return Err(failure),
            };
            let read = |one| StoredMatch::read(&one, &self.context.groups).ok();
            match finished.and_then(read) {
                Some(stored) if stored.spectator_delay().is_some() => delayed.push(stored),
                _ => over.push(delay_records::remove_record(&id)),
            }
        }
        if !over.is_empty() {
            journal.queue_records(over);
        }
        delayed.sort_by_key(StoredMatch::ended_unix_ms);
        Ok(delayed)
    }

    fn resume_recovered(self: &Arc<Self>, recovered: RecoveredMatch) {
        let RecoveredMatch { played, tickets, started, .. } = recovered;
        self.span_recorder().record(|| {
            let span = played.facts().match_spans().span(started, "recover match");
            span.with(SEATS, u32::from(played.facts().seats.get()))
        });
        let facts = played.facts();
        if let (Some(key), Some(group)) = (&facts.withheld_group, &facts.group) {
            self.context.groups.add_recovered(key, group);
        }
        self.resume(played, tickets);
    }

    /// Logs the results of opening the store, except results about individual matches.
    fn log_opening(&self, report: &OpenReport) {
        match &report.completeness {
            CommitCompleteness::Complete => {}
            CommitCompleteness::Missing(lost) => {
                self.metrics().set_lost_commits(lost.min_lost());
                warn!(
                    found = lost.found,
                    expected = lost.expected,
                    "the stored data is truncated: {lost}; matches resume from the remaining data, \
                     finished matches might be in play again, and keys might be missing or no \
                     longer revoked"
                );
            }
            CommitCompleteness::Unknown { detail } => warn!(
                "cannot check the stored data for truncation: \
                 {COMMITS_FILE} in the data folder: {detail}"
            ),
        }
        if report.indexes_rebuilt {
            warn!("damaged indexes of the database were rebuilt");
        }
        for damage in &report.damage_reports {
            if let Value::Batch(_) = damage.value {
                warn!(%damage, "the journal is damaged");
            }
        }
    }

    /// Loads the most recently finished matches, up to the limit for memory, in the order in which
    /// they ended.
    async fn last_finished(
        &self,
        store: &dyn Store,
    ) -> Result<VecDeque<StoredMatch>, RecoveryError> {
        let mut last = VecDeque::new();
        let mut after = None;
        loop {
            let free = self.limits().ended_matches_kept - last.len();
            if free == 0 {
                return Ok(last);
            }
            let limit = u32::try_from(free).unwrap_or(MAX_PAGE_MATCHES);
            let page = store.finished(after, limit).await?;
            for damage in &page.damaged {
                self.quarantined().report_damage(damage);
            }
            for finished in &page.matches {
                if let Ok(stored) = self.decode_finished(finished) {
                    last.push_front(stored);
                }
            }
            if page.next.is_none() {
                return Ok(last);
            }
            after = page.next;
        }
    }

    /// Loads a match in play, or quarantines it and returns `None`.
    async fn read_match(
        &self,
        store: &dyn Store,
        id: &MatchId,
    ) -> Result<Option<OpenMatch>, RecoveryError> {
        match store.open_match(id).await {
            Err(StoreError::Damaged { damage, .. }) => {
                let header = store.open_match_header(id).await;
                let parties = header.ok().flatten().map(|header| MatchParties::read(&header));
                self.quarantined().add_match_in_play(
                    id.clone(),
                    parties.unwrap_or_default(),
                    &damage,
                );
                Ok(None)
            }
            read => Ok(read?),
        }
    }

    /// Replays a match in play, or quarantines it and returns `None`.
    fn replay_or_quarantine(
        self: &Arc<Self>,
        open: &OpenMatch,
        clock: impl Fn(Time) -> MatchClock,
    ) -> Option<RecoveredMatch> {
        let replayed = self.replay_match(open, clock);
        let quarantine = |problem| {
            let parties = MatchParties::read(&open.header);
            self.quarantined().add_match_in_play(open.match_id.clone(), parties, &problem);
        };
        replayed.map_err(quarantine).ok()
    }

    fn replay_match(
        self: &Arc<Self>,
        open: &OpenMatch,
        clock: impl Fn(Time) -> MatchClock,
    ) -> Result<RecoveredMatch, Unreplayable> {
        let started = SystemTime::now();
        let header = Header::read(&open.header)?;
        let recovered = with_game!(header.game_id(), G => {
            let state = recover::<G>(open.match_id.clone(), &header, &open.journal)?;
            let tickets = state.origin.tickets.clone();
            let known_until = state.known_until;
            RecoveredMatch {
                played: Arc::new(LiveMatch::<G>::recovered(state, clock(known_until), &self.context)?),
                tickets,
                known_until,
                requires_leader: header.requires_leader(),
                started,
            }
        });
        recovered.ok_or_else(|| Unreplayable::UnknownGame { game_id: header.game_id().to_owned() })
    }
}

/// Releases the matches that only the leader may play, if another node became the leader while this
/// server was down. Otherwise the leader would have to wait until this server's lease expires, and
/// repeated restarts could postpone this indefinitely.
async fn release_leader_matches(
    cluster: &Cluster,
    recovered: Vec<RecoveredMatch>,
) -> Result<Vec<RecoveredMatch>, RecoveryError> {
    let (leader_only, own): (Vec<_>, Vec<_>) =
        recovered.into_iter().partition(|recovered| recovered.requires_leader);
    if !leader_only.is_empty() {
        let ids: Vec<MatchId> =
            leader_only.iter().map(|recovered| recovered.played.id().clone()).collect();
        cluster.nodes().release(&ids).await?;
        let matches = ids.len();
        warn!(
            matches,
            "another server is the leader now; released the matches that only the leader may play"
        );
    }
    Ok(own)
}

/// Drops either all of the listed matches or none of them.
async fn drop_matches(store: &dyn Store, dropped_ids: &[String]) -> Result<(), RecoveryError> {
    let unknown_match =
        |match_id: &str| RecoveryError::UnknownMatch { match_id: match_id.to_owned() };
    let mut ids: Vec<MatchId> = Vec::new();
    for match_id in dropped_ids {
        let id = MatchId::new(match_id.as_str()).map_err(|_| unknown_match(match_id))?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let drops = ids.iter().cloned();
    let drops = drops.map(|match_id| Write::DropMatch { match_id });
    let dropped = store.commit(drops.collect()).await;
    dropped.map_err(|error| match error {
        StoreError::WriteRefused { index, .. } => {
            unknown_match(ids.get(index).map_or("", MatchId::as_str))
        }
        failure => failure.into(),
    })?;
    for match_id in ids {
        warn!(%match_id, "match dropped");
    }
    Ok(())
}

/// The error when a server cannot restore the contents of its store.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A match that was to be dropped is not in the store.
    #[error("cannot drop match {match_id}: it is not in the store")]
    UnknownMatch {
        /// The identifier of the match that was to be dropped.
        match_id: String,
    },
}
