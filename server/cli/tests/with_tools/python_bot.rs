//! The Python bots, as processes beside a server.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::v1::{
    AttendanceState, CreateMatchRequest, CreateQueueRequest, DeleteQueueRequest, Queue,
    SeatReservation, WatchMatchRequest, WatchQueueRequest,
    lobby_service_client::LobbyServiceClient,
};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use tokio::{runtime::Runtime, time::timeout};

use crate::{
    certificates::Authority,
    kit::{
        calls::{PATIENT_CLOCK, config, create_request},
        program::{Background, PATIENCE, Ran, bridgemaster, clean, succeed},
        results::read_json,
        served::Served,
    },
    must_succeed,
    tool::{PYTHON, workspace},
};

/// Runs the unit tests of the current folder.
pub(crate) const UNIT_TESTS: [&str; 7] =
    ["-m", "unittest", "discover", "--start-directory", "tests", "--top-level-directory", "."];

/// Clocks that do not run out on a loaded machine.
const PATIENT: &str = "--time-control 600/600";

/// A bot that is only a function.
const FUNCTION_BOT: &str = "
import bridgemaster

def decide(request):
    return 0

bridgemaster.run(decide, bridgemaster.Options(name='ada', version='3'))
";

/// Requests a copy of a position that the session does not have, which must be refused in the
/// response.
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

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let trial = |name: &str, test: fn(&Path) -> Result<(), Failed>| {
        Trial::ignorable_test(format!("python_bot::{name}"), move || PYTHON.with(test))
    };
    [
        // Each bot plays a match of every game with every number of seats.
        trial("sample_passes_every_check", |python| passes_every_check(python, "sample")),
        trial("random_passes_every_check", |python| passes_every_check(python, "random")),
        trial("search_plays_with_rules_at_a_socket", search_plays_with_rules_at_a_socket),
        trial("plays_over_tls_with_a_key", plays_over_tls_with_a_key),
        trial("attends_a_queue_with_two_slots", attends_a_queue_with_two_slots),
        trial("its_own_tests_pass", |python| {
            must_succeed(
                Command::new(python).args(UNIT_TESTS).current_dir(workspace().join("bots/python")),
            )
        }),
    ]
    .into_iter()
}

/// Returns the file of a bot's program.
fn program(bot: &str) -> PathBuf {
    workspace().join(format!("bots/python/{bot}_bot.py"))
}

fn passes_every_check(python: &Path, bot: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let report = folder.path().join("report.json");
    // The checks share the machine with other tests.
    let flags = "check-bot --attend --time-limit 4 --json";
    let bot_words = format!("{} {}", python.display(), program(bot).display());
    succeed(format!("{flags} {} -- {bot_words}", report.display()));
    let report = read_json(report);
    assert_eq!(report["bot"]["name"], format!("python-{bot}"));
    let checks = report["checks"].as_array().ok_or("there are no checks")?;
    let passed = checks.iter().filter(|check| check["outcome"] == "passed");
    assert_eq!(passed.count(), checks.len(), "{report:#}");
    Ok(())
}

/// Creates a match of two seats, and returns its tickets.
fn create(server: &Served, game: &str, flags: &str, key: &str) -> Vec<String> {
    let line = format!("match create --server {} --game {game}", server.url);
    let mut command = bridgemaster(format!("{line} --seats 2 --json {PATIENT} {flags}"));
    if !key.is_empty() {
        command.env("BRIDGEMASTER_KEY", key);
    }
    let made = Ran::from(command.output().unwrap()).exits(0);
    let made: Value = serde_json::from_str(&made.out).unwrap();
    let tickets = made["tickets"].as_array().unwrap().iter();
    let tickets = tickets.map(|seat| seat["ticket"].as_str().unwrap().to_owned());
    tickets.collect()
}

/// Returns a bot's process, without the developer's own settings in its environment.
fn bot<const N: usize>(python: &Path, arguments: [&OsStr; N]) -> Command {
    let mut command = Command::new(python);
    clean(command.args(arguments));
    command
}

/// Starts a bot for a ticket.
fn start(command: &mut Command, server: &Served, ticket: &str) -> Background {
    Background::spawn(
        command.env("BRIDGEMASTER_SERVER", &server.url).env("BRIDGEMASTER_TICKET", ticket),
    )
}

/// The bot calls the rules at a Unix socket, for which grpcio sends an authority that HTTP/2
/// servers may refuse. A debug build is slow, so only one game is played.
fn search_plays_with_rules_at_a_socket(python: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("rules.sock");
    let mut rules = Background::start(format!("serve rules --socket {}", socket.display()));
    rules.line("rules.sock");
    let asked = bot(python, ["-c".as_ref(), ASKS_AT_A_SOCKET.as_ref(), socket.as_os_str()])
        .current_dir(workspace().join("bots/python"))
        .output()?;
    let asked = Ran::from(asked);
    assert!(asked.out.starts_with("refused: "), "{}", asked.err);

    let server = Served::start("");
    let tickets = create(&server, GAME_IDS[0], "", "");
    let search = program("search");
    let mut search = bot(python, [search.as_os_str(), "--playouts".as_ref(), "1".as_ref()]);
    search.env("BRIDGEMASTER_RULES", format!("unix:{}", socket.display()));
    let search = start(&mut search, &server, &tickets[0]);
    let other = start(&mut bridgemaster("bot random"), &server, &tickets[1]);
    search.ended().exits(0);
    other.ended().exits(0);
    let listed = succeed(format!("match list --server {} --json", server.url));
    let listed: Value = serde_json::from_str(&listed)?;
    let seats = &listed["matches"][0]["result"]["seats"];
    assert_eq!(seats[0]["botName"], "python-search", "{listed}");
    for seat in seats.as_array().ok_or("the match is not over")? {
        assert!(seat["faultCount"].is_null(), "{seat}");
    }
    Ok(())
}

/// Plays only with Python bots, on a server that requires keys and client certificates.
fn plays_over_tls_with_a_key(python: &Path) -> Result<(), Failed> {
    let (authority, clients) = (Authority::new(), Authority::new());
    let (own, client) = (authority.certify("server"), clients.certify("client"));
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data").display().to_string();
    let key = succeed(format!("key add wherryman --scope create --scope play --data {data}"));
    let (cert, cert_key) = (own.cert.display(), own.key.display());
    let server = Served::start(format!(
        "--require-keys --data {data} --tls-cert {cert} --tls-key {cert_key} --tls-client-ca {}",
        clients.ca().display()
    ));
    let (ca, cert, cert_key) = (authority.ca(), &client.cert, &client.key);
    let flags = format!(
        "--ca {} --client-cert {} --client-key {}",
        ca.display(),
        cert.display(),
        cert_key.display()
    );
    let tickets = create(&server, GAME_IDS[0], &flags, key.trim());
    let bots = tickets.iter().map(|ticket| {
        let mut command = bot(python, [program("random").as_os_str()]);
        command
            .env("BRIDGEMASTER_KEY", key.trim())
            .env("BRIDGEMASTER_CA", &ca)
            .env("BRIDGEMASTER_CLIENT_CERT", cert)
            .env("BRIDGEMASTER_CLIENT_KEY", cert_key);
        start(&mut command, &server, ticket)
    });
    for bot in bots.collect::<Vec<_>>() {
        bot.ended().prints(0, &["is over"]);
    }
    Ok(())
}

/// The bot plays both seats of a match, twice, so it needs two slots at once.
fn attends_a_queue_with_two_slots(python: &Path) -> Result<(), Failed> {
    let server = Served::start("");
    let bot = Runtime::new()?.block_on(async {
        let mut lobby = LobbyServiceClient::new(server.channel().await);
        let queue_id = "cup".to_owned();
        let queue = Some(Queue { queue_id: queue_id.clone(), ..Queue::default() });
        lobby.create_queue(CreateQueueRequest { queue }).await?;
        let mut bot = bot(python, ["-c".as_ref(), FUNCTION_BOT.as_ref()]);
        bot.env("BRIDGEMASTER_SERVER", &server.url)
            .env("BRIDGEMASTER_QUEUE", "cup")
            .env("BRIDGEMASTER_SLOTS", "2");
        let bot = Background::spawn(&mut bot);
        let watch = WatchQueueRequest { queue_id: queue_id.clone() };
        let mut watched = lobby.watch_queue(watch).await?.into_inner();
        let mut matches = server.matches().await;
        for _ in 0..2 {
            loop {
                let update = timeout(PATIENCE, watched.message()).await??;
                let update = update.ok_or("the queue exists")?;
                let bot = update.attendance.ok_or("the update has an attendance")?;
                if bot.state() == AttendanceState::Active && bot.slots_used == 0 {
                    break;
                }
            }
            let seats = (0..2).map(|seat| SeatReservation {
                seat,
                key_name: "ada".to_owned(),
                queue_id: queue_id.clone(),
            });
            let request = CreateMatchRequest {
                seat_reservations: seats.collect(),
                ..create_request(config(GAME_IDS[0], 2, PATIENT_CLOCK))
            };
            let made = matches.create_match(request).await?.into_inner();
            let match_id = made.r#match.ok_or("a match")?.match_id;
            let follow = WatchMatchRequest { match_id };
            let mut updates = matches.watch_match(follow).await?.into_inner();
            let mut result = None;
            while let Some(update) = timeout(PATIENCE, updates.message()).await?? {
                result = update.r#match.and_then(|info| info.result);
            }
            for seat in result.ok_or("the match has no result")?.seats {
                assert_eq!((&*seat.bot_name, &*seat.bot_version), ("ada", "3"));
                assert_eq!(seat.fault_count, 0, "{seat:?}");
            }
        }
        lobby.delete_queue(DeleteQueueRequest { queue_id }).await?;
        Ok::<_, Failed>(bot)
    })?;
    // The contest has closed the queue.
    bot.ended().exits(0);
    Ok(())
}
