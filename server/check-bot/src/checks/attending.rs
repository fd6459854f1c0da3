//! The check in which the bot attends a queue. In this check, a relay connects the bot to the real
//! server.

use std::{fmt, time::Duration};

use bridgemaster_bot_process::BotProcess;
use bridgemaster_proto::v1::{
    Attendance, CreateMatchRequest, CreateMatchResponse, CreateQueueRequest, DeleteQueueRequest,
    MatchState, Queue, SeatReservation, WatchQueueRequest, WatchQueueResponse,
    lobby_service_client::LobbyServiceClient, match_service_client::MatchServiceClient,
};
use bridgemaster_sdk::{KEY_VARIABLE, QUEUE_VARIABLE};
use tokio::{
    select,
    time::{Instant, sleep, sleep_until},
};
use tonic::{Status, Streaming};
use tonic_types::StatusExt as _;

use crate::{
    bot_match::KeyedChannel,
    catalog::section,
    environment::{CheckEnvironment, check_faults, match_info, seat_result},
    match_settings::MatchSettings,
    report::{StopReason, Verdict, broken_check, failed},
    scripted_proxy::Relay,
};

/// Id of the check's queue.
const QUEUE: &str = "check-bot";
/// Name of the bot's API key.
const BOT: &str = "checked";
/// Interval at which the server is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The server's reason for refusing to create a match while the bot is not available.
const BOT_NOT_AVAILABLE: &str = "BOT_NOT_AVAILABLE";

/// A running check: the bot and the clients that manage its queue.
struct AttendanceCheck<'a> {
    environment: &'a CheckEnvironment,
    settings: MatchSettings,
    process: BotProcess,
    relay: Relay,
    lobby: LobbyServiceClient<KeyedChannel>,
    client: MatchServiceClient<KeyedChannel>,
}

/// Plays two matches from a queue, with a connection loss between them, then closes the queue.
pub(super) async fn attend(environment: &CheckEnvironment, settings: MatchSettings) -> Verdict<()> {
    let mut check = AttendanceCheck::start(environment, settings).await?;
    let verdict = check.script().await;
    verdict.map_err(|stop| stop.with_stderr_of(&check.process))
}

impl<'a> AttendanceCheck<'a> {
    async fn start(environment: &'a CheckEnvironment, settings: MatchSettings) -> Verdict<Self> {
        let mut lobby = LobbyServiceClient::new(environment.channel());
        let queue = Queue { queue_id: QUEUE.to_owned(), ..Queue::default() };
        let opened = lobby.create_queue(CreateQueueRequest { queue: Some(queue) });
        opened.await.map_err(|status| broken_check("cannot open the queue", status))?;
        let relay = Relay::open(environment.server).await;
        let relay = relay.map_err(|error| broken_check("cannot listen on a port", error))?;
        let url = format!("http://{}", relay.listener.local_addr());
        let key = environment.bot_key(QUEUE, BOT)?;
        let command = environment.command.clone().with_variable(KEY_VARIABLE, key);
        let variables = [(QUEUE_VARIABLE, QUEUE)];
        let process = command.start_with(&url, &variables, None);
        Ok(Self {
            environment,
            settings,
            process: environment.record_started(process.await)?,
            relay,
            lobby,
            client: MatchServiceClient::new(environment.channel()),
        })
    }

    async fn script(&mut self) -> Verdict<()> {
        let name = self.wait_for_attendance().await?;
        self.play_match(&name, "a bot that plays the offered seat to the end").await?;
        self.relay.listener.reset_connections().await;
        self.play_match(&name, "a bot that attends again after a lost connection").await?;
        self.close_queue().await
    }

    /// Waits until the bot attends, and returns its name.
    async fn wait_for_attendance(&mut self) -> Verdict<String> {
        let queue_id = QUEUE.to_owned();
        let updates = self.lobby.watch_queue(WatchQueueRequest { queue_id }).await;
        let mut updates =
            updates.map_err(|status| broken_check("cannot watch the queue", status))?.into_inner();
        let until = Instant::now() + self.environment.times.start;
        let expected = "a bot that attends the queue in BRIDGEMASTER_QUEUE, if the variable is set";
        select! {
            attendance = next_attendance(&mut updates) => Ok(attendance?.bot_name),
            seen = process_end(&mut self.process) => Err(failure(expected, seen)),
            () = sleep_until(until) => Err(failure(expected, "timed out waiting for the bot")),
        }
    }

    /// Offers the bot a seat as soon as the bot is available, and waits for the end of the match.
    async fn play_match(&mut self, name: &str, expected: &str) -> Verdict<()> {
        let until = Instant::now() + self.environment.times.reconnect;
        let created = loop {
            match self.offer(name).await {
                Ok(created) => break created,
                Err(status) if is_not_available(&status) && Instant::now() < until => {}
                Err(status) if is_not_available(&status) => {
                    return Err(failure(expected, status.message()));
                }
                Err(status) => return Err(broken_check("cannot create the match", status)),
            }
            select! {
                seen = process_end(&mut self.process) => return Err(failure(expected, seen)),
                () = sleep(POLL_INTERVAL) => {}
            }
        };
        let _opponents = self.environment.opponents(&created.tickets)?;
        let match_id = created.r#match.unwrap_or_default().match_id;
        let until = Instant::now() + self.environment.times.whole_match;
        loop {
            let info = match_info(&mut self.client, &match_id).await?;
            if info.state() == MatchState::Ended {
                let own = u32::from(self.settings.seats) - 1;
                return check_faults(&seat_result(info, own)?, 0);
            }
            if info.state() == MatchState::Cancelled {
                return Err(failure(expected, "the bot declined the offer"));
            }
            if Instant::now() > until {
                return Err(failure(expected, "the match did not end in time"));
            }
            select! {
                seen = process_end(&mut self.process) => return Err(failure(expected, seen)),
                () = sleep(POLL_INTERVAL) => {}
            }
        }
    }

    /// Creates a match whose last seat is reserved for the bot.
    async fn offer(&mut self, name: &str) -> Result<CreateMatchResponse, Status> {
        let config = self.settings.config(self.environment.times);
        let config = config.map_err(|stop| Status::internal(format!("{stop:?}")))?;
        let reservation = SeatReservation {
            seat: u32::from(self.settings.seats) - 1,
            key_name: name.to_owned(),
            queue_id: QUEUE.to_owned(),
        };
        let request = CreateMatchRequest {
            config: Some(config),
            seat_reservations: vec![reservation],
            ..CreateMatchRequest::default()
        };
        Ok(self.client.create_match(request).await?.into_inner())
    }

    /// Closes the queue, and checks that the process exits by itself, in time and with code 0.
    async fn close_queue(&mut self) -> Verdict<()> {
        let queue_id = QUEUE.to_owned();
        let closed = self.lobby.delete_queue(DeleteQueueRequest { queue_id }).await;
        closed.map_err(|status| broken_check("cannot close the queue", status))?;
        let time = self.environment.times.exit;
        let expected = format!(
            "exit code 0 within {} ms after the attendance stream ended with OK",
            time.as_millis()
        );
        select! {
            ended = self.process.ended() => match ended {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(failure(expected, format!("the process ended with {status}"))),
                Err(error) => Err(broken_check("cannot wait for the bot", error)),
            },
            () = sleep(time) => Err(failure(expected, "timed out waiting for the process to exit")),
        }
    }
}

async fn next_attendance(updates: &mut Streaming<WatchQueueResponse>) -> Verdict<Attendance> {
    loop {
        let update = updates.message().await;
        let update = update.map_err(|status| broken_check("cannot watch the queue", status))?;
        let update = update.ok_or_else(|| StopReason::Broken("the queue is closed".to_owned()))?;
        if let Some(attendance) = update.attendance.filter(|_| !update.ended) {
            return Ok(attendance);
        }
    }
}

/// Waits for an unexpected exit of the process, and describes the exit.
async fn process_end(process: &mut BotProcess) -> String {
    match process.ended().await {
        Ok(status) => format!("the process ended with {status}"),
        Err(error) => format!("cannot wait for the process: {error}"),
    }
}

fn is_not_available(status: &Status) -> bool {
    let info = status.get_details_error_info();
    info.is_some_and(|info| info.reason == BOT_NOT_AVAILABLE)
}

fn failure(expected: impl Into<String>, seen: impl fmt::Display) -> StopReason {
    failed(expected, seen.to_string(), section::ATTENDING)
}
