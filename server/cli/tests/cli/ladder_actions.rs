//! Tests an organiser's commands on a ladder of a server that is killed in between.

use std::collections::BTreeMap;

use crate::{
    kit::{
        program::{Background, assert_has, run, succeed, wait_for},
        served::Served,
    },
    ladder_lost_bot::{LADDER, attend, ladder, random, restart, results, serve},
};

fn act(server: &Served, action: &str) -> String {
    succeed(format!("ladder {action} --reason cheating --server {}", server.url))
}

/// Asserts that the server's ratings follow from its results.
fn assert_recomputed(server: &Served) {
    assert_has(&ladder(server, "recompute"), &["are identical"]);
}

/// Returns the number of matches that count, by bot.
fn counted(server: &Served) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for line in results(server).iter().filter(|line| line.contains(",rated,played,")) {
        let bot = line.split(',').nth(8).unwrap_or_default();
        *counted.entry(bot.to_owned()).or_default() += 1;
    }
    counted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_by_command_are_kept_over_a_kill_and_recomputed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = serve("127.0.0.1:0", &data);
    let house = "--house-bot ada --house-bot bob --house-bot eve";
    let game = "--game bridges_to_nowhere --seats 2";
    succeed(format!("ladder create {LADDER} {game} {house} --server {}", server.url));
    let bots = ["ada", "bob", "eve"].map(|name| attend(&server, name, random));
    wait_for("matches of eve", || (counted(&server).get("eve")? >= &4).then_some(()));
    assert_has(&act(&server, &format!("bench {LADDER} eve")), &["action 1: benched eve"]);
    let annulled = act(&server, &format!("annul {LADDER} --bot eve"));
    assert_has(&annulled, &["action 2: annulled the results of eve"]);
    assert_eq!(counted(&server).get("eve"), None);
    assert_recomputed(&server);
    act(&server, &format!("disqualify {LADDER} eve"));
    let again = act(&server, &format!("disqualify {LADDER} eve"));
    assert_has(&again, &["action 3: disqualified eve"]);
    act(&server, &format!("edit {LADDER} --max-matches 3 --closing-matches 20"));
    run(format!("ladder edit {LADDER} --reason none --server {}", server.url)).exits(2);
    assert_has(&ladder(&server, "standings"), &["disqualified by the organiser: cheating"]);
    let listed = ladder(&server, "actions");
    assert_has(&listed, &["max matches 3", "closing matches 20", "cheating"]);

    let mut watch = Background::start(format!("ladder watch {LADDER} --server {}", server.url));
    watch.line("open, ");
    let server = restart(server, &data);
    watch.error_line("does not answer");
    assert_eq!(ladder(&server, "actions"), listed);
    assert_eq!(counted(&server).get("eve"), None);
    assert_recomputed(&server);
    ladder(&server, "close");
    watch.line("closed, ");
    act(&server, &format!("revert {LADDER} 2"));
    wait_for("its results", || counted(&server).contains_key("eve").then_some(()));
    // Its results count again, but it has no rank.
    assert_recomputed(&server);
    act(&server, &format!("remove {LADDER} eve"));
    assert_recomputed(&server);
    let standings = ladder(&server, "standings");
    assert!(!standings.contains("eve"), "{standings}");
    let widest = standings.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{standings}");
    bots.iter().for_each(tokio::task::JoinHandle::abort);
}
