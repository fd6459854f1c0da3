//! How a bot attends a queue. It is connected to the real server, by a way that can be cut.

use std::{fmt, time::Duration};

use bridgemaster_bot_process::BotProcess;
use bridgemaster_proto::v1::{
    Attendance, CreateMatchRequest, CreateMatchResponse, CreateQueueRequest, DeleteQueueRequest,
    GetMatchRequest, MatchInfo, MatchState, Queue, SeatReservation, SeatResult, WatchQueueRequest,
    lobby_service_client::LobbyServiceClient, match_service_client::MatchServiceClient,
};
use tokio::{
    select,
    time::{Instant, sleep, sleep_until},
};
use tonic::{Status, Streaming, transport::Channel};
use tonic_types::StatusExt as _;

use bridgemaster_proto::v1::WatchQueueResponse;

use crate::{
    arena::{Arena, broken, check_soundness},
    catalog::section,
    failure::{Stop, Verdict, failed},
    front::Relay,
    setting::Setting,
};

/// The queue of the check.
const QUEUE: &str = "check-bot";
/// Pause between two looks at what the server tells.
const LOOK: Duration = Duration::from_millis(20);
/// The refusal while a bot is not there.
const NOT_AVAILABLE: &str = "BOT_NOT_AVAILABLE";

/// A bot that attends, and who runs its queue.
struct Attended<'a> {
    arena: &'a Arena,
    setting: Setting,
    process: BotProcess,
    relay: Relay,
    lobby: LobbyServiceClient<Channel>,
    desk: MatchServiceClient<Channel>,
}

/// Two matches of a queue with a lost connection between them, and its end.
pub(super) async fn attend(arena: &Arena, setting: Setting) -> Verdict<()> {
    let mut attended = Attended::start(arena, setting).await?;
    match attended.script().await {
        Err(Stop::Failed(mut failure)) => {
            failure.stderr = attended.process.stderr_so_far();
            Err(Stop::Failed(failure))
        }
        other => other,
    }
}

impl<'a> Attended<'a> {
    async fn start(arena: &'a Arena, setting: Setting) -> Verdict<Self> {
        let mut lobby = LobbyServiceClient::new(arena.channel());
        let queue = Queue {
            queue_id: QUEUE.to_owned(),
            ..Queue::default()
        };
        let opened = lobby.create_queue(CreateQueueRequest { queue: Some(queue) });
        opened
            .await
            .map_err(|status| broken("the queue cannot be opened", status))?;
        let relay = Relay::to(arena.server).await;
        let relay = relay.map_err(|error| broken("no port can be had", error))?;
        let url = format!("http://{}", relay.local_addr());
        let process = arena.command.start_attending(&url, QUEUE);
        Ok(Self {
            arena,
            setting,
            process: process.map_err(|error| broken("the bot cannot be started", error))?,
            relay,
            lobby,
            desk: MatchServiceClient::new(arena.channel()),
        })
    }

    async fn script(&mut self) -> Verdict<()> {
        let name = self.until_it_attends().await?;
        self.match_with(&name, "an offered seat that is played to the end")
            .await?;
        self.relay.reset_connections().await;
        self.match_with(
            &name,
            "an attendance that is there again after a lost connection",
        )
        .await?;
        self.until_the_end().await
    }

    /// Waits for the attendance of the bot, and gives its name.
    async fn until_it_attends(&mut self) -> Verdict<String> {
        let queue_id = QUEUE.to_owned();
        let watched = self.lobby.watch_queue(WatchQueueRequest { queue_id }).await;
        let mut watched = watched
            .map_err(|status| broken("the queue cannot be watched", status))?
            .into_inner();
        let until = Instant::now() + self.arena.times.start();
        let expected = "a bot that attends the queue of BRIDGEMASTER_QUEUE, where there is one";
        select! {
            attendance = next_attendance(&mut watched) => Ok(attendance?.bot_name),
            seen = left(&mut self.process) => Err(wrong(expected, seen)),
            () = sleep_until(until) => Err(wrong(expected, "it did not come in time")),
        }
    }

    /// Offers the bot a seat, as soon as it can be offered one, and waits for the end of the match.
    async fn match_with(&mut self, name: &str, expected: &str) -> Verdict<()> {
        let until = Instant::now() + self.arena.times.reconnect();
        let made = loop {
            match self.offer(name).await {
                Ok(made) => break made,
                Err(status) if is_not_available(&status) && Instant::now() < until => {}
                Err(status) if is_not_available(&status) => {
                    return Err(wrong(expected, status.message()));
                }
                Err(status) => return Err(broken("the match cannot be made", status)),
            }
            select! {
                seen = left(&mut self.process) => return Err(wrong(expected, seen)),
                () = sleep(LOOK) => {}
            }
        };
        let _opponents = self.arena.opponents(&made.tickets)?;
        let match_id = made.r#match.unwrap_or_default().match_id;
        let until = Instant::now() + self.arena.times.whole_match();
        loop {
            let info = self.look_at(&match_id).await?;
            if info.state() == MatchState::Ended {
                return check_soundness(&self.result(info)?, 0);
            }
            if info.state() == MatchState::Cancelled {
                return Err(wrong(expected, "the bot declined the offer"));
            }
            if Instant::now() > until {
                return Err(wrong(expected, "the match did not end in time"));
            }
            select! {
                seen = left(&mut self.process) => return Err(wrong(expected, seen)),
                () = sleep(LOOK) => {}
            }
        }
    }

    /// Makes a match whose last seat is offered to the bot.
    async fn offer(&mut self, name: &str) -> Result<CreateMatchResponse, Status> {
        let config = self.setting.config(self.arena.times);
        let config = config.map_err(|stop| Status::internal(format!("{stop:?}")))?;
        let reservation = SeatReservation {
            seat: u32::from(self.setting.seats) - 1,
            key_name: name.to_owned(),
            queue_id: QUEUE.to_owned(),
        };
        let request = CreateMatchRequest {
            config: Some(config),
            seat_reservations: vec![reservation],
            ..CreateMatchRequest::default()
        };
        Ok(self.desk.create_match(request).await?.into_inner())
    }

    async fn look_at(&mut self, match_id: &str) -> Verdict<MatchInfo> {
        let match_id = match_id.to_owned();
        let got = self
            .desk
            .get_match(GetMatchRequest {
                match_id,
                ..GetMatchRequest::default()
            })
            .await;
        let got = got.map_err(|status| broken("the match cannot be looked at", status))?;
        let info = got.into_inner().r#match;
        info.ok_or_else(|| Stop::Broken("there is no match in the answer".to_owned()))
    }

    /// The bot's part of the result.
    fn result(&self, info: MatchInfo) -> Verdict<SeatResult> {
        let own = u32::from(self.setting.seats) - 1;
        let seats = info.result.map(|result| result.seats).unwrap_or_default();
        let found = seats.into_iter().find(|seat| seat.seat == own);
        found.ok_or_else(|| Stop::Broken("the match has no result".to_owned()))
    }

    /// Closes the queue: the process must end by itself, in time, with exit code 0.
    async fn until_the_end(&mut self) -> Verdict<()> {
        let queue_id = QUEUE.to_owned();
        let closed = self
            .lobby
            .delete_queue(DeleteQueueRequest { queue_id })
            .await;
        closed.map_err(|status| broken("the queue cannot be closed", status))?;
        let time = self.arena.times.exit();
        let expected = format!(
            "exit code 0 within {} ms after the stream of the attendance ended with OK",
            time.as_millis()
        );
        select! {
            ended = self.process.ended() => match ended {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(wrong(expected, format!("the process ended with {status}"))),
                Err(error) => Err(broken("the bot cannot be waited for", error)),
            },
            () = sleep(time) => Err(wrong(expected, "timed out waiting for the end")),
        }
    }
}

async fn next_attendance(watched: &mut Streaming<WatchQueueResponse>) -> Verdict<Attendance> {
    loop {
        let told = watched.message().await;
        let told = told.map_err(|status| broken("the queue cannot be watched", status))?;
        let told = told.ok_or_else(|| Stop::Broken("the queue is closed".to_owned()))?;
        if let Some(attendance) = told.attendance.filter(|_| !told.ended) {
            return Ok(attendance);
        }
    }
}

/// Waits for the end of a process that should go on, and says how it ended.
async fn left(process: &mut BotProcess) -> String {
    match process.ended().await {
        Ok(status) => format!("the process ended with {status}"),
        Err(error) => format!("the process cannot be waited for: {error}"),
    }
}

fn is_not_available(status: &Status) -> bool {
    let info = status.get_details_error_info();
    info.is_some_and(|info| info.reason == NOT_AVAILABLE)
}

fn wrong(expected: impl Into<String>, seen: impl fmt::Display) -> Stop {
    failed(expected, seen.to_string(), section::ATTENDING)
}
