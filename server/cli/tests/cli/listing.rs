//! Tests `bridgemaster match list` and `bridgemaster match result`.

use bridgemaster_games::GAME_IDS;
use serde_json::Value;

use crate::{
    kit::{
        calls::{PATIENT_CLOCK, config, create_request},
        program::{Ran, assert_has, run},
        served::Served,
    },
    served_match::{bots, id_of},
};

fn try_ask(server: &Served, line: &str) -> Ran {
    run(format!("{line} --server {}", server.url))
}

/// Runs a command against a server, which must succeed.
#[track_caller]
fn ask(server: &Served, line: &str) -> String {
    try_ask(server, line).exits(0).out
}

#[track_caller]
fn ask_json(server: &Served, line: &str) -> Value {
    serde_json::from_str(&ask(server, &format!("{line} --json"))).unwrap()
}

/// Creates a match.
#[track_caller]
fn make(server: &Served, flags: &str) -> Value {
    ask_json(server, &format!("match create {flags}"))
}

fn listed(server: &Served, flags: &str) -> Vec<String> {
    let all = ask_json(server, &format!("match list {flags}"));
    let matches = all["matches"].as_array().cloned().unwrap_or_default();
    let ids = matches.iter().map(|info| info["matchId"].as_str().unwrap().to_owned());
    ids.collect()
}

/// Plays a match of two seats to its end, and returns the printed result.
fn play(server: &Served, made: &Value) -> String {
    let bots = bots(server, made, &["greedy", "random"]);
    let result = ask(server, &format!("match result {} --wait", id_of(made)));
    for bot in bots {
        assert!(bot.wait_with_output().unwrap().status.success());
    }
    result
}

#[test]
fn matches_are_listed_and_results_have_exit_codes() {
    let server = Served::start("");
    assert_eq!(ask(&server, "match list"), "no match\n");
    let labels = "--label run=42 --label kind=nightly --startup-ms 600000";
    let waiting = make(&server, &format!("--game alhambra --seats 2 {labels}"));
    let played = make(&server, "--game bridges_to_nowhere");
    let (waiting, ended) = (id_of(&waiting).to_owned(), id_of(&played).to_owned());
    assert_has(&play(&server, &played), &["place", "greedy", "total", &ended]);

    // Newest first; each filter is tested by itself.
    let both = [ended.clone(), waiting.clone()];
    let [only_ended, only_waiting] = [&both[..1], &both[1..]];
    for (filter, ids) in [
        ("", &both[..]),
        ("--all", &both),
        ("--limit 1", only_ended),
        ("--state waiting", only_waiting),
        ("--state ended", only_ended),
        ("--game alhambra", only_waiting),
        ("--bot greedy", only_ended),
        ("--label run=42", only_waiting),
        ("--state running", &[]),
        ("--label run=42 --label kind=x", &[]),
        ("--maker ci", &[]),
        ("--before 2020-01-01", &[]),
        ("--since 2020-01-01T00:00:00Z", &both),
    ] {
        assert_eq!(listed(&server, filter), ids, "{filter}");
    }
    assert_has(&try_ask(&server, "match list --limit 1").err, &["--all"]);
    let cells = [&*waiting, "waiting", "(vacant), (vacant)", &*ended, "1. ", "2. ", "greedy"];
    assert_has(&ask(&server, "match list"), &cells);

    let json = ask_json(&server, &format!("match result {ended}"));
    assert_eq!(json["result"]["matchId"], ended);
    let early = ["has not ended", "created 20", "label run=42"];
    try_ask(&server, &format!("match result {waiting}")).prints(3, &early);
    let once = "--idempotency-key one --game alhambra --seats 2 --startup-ms 600000";
    let [first, again] = [make(&server, once), make(&server, once)];
    assert_eq!(id_of(&first), id_of(&again));
    assert_eq!(again["existed"], true);
    let tickets = ask(&server, &format!("match tickets {} --seat 1", id_of(&first)));
    assert!(tickets.contains("seat 1  ") && !tickets.contains("seat 0"), "{tickets}");
    ask(&server, &format!("match cancel {}", id_of(&first)));
    let reserved = try_ask(&server, "match create --reserve 0=ada");
    assert_has(&reserved.err, &["does not use API keys"]);

    let of_group =
        make(&server, "--group deal-7=0/1 --reveal-with-group --game alhambra --startup-ms 600000");
    let of_group_id = id_of(&of_group);
    assert_eq!(of_group["match"]["config"]["group"]["groupId"], "deal-7");
    assert_eq!(listed(&server, "--group deal-7"), [of_group_id]);
    // On a busy machine, a match that was played may be annulled.
    assert!(listed(&server, "--annulled --group deal-7").is_empty());
    assert_has(&ask(&server, &format!("match close-group {of_group_id}")), &["closed"]);
    let result = try_ask(&server, &format!("match result {of_group_id}"));
    assert_has(&result.out, &["match 0 of 1 of group deal-7"]);

    let cancelled = ask(&server, &format!("match cancel {waiting} --reason enough"));
    assert_has(&cancelled, &["is cancelled"]);
    let both = [id_of(&first).to_owned(), waiting.clone()];
    assert_eq!(listed(&server, "--state cancelled"), both);
    let why = ["cancelled: enough"];
    try_ask(&server, &format!("match result {waiting}")).prints(4, &why);
    assert_has(&ask(&server, &format!("match watch {waiting} --plain")), &why);
    let late = try_ask(&server, &format!("match cancel {ended}"));
    assert_has(&late.err, &["MATCH_ENDED"]);
    try_ask(&server, "match result no-such-match").fails(1, &["MATCH_UNKNOWN"]);
}

#[tokio::test]
async fn a_list_of_many_matches_is_fetched_page_by_page() {
    let server = Served::start("");
    let mut client = server.matches().await;
    let mut newest_first = Vec::new();
    // These are more than a page.
    for _ in 0..103 {
        let request = create_request(config(GAME_IDS[0], 2, PATIENT_CLOCK));
        let made = client.create_match(request).await.unwrap().into_inner();
        newest_first.insert(0, made.r#match.unwrap().match_id);
    }
    assert_eq!(listed(&server, "--all"), newest_first);
    assert_eq!(listed(&server, ""), newest_first[..50]);
}

#[test]
fn acknowledged_changes_survive_a_kill_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = format!("--data {}", folder.path().join("data").display());
    let game = "--game bridges_to_nowhere --seats 2";
    let once = format!("--idempotency-key one --label run=1 {game}");
    let of_group = format!("--reveal-with-group --seed deal-7 {game} --group");
    let result =
        |server: &Served, made: &Value| ask_json(server, &format!("match result {}", id_of(made)));

    let server = Served::start(&data);
    let first = make(&server, &once);
    let cancelled = make(&server, game);
    ask(&server, &format!("match cancel {} --reason enough", id_of(&cancelled)));
    let played = make(&server, &format!("{of_group} deals=0/2"));
    play(&server, &played);
    server.kill();

    let server = Served::start(&data);
    let again = make(&server, &once);
    assert_eq!(id_of(&again), id_of(&first));
    assert_eq!(again["existed"], true);
    assert_ne!(again["tickets"], first["tickets"]);
    assert_eq!(listed(&server, "--label run=1"), [id_of(&first)]);
    assert_eq!(listed(&server, "--state cancelled"), [id_of(&cancelled)]);
    let withheld = result(&server, &played);
    assert!(withheld["result"].is_object());
    assert!(withheld["config"].get("seed").is_none(), "{withheld}");
    assert!(withheld.get("seedSalt").is_none());
    let fetch = format!("replay fetch {} --out never-written", id_of(&played));
    assert_has(&try_ask(&server, &fetch).err, &["GROUP_RUNNING"]);
    let last = make(&server, &format!("{of_group} deals=1/2"));
    ask(&server, &format!("match cancel {}", id_of(&last)));
    ask(&server, &format!("match close-group {}", id_of(&last)));
    server.kill();

    let server = Served::start(&data);
    assert_eq!(result(&server, &played)["config"]["seed"], "deal-7");
    let late = try_ask(&server, &format!("match create {of_group} deals=1/2"));
    assert_has(&late.err, &["has ended or was closed"]);
}
