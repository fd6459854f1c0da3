use bridgemaster_store::{
    LadderChange, LadderId, StoreError, StoredLadder, StoredLadderMatch, StoredLadderVersion,
    Write, WriteRefusal, ladder_action_prefix,
    limits::{
        MAX_LADDER_BYTES, MAX_LADDER_MATCH_BYTES, MAX_LADDER_NAME_BYTES, MAX_LADDER_VERSION_BYTES,
        MAX_PAGE_LADDER_MATCHES,
    },
};

use crate::{Subject, matches::commit};

fn ladder(name: &str) -> LadderId {
    LadderId::new(name).unwrap()
}

fn change(name: &str, change: LadderChange) -> Write {
    let ladder_id = ladder(name);
    Write::ChangeLadder { ladder_id, change }
}

fn open(name: &str) -> Write {
    let value = b"rules".to_vec();
    change(name, LadderChange::Open { value })
}

fn lead(name: &str, term: u64) -> Write {
    change(name, LadderChange::StartTerm { term })
}

fn keep(name: &str, term: u64) -> Write {
    let value = b"frozen".to_vec();
    change(name, LadderChange::Update { term, value })
}

fn version(name: &str, term: u64, bot: &str, version: &str) -> Write {
    let kept = LadderChange::PutVersion {
        term,
        bot_name: bot.to_owned(),
        bot_version: version.to_owned(),
        value: format!("{bot} {version} {term}").into_bytes(),
    };
    change(name, kept)
}

fn pair(name: &str, term: u64, number: u64) -> Write {
    let value = format!("pair {number}").into_bytes();
    let pair = LadderChange::Pair { term, number, value };
    change(name, pair)
}

fn end(name: &str, term: u64, number: u64) -> Write {
    let value = format!("end {number}").into_bytes();
    let end = LadderChange::End { term, number, value };
    change(name, end)
}

fn matched(number: u64, is_over: bool) -> StoredLadderMatch {
    let what = if is_over { "end" } else { "pair" };
    StoredLadderMatch { number, is_over, value: format!("{what} {number}").into_bytes() }
}

async fn refused(store: Subject<'_>, batch: Vec<Write>) -> WriteRefusal {
    let last = batch.len() - 1;
    match store.commit(batch).await.unwrap_err() {
        StoreError::WriteRefused { index, refusal } => {
            assert_eq!(index, last, "{refusal}");
            refusal
        }
        other => panic!("{other}"),
    }
}

async fn matches(store: Subject<'_>, name: &str) -> Vec<StoredLadderMatch> {
    let rows = store.ladder_matches(&ladder(name), 0, u32::MAX).await;
    rows.unwrap().intact
}

pub(crate) async fn a_ladder_is_read_as_it_was_last_written(store: Subject<'_>) {
    assert!(store.ladders().await.unwrap().intact.is_empty());
    commit(store, [open("b"), open("a"), lead("a", 1), keep("a", 1)]).await;
    let rows = store.ladders().await.unwrap();
    let expected = [("a", 1, &b"frozen"[..]), ("b", 0, b"rules")];
    let expected = expected.map(|(name, term, value)| StoredLadder {
        ladder_id: ladder(name),
        term,
        value: value.to_vec(),
    });
    assert_eq!(rows.intact, expected);
    assert!(rows.damaged.is_empty());
    let batch = vec![version("a", 1, "x", "2"), version("a", 1, "x", "1")];
    commit(store, batch).await;
    let batch = vec![lead("a", 2), version("a", 2, "x", "1")];
    commit(store, batch).await;
    let kept = store.ladder_versions(&ladder("a")).await.unwrap().intact;
    let expected = [("1", "x 1 2"), ("2", "x 2 1")];
    let expected = expected.map(|(version, value)| StoredLadderVersion {
        bot_name: "x".to_owned(),
        bot_version: version.to_owned(),
        value: value.as_bytes().to_vec(),
    });
    assert_eq!(kept, expected);
    let others = store.ladder_versions(&ladder("b")).await.unwrap();
    assert!(others.intact.is_empty());
}

pub(crate) async fn a_ladder_is_opened_once_and_can_be_dropped(store: Subject<'_>) {
    commit(store, [open("a"), lead("a", 1)]).await;
    let batch = vec![version("a", 1, "x", "1"), pair("a", 1, 0)];
    commit(store, batch).await;
    let again = refused(store, vec![open("b"), open("a")]).await;
    assert_eq!(again, WriteRefusal::LadderExists(ladder("a")));
    assert_eq!(store.ladders().await.unwrap().intact.len(), 1);
    let dropped = change("a", LadderChange::Drop);
    commit(store, [dropped.clone(), dropped]).await;
    let unknown = refused(store, vec![lead("a", 2)]).await;
    assert!(matches!(unknown, WriteRefusal::UnknownLadder { .. }));
    commit(store, [open("a")]).await;
    assert!(matches(store, "a").await.is_empty());
    let versions = store.ladder_versions(&ladder("a")).await.unwrap();
    assert!(versions.intact.is_empty());
}

pub(crate) async fn actions_of_a_ladder_are_kept_in_order_until_it_is_dropped(store: Subject<'_>) {
    let act = |name: &str, term, number| {
        let value = format!("{name} {number}").into_bytes();
        change(name, LadderChange::PutAction { term, number, value })
    };
    commit(store, [open("a"), open("a.b"), lead("a", 1), lead("a.b", 1)]).await;
    commit(store, [act("a.b", 1, 1)]).await;
    for number in [10, 2, 1] {
        commit(store, [act("a", 1, number)]).await;
    }
    let values = async |name: &str| {
        let records = store.records(&ladder_action_prefix(&ladder(name))).await.unwrap();
        let values = records.intact.into_values().map(|value| String::from_utf8(value).unwrap());
        values.collect::<Vec<_>>()
    };
    let twice = refused(store, vec![act("a", 1, 11), act("a", 1, 2)]).await;
    assert_eq!(twice, WriteRefusal::LadderActionExists { ladder_id: ladder("a"), number: 2 });
    assert_eq!(values("a").await, ["a 1", "a 2", "a 10"]);
    let stale = refused(store, vec![act("a", 2, 11)]).await;
    assert!(matches!(stale, WriteRefusal::LadderTermEnded { expected: 1, .. }));
    commit(store, [change("a", LadderChange::Drop)]).await;
    assert!(values("a").await.is_empty());
    assert_eq!(values("a.b").await, ["a.b 1"]);
}

pub(crate) async fn only_the_leader_changes_a_ladder(store: Subject<'_>) {
    commit(store, [open("a"), lead("a", 1)]).await;
    commit(store, [pair("a", 1, 0)]).await;
    for stale in [lead("a", 1), lead("a", 3)] {
        let refused = refused(store, vec![stale]).await;
        assert!(matches!(refused, WriteRefusal::LadderTermEnded { expected: 2, .. }));
    }
    commit(store, [lead("a", 2)]).await;
    for late in [keep("a", 1), version("a", 1, "x", "1"), pair("a", 1, 1), end("a", 1, 0)] {
        // The whole batch is refused.
        let refused = refused(store, vec![open("b"), late]).await;
        let expected =
            WriteRefusal::LadderTermEnded { ladder_id: ladder("a"), term: 1, expected: 2 };
        assert_eq!(refused, expected);
    }
    assert_eq!(store.ladders().await.unwrap().intact.len(), 1);
    assert_eq!(matches(store, "a").await, [matched(0, false)]);
}

pub(crate) async fn a_ladder_match_is_paired_once_and_ends_once(store: Subject<'_>) {
    commit(store, [open("a"), lead("a", 1)]).await;
    commit(store, [pair("a", 1, 0)]).await;
    for wrong in [0, 2] {
        let refused = refused(store, vec![pair("a", 1, wrong)]).await;
        let expected = WriteRefusal::LadderMatchOutOfOrder {
            ladder_id: ladder("a"),
            number: wrong,
            expected: 1,
        };
        assert_eq!(refused, expected);
    }
    let batch = vec![pair("a", 1, 1), end("a", 1, 0), pair("a", 1, 2)];
    commit(store, batch).await;
    let expected = [matched(0, true), matched(1, false), matched(2, false)];
    assert_eq!(matches(store, "a").await, expected);
    for not_open in [0, 3, u64::MAX] {
        let refused = refused(store, vec![end("a", 1, not_open)]).await;
        let expected =
            WriteRefusal::LadderMatchNotOpen { ladder_id: ladder("a"), number: not_open };
        assert_eq!(refused, expected);
    }
    let twice = refused(store, vec![end("a", 1, 1), end("a", 1, 1)]).await;
    assert!(matches!(twice, WriteRefusal::LadderMatchNotOpen { .. }));
    commit(store, [pair("a", 1, 3), end("a", 1, 3)]).await;
    let found = store.ladder_match(&ladder("a"), 3).await.unwrap();
    assert_eq!(found, Some(matched(3, true)));
    for none in [4, u64::MAX] {
        let found = store.ladder_match(&ladder("a"), none).await.unwrap();
        assert_eq!(found, None);
    }
}

pub(crate) async fn ladder_matches_are_read_in_pages(store: Subject<'_>) {
    commit(store, [open("a"), lead("a", 1)]).await;
    let more = u64::from(MAX_PAGE_LADDER_MATCHES) + 2;
    let pairs = (0..more).map(|number| pair("a", 1, number));
    store.commit(pairs.collect()).await.unwrap();
    let mut numbers = Vec::new();
    let mut pages = Vec::new();
    let mut from = Some(1);
    while let Some(number) = from {
        let page = store.ladder_matches(&ladder("a"), number, u32::MAX).await;
        let page = page.unwrap();
        numbers.extend(page.intact.iter().map(|found| found.number));
        pages.push(page.intact.len());
        from = page.next;
    }
    assert_eq!(numbers, Vec::from_iter(1..more));
    assert_eq!(pages, [MAX_PAGE_LADDER_MATCHES as usize, 1]);
    let one = store.ladder_matches(&ladder("a"), 5, 0).await.unwrap();
    assert_eq!((one.intact, one.next), (vec![matched(5, false)], Some(6)));
    for from in [more, u64::MAX] {
        let none = store.ladder_matches(&ladder("a"), from, 9).await.unwrap();
        assert_eq!((none.intact, none.next), (Vec::new(), None));
    }
    let none = store.ladder_matches(&ladder("b"), 0, 9).await.unwrap();
    assert!(none.intact.is_empty());
}

pub(crate) async fn a_part_of_a_ladder_beyond_its_limit_is_refused(store: Subject<'_>) {
    commit(store, [open("a"), lead("a", 1)]).await;
    let value = |limit: usize| vec![7; limit + 1];
    let name = |more: usize| "n".repeat(MAX_LADDER_NAME_BYTES + more);
    let of_version = |bot_name: String, bot_version: String, bytes: usize| {
        let value = vec![7; bytes];
        LadderChange::PutVersion { term: 1, bot_name, bot_version, value }
    };
    let fits = of_version(name(0), name(0), MAX_LADDER_VERSION_BYTES);
    commit(store, [change("a", fits)]).await;
    let open = LadderChange::Open { value: value(MAX_LADDER_BYTES) };
    let keep = LadderChange::Update { term: 1, value: value(MAX_LADDER_BYTES) };
    let pair = LadderChange::Pair { term: 1, number: 0, value: value(MAX_LADDER_MATCH_BYTES) };
    for (bad, part) in [
        (open, "rules"),
        (keep, "rules"),
        (pair, "match"),
        (of_version(name(1), name(0), 0), "bot name"),
        (of_version(name(0), name(1), 0), "bot version"),
        (of_version(name(0), name(0), MAX_LADDER_VERSION_BYTES + 1), "version"),
    ] {
        let refused = refused(store, vec![change("a", bad)]).await;
        let told = match refused {
            WriteRefusal::LadderPartTooLarge { part, .. } => part,
            other => panic!("{other}"),
        };
        assert_eq!(told, part);
    }
}
