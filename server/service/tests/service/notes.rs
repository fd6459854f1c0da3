//! Notes of bots: retention, and visibility.

use bridgemaster_proto::v1::{
    Decision, DecisionRequest, Replay, Viewer, decision::Choice, play_request, record,
};
use bridgemaster_replay::verify;
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Create, Play, Read},
};

use crate::{
    caller::{Caller, positions_of},
    raw_bot::RawBot,
    streams::{next, rest},
    test_server::{TestServer, config},
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

fn notes(replay: &Replay) -> Vec<(u32, &str)> {
    let decisions = replay.records.iter().filter_map(|one| match &one.record {
        Some(record::Record::Decision(decision)) => Some(decision),
        _ => None,
    });
    let noted = decisions.filter(|decision| !decision.note.is_empty());
    noted.map(|decision| (decision.seat, decision.note.as_str())).collect()
}

fn contains_note<M: prost::Message>(message: &M) -> bool {
    let bytes = message.encode_to_vec();
    bytes.windows(NOTE.len()).any(|part| part == NOTE.as_bytes())
}

/// Returns whether a note is in the positions that a viewer gets, up to this number of decisions or
/// to the end of the match.
async fn is_in_positions(caller: &Caller, id: &str, seat: Option<u32>, up_to: Option<u32>) -> bool {
    let request = positions_of(id, &[Viewer { seat }]);
    let mut updates = caller.positions(request).await.unwrap();
    let mut found_note = false;
    while let Some(message) = next(&mut updates).await.unwrap() {
        found_note |= contains_note(&message);
        let number = message.position.map(|position| position.number);
        if number.zip(up_to).is_some_and(|(number, most)| number >= most) {
            break;
        }
    }
    found_note
}

#[tokio::test]
async fn a_note_is_visible_to_its_own_key_during_the_match_and_to_all_afterwards() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let maker = server.caller("maker", &[Create, Read]).await;
    let ada = server.caller("ada", &[Play, Read]).await;
    let bob = server.caller("bob", &[Play, Read]).await;
    let seated = maker.create(config("alhambra", 2)).await;
    let id = seated.match_id.as_str();
    let mut own = ada.join(&seated.tickets[0]).await;
    let mut other = bob.join(&seated.tickets[1]).await;
    let watching = maker.watch(id).await.unwrap();
    let asked = other.answer_until(own.next_request()).await;
    answer(&own, &asked, NOTE).await;
    // An answer is processed when the next request has been sent, to any seat.
    let found_by_other = tokio::select! {
        asked = own.next_request() => contains_note(&asked),
        asked = other.next_request() => contains_note(&asked),
    };
    assert!(!found_by_other);

    let decided = maker.info(id).await;
    assert!(!contains_note(&decided));
    let up_to = Some(decided.decisions);
    assert!(is_in_positions(&ada, id, Some(0), up_to).await);
    for (caller, viewer) in [(&bob, Some(1)), (&bob, None), (&maker, None)] {
        let found_note = is_in_positions(caller, id, viewer, up_to).await;
        assert!(!found_note, "{viewer:?}");
    }

    for bot in [&own, &other] {
        bot.resign().await;
    }
    // A spectator of moves receives no notes.
    let updates = rest(watching).await;
    assert!(!updates.iter().any(contains_note));
    for (caller, viewer) in [(&ada, Some(0)), (&bob, Some(1)), (&maker, None)] {
        let found_note = is_in_positions(caller, id, viewer, None).await;
        assert!(found_note, "{viewer:?}");
    }
    let replay = maker.replay(id).await.unwrap();
    assert_eq!(notes(&replay), [(0, NOTE)]);
}

#[tokio::test]
async fn notes_survive_a_crash_and_those_over_the_limit_are_dropped() {
    let mut server = TestServer::stored().await;
    let seated = server.create(config("alhambra", 2)).await;
    let [mut own, mut other] = server.join_all(&seated).await;
    assert_eq!(own.note_bytes_left, PART_BYTES);
    let (too_long, longest) = ("n".repeat(1025), "n".repeat(1024));
    let mut asked = other.answer_until(own.next_request()).await;
    for note in [too_long.as_str(), NOTE, &longest] {
        answer(&own, &asked, note).await;
        asked = other.answer_until(own.next_request()).await;
    }
    server.restart().await;
    let back = own.hello_after(own.last_sequence);
    let own = RawBot::join_with(&server, &seated.tickets[0], back).await;
    assert_eq!(own.note_bytes_left, PART_BYTES - NOTE.len() as u32 - 1024);
    answer(&own, &asked, "after the crash").await;
    let second = server.join(&seated.tickets[1]).await;
    tokio::join!(own.play_on(), second.play_on());
    let replay = server.replay(&seated.match_id).await.unwrap();
    let kept = [(0, NOTE), (0, &longest), (0, "after the crash")];
    assert_eq!(notes(&replay), kept);
    verify(&replay).unwrap();
}
