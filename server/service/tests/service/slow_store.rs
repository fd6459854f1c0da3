//! A slow store: its delays count as the server's own lag and are not charged to bots.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bridgemaster_proto::v1::{
    ListGamesRequest, Resign, play_request::Message, play_service_client::PlayServiceClient,
};
use bridgemaster_server::{KeepReplays, Limits, ServerOptions, Storage};
use bridgemaster_store::{MemoryStore, Store, StoreError};
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use crate::{
    intercepted_store::InterceptedStore,
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, PATIENCE, TestServer, config, with_clock},
};

/// Time for a decision, in ms: enough for a bot that answers at once, even on a busy machine.
const CAP_MS: u32 = 1_000;
/// The duration of a slow commit, longer than the time for a decision.
const SLOW: Duration = Duration::from_millis(1_500);
/// One in this number of commits is slow.
const SLOW_EVERY: usize = 21;

/// Creates a store in which some commits are slow.
fn slow() -> Arc<dyn Store> {
    let commits = AtomicUsize::new(0);
    InterceptedStore::before_commits(Arc::new(MemoryStore::new()), move || {
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
    for game_id in GAMES {
        let server = TestServer::over(&slow(), Limits::default()).await;
        let capped = with_clock(config(game_id, 2), |clock| clock.cap_ms = Some(CAP_MS));
        let seated = server.create(capped).await;
        let bots = [0, 1].map(|seat| server.good_bot(&seated.tickets[seat]));
        for bot in bots {
            let result = timeout(PATIENCE, bot).await.unwrap().unwrap().unwrap();
            for seat in &result.seats {
                assert_eq!(seat.fault_count, 0, "{game_id}: {:?}", seat.faults);
            }
        }
        let replay = server.replay(&seated.match_id).await.unwrap();
        assert!(bridgemaster_replay::verify(&replay).is_ok());
    }
}

#[tokio::test]
async fn a_stalled_store_does_not_block_shutdown() {
    let (store, hangs) = InterceptedStore::that_can_stall();
    let folder = tempfile::tempdir().unwrap();
    let options = ServerOptions {
        limits: Limits {
            drain_time: PATIENCE,
            stop_time: Duration::from_millis(200),
            ..Limits::default()
        },
        replays: Some(folder.path().to_owned()),
        storage: Some(Storage {
            store,
            dropped_matches: Vec::new(),
            keep_replays: KeepReplays::All,
            shared: None,
        }),
        ..ServerOptions::default()
    };
    let mut server = TestServer::with_options(options).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut bots = [
        RawBot::join(&server, &seated.tickets[0]).await,
        RawBot::join(&server, &seated.tickets[1]).await,
    ];
    for bot in &mut bots {
        bot.next_request().await;
    }
    hangs.store(true, Ordering::Relaxed);
    // The match ends, but that is never committed.
    for bot in &bots {
        bot.send(Message::Resign(Resign {})).await;
    }
    // A drain lasts until no match is in play.
    server.drain.cancel();
    let ended = timeout(PATIENCE, &mut server.running).await;
    ended.expect("it ends").unwrap().unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_forfeit_is_sent_only_once_it_is_committed() {
    let (holds, begun, failing) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
    );
    let hindrance = (Arc::clone(&holds), Arc::clone(&begun), Arc::clone(&failing));
    let store = InterceptedStore::before_commits(Arc::new(MemoryStore::new()), move || {
        let (holds, begun, failing) = hindrance.clone();
        async move {
            if !holds.load(Ordering::Relaxed) {
                return Ok(());
            }
            begun.notify_one();
            failing.notified().await;
            Err(StoreError::DiskFull {
                path: "matches.sqlite".into(),
            })
        }
    });
    let server = TestServer::over(&store, Limits::default()).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let bot = RawBot::join(&server, &seated.tickets[0]).await;
    holds.store(true, Ordering::Relaxed);
    bot.send(Message::Resign(Resign {})).await;
    begun.notified().await;
    let client = PlayServiceClient::new(server.channel.clone());
    let bearer = format!("Bearer {}", seated.tickets[0]);
    let again = request(Message::Hello(hello()));
    let mut again = RawBot::open_with(client, Some(&bearer), again)
        .await
        .unwrap();
    // Once these calls of the same connection are answered, the server has read the Hello.
    for _ in 0..3 {
        server
            .catalog()
            .list_games(ListGamesRequest {})
            .await
            .unwrap();
    }
    failing.notify_one();
    let end = again.next().await.unwrap_err();
    assert_eq!(reason(&end), "STORAGE_FAILED");
}
