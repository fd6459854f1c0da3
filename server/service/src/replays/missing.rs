//! Finds the replays that the store has and the folder lacks, and writes them.

use std::{collections::BTreeSet, mem};

use bridgemaster_store::{FinishedPage, MatchId, Store, StoreError};
use thiserror::Error;
use tracing::{error, info};

use super::{
    folder::{MARKED_MATCHES, Mark, NotWritten, Unwritten},
    writer::{MAX_BATCH, ReplayWriter},
};

/// Bytes of replays from the store from which on they are written before more are read.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Finished matches that are read from the store at a time.
const PAGE_MATCHES: u32 = 100;
/// After so many replays in a row that cannot be written it is the folder, and no more are tried.
const MAX_FAILED: usize = 32;
/// Most replays that are tried again one by one: fewer than make it the folder. With more, all
/// matches after the mark are looked at again.
const MAX_STUCK: usize = MAX_FAILED - 1;

/// Why a folder is not complete.
#[derive(Debug, Error)]
pub(super) enum Incomplete {
    #[error(transparent)]
    NotWritten(#[from] NotWritten),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is known of the replays that are missing.
#[derive(Default)]
pub(super) struct Missing {
    /// Up to where this server has looked. The mark in the folder stays behind it while a replay
    /// is stuck, for the next server.
    looked_up_to: Option<Mark>,
    /// The matches up to there whose replays could not be written.
    stuck: BTreeSet<MatchId>,
}

/// What came of an attempt at some replays.
#[derive(Default)]
struct Tried {
    /// Why the first could not be written.
    failure: Option<NotWritten>,
    failed: BTreeSet<MatchId>,
    failed_since_success: usize,
}

/// The matches of a page of those that ended.
struct EndedPage {
    /// A mark, if the page is the first one; `None` if it is empty.
    newest: Option<Mark>,
    /// Those that ended after the mark.
    unmarked: Vec<MatchId>,
    has_mark: bool,
}

impl EndedPage {
    fn new(page: FinishedPage, mark: Option<&Mark>) -> Self {
        let mut unmarked: Vec<_> = page.matches.into_iter().map(|of| of.match_id).collect();
        // What lists show of a match may be damaged, and its replay sound. It is not told where in
        // the order it is, so the match is looked for on both sides of the mark.
        let damaged = page.damaged.iter().filter_map(|of| of.value.match_id());
        let damaged: Vec<_> = damaged.cloned().collect();
        let newest = match unmarked.is_empty() {
            true => &damaged,
            false => &unmarked,
        };
        let newest = newest.iter().take(MARKED_MATCHES).cloned();
        let newest = Mark::new(newest.collect());
        let is_mark = |id: &MatchId| mark.is_some_and(|mark| mark.has(id));
        let marked = unmarked.iter().position(is_mark);
        unmarked.truncate(marked.unwrap_or(unmarked.len()));
        let has_mark = marked.is_some() || damaged.iter().any(is_mark);
        unmarked.extend(damaged);
        Self {
            newest,
            unmarked,
            has_mark,
        }
    }
}

impl Missing {
    /// Writes what the store has and the folder lacks of the matches that ended after the mark, or
    /// after those that were looked at before, and what was stuck then. Moves the mark if all of it
    /// is there.
    pub(super) async fn write(
        &mut self,
        store: &dyn Store,
        writer: &ReplayWriter,
    ) -> Result<(), Incomplete> {
        let mark = writer.mark().await;
        let known = self.looked_up_to.as_ref().or(mark.as_ref());
        let mut new = Tried::default();
        let mut newest = None;
        let mut after = None;
        loop {
            let page = store.finished(after, PAGE_MATCHES, None).await?;
            after = page.next;
            let ended = EndedPage::new(page, known);
            newest = newest.or(ended.newest);
            new.write_lacking(store, writer, ended.unmarked).await?;
            if ended.has_mark || after.is_none() {
                break;
            }
        }
        let newest = newest.or_else(|| known.cloned());
        let mut again = Tried::default();
        let stuck = self.stuck.iter().cloned().collect();
        again.write_lacking(store, writer, stuck).await?;
        self.looked_up_to = newest.clone();
        self.stuck = new.failed;
        self.stuck.extend(again.failed);
        if self.stuck.len() > MAX_STUCK {
            *self = Self::default();
        }
        if let Some(failure) = new.failure.or(again.failure) {
            return Err(failure.into());
        }
        match newest.filter(|newest| Some(newest) != mark.as_ref()) {
            Some(newest) => Ok(writer.set_mark(newest).await?),
            None => Ok(()),
        }
    }
}

impl Tried {
    /// Writes the replays of those of these matches that the folder lacks. Goes on after one that
    /// cannot be written, and ends with an error where nothing can.
    async fn write_lacking(
        &mut self,
        store: &dyn Store,
        writer: &ReplayWriter,
        ids: Vec<MatchId>,
    ) -> Result<(), Incomplete> {
        let (mut replays, mut bytes) = (Vec::new(), 0);
        for match_id in writer.lacking(ids).await {
            let replay = match store.replay(&match_id).await {
                // A match that was cancelled has none.
                Ok(Some(replay)) if replay.is_empty() => continue,
                Ok(Some(replay)) => replay,
                // One that was dropped or forgotten meanwhile is not missing any more.
                Ok(None) | Err(StoreError::ReplayForgotten { .. }) => continue,
                Err(damaged @ StoreError::Damaged { .. }) => {
                    writer.failed();
                    error!(%match_id, error = %damaged, "a replay is lost");
                    continue;
                }
                Err(failed) => return Err(failed.into()),
            };
            bytes += replay.len();
            replays.push(Unwritten {
                match_id,
                bytes: replay.into(),
            });
            if replays.len() >= MAX_BATCH || bytes >= MAX_BATCH_BYTES {
                self.write(writer, mem::take(&mut replays)).await?;
                bytes = 0;
            }
        }
        Ok(self.write(writer, replays).await?)
    }

    async fn write(
        &mut self,
        writer: &ReplayWriter,
        replays: Vec<Unwritten>,
    ) -> Result<(), NotWritten> {
        let tried = replays.len();
        let left = writer.write(replays).await;
        let count = tried - left.len();
        if count > 0 {
            info!(count, "missing replays are written");
            self.failed_since_success = 0;
        }
        self.failed_since_success += left.len();
        for (replay, failure) in left {
            if self.failed_since_success >= MAX_FAILED {
                return Err(failure);
            }
            self.failed.insert(replay.match_id);
            self.failure.get_or_insert(failure);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, sync::Arc};

    use bridgemaster_store::{Damage, DamagedValue, FinishedMatch, MemoryStore, Write};

    use super::*;
    use crate::{metrics::Metrics, replays::folder::ReplayFolder};

    fn id(text: &str) -> MatchId {
        MatchId::new(text).unwrap()
    }

    /// Ends a match with a replay.
    async fn end(store: &MemoryStore, text: &str) {
        let match_id = id(text);
        let open = Write::OpenMatch {
            match_id: match_id.clone(),
            opened_at_unix_ms: 1,
            header: Vec::new(),
        };
        let finish = Write::FinishMatch {
            match_id,
            ended_at_unix_ms: 2,
            summary: Vec::new(),
            replay: text.into(),
            parties: Vec::new(),
        };
        store.commit(vec![open, finish]).await.unwrap();
    }

    fn file(folder: &Path, text: &str) -> std::path::PathBuf {
        folder.join(format!("{text}.replay.binpb"))
    }

    /// The matches whose replays are in a folder.
    fn there(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let text = name.strip_suffix(".replay.binpb")?.to_owned();
            entry.path().is_file().then_some(text)
        });
        let mut names: Vec<_> = names.flatten().collect();
        names.sort();
        names
    }

    fn writer(folder: &Path) -> ReplayWriter {
        let folder = ReplayFolder::new(folder.to_owned());
        ReplayWriter::new(folder, Arc::new(Metrics::new()))
    }

    #[tokio::test]
    async fn what_was_looked_at_is_not_looked_at_again_while_one_is_stuck() {
        let kept = tempfile::tempdir().unwrap();
        let (folder, store) = (kept.path(), MemoryStore::new());
        for text in ["a1", "b2", "c3"] {
            end(&store, text).await;
        }
        // A folder is in the way of one.
        fs::create_dir(file(folder, "b2")).unwrap();
        let (writer, mut missing) = (writer(folder), Missing::default());
        missing.write(&store, &writer).await.unwrap_err();
        assert_eq!(there(folder), ["a1", "c3"]);
        // Somebody takes those away that are there.
        for text in ["a1", "c3"] {
            fs::remove_file(file(folder, text)).unwrap();
        }
        end(&store, "d4").await;
        missing.write(&store, &writer).await.unwrap_err();
        missing.write(&store, &writer).await.unwrap_err();
        assert_eq!(there(folder), ["d4"]);
        assert_eq!(writer.mark().await, None);
        fs::remove_dir(file(folder, "b2")).unwrap();
        missing.write(&store, &writer).await.unwrap();
        assert_eq!(there(folder), ["b2", "d4"]);
        assert!(writer.mark().await.unwrap().has(&id("d4")));
    }

    #[tokio::test]
    async fn replays_that_were_taken_away_stay_away_when_the_last_matches_are_dropped() {
        let kept = tempfile::tempdir().unwrap();
        let (folder, store) = (kept.path(), MemoryStore::new());
        for text in ["a1", "b2", "c3"] {
            end(&store, text).await;
        }
        let writer = writer(folder);
        Missing::default().write(&store, &writer).await.unwrap();
        for text in ["a1", "b2", "c3"] {
            fs::remove_file(file(folder, text)).unwrap();
        }
        for text in ["b2", "c3"] {
            let match_id = id(text);
            let drop = Write::DropMatch { match_id };
            store.commit(vec![drop]).await.unwrap();
        }
        end(&store, "d4").await;
        Missing::default().write(&store, &writer).await.unwrap();
        assert_eq!(there(folder), ["d4"]);
    }

    #[tokio::test]
    async fn one_replay_after_the_other_is_tried_again_however_many_are_stuck() {
        let kept = tempfile::tempdir().unwrap();
        let (folder, store) = (kept.path(), MemoryStore::new());
        let texts: Vec<_> = (0..=MAX_STUCK).map(|n| format!("m{n}")).collect();
        for text in &texts {
            end(&store, text).await;
            fs::create_dir(file(folder, text)).unwrap();
            // Never so many in a row that it is the folder.
            end(&store, &format!("good{text}")).await;
        }
        let (writer, mut missing) = (writer(folder), Missing::default());
        missing.write(&store, &writer).await.unwrap_err();
        assert_eq!(there(folder).len(), texts.len());
        for text in &texts {
            fs::remove_dir(file(folder, text)).unwrap();
        }
        missing.write(&store, &writer).await.unwrap();
        assert_eq!(there(folder).len(), 2 * texts.len());
    }

    #[test]
    fn a_damaged_summary_beside_the_mark_hides_no_missing_replay() {
        let of = |mark: &[&str]| {
            let finished = |text| FinishedMatch {
                match_id: id(text),
                opened_at_unix_ms: 0,
                ended_at_unix_ms: 0,
                summary: Vec::new(),
            };
            let page = FinishedPage {
                matches: ["d4", "b2", "a1"].map(finished).into(),
                damaged: vec![Damage {
                    value: DamagedValue::Summary(id("c3")),
                    detail: String::new(),
                }],
                next: None,
            };
            let mark = Mark::new(mark.iter().map(|text| id(text)).collect());
            let page = EndedPage::new(page, mark.as_ref());
            assert!(page.newest.unwrap().has(&id("d4")));
            (page.unmarked, page.has_mark)
        };
        assert_eq!(of(&["b2"]), (vec![id("d4"), id("c3")], true));
        assert_eq!(of(&["gone", "b2", "a1"]), (vec![id("d4"), id("c3")], true));
        let all = vec![id("d4"), id("b2"), id("a1"), id("c3")];
        assert_eq!(of(&["c3"]), (all.clone(), true));
        assert_eq!(of(&["e5"]), (all, false));
    }
}
