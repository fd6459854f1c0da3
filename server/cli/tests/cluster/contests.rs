//! Contests on several servers.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use bridgemaster_proto::v1::{ListQueuesRequest, lobby_service_client::LobbyServiceClient};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::{Duration, sleep, timeout};
use tonic::transport::Endpoint;

use crate::{nodes::Cluster, served::PATIENCE};

/// Pause between two looks at the results.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Enough that some are left when a server is killed after the first few.
const MANY_ROUNDS: &str = "8";
/// Matches after which it is killed.
const FEW: usize = 3;

/// A process that is killed when its test fails.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(piped.stdin(Stdio::null()).spawn().unwrap())
    }

    fn is_over(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Waits for its end, which must be a good one.
    async fn ends(mut self) {
        let ended = async {
            while !self.is_over() {
                sleep(LOOK_AGAIN).await;
            }
        };
        timeout(2 * PATIENCE, ended).await.expect("it ends");
        let read = |pipe: Option<&mut dyn std::io::Read>| {
            let mut text = String::new();
            pipe.unwrap().read_to_string(&mut text).unwrap();
            text
        };
        let out = read(self.0.stdout.as_mut().map(|out| out as _));
        let err = read(self.0.stderr.as_mut().map(|err| err as _));
        let code = self.0.wait().unwrap().code();
        assert_eq!(code, Some(0), "{out}{err}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn bridgemaster<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

/// A contest of short matches at these servers.
fn contest(server: &str, rounds: &str, bots: [&str; 2], folder: &TempDir) -> Command {
    let flags = ["contest", "--game", "bridges_to_nowhere"];
    let format = ["--format", "round-robin", "--rounds", rounds];
    let bots = bots.into_iter().flat_map(|bot| ["--bot", bot]);
    let at = ["--server", server, "--concurrency", "2"];
    let lag = ["--referee-lag-limit-ms", "60000"];
    let flags = flags.into_iter().chain(format).chain(bots);
    let mut command = bridgemaster(flags.chain(at).chain(lag));
    command.arg("--folder").arg(folder.path().join("contest"));
    command
}

/// Rows of the finished matches.
fn rows(folder: &TempDir) -> Vec<Value> {
    let path: &Path = &folder.path().join("contest/results.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    // The last line may be half written.
    let rows = text
        .lines()
        .map_while(|line| serde_json::from_str(line).ok());
    rows.collect()
}

/// Waits until the server that leads has the queue of a contest.
async fn is_open(queue_id: &str, leader: &str) {
    let endpoint = Endpoint::from_shared(leader.to_owned()).unwrap();
    let channel = endpoint.connect().await.unwrap();
    let opened = async {
        loop {
            let mut lobby = LobbyServiceClient::new(channel.clone());
            let listed = lobby.list_queues(ListQueuesRequest::default());
            let queues = listed.await.unwrap().into_inner().queues;
            if queues.iter().any(|queue| queue.queue_id == queue_id) {
                return;
            }
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, opened).await.expect("it is opened");
}

pub(crate) async fn a_queue_of_a_contest_is_at_the_leader_whichever_server_is_named() {
    let Cluster {
        one, two, three, ..
    } = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let bots = ["here=random", "far=@greedy"];
    let mut command = contest(&two.url, "2", bots, &folder);
    let contest = Running::start(command.args(["--queue", "cup"]));
    is_open("cup", &one.url).await;
    let mut attend = bridgemaster(["bot", "greedy", "--queue", "cup"]);
    let far = Running::start(attend.env("BRIDGEMASTER_SERVER", &three.url));
    contest.ends().await;
    far.ends().await;
    let rows = rows(&folder);
    assert!(!rows.is_empty());
    for row in rows {
        for seat in row["row"]["seats"].as_array().unwrap() {
            let how = if seat["bot"] == 0 { "done" } else { "attended" };
            assert_eq!(seat["end"]["how"], how, "{seat}");
        }
    }
}

pub(crate) async fn a_contest_goes_on_when_its_server_is_killed() {
    let Cluster {
        one, two, three, ..
    } = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let servers = [&*one.url, &*two.url, &*three.url].join(",");
    let bots = ["a=random", "b=random"];
    let mut contest = Running::start(&mut contest(&servers, MANY_ROUNDS, bots, &folder));
    let begun = async {
        while rows(&folder).len() < FEW {
            assert!(!contest.is_over(), "it plays");
            sleep(LOOK_AGAIN).await;
        }
    };
    timeout(PATIENCE, begun).await.expect("matches are played");
    one.kill();
    assert!(!contest.is_over(), "matches are left");
    contest.ends().await;
    for row in rows(&folder) {
        for seat in row["row"]["seats"].as_array().unwrap() {
            assert_eq!(seat["end"]["how"], "done", "{seat}");
        }
    }
}
