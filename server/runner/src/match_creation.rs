//! Creates the matches of a contest, with seats reserved for attending bots.

use std::time::Duration;

use bridgemaster_bot_process::StderrFile;
use bridgemaster_proto::v1::{
    CreateMatchRequest, CreateMatchResponse, MatchConfig, Queue, SeatReservation, SeatTicket,
};
use tokio::{select, task::JoinSet};

use crate::{
    ExitReason,
    bot_starts::bot_start,
    folder::Folder,
    fork::ForkSource,
    match_runner::{Assignment, MatchRunner},
    replays,
    retry_client::CallError,
    run_error::PlayError,
    running_bots::{ReusedBot, SHUTDOWN_TIMEOUT, shut_down},
};

/// The number of attempts to create a match. An attempt fails if a reused bot process exits before
/// the match is created.
const MAX_ATTEMPTS: u32 = 3;
/// Default time limit for a started bot to attend its queue, in ms. It equals the server's default
/// time limit for the first connection to a match.
const DEFAULT_STARTUP_MS: u32 = 30_000;

/// A match created at the server, and the reused processes for its seats.
pub(crate) struct CreatedMatch {
    pub(crate) match_id: String,
    /// The tickets for the seats that are not reserved.
    pub(crate) tickets: Vec<SeatTicket>,
    /// The reused process for which each seat is reserved, in seat order; `None` without a
    /// reservation.
    pub(crate) reused: Vec<Option<ReusedBot>>,
}

impl MatchRunner {
    /// Creates a match. Starts new processes of reused bots if too few are idle.
    pub(crate) async fn create_match(
        &self,
        assigned: &Assignment,
    ) -> Result<CreatedMatch, PlayError> {
        let mut request = CreateMatchRequest {
            config: Some(self.match_config(assigned)),
            rules_version: self.spec.rules.rules_version,
            fork: self.forked.as_ref().map(ForkSource::message),
            ..CreateMatchRequest::default()
        };
        let mut attempts = 0;
        loop {
            let reused = self.reused_bots_of(assigned).await?;
            request.seat_reservations = self.reservations(assigned, &reused);
            let error = match self.send_create(request.clone(), &reused).await {
                Ok(created) => {
                    let match_id = created.r#match.map(|info| info.match_id);
                    let none = || PlayError::Server("returned no match".to_owned());
                    return Ok(CreatedMatch {
                        match_id: match_id.ok_or_else(none)?,
                        tickets: created.tickets,
                        reused,
                    });
                }
                Err(error) => error,
            };
            attempts += 1;
            self.check_retry(error, &reused, attempts)?;
            for bot in reused.into_iter().flatten() {
                self.release(bot, true).await?;
            }
        }
    }

    fn match_config(&self, assigned: &Assignment) -> MatchConfig {
        let group = replays::server_group(self.folder.id(), assigned.of, assigned.group_matches);
        MatchConfig {
            group: Some(group),
            ..match &self.forked {
                Some(forked) => forked.config(&assigned.seed),
                None => MatchConfig {
                    seed: Some(assigned.seed.clone()),
                    seat_clocks: self.spec.seat_clocks(&assigned.seating),
                    ..self.config.clone()
                },
            }
        }
    }

    /// Returns the seats in a match that must be reserved for attending bots.
    fn reservations(
        &self,
        assigned: &Assignment,
        reused: &[Option<ReusedBot>],
    ) -> Vec<SeatReservation> {
        let seats = (0..).zip(assigned.seating.iter().zip(reused));
        let reservations = seats.filter_map(|(seat, (bot, reused))| {
            let (key_name, queue_id) = match reused {
                Some(reused) => (self.launch.name(*bot), reused.queue_id.as_str()),
                None => (self.launch.attends(*bot)?, self.spec.queue()),
            };
            Some(SeatReservation {
                seat,
                key_name: key_name.to_owned(),
                queue_id: queue_id.to_owned(),
            })
        });
        reservations.collect()
    }

    /// Calls CreateMatch, and waits until the started bots attend.
    async fn send_create(
        &self,
        request: CreateMatchRequest,
        reused: &[Option<ReusedBot>],
    ) -> Result<CreateMatchResponse, CallError> {
        let mut exits = JoinSet::new();
        for bot in reused.iter().flatten() {
            exits.spawn(bot.process.ended());
        }
        let startup_ms = (!exits.is_empty()).then(|| self.startup_ms());
        let created = self.client.create(self.folder.id(), request, startup_ms);
        tokio::pin!(created);
        select! {
            created = &mut created => created,
            Some(_) = exits.join_next() => {
                // Closing the queue keeps the server from waiting for a bot that has exited.
                for bot in reused.iter().flatten().filter(|bot| bot.process.end().is_some()) {
                    self.client.close_queue(&bot.queue_id).await?;
                }
                created.await
            }
        }
    }

    fn startup_ms(&self) -> u32 {
        self.spec.rules.clock.startup_ms.unwrap_or(DEFAULT_STARTUP_MS)
    }

    /// Returns `Ok` if the call is to be retried, because a reused process exited during the call
    /// and attempts remain. Otherwise returns the error.
    fn check_retry(
        &self,
        error: CallError,
        reused: &[Option<ReusedBot>],
        attempts: u32,
    ) -> Result<(), PlayError> {
        let mut bots = reused.iter().flatten();
        let ended = bots.find_map(|bot| Some((bot.bot, bot.process.end()?)));
        if let Some((bot, ended)) = ended {
            let is_retried = attempts < MAX_ATTEMPTS && self.working_bots.lock().contains(&bot);
            if is_retried {
                return Ok(());
            }
            return Err(self.ended_early(bot, Some(&ended.end), &ended.tail));
        }
        let is_any_reused = reused.iter().any(Option::is_some);
        Err(match error.bot_not_available().filter(|_| is_any_reused) {
            Some(bot) => PlayError::bot_exit(
                ExitReason::BotNeverConnected,
                &bot,
                &format!(
                    "did not attend within {} ms of its start ({error}). With --reuse, a \
                     bot attends the queue in BRIDGEMASTER_QUEUE with the key in \
                     BRIDGEMASTER_KEY, as bots of the SDKs do; without --reuse, it is started for \
                     each match",
                    self.startup_ms()
                ),
            ),
            None => error.into(),
        })
    }

    /// For each seat whose bot's processes are reused, returns an idle or new process.
    async fn reused_bots_of(
        &self,
        assigned: &Assignment,
    ) -> Result<Vec<Option<ReusedBot>>, PlayError> {
        let mut reused = Vec::new();
        for (seat, &bot) in assigned.seating.iter().enumerate() {
            reused.push(if self.launch.is_reused(bot) {
                Some(self.reused_bot(assigned, seat).await?)
            } else {
                None
            });
        }
        Ok(reused)
    }

    /// Returns an idle or a new process for a seat.
    async fn reused_bot(&self, assigned: &Assignment, seat: usize) -> Result<ReusedBot, PlayError> {
        let bot = assigned.seating[seat];
        let core = self.launch.core(&bot_start(assigned, seat));
        while let Some(idle) = self.reused_bots.acquire(bot, core) {
            if idle.process.end().is_none() && idle.changes == self.watch.changes() {
                return Ok(idle);
            }
            self.terminate(&[idle], SHUTDOWN_TIMEOUT).await?;
        }
        let changes = self.watch.changes();
        let number = self.reused_bots.next_number();
        let (queue_id, name) = (format!("bot-{number}"), self.launch.name(bot));
        let queue = Queue {
            queue_id: queue_id.clone(),
            game_id: self.spec.rules.game.clone(),
            rules_version: self.spec.rules.rules_version,
            ..Queue::default()
        };
        self.client.open_queue(queue).await?;
        let own_server = self.own_server.as_ref();
        let own_server =
            own_server.ok_or_else(|| PlayError::Server("is not the contest's own".to_owned()))?;
        let key = own_server.issue_bot_key(&queue_id, name);
        let key = key.map_err(|problem| PlayError::Server(format!("issued no key: {problem}")))?;
        let stderr = Folder::reused_stderr_name(number, name);
        // The file is appended to, because a resumed contest numbers its processes from 1 again.
        let file = StderrFile::append(&self.folder.path(&stderr));
        let file = self.stderr.file(file, name);
        let process = self.attending_process(assigned, seat, (&queue_id, &key), file).await?;
        Ok(ReusedBot { bot, core, queue_id, key, stderr, process, changes })
    }

    /// Returns a process to the pool if it is still running and `is_reusable` is true. Otherwise,
    /// terminates it.
    pub(crate) async fn release(&self, bot: ReusedBot, is_reusable: bool) -> Result<(), PlayError> {
        if is_reusable && bot.process.end().is_none() {
            self.reused_bots.release(bot);
        } else {
            self.terminate(&[bot], SHUTDOWN_TIMEOUT).await?;
        }
        Ok(())
    }

    /// Terminates the idle processes. If `is_complete` is true for the contest, first waits for the
    /// processes to exit by themselves.
    pub(crate) async fn shut_down_reused_bots(&self, is_complete: bool) -> Result<(), CallError> {
        let timeout = if is_complete { SHUTDOWN_TIMEOUT } else { Duration::ZERO };
        self.terminate(&self.reused_bots.drain(), timeout).await
    }

    /// Terminates processes and trims their output files. All processes have ended when this
    /// returns, even with an error.
    async fn terminate(&self, bots: &[ReusedBot], timeout: Duration) -> Result<(), CallError> {
        let mut closed = Ok(());
        for bot in bots {
            if !timeout.is_zero() && closed.is_ok() {
                closed = self.client.close_queue(&bot.queue_id).await;
            }
        }
        shut_down(bots, timeout).await;
        for bot in bots {
            let is_important = Some(bot.bot) == self.spec.candidate();
            self.stderr.trim(&self.folder.path(&bot.stderr), is_important);
        }
        closed
    }
}
