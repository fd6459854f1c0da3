//! The Python bots play whole matches.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use bridgemaster_bot_process::BotCommand;
use bridgemaster_bots::Random;
use bridgemaster_check_bot::{Check, Plan, check_bot};
use bridgemaster_games::{GAME_IDS, Seed, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        AttendanceState, ClockRules, CreateMatchRequest, CreateQueueRequest, DeleteQueueRequest,
        GameConfig, MatchConfig, MatchResult, Queue, SeatReservation, SeatTicket, TimeControl,
        WatchMatchRequest, WatchQueueRequest, lobby_service_client::LobbyServiceClient,
        match_service_client::MatchServiceClient,
    },
};
use bridgemaster_sdk::{KEY_METADATA, Options, TlsOptions, endpoint, play};
use bridgemaster_server::{
    RulesServer, Server, ServerOptions, Tls, TlsFiles,
    identity::{ApiKey, KeyScope},
};
use bridgemaster_store::{KeyName, KeyStore as _, MemoryStore, NewKey};
use libtest_mimic::{Failed, Trial};
use tokio::{net::TcpListener, runtime::Runtime, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    certificates::Authority,
    must_succeed,
    tool::{PYTHON, workspace},
};

/// Longest time for a match, the start of Python included; it takes a second or two.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the unit tests of the current folder.
pub(crate) const UNIT_TESTS: [&str; 7] = [
    "-m",
    "unittest",
    "discover",
    "--start-directory",
    "tests",
    "--top-level-directory",
    ".",
];

/// Time in the bank and for one decision: only [`PATIENCE`] counts.
const MATCH_MS: u32 = 600_000;

/// The checks share the machine with whole matches of other Python bots.
const TIME_FACTOR: f64 = 4.0;

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let bots = GAME_IDS
        .iter()
        .flat_map(|game| [("sample", *game), ("random", *game)]);
    let matches = bots.flat_map(|(bot, game)| {
        let counts = with_game!(game, G => G::SEATS);
        counts.into_iter().flatten().map(move |seats| {
            let name = format!("python_bot::{bot}_plays_a_whole_match_of_{game}_at_{seats}_seats");
            Trial::ignorable_test(name, move || {
                PYTHON.with(|python| plays_a_whole_match(python, bot, game, seats.into()))
            })
        })
    });
    // It is slow in a debug build. In this game it plays out greedily.
    let search = Trial::ignorable_test("python_bot::search_plays_a_whole_match", || {
        PYTHON.with(|python| plays_a_whole_match(python, "search", GAME_IDS[0], 2))
    });
    let at_a_socket = Trial::ignorable_test("python_bot::search_reaches_rules_at_a_socket", || {
        PYTHON.with(search_reaches_rules_at_a_socket)
    });
    let own_tests = Trial::ignorable_test("python_bot::its_own_tests_pass", || {
        PYTHON.with(|python| {
            must_succeed(
                Command::new(python)
                    .args(UNIT_TESTS)
                    .current_dir(workspace().join("bots/python")),
            )
        })
    });
    let locked = Trial::ignorable_test("python_bot::plays_over_tls_with_a_key", || {
        PYTHON.with(plays_over_tls_with_a_key)
    });
    let attends = Trial::ignorable_test("python_bot::attends_a_queue_with_two_slots", || {
        PYTHON.with(attends_a_queue_with_two_slots)
    });
    let checks = ["sample", "random"].into_iter().map(|bot| {
        let name = format!("python_bot::{bot}_passes_every_check");
        Trial::ignorable_test(name, move || {
            PYTHON.with(|python| passes_every_check(python, bot))
        })
    });
    matches
        .chain([search, at_a_socket, own_tests, locked, attends])
        .chain(checks)
}

/// The file of a bot's program.
fn program(bot: &str) -> PathBuf {
    workspace().join(format!("bots/python/{bot}_bot.py"))
}

/// Runs all checks with one game. Other tests play whole matches of the other games.
fn passes_every_check(python: &Path, bot: &str) -> Result<(), Failed> {
    let plan = Plan {
        command: BotCommand::new(python).with([program(bot)]),
        games: vec![GAME_IDS[0].to_owned()],
        only: Vec::new(),
        attends: true,
        time_factor: TIME_FACTOR,
    };
    let report = Runtime::new()?.block_on(check_bot(plan, |_| {}))?;
    assert_eq!(report.bot.name, format!("python-{bot}"));
    assert!(report.checks.len() >= Check::ALL.len(), "{report:#?}");
    match report.passed() == report.checks.len() {
        true => Ok(()),
        false => Err(format!("{report:#?}").into()),
    }
}

/// Seats the Python bot last, and random bots before it, each match on a separate server.
fn plays_a_whole_match(python: &Path, bot: &str, game: &str, seats: u32) -> Result<(), Failed> {
    let config = with_game!(game, G => G::config_to_wire(&Default::default()))
        .ok_or("a game of the catalogue")?;
    let result = Runtime::new()?.block_on(async {
        let addr = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind(addr, ServerOptions::default()).await?;
        let url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        let stop_at_end = stop.clone().drop_guard();
        let rules_url = match bot {
            "search" => serve_rules(stop.clone()).await?,
            _ => String::new(),
        };
        tokio::spawn(server.run(stop));

        let mut tickets = create_match(&url, config, seats).await?;
        let python_ticket = tickets.pop().ok_or("a match has seats")?;
        let opponents: Vec<_> = tickets
            .iter()
            .map(|seat| {
                let options = Options::new(&url, seat.ticket.parse().unwrap(), "random");
                tokio::spawn(play(Random::new(&Seed::from(u64::from(seat.seat))), options))
            })
            .collect();
        let process = tokio::process::Command::new(python)
            .arg(program(bot))
            .args(match bot {
                "search" => ["--playouts", "1"],
                _ => ["--seed", "1"],
            })
            .env("BRIDGEMASTER_RULES", &rules_url)
            .env("BRIDGEMASTER_SERVER", &url)
            .env("BRIDGEMASTER_TICKET", &python_ticket.ticket)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = timeout(PATIENCE, process).await.map_err(|_| "the Python bot hangs")??;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(Failed::from(format!(
                "the Python bot ended with {}; if the .proto files have changed, run `{}`\n{stderr}",
                output.status, PYTHON.install
            )));
        }
        let mut results = Vec::new();
        for opponent in opponents {
            results.push(timeout(PATIENCE, opponent).await???);
        }
        drop(stop_at_end);
        Ok(results.swap_remove(0))
    })?;
    check_result(&result, bot, seats);
    Ok(())
}

/// Starts a rules server as for a single bot, and returns its address. A match server's rules calls
/// have low priority, so they would wait as long as other tests keep the cores busy.
async fn serve_rules(stop: CancellationToken) -> Result<String, Failed> {
    let rules = RulesServer::new(1)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(rules.run(listener, stop));
    Ok(url)
}

/// Asks for a copy of a position that the session has not: the answer says so.
const ASKS_AT_A_SOCKET: &str = "
import sys
from bridgemaster.v1.rules_service_pb2 import RulesOperation
from search_bot import rules_at

with rules_at('unix:' + sys.argv[1]) as rules:
    try:
        rules.run([RulesOperation(position_number=0, copy_from_number=5)])
    except RuntimeError as refused:
        print('refused:', refused)
";

/// grpcio names the path of a socket in a way that servers of HTTP/2 do not take.
fn search_reaches_rules_at_a_socket(python: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("rules.sock");
    let mut rules = Command::new(env!("CARGO_BIN_EXE_bridgemaster"))
        .args(["serve", "rules"])
        .arg("--socket")
        .arg(&socket)
        .stdout(Stdio::piped())
        .spawn()?;
    // It prints its address once it listens.
    let mut line = String::new();
    let output = rules.stdout.take().ok_or("it has an output")?;
    BufReader::new(output).read_line(&mut line)?;
    let asked = Command::new(python)
        .args(["-c", ASKS_AT_A_SOCKET])
        .arg(&socket)
        .current_dir(workspace().join("bots/python"))
        .output();
    rules.kill()?;
    rules.wait()?;
    let asked = asked?;
    let said = String::from_utf8_lossy(&asked.stdout);
    match said.starts_with("refused: ") {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&asked.stderr).into_owned().into()),
    }
}

/// A bot that is only a function.
const FUNCTION_BOT: &str = "
import bridgemaster

def decide(request):
    return 0

bridgemaster.run(decide, bridgemaster.Options(name='ada', version='3'))
";

/// Offers a bot two seats of one match, which it plays at once, and then two more.
fn attends_a_queue_with_two_slots(python: &Path) -> Result<(), Failed> {
    let game = GAME_IDS.first().copied().ok_or("there is a game")?;
    let config = with_game!(game, G => G::config_to_wire(&Default::default()));
    let config = config.ok_or("a game of the catalogue")?;
    Runtime::new()?.block_on(async {
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), ServerOptions::default()).await?;
        let url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        let _stop_at_end = stop.clone().drop_guard();
        tokio::spawn(server.run(stop));
        let channel = endpoint(&url, &TlsOptions::default())?.connect().await?;
        let mut lobby = LobbyServiceClient::new(channel.clone());
        let queue = Queue {
            queue_id: "cup".to_owned(),
            ..Queue::default()
        };
        let open = CreateQueueRequest { queue: Some(queue) };
        lobby.create_queue(open).await?;
        let process = tokio::process::Command::new(python)
            .args(["-c", FUNCTION_BOT])
            .env("BRIDGEMASTER_SERVER", &url)
            .env("BRIDGEMASTER_QUEUE", "cup")
            .env("BRIDGEMASTER_SLOTS", "2")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let process = tokio::spawn(process);
        let watch = WatchQueueRequest {
            queue_id: "cup".to_owned(),
        };
        let mut watch = lobby.watch_queue(watch).await?.into_inner();
        let mut matches = MatchServiceClient::new(channel);
        for _ in 0..2 {
            loop {
                let news = timeout(PATIENCE, watch.message())
                    .await??
                    .ok_or("the queue is there")?;
                let bot = news.attendance.ok_or("news are of an attendance")?;
                if bot.state() == AttendanceState::Active && bot.slots_used == 0 {
                    break;
                }
            }
            let seats = (0..2).map(|seat| SeatReservation {
                seat,
                key_name: "ada".to_owned(),
                queue_id: "cup".to_owned(),
            });
            let request = CreateMatchRequest {
                config: Some(MatchConfig {
                    game: Some(config.clone()),
                    seats: 2,
                    ..MatchConfig::default()
                }),
                seat_reservations: seats.collect(),
                ..CreateMatchRequest::default()
            };
            let made = matches.create_match(request).await?.into_inner();
            let match_id = made.r#match.ok_or("a match")?.match_id;
            let follow = WatchMatchRequest { match_id };
            let mut news = matches.watch_match(follow).await?.into_inner();
            let mut result = None;
            while let Some(message) = timeout(PATIENCE, news.message()).await?? {
                result = message.r#match.and_then(|info| info.result);
            }
            for seat in result.ok_or("the match ends")?.seats {
                assert_eq!((&*seat.bot_name, &*seat.bot_version), ("ada", "3"));
                assert_eq!(seat.fault_count, 0, "{seat:?}");
            }
        }
        let close = DeleteQueueRequest {
            queue_id: "cup".to_owned(),
        };
        lobby.delete_queue(close).await?;
        let output = timeout(PATIENCE, process).await???;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
        }
    })
}

/// Seats Python bots alone, on a server that asks for keys and for client certificates.
fn plays_over_tls_with_a_key(python: &Path) -> Result<(), Failed> {
    let game = GAME_IDS.first().copied().ok_or("there is a game")?;
    let config = with_game!(game, G => G::config_to_wire(&Default::default()))
        .ok_or("a game of the catalogue")?;
    let (authority, clients) = (Authority::new(), Authority::new());
    let (own, client) = (authority.certify("server"), clients.certify("client"));
    Runtime::new()?.block_on(async {
        let (keys, key) = (Arc::new(MemoryStore::new()), ApiKey::generate());
        let new = NewKey {
            id: key.id().clone(),
            name: KeyName::new("wherryman").unwrap(),
            owner: None,
            scopes: [KeyScope::Create, KeyScope::Play]
                .map(KeyScope::to_scope)
                .into(),
            secret_hash: key.secret_hash(),
            created_at_unix_ms: 0,
            expires_at_unix_ms: None,
        };
        keys.add_key(new).await?;
        let files = TlsFiles {
            cert: own.cert,
            key: own.key,
            client_ca: Some(clients.ca()),
        };
        let options = ServerOptions {
            keys: Some(keys),
            tls: Some(Arc::new(Tls::load(files)?)),
            ..ServerOptions::default()
        };
        let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await?;
        let url = format!("https://{}", server.local_addr());
        let stop = CancellationToken::new();
        let _stop_at_end = stop.clone().drop_guard();
        tokio::spawn(server.run(stop));

        let tls = TlsOptions {
            ca: Some(authority.ca()),
            client_cert: Some(client.cert.clone()),
            client_key: Some(client.key.clone()),
        };
        let channel = endpoint(&url, &tls)?.connect().await?;
        let mut request = tonic::Request::new(CreateMatchRequest {
            config: Some(MatchConfig {
                game: Some(config),
                seats: 2,
                ..MatchConfig::default()
            }),
            ..CreateMatchRequest::default()
        });
        let metadata = request.metadata_mut();
        metadata.insert(KEY_METADATA, key.reveal().parse()?);
        let created = MatchServiceClient::new(channel)
            .create_match(request)
            .await?;
        let bots = created.into_inner().tickets.into_iter().map(|seat| {
            tokio::process::Command::new(python)
                .arg(program("random"))
                .env("BRIDGEMASTER_SERVER", &url)
                .env("BRIDGEMASTER_TICKET", seat.ticket)
                .env("BRIDGEMASTER_KEY", key.reveal())
                .env("BRIDGEMASTER_CA", authority.ca())
                .env("BRIDGEMASTER_CLIENT_CERT", &client.cert)
                .env("BRIDGEMASTER_CLIENT_KEY", &client.key)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .kill_on_drop(true)
                .spawn()
        });
        for bot in bots.collect::<Result<Vec<_>, _>>()? {
            let output = timeout(PATIENCE, bot.wait_with_output()).await??;
            let said = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() || !said.contains("is over") {
                return Err(Failed::from(format!("{}: {said}", output.status)));
            }
        }
        Ok(())
    })
}

async fn create_match(url: &str, game: GameConfig, seats: u32) -> Result<Vec<SeatTicket>, Failed> {
    let config = MatchConfig {
        game: Some(game),
        seats,
        seed: Some("python".to_owned()),
        // A search may take long on a loaded machine.
        clock: Some(ClockRules {
            time_control: Some(TimeControl::fischer(MATCH_MS, 0, MATCH_MS)),
            ..ClockRules::default()
        }),
        ..MatchConfig::default()
    };
    let request = CreateMatchRequest {
        config: Some(config),
        ..CreateMatchRequest::default()
    };
    let endpoint = tonic::transport::Endpoint::from_shared(url.to_owned())?;
    let mut client = MatchServiceClient::new(endpoint.connect().await?);
    Ok(client.create_match(request).await?.into_inner().tickets)
}

fn check_result(result: &MatchResult, bot: &str, seats: u32) {
    assert_eq!(result.seats.len(), seats as usize);
    for seat in &result.seats {
        let name = if seat.seat + 1 == seats {
            format!("python-{bot}")
        } else {
            "random".to_owned()
        };
        assert_eq!(seat.bot_name, name);
        assert_eq!((seat.fault_count, seat.house_decisions), (0, 0), "{seat:?}");
        assert!(seat.clock_use.unwrap().answered > 0, "{seat:?}");
    }
}
