//! A store that is slow or fails: delays count as the server's own lag, and no effect of an
//! uncommitted entry is ever visible.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bridgemaster_proto::v1::play_response::Message;
use bridgemaster_replay::verify;
use bridgemaster_server::{
    Limits, ServeError, ServerOptions,
    traces::{Source, SpanRecorder},
};
use bridgemaster_store::{Store, StoreError};
use tokio::{sync::Notify, time::sleep};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::{
    collecting::Collecting,
    intercepted_store::InterceptedStore,
    raw_bot::{RawBot, ResumePoint, hello_message, resume_all},
    streams::{PATIENCE, outcome, reason},
    test_server::{
        GAMES, TestServer, assert_faultless, config, memory, of_two, storage, with_cap, with_limits,
    },
};

/// Time for a decision, in ms: enough for a bot that answers at once, even on a busy machine.
const CAP_MS: u32 = 1_000;
/// The duration of a slow commit, longer than the time for a decision.
const SLOW: Duration = Duration::from_millis(1_500);
/// One in this number of commits is slow.
const SLOW_EVERY: usize = 31;

fn disk_full() -> StoreError {
    StoreError::DiskFull { path: "matches.sqlite".into() }
}

/// Creates a store in which some commits are slow.
fn slow() -> Arc<dyn Store> {
    let commits = AtomicUsize::new(0);
    InterceptedStore::before_commits(memory(), move || {
        let is_slow = commits.fetch_add(1, Ordering::Relaxed) % SLOW_EVERY == SLOW_EVERY - 1;
        async move {
            if is_slow {
                sleep(SLOW).await;
            }
            Ok(())
        }
    })
}

#[tokio::test]
async fn a_bot_is_not_charged_for_the_commit_time_of_its_request() {
    for game_id in [GAMES[0], GAMES[1]] {
        let server = TestServer::over(&slow(), Limits::default()).await;
        let capped = with_cap(config(game_id, 2), CAP_MS);
        let seated = server.create(capped).await;
        assert_faultless(&server.play(&seated).await);
        let replay = server.replay(&seated.match_id).await.unwrap();
        assert!(verify(&replay).is_ok());
    }
}

#[tokio::test]
async fn a_stalled_store_does_not_block_shutdown() {
    let (store, hangs) = InterceptedStore::that_can_stall();
    let folder = tempfile::tempdir().unwrap();
    let limits =
        Limits { drain_time: PATIENCE, stop_time: Duration::from_millis(200), ..Limits::default() };
    let mut server = TestServer::with_options(ServerOptions {
        replays: Some(folder.path().to_owned()),
        storage: Some(storage(&store)),
        ..with_limits(limits)
    })
    .await;
    let mut bots = server.join_all(&server.create(of_two()).await).await;
    for bot in &mut bots {
        bot.next_request().await;
    }
    hangs.store(true, Ordering::Relaxed);
    // The match ends, but its end is never committed.
    for bot in &bots {
        bot.resign().await;
    }
    // A drain lasts until no match is in play.
    server.drain.cancel();
    server.ended().await.unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_forfeit_is_sent_only_once_it_is_committed() {
    let holds = Arc::new(AtomicBool::new(false));
    let (begun, failing) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let hindrance = (Arc::clone(&holds), Arc::clone(&begun), Arc::clone(&failing));
    let store = InterceptedStore::before_commits(memory(), move || {
        let (holds, begun, failing) = hindrance.clone();
        async move {
            if !holds.load(Ordering::Relaxed) {
                return Ok(());
            }
            begun.notify_one();
            failing.notified().await;
            Err(disk_full())
        }
    });
    let server = TestServer::over(&store, Limits::default()).await;
    let seated = server.create(of_two()).await;
    let bot = server.join(&seated.tickets[0]).await;
    holds.store(true, Ordering::Relaxed);
    bot.resign().await;
    begun.notified().await;
    let opened = RawBot::open(&server, &seated.tickets[0], hello_message());
    let mut again = opened.await.unwrap();
    // Once these calls are answered, the server has read the Hello.
    for _ in 0..20 {
        server.list_games().await.unwrap();
    }
    failing.notify_one();
    let end = again.next().await.unwrap_err();
    assert_eq!(reason(&end), "STORAGE_FAILED");
}

/// Wraps `store` so that its disk is full after this number of commits.
fn filling(store: &Arc<dyn Store>, room: i64) -> Arc<dyn Store> {
    let room = AtomicI64::new(room);
    InterceptedStore::before_commits(Arc::clone(store), move || {
        let is_full = room.fetch_sub(1, Ordering::Relaxed) <= 0;
        ready(if is_full { Err(disk_full()) } else { Ok(()) })
    })
}

/// Plays until the server ends the stream, and returns the bot's state and the reason.
async fn play(mut bot: RawBot) -> (ResumePoint, String) {
    loop {
        match bot.next().await {
            Ok(Some(Message::DecisionRequest(request))) => bot.answer_first(&request).await,
            Ok(Some(_)) => {}
            Ok(None) => panic!("the match cannot end here"),
            Err(status) => return (bot.resume_point(), reason(&status)),
        }
    }
}

#[tokio::test]
async fn a_match_continues_from_the_last_sent_message_wherever_the_store_failed() {
    // The first commit creates the match, and a match has more than 24 commits.
    for room in 1..24 {
        let store = memory();
        let filling = filling(&store, room);
        let mut server = TestServer::over(&filling, Limits::default()).await;
        let seated = server.create(of_two()).await;
        // The store may fail before the bot is welcomed, and the server may be gone.
        let first = RawBot::try_join(&server, &seated.tickets[0]).await;
        let second = RawBot::try_join(&server, &seated.tickets[1]).await;
        let play_on = async |joined: Result<RawBot, Status>| match joined {
            Ok(bot) => {
                let (known, why) = play(bot).await;
                assert_eq!(why, "STORAGE_FAILED", "room for {room}");
                known
            }
            Err(_) => ResumePoint::default(),
        };
        let (first, second) = tokio::join!(play_on(first), play_on(second));
        let failure = server.ended().await.unwrap_err();
        let ServeError::Storage(cause) = failure else {
            panic!("{failure}");
        };
        assert!(cause.to_string().contains("no space left"), "{cause}");

        let server = TestServer::over(&store, Limits::default()).await;
        let result = resume_all(&server, &seated.tickets, [first, second]).await;
        assert_faultless(&result);
        let replay = server.replay(&seated.match_id).await.unwrap();
        assert!(verify(&replay).is_ok());
    }
}

#[tokio::test]
async fn a_match_that_cannot_be_stored_is_not_created() {
    let filling = filling(&memory(), 0);
    let server = TestServer::over(&filling, Limits::default()).await;
    assert_eq!(outcome(server.try_create(of_two()).await), "STORAGE_FAILED");
    assert!(filling.open_match_ids().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_span_of_a_decision_is_exported_only_once_the_decision_is_stored() {
    let collecting = Collecting::start().await;
    let collector = collecting.address.parse().unwrap();
    let (span_recorder, exporter) = SpanRecorder::new(&collector, Source::server("1.2.3", None));
    let stop = CancellationToken::new();
    let exporting = tokio::spawn(exporter.run(stop.clone()));
    let fails = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&fails);
    let store = InterceptedStore::before_commits(memory(), move || {
        let fails = flag.load(Ordering::Relaxed);
        ready(if fails { Err(disk_full()) } else { Ok(()) })
    });
    let mut server = TestServer::with_options(ServerOptions {
        span_recorder,
        storage: Some(storage(&store)),
        ..with_limits(Limits::default())
    })
    .await;
    let seated = server.create(config("carcassonne", 2)).await;
    let [mut first, mut second] = server.join_all(&seated).await;
    for is_last in [false, true] {
        let (bot, asked) = tokio::select! {
            asked = first.next_request() => (&first, asked),
            asked = second.next_request() => (&second, asked),
        };
        fails.store(is_last, Ordering::Relaxed);
        bot.answer_first(&asked).await;
    }
    server.ended().await.unwrap_err();
    stop.cancel();
    exporting.await.unwrap();
    let spans = collecting.spans();
    let by_bots = spans.iter().filter(|one| {
        one.span.name == "decision"
            && one.attribute("bridgemaster.decision.by").as_deref() == Some("bot")
    });
    assert_eq!(by_bots.count(), 1);
}
