//! `bridgemaster match list` and `bridgemaster match result`.

#![cfg(unix)]

use bridgemaster_proto::v1::{
    CreateMatchRequest, GameConfig, MatchConfig, game_config,
    match_service_client::MatchServiceClient,
};
use serde_json::Value;
use tonic::transport::Endpoint;

use crate::{
    program::{run, succeed, words},
    served_match::Served,
};

/// Runs a command against a server, which must succeed.
fn ask(server: &Served, arguments: &[&str]) -> String {
    succeed(arguments.iter().chain(&["--server", &server.url]))
}

/// Creates a match and returns what `match create --json` prints of it.
fn make(server: &Served, flags: &[&str]) -> Value {
    let create = [&["match", "create", "--json"], flags].concat();
    serde_json::from_str(&ask(server, &create)).unwrap()
}

fn id_of(made: &Value) -> &str {
    made["match"]["matchId"].as_str().unwrap()
}

fn listed(server: &Served, flags: &[&str]) -> Vec<String> {
    let all: Value = serde_json::from_str(&ask(
        server,
        &[&["match", "list", "--json"], flags].concat(),
    ))
    .unwrap();
    let matches = all["matches"].as_array().cloned().unwrap_or_default();
    matches
        .iter()
        .map(|info| info["matchId"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn matches_are_listed_and_a_result_says_whether_there_is_one() {
    let server = Served::start(&[]);
    assert_eq!(ask(&server, &["match", "list"]), "no match\n");
    let labels = ["--label", "run=42", "--label", "kind=nightly"];
    let waiting = [&["--game", "alhambra", "--seats", "2"][..], &labels].concat();
    let waiting = make(&server, &waiting);
    let played = make(&server, &["--game", "bridges_to_nowhere"]);
    let (waiting, ended) = (id_of(&waiting).to_owned(), id_of(&played).to_owned());
    let bots = server.bots(&played, &["greedy", "random"]);
    let result = ask(&server, &["match", "result", &ended, "--wait"]);
    for expected in ["place", "greedy", "total", ended.as_str()] {
        assert!(
            result.contains(expected),
            "{expected} is missing in:\n{result}"
        );
    }
    for bot in bots {
        assert!(bot.wait_with_output().unwrap().status.success());
    }

    // The newest first, and each filter by itself.
    let both = [ended.clone(), waiting.clone()];
    assert_eq!(listed(&server, &[]), both);
    assert_eq!(listed(&server, &["--all"]), both);
    assert_eq!(listed(&server, &["--limit", "1"]), both[..1]);
    for (filter, id) in [
        (["--state", "waiting"], &waiting),
        (["--state", "ended"], &ended),
        (["--game", "alhambra"], &waiting),
        (["--bot", "greedy"], &ended),
        (["--label", "run=42"], &waiting),
    ] {
        assert_eq!(
            listed(&server, &filter),
            std::slice::from_ref(id),
            "{filter:?}"
        );
    }
    assert!(listed(&server, &["--state", "running"]).is_empty());
    assert!(listed(&server, &["--label", "run=42", "--label", "kind=x"]).is_empty());
    assert!(listed(&server, &["--maker", "ci"]).is_empty());
    assert!(listed(&server, &["--before", "2020-01-01"]).is_empty());
    assert_eq!(listed(&server, &["--since", "2020-01-01T00:00:00Z"]), both);
    let few = run(["match", "list", "--limit", "1", "--server", &server.url]);
    assert!(few.err.contains("--all"), "{}", few.err);
    let table = ask(&server, &["match", "list"]);
    for expected in [
        &*waiting,
        "waiting",
        "(vacant), (vacant)",
        &*ended,
        "1. ",
        "2. ",
        "greedy",
    ] {
        assert!(
            table.contains(expected),
            "{expected} is missing in:\n{table}"
        );
    }

    let json: Value =
        serde_json::from_str(&ask(&server, &["match", "result", &ended, "--json"])).unwrap();
    assert_eq!(json["result"]["matchId"], ended);
    let early = run(["match", "result", &waiting, "--server", &server.url]);
    assert_eq!(early.code, Some(3), "{}", early.err);
    for expected in ["has not ended", "created 20", "label run=42"] {
        assert!(early.out.contains(expected), "{}", early.out);
    }
    let once = words("--idempotency-key one --game alhambra --seats 2");
    let [first, again] = [make(&server, &once), make(&server, &once)];
    assert_eq!(id_of(&first), id_of(&again));
    assert_eq!(again["existed"], true);
    let tickets = ask(&server, &["match", "tickets", id_of(&first), "--seat", "1"]);
    assert!(
        tickets.contains("seat 1  ") && !tickets.contains("seat 0"),
        "{tickets}"
    );
    ask(&server, &["match", "cancel", id_of(&first)]);
    let reserved = [
        "match",
        "create",
        "--reserve",
        "0=ada",
        "--server",
        &server.url,
    ];
    let reserved = run(reserved);
    assert!(
        reserved.err.contains("does not use API keys"),
        "{}",
        reserved.err
    );

    let of_group = words("--group deal-7=0/1 --reveal-with-group --game alhambra");
    let of_group = make(&server, &of_group);
    assert_eq!(of_group["match"]["config"]["group"]["groupId"], "deal-7");
    assert_eq!(listed(&server, &["--group", "deal-7"]), [id_of(&of_group)]);
    // One that was played may be annulled on a busy machine.
    assert!(listed(&server, &["--annulled", "--group", "deal-7"]).is_empty());
    assert!(ask(&server, &["match", "close-group", id_of(&of_group)]).contains("closed"));
    let ran = run(["match", "result", id_of(&of_group), "--server", &server.url]);
    assert!(
        ran.out.contains("match 0 of 1 of group deal-7"),
        "{}",
        ran.out
    );

    let reason = ["match", "cancel", &waiting, "--reason", "enough"];
    assert!(ask(&server, &reason).contains("is cancelled"));
    let cancelled = [id_of(&first).to_owned(), waiting.clone()];
    assert_eq!(listed(&server, &["--state", "cancelled"]), cancelled);
    let cancelled = run(["match", "result", &waiting, "--server", &server.url]);
    assert_eq!(cancelled.code, Some(4), "{}", cancelled.err);
    assert!(
        cancelled.out.contains("cancelled: enough"),
        "{}",
        cancelled.out
    );
    let watched = ask(&server, &["match", "watch", &waiting, "--plain"]);
    assert!(watched.contains("cancelled: enough"), "{watched}");
    let late = run(["match", "cancel", &ended, "--server", &server.url]);
    assert!(late.err.contains("MATCH_ENDED"), "{}", late.err);
    let unknown = run(["match", "result", "no-such-match", "--server", &server.url]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.err.contains("MATCH_UNKNOWN"), "{}", unknown.err);
}

#[tokio::test]
async fn a_list_of_many_matches_is_fetched_page_by_page() {
    let server = Served::start(&[]);
    let endpoint = Endpoint::from_shared(server.url.clone()).unwrap();
    let mut client = MatchServiceClient::new(endpoint.connect().await.unwrap());
    let game = GameConfig {
        game: Some(game_config::Game::BridgesToNowhere(Default::default())),
    };
    let mut newest_first = Vec::new();
    // More than a page.
    for _ in 0..103 {
        let config = MatchConfig {
            game: Some(game.clone()),
            seats: 2,
            ..MatchConfig::default()
        };
        let request = CreateMatchRequest {
            config: Some(config),
            ..CreateMatchRequest::default()
        };
        let made = client.create_match(request).await.unwrap().into_inner();
        newest_first.insert(0, made.r#match.unwrap().match_id);
    }
    assert_eq!(listed(&server, &["--all"]), newest_first);
    assert_eq!(listed(&server, &[]), newest_first[..50]);
}

#[test]
fn what_a_server_was_told_of_its_matches_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // Dropped servers are killed.
    let start = || Served::start(&["--data", data.to_str().unwrap()]);
    let game = ["--game", "bridges_to_nowhere", "--seats", "2"];
    let once = [&["--idempotency-key", "one", "--label", "run=1"][..], &game].concat();
    let of_group = ["--reveal-with-group", "--seed", "deal-7", "--group"];
    let make_in_group = |server: &Served, place: &'static str| {
        make(server, &[&of_group[..], &[place], &game].concat())
    };
    let result = |server: &Served, id: &str| -> Value {
        serde_json::from_str(&ask(server, &["match", "result", id, "--json"])).unwrap()
    };

    let server = start();
    let first = make(&server, &once);
    let cancelled = make(&server, &game);
    ask(
        &server,
        &["match", "cancel", id_of(&cancelled), "--reason", "enough"],
    );
    let played = make_in_group(&server, "deals=0/2");
    let bots = server.bots(&played, &["greedy", "random"]);
    ask(&server, &["match", "result", id_of(&played), "--wait"]);
    for bot in bots {
        assert!(bot.wait_with_output().unwrap().status.success());
    }
    drop(server);

    let server = start();
    let again = make(&server, &once);
    assert_eq!(id_of(&again), id_of(&first));
    assert_eq!(again["existed"], true);
    assert_ne!(again["tickets"], first["tickets"]);
    assert_eq!(listed(&server, &["--label", "run=1"]), [id_of(&first)]);
    assert_eq!(
        listed(&server, &["--state", "cancelled"]),
        [id_of(&cancelled)]
    );
    let withheld = result(&server, id_of(&played));
    assert!(withheld["result"].is_object());
    assert!(withheld["config"].get("seed").is_none(), "{withheld}");
    assert!(withheld.get("seedSalt").is_none());
    let refused = ["replay", "fetch", id_of(&played), "--server", &server.url];
    let refused = run(refused.into_iter().chain(["--out", "never-written"]));
    assert!(refused.err.contains("GROUP_RUNNING"), "{}", refused.err);
    let last = make_in_group(&server, "deals=1/2");
    ask(&server, &["match", "cancel", id_of(&last)]);
    ask(&server, &["match", "close-group", id_of(&last)]);
    drop(server);

    let server = start();
    assert_eq!(result(&server, id_of(&played))["config"]["seed"], "deal-7");
    let late = ["match", "create", "--server", &server.url];
    let late = late
        .into_iter()
        .chain(of_group)
        .chain(["deals=1/2"])
        .chain(game);
    let late = run(late);
    assert!(late.err.contains("has ended or was closed"), "{}", late.err);
}
