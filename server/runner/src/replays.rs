//! Downloads the replays of a contest to its folder. The server withholds the replays of a group
//! until the group has ended. Downloaded files are written in batches.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::{MatchGroup, MatchState, SeedReveal};
use tokio::task::{JoinSet, spawn_blocking};

use crate::{
    FolderError, GroupNumber, MatchNumber, MatchRow, RunError,
    folder::{Folder, ReplayFile},
    match_client::MatchClient,
    retry_client::CallError,
};

/// The maximum number of replays in a batch when all replays are fetched. Such a batch takes a few
/// MB.
const MAX_STORE_BATCH: usize = 256;

/// The number of fetched replays that triggers a write before [`STORE_INTERVAL`] has passed.
const STORE_BATCH: usize = 64;
/// The interval between writes of smaller batches. Syncing many files takes little longer than
/// syncing one file.
const STORE_INTERVAL: Duration = Duration::from_millis(250);

/// The replays that are not in the folder yet.
pub(crate) struct Replays {
    pub(crate) fetcher: ReplayFetcher,
    withheld: WithheldReplays,
    fetching: JoinSet<Vec<ReplayFile>>,
    /// Replays that have been fetched and are not being written yet.
    fetched: Vec<ReplayFile>,
    /// The task that writes files. At most one runs at a time; the next one writes all files that
    /// arrive in the meantime, so the folder is synced once for many files.
    storing: JoinSet<Result<(), FolderError>>,
    /// The time at which the last writing task was started.
    stored_at: Option<Instant>,
}

impl Replays {
    pub(crate) fn new(fetcher: ReplayFetcher, withheld: WithheldReplays) -> Self {
        Self {
            fetcher,
            withheld,
            fetching: JoinSet::new(),
            fetched: Vec::new(),
            storing: JoinSet::new(),
            stored_at: None,
        }
    }

    /// Adds a match's replay, if it has one.
    pub(crate) fn add(&mut self, row: &MatchRow) {
        self.withheld.add(row);
    }

    /// Starts fetching the replays of finished groups, and storing the replays that were fetched.
    pub(crate) fn poll(&mut self, is_over: impl Fn(GroupNumber) -> bool) -> Result<(), RunError> {
        for withheld in self.withheld.extract_over(is_over) {
            self.fetching.spawn(self.fetcher.clone().fetch_group(withheld));
        }
        while let Some(files) = self.fetching.try_join_next() {
            self.fetched.extend(files?);
        }
        while let Some(stored) = self.storing.try_join_next() {
            stored??;
        }
        let is_due = |at: Instant| at.elapsed() >= STORE_INTERVAL;
        let is_time = self.fetched.len() >= STORE_BATCH || self.stored_at.is_none_or(is_due);
        if self.storing.is_empty() && !self.fetched.is_empty() && is_time {
            self.stored_at = Some(Instant::now());
            let (fetcher, files) = (self.fetcher.clone(), mem::take(&mut self.fetched));
            self.storing.spawn(async move { fetcher.store(files).await });
        }
        Ok(())
    }

    /// Waits until all fetched replays are stored. If `is_over` is true, fetches the remaining
    /// replays first.
    pub(crate) async fn finish(&mut self, is_over: bool) -> Result<(), RunError> {
        if is_over {
            self.fetcher.close_cancelled_groups().await?;
            for withheld in self.withheld.extract_over(|_| true) {
                let files = self.fetcher.clone().fetch_group(withheld).await;
                self.fetched.extend(files);
                if self.fetched.len() >= MAX_STORE_BATCH {
                    self.fetcher.store(mem::take(&mut self.fetched)).await?;
                }
            }
        }
        // A task fails only if it is aborted.
        while let Some(files) = self.fetching.join_next().await {
            self.fetched.extend(files.unwrap_or_default());
        }
        while let Some(stored) = self.storing.join_next().await {
            stored.unwrap_or(Ok(()))?;
        }
        Ok(self.fetcher.store(mem::take(&mut self.fetched)).await?)
    }
}

// Downloads replays, which the server withholds until their group has ended.
//
// All matches of a group share one seed, which the server reveals only when the group ends
// (`SEED_REVEAL_WITH_GROUP`). So even a bot that remembers its matches cannot use the seed. The
// server cannot determine which match is the last one, because a match is repeated if this program
// is killed just after its end. So this module declares each group to be one match larger than it
// is. Such a group never completes on its own, and is closed explicitly.

/// The cancellation reason for matches that the contest no longer needs.
const CANCEL_REASON: &str = "the contest was stopped or has reached its verdict";

/// Returns the match group to declare to the server for a match. The contest plays `matches`
/// matches in the group.
pub(crate) fn server_group(contest: &str, of: MatchNumber, matches: usize) -> MatchGroup {
    MatchGroup {
        group_id: format!("{contest}.{}", of.group),
        number: of.number,
        // One more match than the contest plays; see the module documentation.
        matches: u32::try_from(matches).unwrap_or(u32::MAX).saturating_add(1),
        seed_reveal: SeedReveal::WithGroup.into(),
    }
}

/// A replay that is to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WithheldReplay {
    match_id: String,
    /// The file name, relative to the contest's folder.
    name: String,
}

/// The replays that are to be fetched, by group.
#[derive(Debug, Default)]
pub(crate) struct WithheldReplays(BTreeMap<GroupNumber, Vec<WithheldReplay>>);

impl WithheldReplays {
    /// Collects the replays of these matches that are not in the folder yet.
    pub(crate) fn missing(folder: &Folder, rows: &[MatchRow]) -> Self {
        let mut withheld = Self::default();
        for row in rows {
            let replay = row.replay.as_deref();
            if replay.is_some_and(|name| !folder.path(name).exists()) {
                withheld.add(row);
            }
        }
        withheld
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a match's replay, if it has one.
    pub(crate) fn add(&mut self, row: &MatchRow) {
        if let Some(name) = &row.replay {
            self.0
                .entry(row.of.group)
                .or_default()
                .push(WithheldReplay { match_id: row.match_id.clone(), name: name.clone() });
        }
    }

    /// Removes and returns the replays of groups that have ended.
    pub(crate) fn extract_over(
        &mut self,
        is_over: impl Fn(GroupNumber) -> bool,
    ) -> Vec<Vec<WithheldReplay>> {
        let over = self.0.extract_if(.., |group, _| is_over(*group));
        over.map(|(_, withheld)| withheld).collect()
    }
}

/// Fetches replays from the server and stores them in the folder.
#[derive(Clone)]
pub(crate) struct ReplayFetcher {
    pub(crate) client: MatchClient,
    pub(crate) folder: Arc<Folder>,
}

impl ReplayFetcher {
    /// Closes a group after its last match, and fetches its replays. Replays that the server does
    /// not return are skipped; the results count without them.
    pub(crate) async fn fetch_group(self, withheld: Vec<WithheldReplay>) -> Vec<ReplayFile> {
        let match_ids: Vec<&str> = withheld.iter().map(|replay| &*replay.match_id).collect();
        let mut fetched = HashMap::new();
        let mut files = Vec::new();
        for match_id in &match_ids {
            match if_found(self.client.close_group(match_id, &match_ids).await) {
                Ok(Some(replays)) => {
                    let replays = replays.into_iter();
                    fetched.extend(replays.map(|replay| (replay.match_id, replay.file)));
                    break;
                }
                Ok(None) => {}
                Err(_) => return files,
            }
        }
        for WithheldReplay { match_id, name } in withheld {
            if let Some(bytes) = fetched.remove(&match_id) {
                files.push(ReplayFile { name, bytes });
                continue;
            }
            // The replay did not fit into the response, or is on another server.
            match if_found(self.client.replay_file(&match_id).await) {
                Ok(Some(bytes)) => files.push(ReplayFile { name, bytes }),
                Ok(None) => {}
                Err(_) => break,
            }
        }
        files
    }

    /// Writes fetched replays to the folder.
    pub(crate) async fn store(&self, files: Vec<ReplayFile>) -> Result<(), FolderError> {
        let folder = Arc::clone(&self.folder);
        let stored = spawn_blocking(move || folder.store_replays(&files));
        // A task fails only if it is aborted.
        stored.await.unwrap_or(Ok(()))
    }

    /// Cancels the contest's waiting and running matches at the server.
    pub(crate) async fn cancel_matches(&self) -> Result<(), RunError> {
        self.client.wait_for_creations().await;
        for state in [MatchState::Waiting, MatchState::Running] {
            for match_id in self.client.list(self.folder.id(), state).await?.keys() {
                self.client.cancel(match_id, CANCEL_REASON).await?;
            }
        }
        Ok(())
    }

    /// Closes the groups of cancelled matches, since no more of the groups' matches are played.
    pub(crate) async fn close_cancelled_groups(&self) -> Result<(), CallError> {
        let mut closed = HashSet::new();
        let id = self.folder.id();
        let cancelled = self.client.list(id, MatchState::Cancelled).await?;
        for (match_id, info) in cancelled {
            let group = info.config.and_then(|config| config.group);
            if closed.insert(group.map(|group| group.group_id)) {
                if_found(self.client.close_group(&match_id, &[]).await)?;
            }
        }
        Ok(())
    }
}

/// Maps an unknown match to `None`.
fn if_found<T>(answer: Result<T, CallError>) -> Result<Option<T>, CallError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_unknown_match() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples_for_tests::row;

    #[test]
    fn the_replays_of_a_group_are_extracted_once_it_is_over() {
        let mut withheld = WithheldReplays::default();
        for (group, number) in [(0, 0), (1, 0), (0, 1)] {
            let replay = Some(format!("{group}.{number}"));
            withheld.add(&MatchRow { replay, ..row(group, number, &[0, 1], &[1, 2]) });
        }
        withheld.add(&row(2, 0, &[0, 1], &[1, 2]));
        let extracted = withheld.extract_over(|group| group.0 != 1);
        let names = extracted.iter().flatten().map(|withheld| withheld.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["0.0", "0.1"]);
        assert!(withheld.extract_over(|group| group.0 != 1).is_empty());
        assert!(!withheld.is_empty());
    }

    #[test]
    fn a_server_group_has_one_match_more_than_is_played() {
        let of = row(7, 3, &[0, 1], &[1, 2]).of;
        let group = server_group("abc", of, 4);
        assert_eq!((group.number, group.matches), (3, 5));
        assert_eq!(group.group_id, "abc.7");
        assert_eq!(group.seed_reveal(), SeedReveal::WithGroup);
    }
}
