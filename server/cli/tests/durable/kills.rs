//! A server that is killed again and again: every match goes on, and ends as if nothing had been.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use bridgemaster_bots::Random;
use bridgemaster_games::{GAME_IDS, Seed};
use bridgemaster_proto::v1::{GameDecision, MatchResult, MatchState, Replay, ScoreLine, record};
use bridgemaster_replay::{decode, verify};
use bridgemaster_sdk::{Bot, Choice, Options, PlayError, Request};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use tokio::{sync::watch, task::JoinHandle, time::timeout};

use crate::served::{PATIENCE, Served};

/// Matches of each game.
const MATCHES_EACH: usize = 2;
/// Times that the server is killed.
const KILLS: usize = 8;
/// Fixes when.
const KILL_SEED: u64 = 20;

/// A bot that is counted.
struct Counted {
    bot: Random,
    decisions: Arc<watch::Sender<u64>>,
}

impl Bot for Counted {
    fn decide(&mut self, request: &Request) -> Choice {
        self.decisions.send_modify(|decisions| *decisions += 1);
        self.bot.decide(request)
    }
}

/// What must not depend on when a server was there.
#[derive(Debug, PartialEq)]
struct Played {
    /// Place, score and what it is made of, of each seat.
    table: Vec<(u32, i32, Vec<ScoreLine>)>,
    faults: u32,
    /// The decisions of each seat, in order.
    decisions: BTreeMap<u32, Vec<GameDecision>>,
}

fn played(result: &MatchResult, replay: &Replay) -> Played {
    let mut decisions: BTreeMap<u32, Vec<GameDecision>> = BTreeMap::new();
    for entry in replay.records.iter().filter_map(|r| r.record.as_ref()) {
        if let record::Record::Decision(decision) = entry {
            let of_seat = decisions.entry(decision.seat).or_default();
            of_seat.push(decision.decision.clone().unwrap());
        }
    }
    let seats = result.seats.iter();
    Played {
        table: seats
            .clone()
            .map(|seat| (seat.place, seat.score, seat.breakdown.clone()))
            .collect(),
        faults: seats.map(|seat| seat.fault_count).sum(),
        decisions,
    }
}

/// A match and its bots.
struct Playing {
    match_id: String,
    seed: String,
    bots: Vec<JoinHandle<Result<MatchResult, PlayError>>>,
}

/// Makes matches of every game, with bots that come back by themselves.
async fn start(server: &Served, decisions: &Arc<watch::Sender<u64>>) -> Vec<Playing> {
    let mut playing = Vec::new();
    for (game, number) in GAME_IDS
        .iter()
        .flat_map(|game| (0..MATCHES_EACH).map(move |number| (*game, number)))
    {
        let seed = format!("{game}-{number}");
        let (match_id, tickets) = server.create(game, &seed).await;
        let bots = tickets.iter().zip(1..).map(|(ticket, bot_seed)| {
            let bot = Counted {
                bot: Random::new(&Seed::from(bot_seed)),
                decisions: Arc::clone(decisions),
            };
            let options = Options {
                reconnect_for: PATIENCE,
                ..Options::new(&server.url, ticket.parse().unwrap(), "counted")
            };
            tokio::spawn(bridgemaster_sdk::play(bot, options))
        });
        playing.push(Playing {
            match_id,
            bots: bots.collect(),
            seed,
        });
    }
    playing
}

/// Waits for all matches, and gives what came of each by its seed.
async fn finish(server: &Served, playing: Vec<Playing>) -> BTreeMap<String, Played> {
    let listed = async {
        let mut ended = BTreeMap::new();
        for Playing {
            match_id,
            seed,
            bots,
        } in playing
        {
            let mut results = Vec::new();
            for bot in bots {
                results.push(bot.await.unwrap().unwrap());
            }
            assert_eq!(results[0], results[1], "bots are told one result");
            let replay = server.replay(&match_id).await;
            let verified = verify(&replay);
            assert!(verified.is_ok(), "{seed}: {:?}", verified.err());
            assert_eq!(replay.result.as_ref(), Some(&results[0]));
            ended.insert(seed, played(&results[0], &replay));
        }
        let listed = server.all_matches().await;
        assert_eq!(listed.len(), ended.len(), "each match is there once");
        for info in listed {
            assert_eq!(info.state(), MatchState::Ended);
        }
        ended
    };
    timeout(PATIENCE, listed).await.expect("all matches end")
}

async fn undisturbed(data: &Path) -> (BTreeMap<String, Played>, u64) {
    let server = Served::start("127.0.0.1:0", data, &["--survives", "kill"]);
    let decisions = Arc::new(watch::Sender::new(0));
    let playing = start(&server, &decisions).await;
    let ended = finish(&server, playing).await;
    let decisions = *decisions.borrow();
    (ended, decisions)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_end_as_if_the_server_had_never_been_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (expected, total) = undisturbed(&folder.path().join("undisturbed")).await;

    let mut random = SmallRng::seed_from_u64(KILL_SEED);
    let mut kills: Vec<u64> = (0..KILLS).map(|_| random.random_range(0..total)).collect();
    kills.sort_unstable();
    let data = folder.path().join("killed");
    let replays = folder.path().join("replays");
    let into = ["--replays", replays.to_str().unwrap()];
    let mut server = Served::start("127.0.0.1:0", &data, &into);
    let decisions = Arc::new(watch::Sender::new(0));
    let playing = start(&server, &decisions).await;
    let mut seen = decisions.subscribe();
    for (number, kill) in kills.into_iter().enumerate() {
        let reached = seen.wait_for(|decisions| *decisions >= kill);
        timeout(PATIENCE, reached)
            .await
            .expect("play goes on")
            .unwrap();
        let address = server.address();
        server.kill();
        // Every other time with the quicker commits, which survive this just as well.
        let survives = ["power", "kill"][number % 2];
        let flags = [into.as_slice(), &["--survives", survives]].concat();
        server = Served::start(&address, &data, &flags);
    }
    let ended = finish(&server, playing).await;
    assert_eq!(*decisions.borrow(), total, "no bot is asked anything twice");
    for (seed, expected) in &expected {
        assert_eq!(ended.get(seed), Some(expected), "{seed}");
        assert_eq!(expected.faults, 0);
    }

    // And all of it is still there after another.
    let address = server.address();
    server.kill();
    let server = Served::start(&address, &data, &into);
    let listed = server.all_matches().await;
    assert_eq!(listed.len(), expected.len());
    let ids: Vec<_> = listed.iter().map(|info| info.match_id.clone()).collect();
    for info in listed {
        let replay = server.replay(&info.match_id).await;
        assert_eq!(replay.result, info.result);
        assert!(verify(&replay).is_ok());
    }
    server.signal("-TERM");
    assert_eq!(server.end().status.code(), Some(0));
    for match_id in ids {
        let file = replays.join(format!("{match_id}.replay.binpb"));
        assert!(decode(&fs::read(file).unwrap()).is_ok(), "{match_id}");
    }
    let unfinished = fs::read_dir(&replays).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".unfinished")
    });
    assert_eq!(unfinished.count(), 0);
}
