//! The real server behind the checks, and matches on it in which the bot has a seat.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    self, CreateMatchRequest, GetMatchRequest, SeatResult,
    match_service_client::MatchServiceClient, play_service_client::PlayServiceClient,
};
use bridgemaster_sdk::{Connection, Options};
use tokio::time::Instant;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::AbortOnDropHandle,
};
use tonic::transport::{Channel, Endpoint};

use super::{
    catalog::section,
    failure::{Stop, Verdict, failed},
    front::Front,
    limits::Times,
    session::{Event, Session},
    setting::Setting,
};
use bridgemaster_bot_process::BotCommand;
use bridgemaster_server::{Server, ServerOptions};

/// Where one run of the checks takes place.
pub(super) struct Arena {
    pub(super) command: BotCommand,
    pub(super) times: Times,
    pub(super) server: SocketAddr,
    url: String,
    channel: Channel,
    _stop: DropGuard,
}

/// A match with the bot in its last seat, and random bots before it.
pub(super) struct Bout {
    pub(super) session: Session,
    match_id: String,
    pub(super) seat: u32,
    url: String,
    ticket: String,
    desk: MatchServiceClient<Channel>,
    _opponents: Vec<AbortOnDropHandle<()>>,
    /// Keeps the port of a server that is not there.
    _away: Option<Front>,
}

impl Arena {
    pub(super) async fn open(command: BotCommand, times: Times) -> Result<Self, String> {
        let addr = (Ipv4Addr::LOCALHOST, 0).into();
        let server = Server::bind(addr, ServerOptions::default())
            .await
            .map_err(|error| error.to_string())?;
        let local_addr = server.local_addr();
        let url = format!("http://{local_addr}");
        let stop = CancellationToken::new();
        tokio::spawn(server.run(stop.clone()));
        let channel = Endpoint::from_shared(url.clone())
            .map_err(|error| error.to_string())?
            .tcp_nodelay(true)
            .connect_lazy();
        Ok(Self {
            command,
            times,
            server: local_addr,
            url,
            channel,
            _stop: stop.drop_guard(),
        })
    }

    /// Makes a match and starts its bots.
    pub(super) async fn seat(&self, setting: Setting) -> Verdict<Bout> {
        let mut desk = MatchServiceClient::new(self.channel.clone());
        let config = Some(setting.config(self.times)?);
        let created = desk
            .create_match(CreateMatchRequest {
                config,
                ..CreateMatchRequest::default()
            })
            .await;
        let created = created.map_err(|status| broken("the match cannot be made", status))?;
        let created = created.into_inner();
        let mut tickets = created.tickets;
        let own = tickets.pop();
        let own = own.ok_or_else(|| Stop::Broken("a match has no seats".to_owned()))?;
        let opponents = self.opponents(&tickets)?;
        let front = self.front().await?;
        let away = match setting.first_server_is_away {
            true => Some(self.away().await?),
            false => None,
        };
        let fronts = away.iter().chain([&front]);
        let urls: Vec<String> = fronts
            .map(|front| format!("http://{}", front.local_addr()))
            .collect();
        let process = self.command.start(&urls.join(","), &own.ticket);
        let process = process.map_err(|error| broken("the bot cannot be started", error))?;
        Ok(Bout {
            session: Session::new(
                front,
                process,
                self.times,
                own.ticket.clone(),
                PlayServiceClient::new(self.channel.clone()),
            ),
            match_id: created.r#match.unwrap_or_default().match_id,
            seat: own.seat,
            url: self.url.clone(),
            ticket: own.ticket,
            desk,
            _opponents: opponents,
            _away: away,
        })
    }

    /// A channel to the server.
    pub(super) fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Random bots on seats of the server.
    pub(super) fn opponents(
        &self,
        tickets: &[v1::SeatTicket],
    ) -> Verdict<Vec<AbortOnDropHandle<()>>> {
        let play = |seat: &v1::SeatTicket| play_random(&self.url, &seat.ticket, seat.seat);
        tickets.iter().map(play).collect()
    }

    /// A `PlayService` for the bot of one check.
    pub(super) async fn front(&self) -> Verdict<Front> {
        Front::open()
            .await
            .map_err(|error| broken("no port can be had", error))
    }

    /// A port at which nobody listens.
    async fn away(&self) -> Verdict<Front> {
        let mut front = self.front().await?;
        front.go_away().await?;
        Ok(front)
    }
}

impl Bout {
    /// Waits for the bot's first stream and connects it to the server.
    pub(super) async fn connect(&mut self) -> Verdict<()> {
        let came = self.until_it_starts().await?;
        self.session.pass(came).await
    }

    /// Waits for the bot's first stream; its Hello is not passed on.
    pub(super) async fn until_it_starts(&mut self) -> Verdict<Event> {
        let time = self.session.times.start();
        let what = "a stream of the bot after its start";
        self.session.wait_for(what, time, section::CONVERSATION);
        self.session
            .pass_until(|event| matches!(event, Event::Came(_)))
            .await
    }

    /// Passes everything on until the server is about to ask the bot.
    pub(super) async fn until_asked(&mut self) -> Verdict<(u32, v1::DecisionRequest)> {
        let time = self.session.times.answer();
        let what = "an answer to every request";
        self.session.wait_for(what, time, section::ANSWERING);
        loop {
            let event = self.session.event().await?;
            match event {
                Event::FromServer(sequence, v1::play_response::Message::DecisionRequest(asked)) => {
                    return Ok((sequence, asked));
                }
                Event::FromServer(_, v1::play_response::Message::MatchEnded(_)) => {
                    return Err(Stop::Skipped(
                        "the match ended before the bot was asked often enough".to_owned(),
                    ));
                }
                Event::Came(_) | Event::FromBot(_) => {
                    self.session.pass(event).await?;
                    self.session.wait_for(what, time, section::ANSWERING);
                }
                other => self.session.pass(other).await?,
            }
        }
    }

    /// Passes everything on until request `request_id`, which is not delivered yet.
    pub(super) async fn until_request(
        &mut self,
        request_id: u32,
    ) -> Verdict<(u32, v1::DecisionRequest)> {
        loop {
            let (sequence, asked) = self.until_asked().await?;
            if asked.request_id == request_id {
                return Ok((sequence, asked));
            }
            self.deliver(sequence, asked).await;
        }
    }

    pub(super) async fn deliver(&mut self, sequence: u32, asked: v1::DecisionRequest) {
        let message = v1::play_response::Message::DecisionRequest(asked);
        self.session.deliver(sequence, message).await;
    }

    /// Waits for the bot's answer to a request; it is not passed on.
    pub(super) async fn answer_to(&mut self, request_id: u32) -> Verdict<v1::Decision> {
        let time = self.session.times.answer();
        let what = format!("an answer to request {request_id}");
        self.session.wait_for(what, time, section::ANSWERING);
        let is_answer = |event: &Event| {
            matches!(
                event,
                Event::FromBot(v1::play_request::Message::Decision(answer))
                    if answer.request_id == request_id
            )
        };
        match self.session.pass_until(is_answer).await? {
            Event::FromBot(v1::play_request::Message::Decision(answer)) => Ok(answer),
            _ => Err(Stop::Broken("an event was mistaken".to_owned())),
        }
    }

    /// Passes an answer on to the server.
    pub(super) async fn pass_answer(&mut self, answer: v1::Decision) {
        let message = v1::play_request::Message::Decision(answer);
        self.session.say_to_server(message).await;
    }

    /// Waits until the bot is back after a lost stream, and connects it to the server again.
    pub(super) async fn until_back(&mut self) -> Verdict<()> {
        let event = self.until_it_came().await?;
        self.session.pass(event).await
    }

    /// Waits until the bot is back after a lost stream; its Hello is not passed on.
    pub(super) async fn until_it_came(&mut self) -> Verdict<Event> {
        let time = self.session.times.reconnect();
        let what = format!(
            "a new stream with the same ticket within the reconnect time, {} ms",
            time.as_millis()
        );
        self.session.wait_for(what, time, section::COMING_BACK);
        self.session
            .pass_until(|event| matches!(event, Event::Came(_)))
            .await
    }

    /// Plays on to the end of the match. The bot must have no faults but `refused_answers`.
    pub(super) async fn finish(&mut self, refused_answers: u32) -> Verdict<()> {
        self.play_on().await?;
        let result = self.result().await?;
        check_soundness(&result, refused_answers)
    }

    /// Passes everything on until MatchEnded was delivered and the server has ended the stream.
    pub(super) async fn play_on(&mut self) -> Verdict<()> {
        let end = Instant::now() + self.session.times.whole_match();
        let mut progress = None;
        loop {
            // The other bots answer at once: a match without a step for that long has stopped.
            let now = Some(self.session.told.progress());
            if progress != now {
                progress = now;
                let time = self.session.times.answer();
                let left = end.saturating_duration_since(Instant::now());
                let what = "a match that goes on to its end";
                self.session
                    .wait_for(what, time.min(left), section::CONVERSATION);
            }
            let event = self.session.event().await?;
            let is_over = matches!(event, Event::ServerEnded(None));
            if self.session.told.ended && (is_over || matches!(event, Event::Exited(_))) {
                return match event {
                    Event::ServerEnded(_) => self.session.pass(event).await,
                    // How the process ends is another check.
                    _ => Ok(()),
                };
            }
            self.session.pass(event).await?;
        }
    }

    /// The bot's part of the result.
    pub(super) async fn result(&mut self) -> Verdict<SeatResult> {
        let match_id = self.match_id.clone();
        let got = self
            .desk
            .get_match(GetMatchRequest {
                match_id,
                ..GetMatchRequest::default()
            })
            .await;
        let got = got.map_err(|status| broken("the result cannot be had", status))?;
        let result = got.into_inner().r#match.and_then(|info| info.result);
        result
            .and_then(|result| result.seats.into_iter().find(|seat| seat.seat == self.seat))
            .ok_or_else(|| Stop::Broken("the match has no result".to_owned()))
    }

    /// Seats a built-in bot on the bot's own ticket: the server ends the bot's stream.
    pub(super) fn seat_rival(&self) -> Verdict<AbortOnDropHandle<()>> {
        play_random(&self.url, &self.ticket, self.seat)
    }
}

/// Makes sure that a bot had no faults in its match but so many refused answers.
pub(super) fn check_soundness(result: &SeatResult, refused_answers: u32) -> Verdict<()> {
    let is_sound = result.fault_count == refused_answers
        && result.forfeit() == v1::FaultReason::Unspecified
        && result.house_decisions == 0;
    if is_sound {
        return Ok(());
    }
    let faults = result.faults.iter().map(|fault| {
        format!(
            "{} at request {}: {}",
            fault.reason().as_str_name(),
            fault.request_id,
            fault.detail
        )
    });
    let faults = faults.collect::<Vec<_>>().join("; ");
    Err(failed(
        "a match without a fault of the bot, all decisions its own",
        format!(
            "faults: {} ({faults}); decisions of the house: {}",
            result.fault_count, result.house_decisions
        ),
        section::FAULTS,
    ))
}

/// A random bot on a seat, within this process.
fn play_random(url: &str, ticket: &str, seat: u32) -> Verdict<AbortOnDropHandle<()>> {
    let ticket = ticket.parse();
    let ticket = ticket.map_err(|error| broken("a ticket cannot be used", error))?;
    let connection = Connection::to(url);
    let connection = connection.map_err(|error| broken("no connection can be made", error))?;
    let options = Options::new(url, ticket, "random");
    let bot = Random::new(&Seed::from(u64::from(seat)));
    Ok(AbortOnDropHandle::new(tokio::spawn(async move {
        // How a built-in bot fared shows in the match.
        let _ = connection.play(bot, &options).await;
    })))
}

pub(super) fn broken(what: &str, error: impl std::fmt::Display) -> Stop {
    Stop::Broken(format!("{what}: {error}"))
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        broken("the address of the check is lost", error)
    }
}
