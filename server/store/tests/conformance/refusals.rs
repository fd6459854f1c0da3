use bridgemaster_store::{StoreError, Write, WriteRefusal, limits};

use crate::{
    Subject,
    matches::{append, assert_in_play, commit, drop_match, finish, finish_of, id, open},
    workload::Contents,
};

/// Commits a batch that must be refused, and checks that it leaves no trace.
async fn refused(store: Subject<'_>, batch: Vec<Write>) -> (usize, WriteRefusal) {
    let before = Contents::of(store).await;
    let error = store.commit(batch).await.unwrap_err();
    assert_eq!(Contents::of(store).await, before);
    match error {
        StoreError::WriteRefused { index, refusal } => (index, refusal),
        other => panic!("{other}"),
    }
}

/// Each refused batch comes after one that is accepted.
pub(crate) async fn a_refused_batch_names_its_first_invalid_write_and_changes_nothing(
    store: Subject<'_>,
) {
    let exists = |name: &str| WriteRefusal::MatchExists(id(name));
    let unknown = |name: &str| WriteRefusal::UnknownMatch(id(name));
    let finished = |name: &str| WriteRefusal::MatchFinished(id(name));
    let out_of_order = |name: &str, number, expected| WriteRefusal::NumberOutOfOrder {
        match_id: id(name),
        number,
        expected,
    };
    let new = |name: &str| vec![open(name)];
    let over = |name: &str| vec![open(name), finish(name)];
    let with_entries = |name: &str| vec![open(name), append(name, 0), append(name, 1)];
    let cases = [
        (new("a"), new("a"), 0, exists("a")),
        (vec![], vec![open("b"), open("b")], 1, exists("b")),
        (over("c"), new("c"), 0, exists("c")),
        (vec![], [over("d"), new("d")].concat(), 2, exists("d")),
        (vec![], vec![append("e", 0)], 0, unknown("e")),
        (over("f"), vec![append("f", 0)], 0, finished("f")),
        (new("g"), vec![append("g", 1)], 0, out_of_order("g", 1, 0)),
        (with_entries("h"), vec![append("h", 0)], 0, out_of_order("h", 0, 2)),
        (with_entries("i"), vec![append("i", 1)], 0, out_of_order("i", 1, 2)),
        (with_entries("j"), vec![append("j", 3)], 0, out_of_order("j", 3, 2)),
        (with_entries("k"), vec![append("k", u64::MAX)], 0, out_of_order("k", u64::MAX, 2)),
        (with_entries("l"), vec![append("l", 2), append("l", 2)], 1, out_of_order("l", 2, 3)),
        (vec![], vec![finish("m")], 0, unknown("m")),
        (new("n"), vec![finish("n"), finish("n")], 1, finished("n")),
        (over("o"), vec![finish("o")], 0, finished("o")),
        (vec![], vec![drop_match("p")], 0, unknown("p")),
        (new("q"), vec![drop_match("q"), drop_match("q")], 1, unknown("q")),
        // A batch is checked against its own writes.
        (vec![], vec![append("r", 0), open("r")], 0, unknown("r")),
        (vec![], vec![open("s"), append("s", 0), finish("s"), append("s", 1)], 3, finished("s")),
        (vec![], vec![open("t"), drop_match("t"), append("t", 0)], 2, unknown("t")),
        (
            [with_entries("u"), new("v")].concat(),
            vec![open("w"), append("w", 0), finish("v"), append("u", 3), open("x")],
            3,
            out_of_order("u", 3, 2),
        ),
    ];
    for (accepted, batch, index, refusal) in cases {
        commit(store, accepted).await;
        assert_eq!(refused(store, batch).await, (index, refusal));
    }
    // The others can be committed without the invalid one.
    commit(store, [open("w"), append("w", 0), finish("v"), open("x")]).await;
    assert_in_play(store, "u", 2).await;
    assert_in_play(store, "w", 1).await;
}

pub(crate) async fn a_part_beyond_its_limit_is_refused(store: Subject<'_>) {
    let too_large = |part, limit| {
        let match_id = id("a");
        WriteRefusal::TooLarge { match_id, part, bytes: limit + 1, limit }
    };
    let header = vec![0; limits::MAX_HEADER_BYTES + 1];
    let write = Write::OpenMatch { match_id: id("a"), opened_at_unix_ms: 0, header };
    let refusal = too_large("header", limits::MAX_HEADER_BYTES);
    assert_eq!(refused(store, vec![write]).await, (0, refusal));

    commit(store, [open("a")]).await;
    let entry = vec![0; limits::MAX_ENTRY_BYTES + 1];
    let write = Write::Append { match_id: id("a"), number: 0, entry };
    let refusal = too_large("entry", limits::MAX_ENTRY_BYTES);
    assert_eq!(refused(store, vec![write]).await, (0, refusal));

    let finish_with = |summary: usize, replay: usize| Write::FinishMatch {
        match_id: id("a"),
        ended_at_unix_ms: 0,
        summary: vec![0; summary],
        replay: vec![0; replay],
        parties: Vec::new(),
        index_keys: Vec::new(),
    };
    let write = finish_with(limits::MAX_SUMMARY_BYTES + 1, 0);
    let refusal = too_large("summary", limits::MAX_SUMMARY_BYTES);
    assert_eq!(refused(store, vec![write]).await, (0, refusal));
    let write = finish_with(0, limits::MAX_REPLAY_BYTES + 1);
    let refusal = too_large("replay", limits::MAX_REPLAY_BYTES);
    assert_eq!(refused(store, vec![write]).await, (0, refusal));
    let write = finish_of("a", &["north"; limits::MAX_PARTIES + 1]);
    let refusal = WriteRefusal::TooManyParties {
        match_id: id("a"),
        parties: limits::MAX_PARTIES + 1,
        limit: limits::MAX_PARTIES,
    };
    assert_eq!(refused(store, vec![write]).await, (0, refusal));
}
