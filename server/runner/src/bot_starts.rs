//! Starts a match's bots, restarts bots whose processes die, and expires the seats of bots that are
//! not restarted.

use bridgemaster_bot_process::StderrFile;
use bridgemaster_proto::v1::{MatchInfo, SeatInfo, SeatState, SeatTicket};
use bridgemaster_sdk::{ApiKey, KEY_VARIABLE, QUEUE_VARIABLE, SLOTS_VARIABLE, TICKET_VARIABLE};

use crate::{
    BotEnd,
    built_in::BuiltInSeat,
    folder::Folder,
    launch::BotStart,
    match_bots::{MatchBots, SeatedBot},
    match_runner::{Assignment, MatchRunner},
    run_error::PlayError,
    running_bots::{ReusedBot, RunningBot},
};

impl MatchRunner {
    /// Starts a match's bots, except bots that wait in a queue by themselves.
    pub(crate) async fn start(
        &self,
        assigned: &Assignment,
        tickets: &[SeatTicket],
        reused: Vec<Option<ReusedBot>>,
    ) -> Result<MatchBots, PlayError> {
        let mut bots = MatchBots::default();
        for (seat, (&bot, reused)) in assigned.seating.iter().zip(reused).enumerate() {
            if let Some(reused) = reused {
                let stderr = reused.stderr.clone();
                bots.add(SeatedBot::Reused(reused), stderr);
                continue;
            }
            if self.launch.attends(bot).is_some() {
                bots.add_attending();
                continue;
            }
            let to = bot_start(assigned, seat);
            if let Some((name, bot)) = self.launch.built_in(bot, &to) {
                let played = BuiltInSeat {
                    name,
                    bot,
                    ticket: ticket_of(tickets, seat)?,
                    slot: assigned.slot,
                };
                let played = self.built_in.play(played);
                let played = played.map_err(|error| PlayError::Call(error.into()))?;
                bots.add(SeatedBot::Started(played), String::new());
                continue;
            }
            let name = self.launch.name(bot);
            let stderr = Folder::stderr_name(assigned.of, assigned.attempt, seat, name);
            let file = self.stderr.file(StderrFile::create(&self.folder.path(&stderr)), name);
            let ticket = [(TICKET_VARIABLE, ticket_of(tickets, seat)?)];
            let process = self.process(assigned, seat, &ticket, file).await?;
            bots.add(SeatedBot::Started(process), stderr);
        }
        Ok(bots)
    }

    /// Restarts the bot of a seat if its process died during the match, up to the number of
    /// restarts that the contest allows. The new process gets the same ticket. The bot's clock
    /// keeps running during the restart.
    pub(crate) async fn restart_bot(
        &self,
        assigned: &Assignment,
        tickets: &[SeatTicket],
        info: &MatchInfo,
        bots: &mut MatchBots,
        seat: usize,
    ) -> Result<(), PlayError> {
        let seat_info = info.seats.iter().find(|info| info.seat as usize == seat);
        // A forfeited seat is never given back, so a restart would be pointless.
        let is_playing = seat_info.is_some_and(|info| info.state() != SeatState::Forfeited);
        let died = &mut bots.status[seat];
        if is_playing && died.end == Some(BotEnd::Done) {
            // A bot that exits on its own would exit again.
            died.end = Some(BotEnd::Exited { code: 0 });
            return Ok(());
        }
        if !is_playing || !died.has_died() || died.restarts >= self.spec.restarts() {
            return Ok(());
        }
        let name = self.launch.name(assigned.seating[seat]);
        let file = StderrFile::append(&self.folder.path(&died.stderr));
        let file = self.stderr.file(file, name);
        let process = match bots.status[seat].reused() {
            Some(ReusedBot { queue_id, key, .. }) => {
                self.attending_process(assigned, seat, (queue_id, key), file).await?
            }
            None => {
                let ticket = [(TICKET_VARIABLE, ticket_of(tickets, seat)?)];
                self.process(assigned, seat, &ticket, file).await?
            }
        };
        bots.restart(process, seat);
        Ok(())
    }

    /// Expires the seats of bots whose processes have ended and are not restarted, so that the
    /// match does not wait for them. While the server still has a stream for the seat, expiring it
    /// is retried later.
    pub(crate) async fn expire_seats(
        &self,
        match_id: &str,
        info: &MatchInfo,
        bots: &mut MatchBots,
    ) -> Result<(), PlayError> {
        let seats = bots.status.iter_mut().enumerate();
        for (seat, ended) in seats.filter(|(_, ended)| ended.must_be_expired()) {
            let seat_info = info.seats.iter().find(|info| info.seat as usize == seat);
            ended.is_expired = match seat_info.map(SeatInfo::state) {
                Some(SeatState::Forfeited) | None => true,
                Some(SeatState::Connected) => false,
                Some(_) => {
                    let reason = ended.end.as_ref().map_or_else(String::new, reason);
                    self.client.expire_seat(match_id, seat, &reason).await?
                }
            };
        }
        Ok(())
    }

    /// Starts a process for a seat's bot, with these additional environment variables.
    async fn process(
        &self,
        assigned: &Assignment,
        seat: usize,
        variables: &[(&str, &str)],
        stderr: StderrFile,
    ) -> Result<RunningBot, PlayError> {
        let bot = assigned.seating[seat];
        let command = self.launch.command(bot, &bot_start(assigned, seat));
        let started = command.start_with(&self.server_url, variables, Some(stderr)).await;
        let not_started = |error| PlayError::not_started(self.launch.name(bot), &error);
        started.map(RunningBot::of_process).map_err(not_started)
    }

    /// Starts a process for a seat's bot, which attends a queue with its own key. If an earlier
    /// process of the bot had a seat, the server also offers that seat to the new process.
    pub(crate) async fn attending_process(
        &self,
        assigned: &Assignment,
        seat: usize,
        (queue_id, key): (&str, &ApiKey),
        stderr: StderrFile,
    ) -> Result<RunningBot, PlayError> {
        let key = key.metadata();
        // Keys are ASCII.
        let key = key.to_str().unwrap_or_default();
        let variables = [(KEY_VARIABLE, key), (SLOTS_VARIABLE, "1"), (QUEUE_VARIABLE, queue_id)];
        self.process(assigned, seat, &variables, stderr).await
    }
}

/// Describes how a bot ended; used as the reason for expiring its seat.
fn reason(end: &BotEnd) -> String {
    match end {
        BotEnd::Done => "its process ended with exit code 0".to_owned(),
        BotEnd::Exited { code } => format!("its process ended with exit code {code}"),
        BotEnd::Signalled { signal } => format!("its process was terminated by signal {signal}"),
        BotEnd::OutOfMemory => "its process ran out of memory".to_owned(),
        _ => "its process ended".to_owned(),
    }
}

pub(crate) fn bot_start(assigned: &Assignment, seat: usize) -> BotStart<'_> {
    BotStart { of: assigned.of, group_seed: &assigned.seed, seat, slot: assigned.slot }
}

fn ticket_of(tickets: &[SeatTicket], seat: usize) -> Result<&str, PlayError> {
    let ticket = tickets.iter().find(|ticket| ticket.seat as usize == seat);
    ticket
        .map(|ticket| ticket.ticket.as_str())
        .ok_or_else(|| PlayError::Server(format!("returned no ticket for seat {seat}")))
}
