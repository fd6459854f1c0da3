//! A bot that reports its calls to the test and answers with the choices of the test.

use std::sync::mpsc::{Receiver, Sender, channel};

use bridgemaster_sdk::{Bot, Choice, Options, PlayError, Request, play, v1};
use tokio::task::JoinHandle;

use crate::scripted_server::{
    ScriptedServer, ServerStream, decision_request, match_ended, match_started, within_timeout,
};

/// A call of a bot's method.
#[derive(Debug, PartialEq)]
pub(crate) enum BotEvent {
    Started(u32),
    Requested(u32),
    Rejected(u32, String),
    Strikes(u32),
    Ended(u32),
}

/// Reports its calls to the test and answers with the choices of the test.
pub(crate) struct ScriptedBot {
    events: Sender<BotEvent>,
    choices: Receiver<Choice>,
}

/// The test's ends of the channels of a [`ScriptedBot`].
pub(crate) struct BotControl {
    events: Receiver<BotEvent>,
    pub(crate) choices: Sender<Choice>,
}

impl BotControl {
    /// Returns the events since the last call.
    pub(crate) fn events(&self) -> Vec<BotEvent> {
        self.events.try_iter().collect()
    }

    pub(crate) fn choose(&self, index: usize) {
        self.choices.send(Choice::Index(index)).unwrap();
    }

    /// Chooses for the bot, and waits for its answer to this request.
    pub(crate) async fn answer(&self, stream: &mut ServerStream, request_id: u32, index: u32) {
        self.choose(index as usize);
        assert_eq!(stream.decision().await, (request_id, index));
    }
}

pub(crate) fn scripted_bot() -> (ScriptedBot, BotControl) {
    let ((events, of_test), (choices, of_bot)) = (channel(), channel());
    let bot = ScriptedBot { events, choices: of_bot };
    let events = of_test;
    (bot, BotControl { events, choices })
}

impl ScriptedBot {
    fn report(&self, event: BotEvent) {
        self.events.send(event).unwrap();
    }
}

impl Bot for ScriptedBot {
    fn decide(&mut self, request: &Request) -> Choice {
        self.report(BotEvent::Requested(request.request_id));
        self.choices.recv().unwrap()
    }

    fn match_started(&mut self, started: &v1::MatchStarted) {
        self.report(BotEvent::Started(started.seat));
    }

    fn decision_rejected(&mut self, rejected: &v1::DecisionRejected) {
        let field = rejected.field.clone();
        self.report(BotEvent::Rejected(rejected.request_id, field));
    }

    fn seat_changed(&mut self, status: &v1::SeatStatus) {
        let seat = status.seat.as_ref().unwrap();
        self.report(BotEvent::Strikes(seat.strikes));
    }

    fn match_ended(&mut self, result: &v1::MatchResult) {
        self.report(BotEvent::Ended(result.decisions));
    }
}

pub(crate) fn options(url: &str) -> Options {
    Options {
        bot_version: "1.0".to_owned(),
        games: vec!["old_london_bridge".to_owned()],
        ..Options::new(url, "ticket-7".parse().unwrap(), "puppet")
    }
}

pub(crate) type PlayTask = JoinHandle<Result<v1::MatchResult, PlayError>>;

pub(crate) fn start(server: &ScriptedServer) -> (PlayTask, BotControl) {
    start_with(options(&server.url))
}

pub(crate) fn start_with(options: Options) -> (PlayTask, BotControl) {
    let (bot, control) = scripted_bot();
    (tokio::spawn(play(bot, options)), control)
}

pub(crate) async fn outcome(playing: PlayTask) -> Result<v1::MatchResult, PlayError> {
    within_timeout("the end of play", playing).await.unwrap()
}

/// Waits for the next `count` events of the bot.
pub(crate) async fn next_events(control: &BotControl, count: usize) -> Vec<BotEvent> {
    let mut events = Vec::new();
    within_timeout("an event of the bot", async {
        while events.len() < count {
            events.extend(control.events.try_recv());
            tokio::task::yield_now().await;
        }
    })
    .await;
    events
}

/// Starts a bot and welcomes it. The server runs until it is dropped.
pub(crate) async fn welcomed() -> (ScriptedServer, PlayTask, BotControl, ServerStream) {
    let mut server = ScriptedServer::start().await;
    let (playing, control) = start(&server);
    let (_, stream) = server.next_welcomed().await;
    (server, playing, control, stream)
}

/// Starts a bot and sends it its first decision request. The server runs until it is dropped.
pub(crate) async fn with_open_request() -> (ScriptedServer, PlayTask, BotControl, ServerStream) {
    let (server, playing, control, stream) = welcomed().await;
    stream.send(1, match_started()).await;
    stream.send(2, decision_request(1)).await;
    (server, playing, control, stream)
}

/// Ends the match with the message of this number, and returns the result that the bot gets.
pub(crate) async fn finish(
    stream: ServerStream,
    sequence: u32,
    playing: PlayTask,
) -> v1::MatchResult {
    stream.send(sequence, match_ended()).await;
    drop(stream);
    outcome(playing).await.unwrap()
}
