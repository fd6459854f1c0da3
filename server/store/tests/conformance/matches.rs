use std::{future::Future, pin::pin, task::Poll};

use bridgemaster_store::{
    FinishedMatch, IndexKey, KeyName, MatchId, OpenMatch, StoreError, Write, limits,
};

use crate::{Subject, workload::Contents};

pub(crate) fn id(text: &str) -> MatchId {
    MatchId::new(text).unwrap()
}

pub(crate) fn open(match_id: &str) -> Write {
    Write::OpenMatch {
        match_id: id(match_id),
        opened_at_unix_ms: 1_000,
        header: format!("header of {match_id}").into_bytes(),
    }
}

pub(crate) fn append(match_id: &str, number: u64) -> Write {
    Write::Append {
        match_id: id(match_id),
        number,
        entry: format!("{match_id} {number}").into_bytes(),
    }
}

pub(crate) fn finish(match_id: &str) -> Write {
    Write::FinishMatch {
        match_id: id(match_id),
        ended_at_unix_ms: 2_000,
        summary: format!("summary of {match_id}").into_bytes(),
        replay: format!("replay of {match_id}").into_bytes(),
        parties: Vec::new(),
        index_keys: Vec::new(),
    }
}

pub(crate) fn name(text: &str) -> KeyName {
    KeyName::new(text).unwrap()
}

/// Like [`finish`], with parties.
pub(crate) fn finish_of(match_id: &str, of: &[&str]) -> Write {
    let Write::FinishMatch { match_id, ended_at_unix_ms, summary, replay, .. } = finish(match_id)
    else {
        unreachable!("the write finishes a match");
    };
    Write::FinishMatch {
        match_id,
        ended_at_unix_ms,
        summary,
        replay,
        parties: of.iter().copied().map(name).collect(),
        index_keys: Vec::new(),
    }
}

pub(crate) fn drop_match(match_id: &str) -> Write {
    Write::DropMatch { match_id: id(match_id) }
}

/// The match in the state after [`open`] and [`append`].
pub(crate) fn in_play(match_id: &str, entries: u64) -> OpenMatch {
    OpenMatch {
        match_id: id(match_id),
        opened_at_unix_ms: 1_000,
        header: format!("header of {match_id}").into_bytes(),
        journal: (0..entries).map(|n| format!("{match_id} {n}").into_bytes()).collect(),
    }
}

/// Commits a batch that must be accepted.
pub(crate) async fn commit(store: Subject<'_>, batch: impl Into<Vec<Write>>) {
    store.commit(batch.into()).await.unwrap();
}

/// Checks that a match is in play, in the state after [`open`] and [`append`].
pub(crate) async fn assert_in_play(store: Subject<'_>, match_id: &str, entries: u64) {
    let found = store.open_match(&id(match_id)).await.unwrap();
    assert_eq!(found, Some(in_play(match_id, entries)));
}

/// The match in the state after [`finish`].
pub(crate) fn ended(match_id: &str) -> FinishedMatch {
    FinishedMatch {
        match_id: id(match_id),
        opened_at_unix_ms: 1_000,
        ended_at_unix_ms: 2_000,
        summary: format!("summary of {match_id}").into_bytes(),
    }
}

async fn finished_ids(store: Subject<'_>) -> Vec<String> {
    let page = store.finished(None, 500).await.unwrap();
    assert_eq!(page.next, None);
    page.matches.iter().map(|found| found.match_id.to_string()).collect()
}

pub(crate) async fn entries_are_read_in_order(store: Subject<'_>) {
    commit(store, [open("a"), open("b")]).await;
    // First a batch with more entries of one match than a statement may take, then one entry at a
    // time.
    store.commit((0..150).map(|n| append("a", n)).collect()).await.unwrap();
    for n in 0..20 {
        commit(store, [append("b", n), append("a", 150 + n)]).await;
    }
    assert_in_play(store, "a", 170).await;
    assert_in_play(store, "b", 20).await;
}

pub(crate) async fn a_dropped_match_is_unknown_and_its_id_is_free(store: Subject<'_>) {
    commit(store, [open("a"), append("a", 0), open("b"), finish("b")]).await;
    commit(store, [drop_match("a"), drop_match("b")]).await;
    for gone in ["a", "b"] {
        assert_eq!(store.open_match(&id(gone)).await.unwrap(), None);
        assert_eq!(store.finished_match(&id(gone)).await.unwrap(), None);
        assert_eq!(store.replay(&id(gone)).await.unwrap(), None);
    }
    assert_eq!(store.open_match_ids().await.unwrap(), []);
    assert_eq!(store.finished(None, 1).await.unwrap().matches, []);
    commit(store, [open("a"), open("b"), append("b", 0)]).await;
    assert_in_play(store, "a", 0).await;
    assert_in_play(store, "b", 1).await;
}

pub(crate) async fn a_match_dropped_and_opened_again_in_one_batch_has_a_new_journal(
    store: Subject<'_>,
) {
    commit(store, [open("a"), append("a", 0), append("a", 1)]).await;
    let batch = vec![append("a", 2), drop_match("a"), open("a"), append("a", 0)];
    commit(store, batch).await;
    assert_in_play(store, "a", 1).await;
    let batch = vec![finish("a"), drop_match("a"), open("a")];
    commit(store, batch).await;
    assert_in_play(store, "a", 0).await;
    assert_eq!(store.finished_match(&id("a")).await.unwrap(), None);
}

pub(crate) async fn finished_matches_come_newest_first_page_by_page(store: Subject<'_>) {
    for n in 0..5 {
        let name = format!("m{n}");
        commit(store, [open(&name), finish(&name)]).await;
    }
    let first = store.finished(None, 2).await.unwrap();
    assert_eq!(first.matches, [ended("m4"), ended("m3")]);
    let second = store.finished(first.next, 2).await.unwrap();
    assert_eq!(second.matches, [ended("m2"), ended("m1")]);
    let third = store.finished(second.next, 2).await.unwrap();
    assert_eq!(third.matches, [ended("m0")]);
    assert_eq!(third.next, None);
    // A full last page is recognized as the last.
    assert_eq!(store.finished(None, 5).await.unwrap().next, None);
}

pub(crate) async fn the_list_is_ordered_by_id_whenever_matches_finish(store: Subject<'_>) {
    let ids = ["c", "a", "e", "B", "d"];
    commit(store, ids.map(open)).await;
    commit(store, [finish("a"), finish("d")]).await;
    let first = store.list(None, 1, &[]).await.unwrap();
    assert_eq!(first.matches, [ended("d")]);
    // A match that finishes above the position is not listed; one that finishes below it is.
    commit(store, [finish("e"), finish("c"), finish("B")]).await;
    let second = store.list(first.next.as_ref(), 2, &[]).await.unwrap();
    assert_eq!(second.matches, [ended("c"), ended("a")]);
    // A position stays valid without its match.
    commit(store, [drop_match("a"), drop_match("c")]).await;
    let third = store.list(second.next.as_ref(), 1, &[]).await.unwrap();
    assert_eq!((third.matches, third.next), (vec![ended("B")], None));
}

pub(crate) async fn finished_matches_are_found_by_their_parties(store: Subject<'_>) {
    let of = async |party: &str, before: Option<MatchId>, limit| {
        let keys = [(&name(party)).into()];
        let page = store.list(before.as_ref(), limit, &keys).await;
        page.unwrap()
    };
    let parties: [&[&str]; 4] =
        [&["north", "south"], &["South"], &["south", "south", "maker"], &[]];
    for (n, parties) in parties.into_iter().enumerate() {
        let id = format!("m{n}");
        commit(store, [open(&id), finish_of(&id, parties)]).await;
    }
    let first = of("south", None, 1).await;
    assert_eq!(first.matches, [ended("m2")]);
    let second = of("south", first.next, 1).await;
    assert_eq!((second.matches, second.next), (vec![ended("m0")], None));
    assert_eq!(of("South", None, 9).await.matches, [ended("m1")]);
    assert_eq!(of("nobody", None, 9).await.matches, []);
    assert_eq!(finished_ids(store).await, ["m3", "m2", "m1", "m0"]);
    // A match that is dropped is gone from every list.
    commit(store, [drop_match("m2")]).await;
    assert_eq!(of("south", None, 9).await.matches, [ended("m0")]);
    assert_eq!(of("maker", None, 9).await.matches, []);
}

/// Finishes a match with these properties, each of which has one letter.
fn finish_with(id: &str, properties: &str) -> Write {
    let mut write = finish_of(id, &["north"]);
    if let Write::FinishMatch { index_keys, .. } = &mut write {
        index_keys.extend(properties.chars().map(property));
    }
    write
}

fn property(value: char) -> IndexKey {
    IndexKey::of_property("property", &value.to_string())
}

pub(crate) async fn finished_matches_are_found_by_all_of_their_keys(store: Subject<'_>) {
    for (n, properties) in ["ab", "b", "abc", "cc", ""].into_iter().enumerate() {
        let id = format!("m{n}");
        commit(store, [open(&id), finish_with(&id, properties)]).await;
    }
    let with = async |properties: &str, more: &[IndexKey]| {
        let keys: Vec<_> = properties.chars().map(property).chain(more.to_vec()).collect();
        let page = store.list(None, 9, &keys).await.unwrap();
        assert_eq!(page.next, None);
        let ids = page.matches.into_iter().map(|found| found.match_id.to_string());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(with("a", &[]).await, ["m2", "m0"]);
    assert_eq!(with("ba", &[]).await, ["m2", "m0"]);
    assert_eq!(with("cba", &[]).await, ["m2"]);
    assert_eq!(with("c", &[(&name("north")).into()]).await, ["m3", "m2"]);
    assert!(with("c", &[(&name("south")).into()]).await.is_empty());
    assert!(with("d", &[]).await.is_empty());
    // A property is not a party.
    assert!(!store.is_party(&id("m0"), &name("a")).await.unwrap());
    commit(store, [drop_match("m2")]).await;
    assert_eq!(with("ba", &[]).await, ["m0"]);
}

pub(crate) async fn a_cursor_remains_valid_while_matches_finish_and_are_dropped(
    store: Subject<'_>,
) {
    for name in ["a", "b", "c", "d"] {
        commit(store, [open(name), finish(name)]).await;
    }
    let next = store.finished(None, 2).await.unwrap().next;
    commit(store, [open("e"), finish("e"), drop_match("c"), drop_match("d")]).await;
    let page = store.finished(next, 9).await.unwrap();
    assert_eq!(page.matches, [ended("b"), ended("a")]);
    // A match that finishes later does not take the position of the dropped one either.
    commit(store, [drop_match("e"), open("f"), finish("f")]).await;
    assert_eq!(store.finished(next, 9).await.unwrap().matches, [ended("b"), ended("a")]);
    assert_eq!(finished_ids(store).await, ["f", "b", "a"]);
}

pub(crate) async fn pages_have_one_match_at_least_and_five_hundred_at_most(store: Subject<'_>) {
    let names: Vec<String> = (0..=limits::MAX_PAGE_MATCHES).map(|n| format!("m{n}")).collect();
    store.commit(names.iter().flat_map(|name| [open(name), finish(name)]).collect()).await.unwrap();
    assert_eq!(store.finished(None, 0).await.unwrap().matches, [ended("m500")]);
    let page = store.finished(None, u32::MAX).await.unwrap();
    assert_eq!(page.matches.len(), limits::MAX_PAGE_MATCHES as usize);
    let rest = store.finished(page.next, u32::MAX).await.unwrap();
    assert_eq!(rest.matches, [ended("m0")]);
}

pub(crate) async fn an_empty_batch_changes_nothing(store: Subject<'_>) {
    commit(store, [open("a")]).await;
    let before = Contents::of(store).await;
    store.commit(Vec::new()).await.unwrap();
    assert_eq!(Contents::of(store).await, before);
}

pub(crate) async fn values_of_any_bytes_and_empty_ones_are_preserved(store: Subject<'_>) {
    let every_value: Vec<u8> = (0..=255).collect();
    for bytes in [every_value, Vec::new()] {
        let match_id = id(&format!("m{}", bytes.len()));
        let batch = vec![
            Write::OpenMatch {
                match_id: match_id.clone(),
                opened_at_unix_ms: i64::MIN,
                header: bytes.clone(),
            },
            Write::Append { match_id: match_id.clone(), number: 0, entry: bytes.clone() },
        ];
        commit(store, batch).await;
        let open = store.open_match(&match_id).await.unwrap().unwrap();
        assert_eq!((&open.header, &open.journal), (&bytes, &vec![bytes.clone()]));
        assert_eq!(open.opened_at_unix_ms, i64::MIN);
        let finish = Write::FinishMatch {
            match_id: match_id.clone(),
            ended_at_unix_ms: i64::MAX,
            summary: bytes.clone(),
            replay: bytes.clone(),
            parties: Vec::new(),
            index_keys: Vec::new(),
        };
        commit(store, [finish]).await;
        let finished = store.finished_match(&match_id).await.unwrap().unwrap();
        assert_eq!(finished.summary, bytes);
        assert_eq!(finished.opened_at_unix_ms, i64::MIN);
        assert_eq!(finished.ended_at_unix_ms, i64::MAX);
        assert_eq!(store.replay(&match_id).await.unwrap(), Some(bytes));
    }
}

pub(crate) async fn parts_of_exactly_the_limit_are_stored(store: Subject<'_>) {
    let bytes = |length: usize| vec![0x5a; length];
    let batch = vec![
        Write::OpenMatch {
            match_id: id("a"),
            opened_at_unix_ms: 0,
            header: bytes(limits::MAX_HEADER_BYTES),
        },
        Write::Append { match_id: id("a"), number: 0, entry: bytes(limits::MAX_ENTRY_BYTES) },
    ];
    commit(store, batch).await;
    let found = store.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.header.len(), limits::MAX_HEADER_BYTES);
    assert_eq!(found.journal, [bytes(limits::MAX_ENTRY_BYTES)]);
    let finish = Write::FinishMatch {
        match_id: id("a"),
        ended_at_unix_ms: 0,
        summary: bytes(limits::MAX_SUMMARY_BYTES),
        replay: bytes(limits::MAX_REPLAY_BYTES),
        parties: (0..limits::MAX_PARTIES).map(|n| name(&format!("{n:ß>64}"))).collect(),
        index_keys: Vec::new(),
    };
    commit(store, [finish]).await;
    let replay = store.replay(&id("a")).await.unwrap().unwrap();
    assert_eq!(replay.len(), limits::MAX_REPLAY_BYTES);
}

pub(crate) async fn concurrent_commits_are_all_stored(store: Subject<'_>) {
    let names: Vec<String> = (0..40).map(|n| format!("m{n}")).collect();
    let mut commits: Vec<_> = names
        .iter()
        .map(|name| Box::pin(store.commit(vec![open(name), append(name, 0), append(name, 1)])))
        .collect();
    // All commits have started before the first is awaited.
    std::future::poll_fn(|context| {
        commits.retain_mut(|commit| match commit.as_mut().poll(context) {
            Poll::Ready(outcome) => {
                outcome.unwrap();
                false
            }
            Poll::Pending => true,
        });
        if commits.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    for name in &names {
        assert_in_play(store, name, 2).await;
    }
}

pub(crate) async fn a_commit_that_is_not_awaited_is_stored_completely_or_not_at_all(
    store: Subject<'_>,
) {
    commit(store, [open("a")]).await;
    let mut entries = 0;
    for polls in 0..60 {
        let batch = (0..4).map(|n| append("a", entries + n)).collect();
        {
            let mut commit = pin!(store.commit(batch));
            let mut polled = 0;
            std::future::poll_fn(|context| {
                if polled == polls {
                    return Poll::Ready(());
                }
                polled += 1;
                commit.as_mut().poll(context).map(Result::unwrap)
            })
            .await;
        }
        // Waits until the commit that was not awaited is done.
        let found = store.open_match(&id("a")).await.unwrap().unwrap();
        let stored = found.journal.len() as u64;
        assert!(stored == entries || stored == entries + 4, "{stored} after {entries}");
        entries = stored;
        assert_eq!(found, in_play("a", entries));
    }
    // The store still works.
    commit(store, [append("a", entries)]).await;
}

pub(crate) async fn a_closed_store_reports_that_it_is_closed(store: Subject<'_>) {
    commit(store, [open("a")]).await;
    store.close().await.unwrap();
    store.close().await.unwrap();
    let answers = [
        store.commit(vec![open("b")]).await.err(),
        store.open_match_ids().await.err(),
        store.open_match(&id("a")).await.err(),
        store.finished(None, 1).await.err(),
        store.finished_match(&id("a")).await.err(),
        store.replay(&id("a")).await.err(),
        store.keys().await.err(),
        store.secret("a").await.err(),
        store.get_or_insert_secret("a", Vec::new()).await.err(),
    ];
    for (place, answer) in answers.into_iter().enumerate() {
        assert!(matches!(answer, Some(StoreError::Closed)), "answer {place}: {answer:?}");
    }
}
