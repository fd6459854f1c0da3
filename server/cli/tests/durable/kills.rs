//! A server that is killed again and again: every match goes on, and ends as if nothing had been.

use std::{fs, path::Path};

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::v1::MatchState;
use bridgemaster_replay::{decode, verify};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

use crate::{
    counted_play::{Ended, Playing},
    served::Served,
};

/// Matches of each game.
const MATCHES_EACH: usize = 2;
/// Times that the server is killed.
const KILLS: usize = 8;
/// Fixes when.
const KILL_SEED: u64 = 20;

/// Matches of every game.
async fn start(server: &Served) -> Playing {
    let mut playing = Playing::default();
    for game in GAME_IDS {
        for number in 0..MATCHES_EACH {
            let seed = format!("{game}-{number}");
            playing.begin(server, &server.url, game, &seed).await;
        }
    }
    playing
}

/// Waits for all matches.
async fn finish(server: &Served, playing: Playing) -> Ended {
    let ended = playing.end(&[server]).await;
    let listed = server.all_matches().await;
    assert_eq!(listed.len(), ended.matches(), "each match is there once");
    for info in listed {
        assert_eq!(info.state(), MatchState::Ended);
    }
    ended
}

async fn undisturbed(data: &Path) -> Ended {
    let server = Served::start("127.0.0.1:0", data, &["--durability", "process"]);
    let playing = start(&server).await;
    finish(&server, playing).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_end_as_if_the_server_had_never_been_killed() {
    let folder = tempfile::tempdir().unwrap();
    let expected = undisturbed(&folder.path().join("undisturbed")).await;

    let mut random = SmallRng::seed_from_u64(KILL_SEED);
    let mut kills: Vec<u64> = (0..KILLS)
        .map(|_| random.random_range(0..expected.decisions))
        .collect();
    kills.sort_unstable();
    let data = folder.path().join("killed");
    let replays = folder.path().join("replays");
    let into = ["--replays", replays.to_str().unwrap()];
    let mut server = Served::start("127.0.0.1:0", &data, &into);
    let playing = start(&server).await;
    for (number, kill) in kills.into_iter().enumerate() {
        playing.reaches(kill).await;
        let address = server.address();
        server.kill();
        // Every other time with the quicker commits, which survive this just as well.
        let durability = ["disk", "process"][number % 2];
        let flags = [into.as_slice(), &["--durability", durability]].concat();
        server = Served::start(&address, &data, &flags);
    }
    let ended = finish(&server, playing).await;
    ended.assert_as_undisturbed(&expected);

    // And all of it is still there after another.
    let address = server.address();
    server.kill();
    let server = Served::start(&address, &data, &into);
    let listed = server.all_matches().await;
    assert_eq!(listed.len(), expected.matches());
    let ids: Vec<_> = listed.iter().map(|info| info.match_id.clone()).collect();
    for info in listed {
        let replay = server.replay(&info.match_id).await;
        assert_eq!(replay.result, info.result);
        assert!(verify(&replay).is_ok());
    }
    server.signal("-TERM");
    assert_eq!(server.end().status.code(), Some(0));
    for match_id in ids {
        let file = replays.join(format!("{match_id}.replay.binpb"));
        assert!(decode(&fs::read(file).unwrap()).is_ok(), "{match_id}");
    }
    let unfinished = fs::read_dir(&replays).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".unfinished")
    });
    assert_eq!(unfinished.count(), 0);
}
