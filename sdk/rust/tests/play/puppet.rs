//! A bot that tells the test what it hears, and answers with what the test hands it.

use std::sync::mpsc::{Receiver, Sender, channel};

use bridgemaster_sdk::{Bot, Choice, Options, PlayError, Request, play, v1};
use tokio::task::JoinHandle;

use crate::scripted_server::{ScriptedServer, ServerStream, decision_request, match_started, soon};

/// What a bot was told, in order.
#[derive(Debug, PartialEq)]
pub(crate) enum Heard {
    Started(u32),
    Asked(u32),
    Rejected(u32, String),
    Strikes(u32),
    Ended(u32),
}

/// Tells what it hears, and answers with what the test hands it.
pub(crate) struct Puppet {
    heard: Sender<Heard>,
    choices: Receiver<Choice>,
}

/// The test's ends of a [`Puppet`].
pub(crate) struct Strings {
    heard: Receiver<Heard>,
    pub(crate) choices: Sender<Choice>,
}

impl Strings {
    /// Everything that was heard since the last call.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.try_iter().collect()
    }

    pub(crate) fn choose(&self, index: usize) {
        self.choices.send(Choice::Index(index)).unwrap();
    }
}

pub(crate) fn puppet() -> (Puppet, Strings) {
    let (heard, heard_by_test) = channel();
    let (choices, choices_of_test) = channel();
    (
        Puppet {
            heard,
            choices: choices_of_test,
        },
        Strings {
            heard: heard_by_test,
            choices,
        },
    )
}

impl Bot for Puppet {
    fn decide(&mut self, request: &Request) -> Choice {
        self.heard.send(Heard::Asked(request.request_id)).unwrap();
        self.choices.recv().unwrap()
    }

    fn match_started(&mut self, started: &v1::MatchStarted) {
        self.heard.send(Heard::Started(started.seat)).unwrap();
    }

    fn decision_rejected(&mut self, rejected: &v1::DecisionRejected) {
        self.heard
            .send(Heard::Rejected(rejected.request_id, rejected.field.clone()))
            .unwrap();
    }

    fn seat_changed(&mut self, status: &v1::SeatStatus) {
        self.heard
            .send(Heard::Strikes(status.seat.as_ref().unwrap().strikes))
            .unwrap();
    }

    fn match_ended(&mut self, result: &v1::MatchResult) {
        self.heard.send(Heard::Ended(result.decisions)).unwrap();
    }
}

pub(crate) fn options(url: &str) -> Options {
    Options {
        bot_version: "1.0".to_owned(),
        games: vec!["old_london_bridge".to_owned()],
        ..Options::new(url, "ticket-7".parse().unwrap(), "puppet")
    }
}

pub(crate) type Playing = JoinHandle<Result<v1::MatchResult, PlayError>>;

pub(crate) fn start(server: &ScriptedServer) -> (Playing, Strings) {
    let (bot, strings) = puppet();
    (tokio::spawn(play(bot, options(&server.url))), strings)
}

pub(crate) async fn played(playing: Playing) -> Result<v1::MatchResult, PlayError> {
    soon("the end of play", playing).await.unwrap()
}

/// The next `count` things that the bot heard.
pub(crate) async fn soon_heard(strings: &Strings, count: usize) -> Vec<Heard> {
    let mut heard = Vec::new();
    soon("what the bot heard", async {
        while heard.len() < count {
            heard.extend(strings.heard.try_recv());
            tokio::task::yield_now().await;
        }
    })
    .await;
    heard
}

/// A bot in its seat that was asked for its first decision: its server, which runs until it is
/// dropped, and the stream of the bot.
pub(crate) async fn asked() -> (ScriptedServer, Playing, Strings, ServerStream) {
    let mut server = ScriptedServer::start().await;
    let (playing, strings) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    (server, playing, strings, stream)
}
