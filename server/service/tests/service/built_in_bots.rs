//! Built-in bots that a contest runs itself.

use std::future::pending;

use bridgemaster_bots::by_name;
use bridgemaster_games::Seed;
use bridgemaster_runner::{
    BotEnd, BotSpec, BuiltInBots, Contest, ContestEvent, ContestSpec, Format, MatchRules,
    ServerAddress, TestSpec,
};
use bridgemaster_sdk::{Bot, Choice, Request, TlsOptions};

use crate::test_server::TestServer;

/// A bot that plays like another one and panics at its third decision.
struct PanickingBot {
    bot: Box<dyn Bot>,
    decisions: u32,
}

impl Bot for PanickingBot {
    fn match_started(&mut self, started: &bridgemaster_sdk::v1::MatchStarted) {
        self.bot.match_started(started);
    }

    fn decide(&mut self, request: &Request) -> Choice {
        self.decisions += 1;
        assert!(self.decisions < 3, "it panics");
        self.bot.decide(request)
    }
}

fn make(name: &str, seed: &Seed) -> Option<Box<dyn Bot>> {
    match name {
        "breaking" => Some(Box::new(PanickingBot { bot: by_name("random", seed)?, decisions: 0 })),
        name => by_name(name, seed),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_built_in_bot_that_panics_loses_its_match_and_the_contest_continues() {
    let server = TestServer::open().await;
    let folder = tempfile::tempdir().unwrap();
    let bots = ["random", "breaking"].map(BotSpec::built_in);
    let mut rules =
        MatchRules { game: "carcassonne".to_owned(), seats: 2, ..MatchRules::default() };
    rules.clock.reconnect_ms = Some(50);
    // On a busy machine, a lower limit would annul matches.
    rules.clock.referee_lag_limit_ms = Some(60_000);
    let spec = ContestSpec {
        test: Some(TestSpec::Fixed { groups: 1 }),
        ..ContestSpec::new(rules, bots.to_vec(), Format::Series)
    };
    let contest = Contest::create(&folder.path().join("contest"), spec).unwrap();
    let built_in = BuiltInBots {
        program: "none".into(),
        names: ["random", "breaking"].map(str::to_owned).to_vec(),
        make,
    };
    let address = ServerAddress {
        url: server.url.clone(),
        key: None,
        bot_key: None,
        tls: TlsOptions::default(),
        own: None,
    };
    let mut rows = Vec::new();
    let played = contest.play(&address, built_in, pending(), |_, update| {
        if let ContestEvent::MatchFinished(row) = update {
            rows.push(row.clone());
        }
    });
    let (standing, _) = played.await.unwrap();
    assert!(standing.is_complete());
    assert_eq!(rows.len(), 2);
    for seat in rows.iter().flat_map(|row| &row.seats) {
        match seat.bot {
            0 => assert_eq!((seat.place, &seat.end), (1, &BotEnd::Done), "{seat:?}"),
            _ => {
                assert_eq!(seat.end, BotEnd::Failed, "{seat:?}");
                assert!(seat.stderr_tail.contains("it panics"), "{seat:?}");
                assert_eq!(seat.forfeit.as_deref(), Some("DISCONNECTED"), "{seat:?}");
            }
        }
    }
}
