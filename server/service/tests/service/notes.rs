//! Notes of bots: retention, and visibility.

use std::sync::Arc;

use bridgemaster_proto::v1::{
    Decision, DecisionRequest, GetReplayRequest, MatchState, Replay, Viewer, WatchPositionsRequest,
    decision::Choice, play_request, record, watch_positions_request::Source,
};
use bridgemaster_replay::verify;
use bridgemaster_server::{
    Limits,
    identity::KeyScope::{Create, Play, Read},
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::time::timeout;

use crate::{
    locked_server::LockedServer,
    raw_bot::RawBot,
    test_server::{PATIENCE, TestServer, config},
};

const NOTE: &str = "the park is nearly full";

/// The share of notes per seat, in a match of two seats.
const PART_BYTES: u32 = 32 * 1024;

/// Answers with the first legal decision and a note.
async fn answer(bot: &RawBot, asked: &DecisionRequest, note: &str) {
    bot.send(play_request::Message::Decision(Decision {
        request_id: asked.request_id,
        choice: Some(Choice::Index(0)),
        note: note.to_owned(),
    }))
    .await;
}

fn of_match(match_id: &str, viewer: Option<u32>) -> WatchPositionsRequest {
    WatchPositionsRequest {
        source: Some(Source::MatchId(match_id.to_owned())),
        viewers: vec![Viewer { seat: viewer }],
        from_decision: 0,
    }
}

fn notes(replay: &Replay) -> Vec<(u32, &str)> {
    let decisions = replay.records.iter().filter_map(|one| match &one.record {
        Some(record::Record::Decision(decision)) => Some(decision),
        _ => None,
    });
    let noted = decisions.filter(|decision| !decision.note.is_empty());
    noted
        .map(|decision| (decision.seat, decision.note.as_str()))
        .collect()
}

fn contains_note(message: &impl prost::Message) -> bool {
    let bytes = message.encode_to_vec();
    bytes
        .windows(NOTE.len())
        .any(|part| part == NOTE.as_bytes())
}

/// Returns the notes in the stream of positions, and the state in its last message.
async fn notes_in_positions(
    locked: &LockedServer,
    key: &bridgemaster_server::identity::ApiKey,
    request: WatchPositionsRequest,
    is_enough: impl Fn(&bridgemaster_proto::v1::WatchPositionsResponse) -> bool,
) -> bool {
    let mut updates = locked.with(key).positions(request).await.unwrap();
    let mut found_note = false;
    loop {
        let message = timeout(PATIENCE, updates.message()).await;
        let Some(message) = message.expect("the stream goes on or ends").unwrap() else {
            return found_note;
        };
        found_note |= contains_note(&message);
        if is_enough(&message) {
            return found_note;
        }
    }
}

#[tokio::test]
async fn a_note_is_visible_to_its_own_key_during_the_match_and_to_all_afterwards() {
    let locked = LockedServer::open().await;
    let maker = locked.key("maker", &[Create, Read]).await;
    let ada = locked.key("ada", &[Play, Read]).await;
    let bob = locked.key("bob", &[Play, Read]).await;
    let seated = locked
        .with(&maker)
        .create(config("alhambra", 2))
        .await
        .unwrap();
    let id = seated.match_id.as_str();
    let mut own = locked.with(&ada).join(&seated.tickets[0]).await;
    let mut other = locked.with(&bob).join(&seated.tickets[1]).await;
    let mut watching = locked.with(&maker).watch(id).await.unwrap();
    let asked = other.answer_until(own.next_request()).await;
    answer(&own, &asked, NOTE).await;
    // The answer is refereed once the next request is sent, to any seat.
    let found_by_other = tokio::select! {
        asked = own.next_request() => contains_note(&asked),
        asked = other.next_request() => contains_note(&asked),
    };
    assert!(!found_by_other);

    let decided = locked.with(&maker).info(id).await.unwrap();
    let until = move |message: &bridgemaster_proto::v1::WatchPositionsResponse| {
        let position = message.position.as_ref();
        position.is_some_and(|position| position.number >= decided.decisions)
    };
    assert!(notes_in_positions(&locked, &ada, of_match(id, Some(0)), until).await);
    for (key, viewer) in [(&bob, Some(1)), (&bob, None), (&maker, None)] {
        let found_note = notes_in_positions(&locked, key, of_match(id, viewer), until).await;
        assert!(!found_note, "{viewer:?}");
    }
    assert!(!contains_note(&locked.with(&maker).info(id).await.unwrap()));

    for bot in [&own, &other] {
        bot.send(play_request::Message::Resign(Default::default()))
            .await;
    }
    loop {
        let update = timeout(PATIENCE, watching.message()).await;
        let update = update.expect("the match ends").unwrap().expect("its end");
        assert!(
            !contains_note(&update),
            "a spectator of moves receives no notes"
        );
        if update.r#match.as_ref().unwrap().state() == MatchState::Ended {
            break;
        }
    }
    for (key, viewer) in [(&ada, Some(0)), (&bob, Some(1)), (&maker, None)] {
        assert!(
            notes_in_positions(&locked, key, of_match(id, viewer), |_| false).await,
            "{viewer:?}"
        );
    }
    let replay = locked.with(&maker).replay(id).await.unwrap();
    assert_eq!(notes(&replay), [(0, NOTE)]);
}

#[tokio::test]
async fn notes_survive_a_crash_and_those_over_the_limit_are_dropped() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let seated = server.create(config("alhambra", 2)).await;
    let mut own = RawBot::join(&server, &seated.tickets[0]).await;
    let mut other = RawBot::join(&server, &seated.tickets[1]).await;
    assert_eq!(own.note_bytes_left, PART_BYTES);
    let (too_long, longest) = ("n".repeat(1025), "n".repeat(1024));
    let mut asked = other.answer_until(own.next_request()).await;
    for note in [too_long.as_str(), NOTE, &longest] {
        answer(&own, &asked, note).await;
        asked = other.answer_until(own.next_request()).await;
    }
    server.crash().await;

    let server = TestServer::over(&store, Limits::default()).await;
    let own = RawBot::join_with(
        &server,
        &seated.tickets[0],
        own.hello_after(own.last_sequence),
    );
    let own = own.await;
    assert_eq!(own.note_bytes_left, PART_BYTES - NOTE.len() as u32 - 1024);
    answer(&own, &asked, "after the crash").await;
    let second = RawBot::join(&server, &seated.tickets[1]).await;
    tokio::join!(own.play_on(), second.play_on());
    let request = GetReplayRequest {
        match_id: seated.match_id.clone(),
        as_file: false,
    };
    let replay = server.matches().get_replay(request).await.unwrap();
    let replay = replay.into_inner().replay.unwrap();
    let kept = [(0, NOTE), (0, &longest), (0, "after the crash")];
    assert_eq!(notes(&replay), kept);
    verify(&replay).unwrap();
}
