//! Tests of the backfill with an in-memory store.

use std::{fs, path::Path, sync::Arc};

use bridgemaster_store::{DamageReport, DamagedValue, FinishedMatch, MemoryStore, Write};

use async_trait::async_trait;
use bridgemaster_edge::metrics::Metrics;
use bridgemaster_replay::whole_file::FileMode;

use super::*;
use crate::replays::{folder::ReplayFolder, withheld::WithholdReason};

/// The matches that are public; for other matches it is unknown. `None` means that all are public.
struct Public(Option<&'static [&'static str]>);

#[async_trait]
impl WithholdingPolicy for Public {
    async fn withhold_reason(
        &self,
        id: &MatchId,
    ) -> Result<Option<WithholdReason>, WithholdReasonUnknown> {
        let is_public = self.0.is_none_or(|public| public.contains(&id.as_str()));
        if is_public { Ok(None) } else { Err(WithholdReasonUnknown) }
    }

    async fn reload_groups(&self) -> Result<(), WithholdReasonUnknown> {
        Ok(())
    }
}

async fn write(
    backfill: &mut Backfill,
    store: &MemoryStore,
    writer: &ReplayWriter,
) -> Result<(), BackfillError> {
    write_if(Public(None), backfill, store, writer).await
}

async fn write_if(
    withholding: Public,
    backfill: &mut Backfill,
    store: &MemoryStore,
    writer: &ReplayWriter,
) -> Result<(), BackfillError> {
    let context = BackfillContext {
        store,
        writer,
        withholding: &withholding,
        withheld: &WithheldSet::default(),
    };
    backfill.run(context).await
}

fn id(text: &str) -> MatchId {
    MatchId::new(text).unwrap()
}

/// Ends a match with a replay.
async fn end(store: &MemoryStore, text: &str) {
    let match_id = id(text);
    let open =
        Write::OpenMatch { match_id: match_id.clone(), opened_at_unix_ms: 1, header: Vec::new() };
    let finish = Write::FinishMatch {
        match_id,
        ended_at_unix_ms: 2,
        summary: Vec::new(),
        replay: text.into(),
        parties: Vec::new(),
        index_keys: Vec::new(),
    };
    store.commit(vec![open, finish]).await.unwrap();
}

fn file(folder: &Path, text: &str) -> std::path::PathBuf {
    folder.join(format!("{text}.replay.binpb"))
}

/// Lists the matches whose replays are in a folder.
fn written(folder: &Path) -> Vec<String> {
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
    let folder = ReplayFolder::new(folder.to_owned(), FileMode::PRIVATE);
    ReplayWriter::new(folder, Arc::new(Metrics::for_node(None)))
}

#[tokio::test]
async fn checked_matches_are_not_checked_again_while_one_fails() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, store) = (dir.path(), MemoryStore::new());
    for text in ["a1", "b2", "c3"] {
        end(&store, text).await;
    }
    // A directory at the file's path makes its write fail.
    fs::create_dir(file(folder, "b2")).unwrap();
    let (writer, mut backfill) = (writer(folder), Backfill::default());
    write(&mut backfill, &store, &writer).await.unwrap_err();
    assert_eq!(written(folder), ["a1", "c3"]);
    // The operator removes written files.
    for text in ["a1", "c3"] {
        fs::remove_file(file(folder, text)).unwrap();
    }
    end(&store, "d4").await;
    write(&mut backfill, &store, &writer).await.unwrap_err();
    write(&mut backfill, &store, &writer).await.unwrap_err();
    assert_eq!(written(folder), ["d4"]);
    assert_eq!(writer.read_progress().await, None);
    fs::remove_dir(file(folder, "b2")).unwrap();
    write(&mut backfill, &store, &writer).await.unwrap();
    assert_eq!(written(folder), ["b2", "d4"]);
    assert!(writer.read_progress().await.unwrap().checkpoint.contains(&id("d4")));
}

#[tokio::test]
async fn removed_replays_stay_removed_when_the_last_matches_are_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, store) = (dir.path(), MemoryStore::new());
    for text in ["a1", "b2", "c3"] {
        end(&store, text).await;
    }
    let writer = writer(folder);
    write(&mut Backfill::default(), &store, &writer).await.unwrap();
    for text in ["a1", "b2", "c3"] {
        fs::remove_file(file(folder, text)).unwrap();
    }
    for text in ["b2", "c3"] {
        let match_id = id(text);
        let drop = Write::DropMatch { match_id };
        store.commit(vec![drop]).await.unwrap();
    }
    end(&store, "d4").await;
    write(&mut Backfill::default(), &store, &writer).await.unwrap();
    assert_eq!(written(folder), ["d4"]);
}

#[tokio::test]
async fn any_number_of_failed_replays_is_retried() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, store) = (dir.path(), MemoryStore::new());
    let texts: Vec<_> = (0..=MAX_RETRIED).map(|n| format!("m{n}")).collect();
    for text in &texts {
        end(&store, text).await;
        fs::create_dir(file(folder, text)).unwrap();
        // A success between failures keeps the folder from counting as unwritable.
        end(&store, &format!("good{text}")).await;
    }
    let (writer, mut backfill) = (writer(folder), Backfill::default());
    write(&mut backfill, &store, &writer).await.unwrap_err();
    assert_eq!(written(folder).len(), texts.len());
    for text in &texts {
        fs::remove_dir(file(folder, text)).unwrap();
    }
    write(&mut backfill, &store, &writer).await.unwrap();
    assert_eq!(written(folder).len(), 2 * texts.len());
}

#[tokio::test]
async fn public_replays_are_written_even_if_others_are_undecided() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, store) = (dir.path(), MemoryStore::new());
    for text in ["a1", "b2"] {
        end(&store, text).await;
    }
    let (writer, mut backfill) = (writer(folder), Backfill::default());
    let result = write_if(Public(Some(&["b2"])), &mut backfill, &store, &writer).await;
    assert!(matches!(result, Err(BackfillError::WithholdReasonUnknown(_))), "{result:?}");
    assert_eq!(written(folder), ["b2"]);
}

#[tokio::test]
async fn a_released_replay_is_written_without_another_check() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, store) = (dir.path(), MemoryStore::new());
    end(&store, "a1").await;
    let (writer, mut backfill) = (writer(folder), Backfill::default());
    write(&mut backfill, &store, &writer).await.unwrap();
    fs::remove_file(file(folder, "a1")).unwrap();
    backfill.add_released(vec![id("a1")]);
    let undecided = Public(Some(&[]));
    write_if(undecided, &mut backfill, &store, &writer).await.unwrap();
    assert_eq!(written(folder), ["a1"]);
}

fn page(ids: &[&str]) -> FinishedPage {
    let finished = |text: &&str| FinishedMatch {
        match_id: id(text),
        opened_at_unix_ms: 0,
        ended_at_unix_ms: 0,
        summary: Vec::new(),
    };
    FinishedPage {
        matches: ids.iter().map(finished).collect(),
        damaged: Vec::new(),
        next: None,
        unsettled: 0,
    }
}

#[test]
fn the_checkpoint_contains_only_settled_matches() {
    for (unsettled, newest) in [(0, Some("c3")), (2, Some("a1")), (3, None)] {
        let page = FinishedPage { unsettled, ..page(&["c3", "b2", "a1"]) };
        let ended = EndedPage::new(page, None);
        assert_eq!(ended.after_checkpoint, ["c3", "b2", "a1"].map(id));
        let is_named = |text| ended.newest.as_ref().is_some_and(|it| it.contains(&id(text)));
        let named = ["c3", "b2", "a1"].into_iter().find(|text| is_named(text));
        assert_eq!(named, newest);
    }
}

#[test]
fn missing_replays_are_found_beside_a_damaged_summary() {
    let of = |checkpoint: &[&str]| {
        let page = FinishedPage {
            damaged: vec![DamageReport {
                value: DamagedValue::Summary(id("c3")),
                detail: String::new(),
            }],
            ..page(&["d4", "b2", "a1"])
        };
        let checkpoint = Checkpoint::new(checkpoint.iter().map(|text| id(text)).collect());
        let page = EndedPage::new(page, checkpoint.as_ref());
        assert!(page.newest.unwrap().contains(&id("d4")));
        (page.after_checkpoint, page.has_checkpoint)
    };
    assert_eq!(of(&["b2"]), (vec![id("d4"), id("c3")], true));
    assert_eq!(of(&["gone", "b2", "a1"]), (vec![id("d4"), id("c3")], true));
    let all = vec![id("d4"), id("b2"), id("a1"), id("c3")];
    assert_eq!(of(&["c3"]), (all.clone(), true));
    assert_eq!(of(&["e5"]), (all, false));
}
