//! Tests data folders that a server refuses or that have lost data, replay folders after a kill,
//! and servers that are stopped.

use std::{
    fs,
    io::BufReader,
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
};

use bridgemaster_bots::Random;
use bridgemaster_games::{GAME_IDS, Seed};
use bridgemaster_proto::v1::{CreateMatchRequest, MatchState};
use bridgemaster_replay::decode;
use bridgemaster_sdk::Options;
use bridgemaster_store::{
    DATABASE_FILE, DataDir, LOCK_FILE, MatchId, SqliteOptions, SqliteStore, Store as _, Write,
};
use rusqlite::Connection;

use crate::kit::{
    calls::{PATIENT_CLOCK, reason},
    program::{PROGRAM, assert_has, clean, next_line, wait_until},
    served::Served,
};

/// A drain time that exceeds the timeout of every test, so a test fails if it waits for the drain.
const LONG_DRAIN: &str = "--drain-time 3600";

fn serve(data: &Path, more: &str) -> Served {
    Served::start(format!("--data {} {more}", data.display()))
}

fn refused(data: &Path, more: &str) -> String {
    Served::refused(format!("--data {} {more}", data.display()))
}

/// Returns a folder that a server has used and closed, with a match in play.
async fn used(data: &Path) -> String {
    let server = serve(data, "--drain-time 0");
    let (match_id, _) = server.create(GAME_IDS[0], "used").await;
    server.stop();
    match_id
}

#[tokio::test]
async fn a_damaged_newer_or_used_database_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    used(folder.path()).await;
    let file = folder.path().join(DATABASE_FILE);
    let database = Connection::open(&file).unwrap();
    database.execute_batch("PRAGMA user_version = 99").unwrap();
    database.close().unwrap();
    assert_has(&refused(folder.path(), ""), &["version 99"]);
    fs::write(file, "no database").unwrap();
    assert_has(&refused(folder.path(), ""), &["restore a backup"]);

    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), "");
    assert_has(&refused(folder.path(), ""), &["in use by another server"]);
    server.create(GAME_IDS[0], "goes-on").await;
}

#[tokio::test]
async fn a_match_that_cannot_continue_is_logged_and_can_be_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let good = used(folder.path()).await;
    let dir = DataDir::prepare(folder.path()).unwrap();
    let store = SqliteStore::open(&dir, SqliteOptions::default()).await.unwrap();
    let newer = Write::OpenMatch {
        match_id: MatchId::new("00000000000000ff").unwrap(),
        opened_at_unix_ms: 0,
        // The format version of the match.
        header: vec![8, 99],
    };
    store.commit(vec![newer]).await.unwrap();
    store.close().await.unwrap();
    drop(store);

    let server = serve(folder.path(), "--drain-time 0");
    assert_eq!(server.all_matches().await.len(), 1);
    let said = server.stop();
    let named = said.lines().filter(|line| line.contains("00000000000000ff"));
    let named: Vec<&str> = named.collect();
    assert_eq!(named.len(), 1, "{said}");
    assert_has(named[0], &["ERROR", "format version 99", "data drop"]);
    let unknown = refused(folder.path(), "--drop-match no-such-match");
    assert_has(&unknown, &["no-such-match"]);
    let server = serve(folder.path(), "--drop-match 00000000000000ff");
    let left = server.all_matches().await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].match_id, good);
}

#[tokio::test]
async fn a_folder_whose_newest_commits_are_gone_is_served_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), "");
    let (kept, _) = server.create(GAME_IDS[0], "kept").await;
    let log = folder.path().join(format!("{DATABASE_FILE}-wal"));
    let length = fs::metadata(&log).unwrap().len();
    server.create(GAME_IDS[0], "lost").await;
    server.kill();
    let file = fs::File::options().write(true).open(&log).unwrap();
    file.set_len(length).unwrap();

    let server = serve(folder.path(), "--drain-time 0");
    let left = server.all_matches().await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].match_id, kept);
    let expected = "the stored data is truncated: the last of ";
    assert_has(&server.stop(), &["WARN", expected]);
}

#[tokio::test]
async fn a_server_without_its_lock_stops_when_another_opens_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let older = serve(folder.path(), "");
    older.create(GAME_IDS[0], "before").await;
    fs::remove_file(folder.path().join(LOCK_FILE)).unwrap();
    let newer = serve(folder.path(), "");
    let late = older.create_with(GAME_IDS[0], "after", PATIENT_CLOCK).await;
    late.unwrap_err();
    older.ended().fails(1, &["been opened by another server"]);
    newer.create(GAME_IDS[0], "newer").await;
    assert_eq!(newer.all_matches().await.len(), 2);
}

/// Plays a match to its end, and returns its identifier.
async fn play(server: &Served) -> String {
    let (match_id, tickets) = server.create(GAME_IDS[0], "filed").await;
    let bots = tickets.iter().zip(1..).map(|(ticket, seed)| {
        let options = Options::new(&server.url, ticket.parse().unwrap(), "random");
        let bot = Random::new(&Seed::from(seed));
        tokio::spawn(bridgemaster_sdk::play(bot, options))
    });
    for bot in bots.collect::<Vec<_>>() {
        bot.await.unwrap().unwrap();
    }
    match_id
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[tokio::test]
async fn a_replay_left_unfinished_by_a_kill_is_completed_by_the_next_server() {
    let parent = tempfile::tempdir().unwrap();
    let (data, replays) = (parent.path().join("data"), parent.path().join("replays"));
    let flags = format!("--replays {}", replays.display());
    let server = serve(&data, &flags);
    // Prevents the file from being written before the kill.
    fs::remove_dir(&replays).unwrap();
    let match_id = play(&server).await;
    server.kill();
    fs::create_dir(&replays).unwrap();
    let name = format!("{match_id}.replay.binpb");
    fs::write(replays.join(format!("{name}.1.unfinished")), "half").unwrap();

    let server = serve(&data, &flags);
    wait_until("the replay is written", || replays.join(&name).is_file());
    let file = decode(&fs::read(replays.join(&name)).unwrap()).unwrap();
    assert_eq!(file.replay, server.replay(&match_id).await);
    let left = names(&replays);
    assert!(!left.iter().any(|name| name.ends_with(".unfinished")), "{left:?}");
}

#[tokio::test]
async fn a_full_disk_leaves_no_partial_replay_and_is_logged() {
    let parent = tempfile::tempdir().unwrap();
    let replays = parent.path().join("replays");
    // The replay exceeds the limit on file sizes. The log is a pipe, so the limit does not apply to
    // it. With the signal ignored, a write beyond the limit fails instead of killing the program.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
    let mut command = Command::new("sh");
    command
        .args(["-c", limited, "sh", PROGRAM])
        .args(["serve", "--listen", "127.0.0.1:0", "--replays"])
        .arg(&replays)
        .stderr(Stdio::piped());
    let server = Served::of(clean(&mut command), Path::new("none"));
    let mut server = server.unwrap_or_else(|ran| panic!("{}", ran.all()));
    let mut log = BufReader::new(server.process.stderr.take().unwrap());
    play(&server).await;
    let line = next_line(&mut log, "cannot write replays");
    assert_has(&line, &[".replay.binpb"]);
    assert_eq!(names(&replays), [""; 0]);
    server.stop();
    assert_eq!(names(&replays), [""; 0]);
}

#[test]
fn a_server_without_matches_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    serve(folder.path(), LONG_DRAIN).stop();
}

#[tokio::test]
async fn a_draining_server_creates_no_match_and_a_second_signal_stops_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), LONG_DRAIN);
    let (match_id, _) = server.create(GAME_IDS[0], "drained").await;
    let mut matches = server.matches().await;
    server.signal("-TERM");
    // Open connections stay open. Calls are refused until the signal is handled, because the config
    // is missing.
    let refused = loop {
        let refused = matches.create_match(CreateMatchRequest::default()).await;
        let reason = reason(&refused.unwrap_err());
        if reason != "INVALID_FIELD" {
            break reason;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(refused, "SERVER_STOPPING");
    drop(matches);
    server.stop();

    let server = serve(folder.path(), "");
    let listed = server.all_matches().await;
    assert_eq!(listed.len(), 1, "the match is parked");
    assert_eq!(listed[0].match_id, match_id);
    assert_eq!(listed[0].state(), MatchState::Waiting);
}

#[tokio::test]
async fn a_silent_peer_does_not_keep_a_server_alive() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), "--drain-time 0");
    server.create(GAME_IDS[0], "silent").await;
    let _silent = TcpStream::connect(server.address()).unwrap();
    server.stop();
}
