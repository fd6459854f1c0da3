//! A hand-written bot that is correct except for one flaw.

use std::{
    collections::BTreeMap,
    env,
    process::ExitCode,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::{
    Decision, DecisionRequest, Hello, PlayRequest, PlayResponse, Pong, SeatState, decision::Choice,
    play_request::Message as Outgoing, play_response::Message,
    play_service_client::PlayServiceClient,
};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Code, Request, Status,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt as _;

use crate::flaw::Flaw;

/// Pause before the next attempt to connect.
const PAUSE: Duration = Duration::from_millis(30);
/// Time to keep trying to resume a lost stream.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// The number of Pings without a request after which the bot exits: more than any other check and
/// the server send in a row (4 and occasionally one), fewer than in the long pause.
const MAX_IDLE_PINGS: u32 = 9;

/// The end of a stream.
enum End {
    /// The bot exits with this code.
    Exit(u8),
    /// The stream is lost, with a status unless the server closed it with OK.
    Lost(Option<Status>),
}

/// The state of the bot.
struct FlawedBot {
    flaw: Flaw,
    /// The configured servers, and the index of the last one tried.
    servers: Vec<String>,
    server_index: usize,
    channel: Channel,
    ticket: String,
    streams: u32,
    last_sequence: u32,
    history_id: Option<String>,
    counted: u32,
    seats: u32,
    newest: Option<DecisionRequest>,
    answers: BTreeMap<u32, Choice>,
    is_draining: bool,
    pings: u32,
}

/// Plays the seat given by the environment.
pub(crate) fn run(flaw: Flaw) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let named = env::var("BRIDGEMASTER_SERVER").unwrap();
        let mut servers: Vec<String> = named.split(',').map(str::to_owned).collect();
        if flaw == Flaw::UsesOnlyFirstServer {
            servers.truncate(1);
        }
        let mut bot = FlawedBot {
            flaw,
            channel: channel_to(&servers[0]),
            servers,
            server_index: 0,
            ticket: env::var("BRIDGEMASTER_TICKET").unwrap(),
            streams: 0,
            last_sequence: 0,
            history_id: None,
            counted: 0,
            seats: 0,
            newest: None,
            answers: BTreeMap::new(),
            is_draining: false,
            pings: 0,
        };
        ExitCode::from(bot.play().await)
    })
}

fn channel_to(server: &str) -> Channel {
    Endpoint::from_shared(server.to_owned()).unwrap().connect_lazy()
}

impl FlawedBot {
    async fn play(&mut self) -> u8 {
        let mut lost_at = Instant::now();
        loop {
            let last_sequence = self.last_sequence;
            match self.play_on_one_stream().await {
                End::Exit(code) => return code,
                End::Lost(status) => {
                    if let Some(code) = self.exit_code(status) {
                        return code;
                    }
                    self.switch_server();
                }
            }
            if self.last_sequence > last_sequence {
                lost_at = Instant::now();
            }
            if lost_at.elapsed() > RECONNECT_TIMEOUT {
                return 1;
            }
            sleep(PAUSE).await;
        }
    }

    /// Switches to the next configured server.
    fn switch_server(&mut self) {
        self.server_index = (self.server_index + 1) % self.servers.len();
        self.channel = channel_to(&self.servers[self.server_index]);
    }

    /// Returns the exit code if the bot exits after this loss.
    fn exit_code(&self, status: Option<Status>) -> Option<u8> {
        let flaw = self.flaw;
        let Some(status) = status else {
            return match flaw {
                Flaw::ExitsAtEof => Some(0),
                Flaw::NeverReconnects => Some(1),
                _ => None,
            };
        };
        let reason = status.get_details_error_info().map(|info| info.reason);
        let is_transports = std::error::Error::source(&status).is_some();
        let retries = match reason.as_deref() {
            Some("TICKET_UNKNOWN") => match flaw {
                Flaw::ExitsWith0WhenRefused => return Some(0),
                other => other == Flaw::RetriesRefusedTicket,
            },
            Some("SUPERSEDED") => flaw == Flaw::ReconnectsWhenSuperseded,
            Some("SLOW_CONSUMER") => flaw != Flaw::ExitsWhenSlowConsumer,
            Some("SERVER_STOPPING") => flaw != Flaw::ExitsWhenServerStops,
            Some(_) => false,
            None if is_transports => flaw != Flaw::ExitsWhenReset,
            None if status.code() == Code::Unavailable => flaw != Flaw::ExitsWhenUnavailable,
            None => true,
        };
        (!retries || flaw == Flaw::NeverReconnects).then_some(1)
    }

    fn hello(&self) -> Hello {
        let last_sequence = match self.flaw {
            Flaw::ForgetsItsSequence => 0,
            Flaw::CountsOnlyKnownKinds => self.counted,
            _ => self.last_sequence,
        };
        Hello {
            protocol_revision: 1,
            bot_name: "flawed".to_owned(),
            bot_version: "1".to_owned(),
            games: Vec::new(),
            last_sequence: (last_sequence > 0).then_some(last_sequence),
            history_id: match self.flaw {
                Flaw::ForgetsItsHistory => None,
                _ => self.history_id.clone(),
            },
            ..Hello::default()
        }
    }

    async fn play_on_one_stream(&mut self) -> End {
        self.streams += 1;
        let (outbound, messages) = mpsc::channel(64);
        let hello = PlayRequest { message: Some(Outgoing::Hello(self.hello())) };
        let mut call = Request::new(ReceiverStream::new(messages));
        let ticket = match self.flaw {
            Flaw::ForgetsItsTicket if self.streams > 1 => "another",
            _ => &self.ticket,
        };
        let bearer = format!("Bearer {ticket}").parse().unwrap();
        call.metadata_mut().insert("authorization", bearer);
        let waits = self.flaw == Flaw::DelaysHello;
        if !waits {
            outbound.send(hello.clone()).await.unwrap();
        }
        let mut client = PlayServiceClient::new(self.channel.clone());
        let mut inbound = match client.play(call).await {
            Ok(response) => response.into_inner(),
            Err(status) => return End::Lost(Some(status)),
        };
        loop {
            match inbound.message().await {
                Ok(Some(response)) => {
                    if waits {
                        let _ = outbound.send(hello.clone()).await;
                    }
                    if let Some(code) = self.receive(response, &outbound).await {
                        // The server ends the stream, and need not wait until the bot ends its
                        // half.
                        drop(outbound);
                        let _ = timeout(Duration::from_secs(1), inbound.message()).await;
                        return End::Exit(code);
                    }
                }
                Ok(None) => return End::Lost(None),
                Err(status) => return End::Lost(Some(status)),
            }
        }
    }

    /// Processes a message; returns the exit code after the last one.
    async fn receive(
        &mut self,
        response: PlayResponse,
        outbound: &mpsc::Sender<PlayRequest>,
    ) -> Option<u8> {
        let flaw = self.flaw;
        let PlayResponse { sequence, message } = response;
        let is_new = sequence > self.last_sequence;
        self.last_sequence = self.last_sequence.max(sequence);
        let Some(message) = message else {
            return (flaw == Flaw::ExitsOnUnknownKind).then_some(1);
        };
        self.counted += u32::from(is_new);
        match message {
            Message::Ping(ping) => return self.pinged(ping.nonce, outbound).await,
            Message::Draining(_) => self.is_draining = true,
            Message::MatchStarted(started) => {
                self.seats = started.config.unwrap_or_default().seats;
            }
            Message::DecisionRequest(request) => {
                self.pings = 0;
                self.asked(request, outbound).await;
            }
            Message::DecisionRejected(rejected) => {
                let newest = self.newest.clone().unwrap_or_default();
                let is_open = rejected.open_request_id == rejected.request_id;
                if is_open && flaw != Flaw::IgnoresRefusals {
                    self.answer(&newest, correct_choice(&newest), outbound).await;
                } else if !is_open && flaw == Flaw::ChangesItsAnswerAfterStaleRefusal {
                    self.answer(&newest, other_choice(&newest), outbound).await;
                }
            }
            Message::SeatStatus(status) => {
                let state = status.seat.unwrap_or_default().state;
                let is_unknown = SeatState::try_from(state).is_err();
                return (is_unknown && flaw == Flaw::ExitsOnUnknownValue).then_some(1);
            }
            Message::MatchEnded(_) => {
                if flaw == Flaw::NeverExits {
                    std::future::pending::<()>().await;
                }
                return Some(u8::from(flaw == Flaw::ExitsWith1));
            }
            Message::Welcome(welcome) => {
                if flaw != Flaw::KeepsItsFirstHistory || self.history_id.is_none() {
                    self.history_id = Some(welcome.history_id);
                }
                if flaw == Flaw::KeepsAnswerWhenStartingOver {
                    self.send_lost_answer(outbound).await;
                }
                if !welcome.resumed && flaw != Flaw::IgnoresThatItIsNotResumed {
                    (self.last_sequence, self.counted) = (0, 0);
                    (self.newest, self.answers) = (None, BTreeMap::new());
                }
                if flaw != Flaw::KeepsAnswerWhenStartingOver {
                    self.send_lost_answer(outbound).await;
                }
            }
        }
        None
    }

    /// Resends the answer to the last request, which the previous stream may have lost.
    async fn send_lost_answer(&mut self, outbound: &mpsc::Sender<PlayRequest>) {
        let Some(newest) = self.newest.clone() else {
            return;
        };
        let given = self.answers.get(&newest.request_id).cloned();
        if let Some(choice) = given.filter(|_| self.flaw != Flaw::ForgetsLostAnswers) {
            self.answer(&newest, choice, outbound).await;
        }
    }

    async fn pinged(&mut self, nonce: u64, outbound: &mpsc::Sender<PlayRequest>) -> Option<u8> {
        self.pings += 1;
        if self.flaw == Flaw::ExitsWithoutRequests && self.pings >= MAX_IDLE_PINGS {
            return Some(1);
        }
        let (nonce, times) = match self.flaw {
            Flaw::IgnoresPings => (nonce, 0),
            Flaw::RoundsNonces => (nonce as f64 as u64, 1),
            Flaw::PongsTwice => (nonce, 2),
            _ => (nonce, 1),
        };
        for _ in 0..times {
            let message = Some(Outgoing::Pong(Pong { nonce }));
            let _ = outbound.send(PlayRequest { message }).await;
        }
        None
    }

    async fn asked(&mut self, request: DecisionRequest, outbound: &mpsc::Sender<PlayRequest>) {
        let id = request.request_id;
        let newest = self.newest.as_ref().map_or(0, |newest| newest.request_id);
        if let Some(given) = self.answers.get(&id).cloned() {
            let again = match self.flaw {
                Flaw::AnswersDuplicatesAnew if id == newest => Some(other_choice(&request)),
                Flaw::AnswersStaleRequestsAnew if id < newest => Some(other_choice(&request)),
                Flaw::ForgetsLostAnswers => None,
                _ => (id == newest).then_some(given),
            };
            if let Some(choice) = again {
                self.answer(&request, choice, outbound).await;
            }
            return;
        }
        if self.flaw == Flaw::StopsAnsweringWhenDraining && self.is_draining {
            return;
        }
        self.newest = Some(request.clone());
        let left_ms = request.clock.unwrap_or_default().decision_left_ms;
        if self.flaw == Flaw::ExceedsTimeLimit && left_ms <= 1_000 {
            sleep(Duration::from_millis(u64::from(left_ms) * 3 / 2)).await;
        }
        let is_illegal = match self.flaw {
            Flaw::IllegalAtThreeSeats => self.seats == 3,
            Flaw::IllegalWhenForced => request.legal_count == 1,
            _ => false,
        };
        if is_illegal {
            let beyond = Choice::Index(u32::MAX);
            self.answer(&request, beyond, outbound).await;
            return;
        }
        let choice = correct_choice(&request);
        self.answer(&request, choice, outbound).await;
    }

    async fn answer(
        &mut self,
        request: &DecisionRequest,
        choice: Choice,
        outbound: &mpsc::Sender<PlayRequest>,
    ) {
        self.answers.insert(request.request_id, choice.clone());
        let decision = Decision {
            request_id: request.request_id,
            choice: Some(choice),
            ..Decision::default()
        };
        let message = Some(Outgoing::Decision(decision));
        // If the stream is lost, reading from it returns the reason.
        let _ = outbound.send(PlayRequest { message }).await;
    }
}

/// Returns a legal decision, in full for every second request.
fn correct_choice(request: &DecisionRequest) -> Choice {
    let index = request.request_id * 7 % request.legal_count.max(1);
    match request.request_id % 2 {
        0 => {
            let game = request.game.as_ref().unwrap();
            Choice::Decision(game.legal_decision(index as usize).unwrap())
        }
        _ => Choice::Index(index),
    }
}

/// Returns a legal decision that differs from `correct_choice`.
fn other_choice(request: &DecisionRequest) -> Choice {
    Choice::Index((request.request_id * 7 + 1) % request.legal_count.max(1))
}
