//! What a server holds back of the groups of a contest: seeds and replays.
//!
//! All matches of a group have one seed. So each is made as one of a group of the server that
//! reveals nothing before it is over (`SEED_REVEAL_WITH_GROUP`): a bot that remembers its matches
//! learns the seed when there is nothing left to play with it. Only the runner knows when that is.
//! A match may end at the server while the runner that would have stored it is killed, and is
//! played again then. So a group of the server has one number more than the contest plays, is
//! never over by itself, and is closed here.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use bridgemaster_proto::v1::{MatchGroup, MatchState, SeedReveal};
use thiserror::Error;
use tokio::task::spawn_blocking;

use crate::{
    FolderError, GroupNumber, MatchNumber, MatchRow,
    calls::DeskError,
    desk::Desk,
    folder::{Folder, ReplayFile},
};

/// What the server shows as the reason of matches that the contest does not need any more.
const WHY_CANCELLED: &str = "the contest was stopped, or has its verdict";

/// The place of a match at the server, in a contest whose group has so many matches.
pub(crate) fn place(contest: &str, of: MatchNumber, matches: usize) -> MatchGroup {
    MatchGroup {
        group_id: format!("{contest}.{}", of.group),
        number: of.number,
        // One more than are played: see above.
        matches: u32::try_from(matches).unwrap_or(u32::MAX).saturating_add(1),
        seed_reveal: SeedReveal::WithGroup.into(),
    }
}

/// A replay that is to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeldReplay {
    match_id: String,
    /// The name that it will have in the folder of the contest.
    name: String,
}

/// The replays that are to be fetched, by groups.
#[derive(Debug, Default)]
pub(crate) struct HeldBack(BTreeMap<GroupNumber, Vec<HeldReplay>>);

impl HeldBack {
    /// The replays of these matches that the folder does not have.
    pub(crate) fn missing(folder: &Folder, rows: &[MatchRow]) -> Self {
        let mut held = Self::default();
        for row in rows {
            let replay = row.replay.as_deref();
            if replay.is_some_and(|name| !folder.path(name).exists()) {
                held.add(row);
            }
        }
        held
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the replay of a match, if it has one.
    pub(crate) fn add(&mut self, row: &MatchRow) {
        if let Some(name) = &row.replay {
            self.0.entry(row.of.group).or_default().push(HeldReplay {
                match_id: row.match_id.clone(),
                name: name.clone(),
            });
        }
    }

    /// Removes the replays of the groups that are over, and returns them.
    pub(crate) fn extract_over(
        &mut self,
        is_over: impl Fn(GroupNumber) -> bool,
    ) -> Vec<Vec<HeldReplay>> {
        let over = self.0.extract_if(.., |group, _| is_over(*group));
        over.map(|(_, held)| held).collect()
    }
}

/// Why replays do not come.
#[derive(Debug, Error)]
pub(crate) enum VaultError {
    /// The server does not give them.
    #[error(transparent)]
    Desk(#[from] DeskError),
    /// They cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Where the replays of a contest come from, and where they go.
#[derive(Clone)]
pub(crate) struct Vault {
    pub(crate) desk: Desk,
    pub(crate) folder: Arc<Folder>,
}

impl Vault {
    /// Closes a group of which nothing more is played, and fetches its replays. What the server does
    /// not give is left out: results count without it.
    pub(crate) async fn open(self, held: Vec<HeldReplay>) -> Vec<ReplayFile> {
        let wanted: Vec<&str> = held.iter().map(|replay| &*replay.match_id).collect();
        let mut given = HashMap::new();
        let mut files = Vec::new();
        for match_id in &wanted {
            match known(self.desk.close_group(match_id, &wanted).await) {
                Ok(Some(replays)) => {
                    let replays = replays.into_iter();
                    given.extend(replays.map(|replay| (replay.match_id, replay.file)));
                    break;
                }
                Ok(None) => {}
                Err(_) => return files,
            }
        }
        for HeldReplay { match_id, name } in held {
            if let Some(bytes) = given.remove(&match_id) {
                files.push(ReplayFile { name, bytes });
                continue;
            }
            // Not all fit into an answer, or another server has it.
            match known(self.desk.replay_file(&match_id).await) {
                Ok(Some(bytes)) => files.push(ReplayFile { name, bytes }),
                Ok(None) => {}
                Err(_) => break,
            }
        }
        files
    }

    /// Keeps replays that were fetched.
    pub(crate) async fn keep(&self, files: Vec<ReplayFile>) -> Result<(), FolderError> {
        let folder = Arc::clone(&self.folder);
        let kept = spawn_blocking(move || folder.keep_replays(&files));
        // A task ends otherwise only when it is aborted.
        kept.await.unwrap_or(Ok(()))
    }

    /// Cancels the matches of the contest that are in play at the server.
    pub(crate) async fn cancel_matches(&self) -> Result<(), VaultError> {
        self.desk.all_made().await;
        for state in [MatchState::Waiting, MatchState::Running] {
            for match_id in self.desk.list(self.folder.id(), state).await?.keys() {
                self.desk.cancel(match_id, WHY_CANCELLED).await?;
            }
        }
        Ok(())
    }

    /// Closes the groups of matches that were cancelled: nothing more of them is played.
    pub(crate) async fn close_cancelled(&self) -> Result<(), DeskError> {
        let mut closed = HashSet::new();
        let id = self.folder.id();
        let cancelled = self.desk.list(id, MatchState::Cancelled).await?;
        for (match_id, info) in cancelled {
            let group = info.config.and_then(|config| config.group);
            if closed.insert(group.map(|group| group.group_id)) {
                known(self.desk.close_group(&match_id, &[]).await)?;
            }
        }
        Ok(())
    }
}

/// None for a match that the server does not know.
fn known<T>(answer: Result<T, DeskError>) -> Result<Option<T>, DeskError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_unknown_match() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::sample::row;

    #[test]
    fn the_replays_of_a_group_are_taken_once_when_it_is_over() {
        let mut held = HeldBack::default();
        for (group, number) in [(0, 0), (1, 0), (0, 1)] {
            let replay = Some(format!("{group}.{number}"));
            held.add(&MatchRow {
                replay,
                ..row(group, number, &[0, 1], &[1, 2])
            });
        }
        held.add(&row(2, 0, &[0, 1], &[1, 2]));
        let taken = held.extract_over(|group| group.0 != 1);
        let names = taken.iter().flatten().map(|held| held.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["0.0", "0.1"]);
        assert!(held.extract_over(|group| group.0 != 1).is_empty());
        assert!(!held.is_empty());
    }

    #[test]
    fn a_group_of_the_server_has_a_number_that_is_never_played() {
        let of = row(7, 3, &[0, 1], &[1, 2]).of;
        let place = place("abc", of, 4);
        assert_eq!((place.number, place.matches), (3, 5));
        assert_eq!(place.group_id, "abc.7");
        assert_eq!(place.seed_reveal(), SeedReveal::WithGroup);
    }
}
