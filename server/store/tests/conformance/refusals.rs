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
    assert!(error.is_refusal(), "{error}");
    assert_eq!(Contents::of(store).await, before);
    match error {
        StoreError::WriteRefused { index, refusal } => (index, refusal),
        other => panic!("{other}"),
    }
}

pub(crate) async fn a_match_is_opened_once(store: Subject<'_>) {
    commit(store, [open("a")]).await;
    let twice = WriteRefusal::MatchExists { match_id: id("a") };
    assert_eq!(refused(store, vec![open("a")]).await, (0, twice));
    let twice = WriteRefusal::MatchExists { match_id: id("b") };
    assert_eq!(refused(store, vec![open("b"), open("b")]).await, (1, twice));
}

pub(crate) async fn a_finished_match_is_not_opened_again(store: Subject<'_>) {
    commit(store, [open("a"), finish("a")]).await;
    let again = WriteRefusal::MatchExists { match_id: id("a") };
    assert_eq!(refused(store, vec![open("a")]).await, (0, again));
    let again = WriteRefusal::MatchExists { match_id: id("b") };
    assert_eq!(
        refused(store, vec![open("b"), finish("b"), open("b")]).await,
        (2, again)
    );
}

pub(crate) async fn entries_go_to_matches_in_play_only(store: Subject<'_>) {
    let unknown = WriteRefusal::UnknownMatch { match_id: id("a") };
    assert_eq!(refused(store, vec![append("a", 0)]).await, (0, unknown));
    commit(store, [open("a"), finish("a")]).await;
    let finished = WriteRefusal::MatchFinished { match_id: id("a") };
    assert_eq!(refused(store, vec![append("a", 0)]).await, (0, finished));
}

pub(crate) async fn a_gap_or_a_repetition_is_refused(store: Subject<'_>) {
    let refusal = |number, expected| {
        let match_id = id("a");
        WriteRefusal::NumberOutOfOrder {
            match_id,
            number,
            expected,
        }
    };
    commit(store, [open("a")]).await;
    assert_eq!(
        refused(store, vec![append("a", 1)]).await,
        (0, refusal(1, 0))
    );
    commit(store, [append("a", 0), append("a", 1)]).await;
    for wrong in [0, 1, 3, u64::MAX] {
        assert_eq!(
            refused(store, vec![append("a", wrong)]).await,
            (0, refusal(wrong, 2))
        );
    }
    let batch = vec![append("a", 2), append("a", 2)];
    assert_eq!(refused(store, batch).await, (1, refusal(2, 3)));
    commit(store, [append("a", 2)]).await;
    assert_in_play(store, "a", 3).await;
}

pub(crate) async fn a_match_finishes_once(store: Subject<'_>) {
    let unknown = WriteRefusal::UnknownMatch { match_id: id("a") };
    assert_eq!(refused(store, vec![finish("a")]).await, (0, unknown));
    commit(store, [open("a")]).await;
    let twice = WriteRefusal::MatchFinished { match_id: id("a") };
    assert_eq!(
        refused(store, vec![finish("a"), finish("a")]).await,
        (1, twice.clone())
    );
    commit(store, [finish("a")]).await;
    assert_eq!(refused(store, vec![finish("a")]).await, (0, twice));
}

pub(crate) async fn an_unknown_match_is_not_dropped(store: Subject<'_>) {
    let unknown = WriteRefusal::UnknownMatch { match_id: id("a") };
    assert_eq!(
        refused(store, vec![drop_match("a")]).await,
        (0, unknown.clone())
    );
    commit(store, [open("a")]).await;
    let batch = vec![drop_match("a"), drop_match("a")];
    assert_eq!(refused(store, batch).await, (1, unknown));
}

pub(crate) async fn a_part_beyond_its_limit_is_refused(store: Subject<'_>) {
    let too_large = |part, limit| {
        let match_id = id("a");
        WriteRefusal::TooLarge {
            match_id,
            part,
            bytes: limit + 1,
            limit,
        }
    };
    let header = vec![0; limits::MAX_HEADER_BYTES + 1];
    let write = Write::OpenMatch {
        match_id: id("a"),
        opened_at_unix_ms: 0,
        header,
    };
    let refusal = too_large("header", limits::MAX_HEADER_BYTES);
    assert_eq!(refused(store, vec![write]).await, (0, refusal));

    commit(store, [open("a")]).await;
    let entry = vec![0; limits::MAX_ENTRY_BYTES + 1];
    let write = Write::Append {
        match_id: id("a"),
        number: 0,
        entry,
    };
    let refusal = too_large("entry", limits::MAX_ENTRY_BYTES);
    assert_eq!(refused(store, vec![write]).await, (0, refusal));

    let finish_with = |summary: usize, replay: usize| Write::FinishMatch {
        match_id: id("a"),
        ended_at_unix_ms: 0,
        summary: vec![0; summary],
        replay: vec![0; replay],
        parties: Vec::new(),
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

pub(crate) async fn a_refused_write_takes_its_whole_batch_with_it(store: Subject<'_>) {
    commit(store, [open("a"), append("a", 0), open("b")]).await;
    let batch = vec![
        open("c"),
        append("a", 1),
        append("c", 0),
        finish("b"),
        append("a", 3),
        open("d"),
    ];
    let refusal = WriteRefusal::NumberOutOfOrder {
        match_id: id("a"),
        number: 3,
        expected: 2,
    };
    assert_eq!(refused(store, batch).await, (4, refusal));
    // The others can be committed without it.
    let batch = vec![
        open("c"),
        append("a", 1),
        append("c", 0),
        finish("b"),
        open("d"),
    ];
    commit(store, batch).await;
    assert_in_play(store, "a", 2).await;
    assert_in_play(store, "c", 1).await;
}

pub(crate) async fn a_batch_is_checked_against_its_own_writes(store: Subject<'_>) {
    let early = WriteRefusal::UnknownMatch { match_id: id("a") };
    assert_eq!(
        refused(store, vec![append("a", 0), open("a")]).await,
        (0, early)
    );
    let late = WriteRefusal::MatchFinished { match_id: id("a") };
    let batch = vec![open("a"), append("a", 0), finish("a"), append("a", 1)];
    assert_eq!(refused(store, batch).await, (3, late));
    let gone = WriteRefusal::UnknownMatch { match_id: id("a") };
    let batch = vec![open("a"), drop_match("a"), append("a", 0)];
    assert_eq!(refused(store, batch).await, (2, gone));
}
