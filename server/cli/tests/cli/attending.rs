//! Tests bots that attend a queue or a ladder, and a contest that offers them seats.

use std::{collections::HashSet, fs, os::unix::fs::PermissionsExt as _};

use bridgemaster_proto::v1::{
    AttendanceState, CreateQueueRequest, Queue, WatchQueueRequest, WatchQueueResponse,
    lobby_service_client::LobbyServiceClient,
};
use tokio::time::timeout;
use tonic::Streaming;

use crate::kit::{
    program::{Background, PATIENCE, PROGRAM, all_refused, bridgemaster, succeed},
    results::{LAGGING, rows, seats},
    served::Served,
};

/// Flags of the bot `ada`, with the version that built-in bots send in their Hello.
pub(crate) const ADA: &str = concat!("--name ada --bot-version ", env!("CARGO_PKG_VERSION"));

/// Runs a command that attends a queue at a server.
pub(crate) fn attend(server: &Served, line: &str) -> Background {
    Background::spawn(bridgemaster(line).env("BRIDGEMASTER_SERVER", &server.url))
}

#[test]
fn a_contest_plays_bots_that_attend_with_a_seed_for_each_of_their_matches() {
    let server = Served::start("");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contest");
    let bots = "--bot here=random --bot far=@greedy --bot there=@ada --queue cup";
    let format = "--format round-robin --rounds 1 --concurrency 2";
    let at = format!("--server {} --folder {}", server.url, path.display());
    let game = "contest --game carcassonne";
    let contest = Background::start(format!("{game} {bots} {format} {at} {LAGGING}"));
    let far = attend(&server, "bot greedy --queue cup --slots 2");
    let there = format!("attend --queue cup {ADA} -- {PROGRAM} bot random");
    let there = attend(&server, &there);
    contest.ended().prints(0, &["each match had its own seed"]);

    let rows = rows(&path);
    assert_eq!(rows.len(), 6);
    let seeds: HashSet<&str> = rows.iter().map(|row| row["seed"].as_str().unwrap()).collect();
    assert_eq!(seeds.len(), 6, "each match has a bot that may remember earlier matches");
    for seat in seats(&rows) {
        let how = if seat["bot"] == 0 { "done" } else { "attended" };
        assert_eq!(seat["end"]["how"], how, "{seat}");
        assert!(seat["answered"].as_u64().unwrap() > 0, "{seat}");
    }
    // The contest has closed its queue, so the commands end.
    far.ended().exits(0);
    let there = there.ended().exits(0);
    assert_eq!(there.err.matches("played").count(), 4, "{}", there.err);
}

#[test]
fn invalid_attendances_are_refused_before_the_start() {
    let nameless = "contest --bot far=@ --against greedy --server http://x:1";
    all_refused(&[
        ("contest --bot far=@ada --against greedy", &["--server URL"]),
        (nameless, &["attends: the name is empty"]),
        ("attend --queue cup -- ./no/such/program", &["cannot find the program"]),
        ("attend --queue cup --slots 65 -- sh", &["1..=64"]),
    ]);
}

/// Follows the queue until its bot is in this state.
async fn until(watched: &mut Streaming<WatchQueueResponse>, state: AttendanceState) {
    let reached = async {
        loop {
            let update = watched.message().await.unwrap().expect("the queue exists");
            let attendance = update.attendance.expect("the update has the status of the bot");
            if attendance.state() == state {
                return;
            }
        }
    };
    timeout(PATIENCE, reached).await.expect("the bot reaches this state");
}

/// Opens the queue, and watches its attendances.
async fn watched_queue(server: &Served) -> Streaming<WatchQueueResponse> {
    let mut lobby = LobbyServiceClient::new(server.channel().await);
    let queue_id = "cup".to_owned();
    let queue = Some(Queue { queue_id: queue_id.clone(), ..Queue::default() });
    lobby.create_queue(CreateQueueRequest { queue }).await.unwrap();
    let watched = lobby.watch_queue(WatchQueueRequest { queue_id }).await;
    watched.unwrap().into_inner()
}

#[tokio::test]
async fn a_pause_lasts_over_a_server_restart_until_the_next_signal() {
    let server = Served::start("");
    let mut watched = watched_queue(&server).await;
    let bot = attend(&server, &format!("attend --queue cup -- {PROGRAM} bot random"));
    until(&mut watched, AttendanceState::Active).await;
    bot.signal("-USR1");
    until(&mut watched, AttendanceState::Paused).await;
    let address = server.address();
    server.kill();
    let server = Served::start_at(&address, "");
    // This server has neither the queue nor the bot.
    let mut watched = watched_queue(&server).await;
    until(&mut watched, AttendanceState::Paused).await;
    bot.signal("-USR2");
    until(&mut watched, AttendanceState::Active).await;
    bot.signal("-INT");
    bot.ended().fails(0, &["paused", "resumed"]);
}

#[test]
fn an_offer_whose_bot_cannot_be_started_is_declined_and_the_next_is_played() {
    let server = Served::start("");
    let folder = tempfile::tempdir().unwrap();
    let bot = folder.path().join("bot");
    let write = |interpreter: &str| {
        let new = folder.path().join("new");
        fs::write(&new, format!("#!{interpreter}\nexec {PROGRAM} bot random\n")).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&new, &bot).unwrap();
    };
    write("/no/such/interpreter");
    let line = format!("attend --queue cup {ADA} -- {}", bot.display());
    let mut there = attend(&server, &line);
    let game = "contest --game bridges_to_nowhere --queue cup --bot a=random --bot b=@ada";
    let kept = folder.path().join("contest");
    let at = format!("--server {} --folder {}", server.url, kept.display());
    let format = "--format round-robin --rounds 1";
    let contest = Background::start(format!("{game} {format} {at} {LAGGING}"));
    let line = there.error_line("declined");
    assert!(line.contains("/no/such/interpreter"), "{line}");
    write("/bin/sh");
    there.error_line(": played");
    contest.ended().exits(0);
}

#[test]
fn watching_a_ladder_ends_when_its_output_is_closed() {
    let server = Served::start("");
    let create = "ladder create class --game carcassonne --house-bot random";
    succeed(format!("{create} --server {}", server.url));
    let _bots =
        ["greedy", "random"].map(|bot| attend(&server, &format!("bot {bot} --queue class")));
    let mut watching = attend(&server, "ladder watch class");
    assert!(!watching.line("").is_empty());
    watching.close_output();
    watching.ended().exits(0);
}

#[test]
fn a_slot_is_offered_again_only_when_the_process_of_the_bot_has_ended() {
    let server = Served::start("");
    let create = "ladder create class --game bridges_to_nowhere --house-bot random --house-bot ada";
    succeed(format!("{create} --server {}", server.url));
    let folder = tempfile::tempdir().unwrap();
    let (bot, stuck) = (folder.path().join("bot"), folder.path().join("stuck"));
    fs::write(&stuck, "").unwrap();
    let lingers = format!("while [ -e {} ]; do sleep 0.1; done", stuck.display());
    fs::write(&bot, format!("#!/bin/sh\n{PROGRAM} bot random && {lingers}\n")).unwrap();
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).unwrap();
    let _other = attend(&server, "bot random --queue class");
    let line = format!("attend --queue class {ADA} -- {}", bot.display());
    let mut there = attend(&server, &line);
    there.error_line("1 of 1 slots are busy");
    let shown = succeed(format!("ladder standings class --server {}", server.url));
    assert!(shown.contains("1 of 1 slots are busy"), "{shown}");
    fs::remove_file(&stuck).unwrap();
    for _ in 0..2 {
        there.error_line(": played");
    }
}
