//! Matches of a contest that the server spoils or loses: they are annulled, whoever leads, and played
//! again by themselves.

use std::{path::Path, thread::sleep, time::Duration};

use bridgemaster_proto::v1::MatchState;
use tokio::runtime::Runtime;

use crate::{
    contest_kills::{LAGGING, contest, ended, rows, scores, wait_until},
    served::{Served, serve},
};

/// Two bots and two groups, which are four matches, one after the other.
const FOUR_MATCHES: [&str; 7] = [
    "--bot",
    "greedy",
    "--bot",
    "other=greedy",
    "--groups=2",
    "--concurrency=1",
    "--reconnect-ms=3600000",
];
/// The most lag that a match may have, in ms: a busy machine rarely has as much.
const LAG_LIMIT: &str = "--referee-lag-limit-ms=1000";
/// Time for which the server is paused, which exceeds the limit.
const LAG: Duration = Duration::from_secs(2);

/// A server that forgets everything when it ends.
fn forgetful(address: &str) -> Served {
    let flags = ["--listen", address, "--no-page"];
    Served::of(serve(flags).spawn().unwrap())
}

fn wait_for_a_match(server: &Served) {
    let runtime = Runtime::new().unwrap();
    wait_until("a match runs", || {
        let matches = runtime.block_on(server.all_matches());
        let mut states = matches.iter().map(|info| info.state());
        states.any(|state| state == MatchState::Running)
    });
}

/// Matches of a contest that were annulled for this reason.
fn annulled(folder: &Path, because: &str) -> usize {
    let rows = rows(folder);
    let annulled = rows.iter().map(|row| &row["annulled"]["because"]);
    annulled.filter(|found| *found == because).count()
}

#[test]
fn a_match_that_a_crash_of_the_server_loses_is_annulled_and_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let contested = folder.path().join("contest");
    let server = forgetful("127.0.0.1:0");
    let flags = [&FOUR_MATCHES[..], &[LAGGING]].concat();
    let playing = contest(&server, &contested, &flags);
    wait_for_a_match(&server);
    let address = server.address();
    server.kill();
    let _server = forgetful(&address);
    ended(playing);
    assert_eq!(annulled(&contested, "server_crash"), 1);
    assert_eq!(scores(&contested).len(), 4);
}

#[test]
fn a_match_that_the_servers_own_lag_spoiled_is_annulled_and_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let contested = folder.path().join("contest");
    let server = forgetful("127.0.0.1:0");
    let flags = [&FOUR_MATCHES[..], &[LAG_LIMIT]].concat();
    let playing = contest(&server, &contested, &flags);
    wait_for_a_match(&server);
    server.signal("-STOP");
    // The lag itself, not a wait for something.
    sleep(LAG);
    server.signal("-CONT");
    ended(playing);
    assert!(annulled(&contested, "referee_lag") > 0);
    assert_eq!(scores(&contested).len(), 4);
}
