//! Matches whose bots reconnect automatically and count their decisions, and the results of these
//! matches, which server failures must not change.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{ClockRules, GameDecision, MatchResult, Replay, ScoreLine, record};
use bridgemaster_replay::verify;
use bridgemaster_sdk::{Bot, Choice, Options, PlayError, Request};
use tokio::{sync::watch, task::JoinHandle, time::timeout};

use crate::kit::{calls::PATIENT_CLOCK, program::PATIENCE, served::Served};

/// A bot whose decisions are counted.
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

/// The outcome of a match.
#[derive(Debug)]
struct Played {
    /// The place, score and score lines of each seat.
    table: Vec<(u32, i32, Vec<ScoreLine>)>,
    faults: u32,
    /// The longest lag during a request that was charged to no seat, in µs.
    longest_lag_us: u64,
    /// The decisions of each seat, in order.
    decisions: BTreeMap<u32, Vec<GameDecision>>,
}

/// Outcomes of all matches.
pub(crate) struct Ended {
    /// The outcomes, by the seeds of the matches.
    matches: BTreeMap<String, Played>,
    /// The number of decisions that were requested from the bots.
    pub(crate) decisions: u64,
}

impl Ended {
    pub(crate) fn matches(&self) -> usize {
        self.matches.len()
    }

    /// Returns the longest lag during a request of each match, in µs.
    pub(crate) fn longest_lags_us(&self) -> Vec<u64> {
        let played = self.matches.values();
        played.map(|played| played.longest_lag_us).collect()
    }

    /// Asserts that the results equal those of the same matches without failures.
    pub(crate) fn assert_as_undisturbed(&self, undisturbed: &Self) {
        assert_eq!(self.decisions, undisturbed.decisions, "no request is sent to a bot twice");
        assert_eq!(self.matches(), undisturbed.matches());
        for (seed, expected) in &undisturbed.matches {
            let found = &self.matches[seed];
            assert_eq!(found.table, expected.table, "{seed}");
            assert_eq!(found.decisions, expected.decisions, "{seed}");
            assert_eq!(found.faults, 0, "{seed}");
            assert_eq!(expected.faults, 0, "{seed}");
        }
    }
}

/// Matches that are played.
#[derive(Default)]
pub(crate) struct Playing {
    matches: Vec<Begun>,
    /// Time control, unless it is [`PATIENT_CLOCK`].
    clock: Option<ClockRules>,
    decisions: Arc<watch::Sender<u64>>,
}

/// A match and its bots.
struct Begun {
    match_id: String,
    seed: String,
    bots: Vec<JoinHandle<Result<MatchResult, PlayError>>>,
}

impl Playing {
    /// Matches with this time control.
    pub(crate) fn with_clock(clock: ClockRules) -> Self {
        Self { clock: Some(clock), ..Self::default() }
    }

    /// Starts one more match on a server. Its bots connect to the servers at these addresses.
    pub(crate) async fn begin(&mut self, server: &Served, addresses: &str, game: &str, seed: &str) {
        let clock = self.clock.unwrap_or(PATIENT_CLOCK);
        let made = server.create_with(game, seed, clock).await;
        let (match_id, tickets) = made.unwrap();
        let bots = tickets.iter().zip(1..).map(|(ticket, bot_seed)| {
            let bot = Counted {
                bot: Random::new(&Seed::from(bot_seed)),
                decisions: Arc::clone(&self.decisions),
            };
            let options = Options {
                reconnect_for: PATIENCE,
                ..Options::new(addresses, ticket.parse().unwrap(), "counted")
            };
            tokio::spawn(bridgemaster_sdk::play(bot, options))
        });
        self.matches.push(Begun { match_id, seed: seed.to_owned(), bots: bots.collect() });
    }

    /// Completes when the bots have made this many decisions in total.
    pub(crate) async fn reaches(&self, decisions: u64) {
        let mut made = self.decisions.subscribe();
        let reached = made.wait_for(|made| *made >= decisions);
        timeout(PATIENCE, reached).await.expect("the matches continue").unwrap();
    }

    /// Waits for all matches and returns their results, which must be the same on all servers.
    pub(crate) async fn end(self, servers: &[&Served]) -> Ended {
        let ended = async {
            let mut ended = BTreeMap::new();
            for Begun { match_id, seed, bots } in self.matches {
                let mut results = Vec::new();
                for bot in bots {
                    results.push(bot.await.unwrap().unwrap());
                }
                assert_eq!(results[0], results[1], "all bots receive the same result");
                for server in servers {
                    let replay = server.replay(&match_id).await;
                    assert_eq!(replay.result.as_ref(), Some(&results[0]));
                    let verified = verify(&replay);
                    assert!(verified.is_ok(), "{seed}: {:?}", verified.err());
                    ended.insert(seed.clone(), played(&results[0], &replay));
                }
            }
            ended
        };
        let matches = timeout(PATIENCE, ended).await.expect("all matches end");
        Ended { matches, decisions: *self.decisions.borrow() }
    }
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
        table: seats.clone().map(|seat| (seat.place, seat.score, seat.breakdown.clone())).collect(),
        faults: seats.map(|seat| seat.fault_count).sum(),
        longest_lag_us: result.longest_referee_lag_us,
        decisions,
    }
}

/// Plays matches on a server without failures.
pub(crate) async fn undisturbed(begin: impl AsyncFnOnce(&Served) -> Playing) -> Ended {
    let server = Served::start("--no-page");
    begin(&server).await.end(&[&server]).await
}
