//! A server with a ladder that is killed again and again: no match is lost, and none counts twice.

use std::{collections::BTreeSet, process::Command};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    AdvanceLadderRequest, ClockRules, ExportResultsRequest, GetLadderRequest, Ladder, LadderState,
    WatchLadderRequest,
};
use bridgemaster_sdk::AttendOptions;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use tokio::{task::JoinHandle, time::timeout};

use crate::{
    served::{PATIENCE, Served},
    served_ladder::{NAME, attend, client, create, options},
};

/// Times that the server is killed.
const KILLS: usize = 6;
/// Fixes when.
const KILL_SEED: u64 = 12;

/// A bot that attends, and comes back by itself.
fn attend_always(server: &Served, name: &str) -> JoinHandle<()> {
    let options = AttendOptions {
        slots: 2,
        reconnect_for: PATIENCE,
        ..options(server, name)
    };
    let mut number = 0;
    attend(options, move || {
        number += 1;
        Random::new(&Seed::from(number))
    })
}

async fn ladder(server: &Served) -> Ladder {
    let ladder_id = NAME.to_owned();
    let mut client = client(server).await;
    let got = client.get_ladder(GetLadderRequest { ladder_id }).await;
    got.unwrap().into_inner().ladder.unwrap()
}

/// Waits until so many matches have started or ended since now.
async fn matches_go_on(server: &Served, count: usize) {
    let ladder_id = NAME.to_owned();
    let mut client = client(server).await;
    let watched = client.watch_ladder(WatchLadderRequest { ladder_id }).await;
    let mut news = watched.unwrap().into_inner();
    let mut seen = 0;
    let followed = async {
        while seen < count {
            let news = news.message().await.unwrap().expect("the stream goes on");
            seen += usize::from(news.r#match.is_some());
        }
    };
    timeout(PATIENCE, followed).await.expect("the ladder plays");
}

/// The results, each line as its fields.
async fn results(server: &Served) -> Vec<Vec<String>> {
    let ladder_id = NAME.to_owned();
    let mut client = client(server).await;
    let export = client
        .export_results(ExportResultsRequest { ladder_id })
        .await;
    let mut parts = export.unwrap().into_inner();
    let mut file = Vec::new();
    while let Some(part) = parts.message().await.unwrap() {
        file.extend(part.chunk);
    }
    let file = String::from_utf8(file).unwrap();
    let lines = file.lines().skip(1);
    let fields = |line: &str| line.split(',').map(ToOwned::to_owned).collect();
    lines.map(fields).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ladder_whose_server_is_killed_loses_no_match_and_counts_none_twice() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut server = Served::start("127.0.0.1:0", &data, &["--durability", "process"]);
    let address = server.address();
    let clock = ClockRules {
        reconnect_ms: Some(600_000),
        ..ClockRules::default()
    };
    create(&server, clock, &[]).await;
    let bots = ["ada", "bob", "cyd", "dan"].map(|name| attend_always(&server, name));
    let mut luck = SmallRng::seed_from_u64(KILL_SEED);
    let mut before: Vec<Vec<String>> = Vec::new();
    for _ in 0..KILLS {
        matches_go_on(&server, luck.random_range(2..7)).await;
        let now = results(&server).await;
        for line in &before {
            assert!(now.contains(line), "a result is lost or changed: {line:?}");
        }
        before = now;
        server.kill();
        server = Served::start(&address, &data, &["--durability", "process"]);
    }
    matches_go_on(&server, 4).await;
    let request = AdvanceLadderRequest {
        ladder_id: NAME.to_owned(),
        state: LadderState::Closed.into(),
    };
    client(&server).await.advance_ladder(request).await.unwrap();
    // Each match that the server has is one of the ladder's, and the other way round.
    let all_over = async {
        loop {
            let last = results(&server).await;
            let ids = last.iter().map(|line| line[1].clone());
            let of_ladder: BTreeSet<String> = ids.filter(|id| !id.is_empty()).collect();
            let all = server.all_matches().await;
            let of_server: BTreeSet<String> =
                all.iter().map(|info| info.match_id.clone()).collect();
            if of_ladder == of_server && all.iter().all(|info| info.ended_unix_ms > 0) {
                return last;
            }
            tokio::task::yield_now().await;
        }
    };
    let last = timeout(PATIENCE, all_over).await;
    let last = last.expect("every match that was made is over, and in the results");
    for line in &before {
        assert!(last.contains(line), "a result is lost or changed: {line:?}");
    }
    let mut seats = BTreeSet::new();
    for line in &last {
        // Number and seat.
        assert!(
            seats.insert((line[0].clone(), line[7].clone())),
            "twice: {line:?}"
        );
    }
    let counted = last
        .iter()
        .filter(|line| line[2] == "rated" && line[3] == "played");
    assert_eq!(counted.count() as u64, 2 * ladder(&server).await.matches);
    let output = Command::new(env!("CARGO_BIN_EXE_bridgemaster"))
        .args(["ladder", "recompute", NAME, "--server", &server.url])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("are identical"), "{said}");
    for bot in bots {
        bot.abort();
    }
}
