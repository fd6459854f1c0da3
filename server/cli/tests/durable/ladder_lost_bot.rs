//! A ladder whose server is killed while a match is in play, and a bot of it does not come back: the
//! match is annulled, and played again by itself, however often the server is killed meanwhile.

use std::sync::mpsc::{Receiver, Sender, channel};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    AnnulmentReason, ClockRules, LadderMatch, ListLadderMatchesRequest, MatchState, SeatInfo,
};
use bridgemaster_sdk::{Bot, Choice, Request};
use tokio::time::timeout;

use crate::{
    served::{PATIENCE, Served},
    served_ladder::{NAME, attend, client, create, options},
};

/// Says that it was asked, and thinks until the test ends.
struct Thinker {
    asked: Sender<()>,
    released: Receiver<()>,
}

impl Bot for Thinker {
    fn decide(&mut self, _: &Request) -> Choice {
        // Nobody may listen any more.
        let _ = self.asked.send(());
        let _ = self.released.recv();
        Choice::Resign
    }
}

fn random() -> Random {
    Random::new(&Seed::from(1))
}

/// The matches, the newest first.
async fn matches(server: &Served) -> Vec<LadderMatch> {
    let request = ListLadderMatchesRequest {
        ladder_id: NAME.to_owned(),
        ..ListLadderMatchesRequest::default()
    };
    let listed = client(server).await.list_ladder_matches(request).await;
    listed.unwrap().into_inner().matches
}

/// The first match, once it is over.
async fn first_over(server: &Served) -> LadderMatch {
    let over = async {
        loop {
            let first = matches(server).await.pop().expect("it was paired");
            if first.r#match.as_ref().unwrap().ended_unix_ms > 0 {
                return first;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, over).await.expect("it is over")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_whose_bot_does_not_come_back_after_a_kill_is_annulled_and_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let start = |listen: &str| Served::start(listen, &data, &["--durability", "process"]);
    let server = start("127.0.0.1:0");
    let address = server.address();
    let clock = ClockRules {
        // What a loaded machine does to a test is not for this one.
        referee_lag_limit_ms: Some(60_000),
        ..ClockRules::default()
    };
    create(&server, clock, &["ada", "bob"]).await;
    let _ada = attend(options(&server, "ada"), random);
    let (asked, was_asked) = channel();
    let (_released, releases) = channel();
    let mut thinker = Some(Thinker {
        asked,
        released: releases,
    });
    let new_thinker = move || thinker.take().expect("one match");
    let bob = attend(options(&server, "bob"), new_thinker);
    tokio::task::spawn_blocking(move || was_asked.recv_timeout(PATIENCE).unwrap())
        .await
        .unwrap();
    // Its machine is lost with the server.
    bob.abort();
    server.kill();
    let server = start(&address);
    // Once more, while the bot is awaited.
    server.kill();
    let server = start(&address);
    let annulled = first_over(&server).await.r#match.unwrap();
    // And once more, before anybody plays it again.
    server.kill();
    let server = start(&address);
    for info in [annulled, first_over(&server).await.r#match.unwrap()] {
        assert_eq!(info.state(), MatchState::Ended);
        let annulment = info.annulment.expect("it does not count");
        assert_eq!(annulment.reason(), AnnulmentReason::ServerCrash);
        assert!(annulment.detail.contains("did not reconnect"));
    }
    let _bob = attend(options(&server, "bob"), random);
    let again = async {
        loop {
            let first = matches(&server).await.pop().unwrap().r#match.unwrap();
            let by = first.annulment.unwrap().replaced_by_match_id;
            let mut all = matches(&server).await.into_iter();
            let replay = all.find_map(|one| one.r#match.filter(|info| info.match_id == by));
            if let Some(replay) = replay.filter(|info| info.ended_unix_ms > 0) {
                return (first.seats, replay);
            }
            tokio::task::yield_now().await;
        }
    };
    let (seats, replay) = timeout(PATIENCE, again).await.expect("it is played again");
    assert_eq!(replay.annulment, None);
    let names = |seats: Vec<_>| {
        let seats = seats.into_iter();
        let names = seats.map(|seat: SeatInfo| seat.bot_name);
        names.collect::<Vec<String>>()
    };
    assert_eq!(names(seats), names(replay.seats), "the same seats");
    let result = replay.result.unwrap();
    assert!(result.seats.iter().all(|seat| seat.forfeit == 0));
}
