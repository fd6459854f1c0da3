//! Replay files of a server that is killed, and of one whose disk is full.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use bridgemaster_bots::Random;
use bridgemaster_games::{GAME_IDS, Seed};
use bridgemaster_replay::decode;
use bridgemaster_sdk::Options;
use tokio::time::{sleep, timeout};

use crate::served::{PATIENCE, Served};

/// Plays a match to its end: its identifier.
async fn play(server: &Served) -> String {
    let (match_id, tickets) = server.create(GAME_IDS[0], "filed").await;
    let bots = tickets.iter().zip(1..).map(|(ticket, seed)| {
        let options = Options::new(&server.url, ticket.parse().unwrap(), "random");
        tokio::spawn(bridgemaster_sdk::play(
            Random::new(&Seed::from(seed)),
            options,
        ))
    });
    for bot in bots.collect::<Vec<_>>() {
        bot.await.unwrap().unwrap();
    }
    match_id
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[tokio::test]
async fn a_replay_that_a_kill_left_half_written_is_written_by_the_next_server() {
    let parent = tempfile::tempdir().unwrap();
    let (data, replays) = (parent.path().join("data"), parent.path().join("replays"));
    let flags = ["--replays", replays.to_str().unwrap()];
    let server = Served::start("127.0.0.1:0", &data, &flags);
    // So that it is certain that the file is not written before the kill.
    fs::remove_dir(&replays).unwrap();
    let match_id = play(&server).await;
    server.kill();
    fs::create_dir(&replays).unwrap();
    let name = format!("{match_id}.replay.binpb");
    fs::write(replays.join(format!("{name}.1.unfinished")), "half").unwrap();

    let server = Served::start("127.0.0.1:0", &data, &flags);
    let written = async {
        while !replays.join(&name).is_file() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, written)
        .await
        .expect("the replay is written");
    let file = decode(&fs::read(replays.join(&name)).unwrap()).unwrap();
    assert_eq!(file.replay, server.replay(&match_id).await);
    let left = names(&replays);
    assert!(
        !left.iter().any(|name| name.ends_with(".unfinished")),
        "{left:?}"
    );
}

#[tokio::test]
async fn a_full_disk_has_no_half_written_replay_and_the_log_says_so() {
    let parent = tempfile::tempdir().unwrap();
    let replays = parent.path().join("replays");
    // No file may be longer than a replay's beginning; the program is told instead of killed.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let mut process = Command::new("sh")
        .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_bridgemaster")])
        .args(["serve", "--listen", "127.0.0.1:0", "--replays"])
        .arg(&replays)
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(process.stderr.take().unwrap());
    let server = Served::of(process);
    play(&server).await;
    let mut line = String::new();
    while !line.contains("cannot write replays") {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "the server ended");
    }
    assert!(line.contains(".replay.binpb"), "{line}");
    assert_eq!(names(&replays), [""; 0]);
    server.signal("-TERM");
    assert_eq!(server.end().status.code(), Some(0));
    assert_eq!(names(&replays), [""; 0]);
}
