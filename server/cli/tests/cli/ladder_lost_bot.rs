//! Tests a ladder whose server is killed during a match, after which one of the match's bots does
//! not reconnect. The match is annulled and automatically repeated, even after further kills.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use bridgemaster_bots::Random;
use bridgemaster_games::{GAME_IDS, Seed};
use bridgemaster_proto::v1::{
    AnnulmentReason, ClockRules, CreateLadderRequest, Ladder, LadderMatch,
    ListLadderMatchesRequest, MatchInfo, MatchState, RatingMethod, SeatInfo,
    ladder_service_client::LadderServiceClient,
};
use bridgemaster_sdk::{AttendOptions, Bot};
use tokio::{task::JoinHandle, time::timeout};
use tonic::transport::Channel;

use crate::kit::{
    calls::{PATIENT_CLOCK, config},
    paced_bot::Pace,
    program::{PATIENCE, assert_has, succeed, wait_for},
    served::Served,
};

pub(crate) const LADDER: &str = "league";

async fn client(server: &Served) -> LadderServiceClient<Channel> {
    LadderServiceClient::new(server.channel().await)
}

/// Creates a ladder of two house bots, which need no validation.
async fn create(server: &Served) {
    let clock = ClockRules {
        // The test must not fail because of lag on a loaded machine.
        referee_lag_limit_ms: Some(60_000),
        ..PATIENT_CLOCK
    };
    let ladder = Some(Ladder {
        ladder_id: LADDER.to_owned(),
        config: Some(config(GAME_IDS[0], 2, clock)),
        house_bots: ["ada", "bob"].map(str::to_owned).into(),
        // The ladder storm covers the other method.
        rating_method: RatingMethod::Glicko2.into(),
        ..Ladder::default()
    });
    let request = CreateLadderRequest { ladder };
    client(server).await.create_ladder(request).await.unwrap();
}

/// Attends the ladder until the test ends, and reconnects without a time limit.
pub(crate) fn attend<B: Bot + 'static>(
    server: &Served,
    name: &str,
    new_bot: impl FnMut() -> B + Send + 'static,
) -> JoinHandle<()> {
    let options = AttendOptions {
        bot_version: "1".to_owned(),
        connect_for: PATIENCE,
        ..AttendOptions::new(&server.url, LADDER, name)
    };
    tokio::spawn(async move {
        let _ = bridgemaster_sdk::attend(new_bot, options).await;
    })
}

pub(crate) fn random() -> Random {
    Random::new(&Seed::from(1))
}

/// Returns the matches, the newest first.
async fn matches(server: &Served) -> Vec<LadderMatch> {
    let request = ListLadderMatchesRequest {
        ladder_id: LADDER.to_owned(),
        ..ListLadderMatchesRequest::default()
    };
    let listed = client(server).await.list_ladder_matches(request).await;
    listed.unwrap().into_inner().matches
}

async fn first(server: &Served) -> MatchInfo {
    let first = matches(server).await.pop().expect("a match was paired");
    first.r#match.unwrap()
}

/// Returns the first match, once it has ended.
async fn first_over(server: &Served) -> MatchInfo {
    let over = async {
        loop {
            let first = first(server).await;
            if first.ended_unix_ms > 0 {
                return first;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, over).await.expect("the match is over")
}

/// Returns the output of a command about the ladder.
pub(crate) fn ladder(server: &Served, command: &str) -> String {
    succeed(format!("ladder {command} {LADDER} --server {}", server.url))
}

/// Returns the results, one line per seat of each match that has ended.
pub(crate) fn results(server: &Served) -> Vec<String> {
    let csv = ladder(server, "results");
    csv.lines().skip(1).map(str::to_owned).collect()
}

/// Closes the ladder. Asserts that the results contain each match of the server once and all
/// `earlier` lines, and that the ratings follow from the results.
async fn assert_each_match_counts_once(server: &Served, earlier: &[String]) {
    ladder(server, "close");
    let all_over = async {
        loop {
            let lines = results(server);
            let ids = lines.iter().filter_map(|line| line.split(',').nth(1));
            let ids = ids.filter(|id| !id.is_empty()).map(str::to_owned);
            let of_ladder: BTreeSet<String> = ids.collect();
            let all = server.all_matches().await;
            let are_over = all.iter().all(|info| info.ended_unix_ms > 0);
            let of_server: BTreeSet<String> = all.into_iter().map(|info| info.match_id).collect();
            if are_over && of_ladder == of_server {
                return lines;
            }
        }
    };
    let lines = timeout(PATIENCE, all_over).await;
    let lines = lines.expect("every match is over, and in the results");
    let lost = earlier.iter().find(|line| !lines.contains(line));
    assert_eq!(lost, None, "an earlier line was lost or changed: {lines:?}");
    let mut seats = BTreeSet::new();
    for line in &lines {
        let fields: Vec<&str> = line.split(',').collect();
        // The number of the match, and the seat.
        assert!(seats.insert((fields[0], fields[7])), "twice: {line}");
    }
    assert_has(&ladder(server, "recompute"), &["are identical"]);
}

/// Kills a server, and starts another one in its place.
pub(crate) fn restart(server: Served, data: &Path) -> Served {
    let address = server.address();
    server.kill();
    serve(&address, data)
}

pub(crate) fn serve(address: &str, data: &Path) -> Served {
    let flags = format!("--data {} --durability process", data.display());
    Served::start_at(address, flags)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_whose_bot_is_lost_in_a_kill_is_annulled_and_played_again_and_all_count_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = serve("127.0.0.1:0", &data);
    create(&server).await;
    let _ada = attend(&server, "ada", random);
    // This bot thinks until the test ends.
    let pace = Pace::of(0);
    let mut thinker = Some(pace.bot(1, &Arc::default()));
    let new_thinker = move || thinker.take().expect("one match");
    let bob = attend(&server, "bob", new_thinker);
    timeout(PATIENCE, pace.held_at(0)).await.expect("the bot is requested to decide");
    // The machine of this bot fails together with the server.
    bob.abort();
    let server = restart(server, &data);
    // The server is killed again while the bot is awaited.
    let server = restart(server, &data);
    let annulled = first_over(&server).await;
    let earlier =
        wait_for("its results", || Some(results(&server)).filter(|lines| !lines.is_empty()));
    // The server is killed again before the match is repeated.
    let server = restart(server, &data);
    for info in [annulled, first_over(&server).await] {
        assert_eq!(info.state(), MatchState::Ended);
        let annulment = info.annulment.expect("the annulled match does not count");
        assert_eq!(annulment.reason(), AnnulmentReason::ServerCrash);
        assert!(annulment.detail.contains("did not reconnect"));
    }
    let _bob = attend(&server, "bob", random);
    let again = async {
        loop {
            let first = first(&server).await;
            let by = first.annulment.unwrap().replaced_by_match_id;
            let mut all = matches(&server).await.into_iter();
            let replay = all.find_map(|one| one.r#match.filter(|info| info.match_id == by));
            if let Some(replay) = replay.filter(|info| info.ended_unix_ms > 0) {
                return (first.seats, replay);
            }
            tokio::task::yield_now().await;
        }
    };
    let (seats, replay) = timeout(PATIENCE, again).await.expect("the match is played again");
    assert_eq!(replay.annulment, None);
    let names = |seats: Vec<SeatInfo>| -> Vec<String> {
        seats.into_iter().map(|seat| seat.bot_name).collect()
    };
    assert_eq!(names(seats), names(replay.seats), "the same seats");
    let result = replay.result.unwrap();
    assert!(result.seats.iter().all(|seat| seat.forfeit == 0));
    pace.allow(u32::MAX);
    assert_each_match_counts_once(&server, &earlier).await;
}
