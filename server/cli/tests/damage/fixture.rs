//! The folders that are damaged, and what is in them.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bridgemaster_bots::Random;
use bridgemaster_games::{GAME_IDS, Seed, with_game};
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{ClockRules, CreateMatchRequest, MatchConfig, match_service_client::MatchServiceClient},
};
use bridgemaster_sdk::{Bot, Choice, Options, Request};
use bridgemaster_server::identity::{ApiKey, KEY_METADATA, KeyScope};
use bridgemaster_store::{DataDir, KeyName, KeyStore as _, NewKey, SqliteKeys};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    answers::Answers,
    files::copy_folder,
    served::{Folders, Served},
};

/// Decisions of a bot after which it is silent, in matches that stay in play.
const DECISIONS: u32 = 6;
/// Longest wait for bots.
const PATIENCE: Duration = Duration::from_secs(120);

/// The keys of the fixture, and what each allows.
const KEYS: &[(&str, &[KeyScope])] = &[
    ("reader", &[KeyScope::Read, KeyScope::Create]),
    ("other reader", &[KeyScope::Read]),
    ("north", &[KeyScope::Play]),
    ("south", &[KeyScope::Play]),
    ("outsider", &[KeyScope::Play, KeyScope::Create]),
    ("revoked", &[KeyScope::Read]),
];
/// Whose bots play, in seat order.
const BOTS: [&str; 2] = ["north", "south"];

/// Identifiers to request.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) finished: Vec<String>,
    pub(crate) in_play: Vec<String>,
    /// A seat of each match in play: its ticket and the key of its bot.
    pub(crate) seats: Vec<(String, &'static str)>,
    /// The texts of keys, by their names.
    pub(crate) keys: BTreeMap<&'static str, String>,
}

impl Known {
    /// Identifiers of keys, by their names; they are no secrets.
    pub(crate) fn key_id(&self, name: &str) -> String {
        let key: ApiKey = self.keys[name].parse().unwrap();
        key.id().to_string()
    }
}

/// An undamaged folder and what its server answers.
pub(crate) struct Base {
    pub(crate) name: &'static str,
    pub(crate) folders: Folders,
    pub(crate) truth: Answers,
}

/// Everything that is made before the first damage.
pub(crate) struct Fixture {
    pub(crate) known: Known,
    /// As a server leaves it that is killed, and that stops.
    pub(crate) bases: [Base; 2],
    /// The folder before the last matches.
    pub(crate) earlier: Folders,
    /// The folder of another server.
    pub(crate) other: Folders,
    _place: TempDir,
}

impl Fixture {
    pub(crate) fn make() -> Self {
        let place = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let at = |name: &str| Folders::in_folder(&made(&place.path().join(name)));
        let [working, earlier, killed, stopped, other] =
            ["working", "earlier", "killed", "stopped", "other"].map(at);
        let mut known = Known {
            keys: runtime.block_on(make_keys(&working)),
            ..Known::default()
        };

        let server = working.serve().unwrap();
        for number in 0..3 {
            let id = runtime.block_on(finish_match(&server, &known, number));
            known.finished.push(id);
        }
        server.stop();
        copy(&working, &earlier);

        let server = working.serve().unwrap();
        for number in 3..5 {
            let id = runtime.block_on(finish_match(&server, &known, number));
            known.finished.push(id);
        }
        let mut bots = Vec::new();
        for number in 5..8 {
            let (playing, release) = runtime.block_on(begin_match(&server, &known, number));
            known.in_play.push(playing.id);
            known.seats.push((
                playing.tickets[playing.silent].clone(),
                BOTS[playing.silent],
            ));
            bots.push(release);
        }
        drop(server);
        // The bots see that it is gone.
        drop(bots);
        copy(&working, &killed);
        working.serve().unwrap().stop();
        copy(&working, &stopped);

        let others = Known {
            keys: runtime.block_on(make_keys(&other)),
            ..Known::default()
        };
        let server = other.serve().unwrap();
        runtime.block_on(finish_match(&server, &others, 8));
        server.stop();
        runtime.shutdown_timeout(Duration::from_secs(1));

        let base = |name, folders: Folders| Base {
            name,
            truth: truth(&place.path().join("asked"), &folders, &known),
            folders,
        };
        Self {
            bases: [base("killed", killed), base("stopped", stopped)],
            known,
            earlier,
            other,
            _place: place,
        }
    }
}

/// The answers of a server over a copy: the same, whenever they are asked.
fn truth(place: &Path, folders: &Folders, known: &Known) -> Answers {
    let ask = |number: u32| {
        let copied = Folders::in_folder(&made(&place.join(format!("{number}"))));
        copy(folders, &copied);
        let server = copied.serve().unwrap();
        let answers = Answers::of(&server, known);
        drop(server);
        std::fs::remove_dir_all(place).unwrap();
        answers
    };
    let (answers, again) = (ask(0), ask(1));
    assert_eq!(
        answers, again,
        "answers do not hang on anything but the folder"
    );
    answers
}

fn made(folder: &Path) -> std::path::PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    folder.to_owned()
}

fn copy(from: &Folders, to: &Folders) {
    copy_folder(&from.data, &to.data).unwrap();
    copy_folder(&from.replays, &to.replays).unwrap();
}

async fn make_keys(folders: &Folders) -> BTreeMap<&'static str, String> {
    let keys = SqliteKeys::open(&DataDir::prepare(&folders.data).unwrap())
        .await
        .unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now_unix_ms = i64::try_from(now.as_millis()).unwrap();
    let mut texts = BTreeMap::new();
    for (name, scopes) in KEYS {
        let key = ApiKey::generate();
        let new = NewKey {
            id: key.id().clone(),
            name: KeyName::new(*name).unwrap(),
            owner: None,
            scopes: scopes.iter().map(|scope| scope.to_scope()).collect(),
            secret_hash: key.secret_hash(),
            created_at_unix_ms: now_unix_ms,
            expires_at_unix_ms: None,
        };
        keys.add_key(new).await.unwrap();
        texts.insert(*name, key.reveal());
    }
    let revoked: ApiKey = texts["revoked"].parse().unwrap();
    keys.revoke_key(revoked.id(), now_unix_ms).await.unwrap();
    texts
}

/// A match that is made, with its tickets in seat order.
struct Made {
    id: String,
    tickets: Vec<String>,
}

async fn create(server: &Served, known: &Known, number: usize) -> Made {
    let game = GAME_IDS[number % GAME_IDS.len()];
    let config = MatchConfig {
        game: with_game!(game, G => G::config_to_wire(&Default::default())),
        seats: 2,
        seed: Some(format!("damage-{number}")),
        // No clock runs out on a loaded machine.
        clock: Some(ClockRules {
            bank_ms: Some(36_000_000),
            cap_ms: Some(36_000_000),
            startup_ms: Some(3_600_000),
            reconnect_ms: Some(3_600_000),
            ..ClockRules::default()
        }),
        ..MatchConfig::default()
    };
    let endpoint = tonic::transport::Endpoint::from_shared(server.url.clone()).unwrap();
    let mut matches = MatchServiceClient::new(endpoint.connect().await.unwrap());
    let mut request = tonic::Request::new(CreateMatchRequest {
        config: Some(config),
        ..CreateMatchRequest::default()
    });
    let key = known.keys["reader"].parse().unwrap();
    request.metadata_mut().insert(KEY_METADATA, key);
    let made = matches.create_match(request).await.unwrap().into_inner();
    Made {
        id: made.r#match.unwrap().match_id,
        tickets: made.tickets.into_iter().map(|t| t.ticket).collect(),
    }
}

fn options(server: &Served, known: &Known, made: &Made, seat: usize) -> Options {
    Options {
        key: Some(known.keys[BOTS[seat]].parse().unwrap()),
        reconnect_for: Duration::ZERO,
        ..Options::new(&server.url, made.tickets[seat].parse().unwrap(), BOTS[seat])
    }
}

/// Plays a whole match.
async fn finish_match(server: &Served, known: &Known, number: usize) -> String {
    let made = create(server, known, number).await;
    let bots = [0, 1].map(|seat| {
        let bot = Random::new(&Seed::from(seat as u64 + 1));
        let options = options(server, known, &made, seat);
        tokio::spawn(bridgemaster_sdk::play(bot, options))
    });
    for bot in bots {
        let played = tokio::time::timeout(PATIENCE, bot).await;
        played.expect("matches end").unwrap().unwrap();
    }
    made.id
}

/// A match in which one seat owes a decision.
struct Playing {
    id: String,
    tickets: Vec<String>,
    silent: usize,
}

/// A bot that decides no more after some decisions, and says so.
struct Silent {
    bot: Random,
    left: u32,
    seat: usize,
    silent: Sender<usize>,
    released: Arc<Mutex<Receiver<()>>>,
}

impl Bot for Silent {
    fn decide(&mut self, request: &Request) -> Choice {
        if self.left == 0 {
            // The test may wait for the other seat alone.
            let _ = self.silent.send(self.seat);
            let _ = self.released.lock().unwrap().recv();
            return Choice::Index(0);
        }
        self.left -= 1;
        self.bot.decide(request)
    }
}

/// Begins a match, whose bots are silent until the sender is dropped.
async fn begin_match(server: &Served, known: &Known, number: usize) -> (Playing, Sender<()>) {
    let made = create(server, known, number).await;
    let (release, released) = channel();
    let released = Arc::new(Mutex::new(released));
    let (silent, heard) = channel();
    for seat in [0, 1] {
        let bot = Silent {
            bot: Random::new(&Seed::from(seat as u64 + 1)),
            left: DECISIONS,
            seat,
            silent: silent.clone(),
            released: Arc::clone(&released),
        };
        let options = options(server, known, &made, seat);
        tokio::spawn(bridgemaster_sdk::play(bot, options));
    }
    let silent = tokio::task::spawn_blocking(move || heard.recv_timeout(PATIENCE));
    let silent = silent.await.unwrap().expect("bots decide");
    let playing = Playing {
        id: made.id,
        tickets: made.tickets,
        silent,
    };
    (playing, release)
}
