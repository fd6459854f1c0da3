//! The folders that are damaged, and their contents.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bridgemaster_bots::Random;
use bridgemaster_games::{GAME_IDS, Seed};
use bridgemaster_proto::v1::{ClockRules, MatchConfig, TimeControl};
use bridgemaster_sdk::{Bot, Choice, Options, Request};
use bridgemaster_server::identity::{ApiKey, KeyScope};
use bridgemaster_store::{DataDir, KeyName, KeyStore as _, NewKey, SqliteKeys};
use tempfile::TempDir;
use tokio::{runtime::Runtime, time::timeout};

use super::answers::Answers;
use crate::kit::{
    calls::{config, create_request, showing},
    program::{PATIENCE, Ran, bridgemaster, run},
    served::Served,
};

/// Number of decisions after which a bot is silent, in matches that stay in play.
const DECISIONS: u32 = 6;
/// The keys of the fixture, each with its scopes.
const KEYS: &[(&str, &[KeyScope])] = &[
    ("reader", &[KeyScope::Read, KeyScope::Create]),
    ("other reader", &[KeyScope::Read]),
    ("north", &[KeyScope::Play]),
    ("south", &[KeyScope::Play]),
    ("outsider", &[KeyScope::Play, KeyScope::Create]),
    ("revoked", &[KeyScope::Read]),
];
/// Names of the keys whose bots play, in seat order.
const BOTS: [&str; 2] = ["north", "south"];
/// A time control that no bot exceeds on a loaded machine.
const CLOCK: ClockRules = ClockRules {
    time_control: Some(TimeControl::fischer(36_000_000, 500, 36_000_000)),
    startup_ms: Some(3_600_000),
    reconnect_ms: Some(3_600_000),
    round_trip_credit_ms: None,
    referee_lag_limit_ms: None,
};

/// A data folder and a folder of replays.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    pub(crate) data: PathBuf,
    pub(crate) replays: PathBuf,
    log: PathBuf,
}

impl Folders {
    /// Creates the two folders in a folder.
    fn in_folder(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        Self { data: folder.join("data"), replays: folder.join("replays"), log: folder.join("log") }
    }

    /// Copies the files into a new folder.
    pub(crate) fn copy_to(&self, folder: &Path) -> Self {
        let copied = Self::in_folder(folder);
        for (from, to) in [(&self.data, &copied.data), (&self.replays, &copied.replays)] {
            fs::create_dir_all(to).unwrap();
            for file in files_in(from) {
                fs::copy(&file, to.join(name_of(&file))).unwrap();
            }
        }
        copied
    }

    /// Starts a server.
    ///
    /// # Errors
    /// Returns an error if the server exits instead. The error is its exit status and output.
    pub(crate) fn serve(&self) -> Result<Served, Ran> {
        let flags = "--require-keys --durability process --drain-time 0";
        let (data, replays) = (self.data.display(), self.replays.display());
        let line = format!("serve --listen 127.0.0.1:0 {flags} --data {data} --replays {replays}");
        Served::try_by(&mut bridgemaster(line), &self.log)
    }

    /// Returns whether `data check` finds no damage, and its output.
    pub(crate) fn check(&self) -> (bool, String) {
        let (data, replays) = (self.data.display(), self.replays.display());
        let checked = run(format!("data check --replays {replays} {data}"));
        (checked.code == Some(0), checked.all())
    }

    /// Log of the last server.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

/// Returns the files of a folder, by name; empty if the folder is missing.
pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The name of a file.
pub(crate) fn name_of(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

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
    /// Returns the identifiers of keys, by their names. They are not secret.
    pub(crate) fn key_id(&self, name: &str) -> String {
        let key: ApiKey = self.keys[name].parse().unwrap();
        key.id().to_string()
    }
}

/// An undamaged folder, and the responses of its server.
pub(crate) struct Base {
    pub(crate) name: &'static str,
    pub(crate) folders: Folders,
    pub(crate) truth: Answers,
}

/// All folders, created before anything is damaged.
pub(crate) struct Fixture {
    pub(crate) known: Known,
    /// The folders of a server that was killed, and of one that was stopped.
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
        let at = |name: &str| place.path().join(name);
        let runtime = Runtime::new().unwrap();
        let start = |folders: &Folders| folders.serve().map_err(|ran| ran.all()).unwrap();
        let new = |name| {
            let folders = Folders::in_folder(&at(name));
            let keys = runtime.block_on(make_keys(&folders));
            (folders, Known { keys, ..Known::default() })
        };
        let (working, mut known) = new("working");
        let finish = |known: &mut Known, server: &Served, number| {
            let id = runtime.block_on(finish_match(server, known, number));
            known.finished.push(id);
        };

        let server = start(&working);
        (0..3).for_each(|number| finish(&mut known, &server, number));
        server.stop();
        let earlier = working.copy_to(&at("earlier"));

        let server = start(&working);
        (3..5).for_each(|number| finish(&mut known, &server, number));
        let mut bots = Vec::new();
        for number in 5..8 {
            let (made, silent, release) = runtime.block_on(begin_match(&server, &known, number));
            known.in_play.push(made.id);
            known.seats.push((made.tickets[silent].clone(), BOTS[silent]));
            bots.push(release);
        }
        drop(server);
        // The bots notice that the server is gone.
        drop(bots);
        let killed = working.copy_to(&at("killed"));
        start(&working).stop();
        let stopped = working.copy_to(&at("stopped"));

        let (other, mut others) = new("other");
        let server = start(&other);
        finish(&mut others, &server, 8);
        server.stop();
        runtime.shutdown_timeout(Duration::from_secs(1));

        let base = |name, folders: Folders| Base {
            name,
            truth: truth(&at("asked"), &folders, &known),
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

/// Returns the responses of a server over a copy, which are the same at any time.
fn truth(place: &Path, folders: &Folders, known: &Known) -> Answers {
    let ask = || {
        let server = folders.copy_to(place).serve().map_err(|ran| ran.all()).unwrap();
        let answers = Answers::of(&server, known);
        drop(server);
        fs::remove_dir_all(place).unwrap();
        answers
    };
    let (answers, again) = (ask(), ask());
    assert_eq!(answers, again, "the answers must depend only on the folder");
    answers
}

async fn make_keys(folders: &Folders) -> BTreeMap<&'static str, String> {
    let folder = DataDir::prepare(&folders.data).unwrap();
    let keys = SqliteKeys::open(&folder).await.unwrap();
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

/// A created match, with its tickets in seat order.
struct Made {
    id: String,
    tickets: Vec<String>,
}

async fn create(server: &Served, known: &Known, number: usize) -> Made {
    let config = MatchConfig {
        seed: Some(format!("damage-{number}")),
        ..config(GAME_IDS[number % GAME_IDS.len()], 2, CLOCK)
    };
    let request = showing(create_request(config), "", &known.keys["reader"]);
    let made = server.matches().await.create_match(request).await.unwrap();
    let made = made.into_inner();
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

fn random(seat: usize) -> Random {
    Random::new(&Seed::from(seat as u64 + 1))
}

/// Plays a whole match.
async fn finish_match(server: &Served, known: &Known, number: usize) -> String {
    let made = create(server, known, number).await;
    let bots = [0, 1].map(|seat| {
        let options = options(server, known, &made, seat);
        tokio::spawn(bridgemaster_sdk::play(random(seat), options))
    });
    for bot in bots {
        let played = timeout(PATIENCE, bot).await;
        played.expect("matches end").unwrap().unwrap();
    }
    made.id
}

/// A bot that stops deciding after some decisions, and reports this.
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
            // The send fails if the test waited only for the other seat.
            let _ = self.silent.send(self.seat);
            let _ = self.released.lock().unwrap().recv();
            return Choice::Index(0);
        }
        self.left -= 1;
        self.bot.decide(request)
    }
}

/// Starts a match whose bots are silent until the sender is dropped, and returns a seat that owes a
/// decision.
async fn begin_match(server: &Served, known: &Known, number: usize) -> (Made, usize, Sender<()>) {
    let made = create(server, known, number).await;
    let (release, released) = channel();
    let released = Arc::new(Mutex::new(released));
    let (silent, heard) = channel();
    for seat in [0, 1] {
        let bot = Silent {
            bot: random(seat),
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
    (made, silent, release)
}
