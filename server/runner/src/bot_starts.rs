//! Starts a match's bots, restarts bots whose processes die, and expires the seats of bots that are
//! not restarted.

use bridgemaster_bot_process::{BotProcess, StderrFile};
use bridgemaster_proto::v1::{MatchInfo, SeatInfo, SeatState, SeatTicket};
use bridgemaster_sdk::{ApiKey, KEY_VARIABLE, QUEUE_VARIABLE, SLOTS_VARIABLE, TICKET_VARIABLE};

use crate::{
    BotEnd,
    built_in::BuiltInSeat,
    folder::Folder,
    launch::BotStart,
    match_bots::MatchBots,
    match_runner::{Assignment, MatchRunner},
    reused_bots::{ReusedBot, WatchedProcess},
    run_error::PlayError,
};

impl MatchRunner {
    /// Starts a match's bots, except bots that wait in a queue by themselves.
    pub(crate) async fn start(
        &self,
        assigned: &Assignment,
        tickets: &[SeatTicket],
        reused: Vec<Option<ReusedBot>>,
    ) -> Result<MatchBots, PlayError> {
        let mut bots = MatchBots::new();
        for (seat, (&bot, reused)) in assigned.seating.iter().zip(reused).enumerate() {
            if let Some(reused) = reused {
                bots.add_reused(reused);
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
                let added = bots.add_built_in(&self.built_in, played);
                added.map_err(|error| PlayError::Call(error.into()))?;
                continue;
            }
            let name = self.launch.name(bot);
            let stderr = Folder::stderr_name(assigned.of, assigned.attempt, seat, name);
            let file = self.stderr.file(StderrFile::create(&self.folder.path(&stderr)), name);
            bots.add(self.process(assigned, tickets, seat, file).await?, stderr);
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
        if let Some(ReusedBot { queue_id, key, .. }) = bots.reused(seat) {
            let process = self.attending_process(assigned, seat, (queue_id, key), file).await?;
            bots.restart_reused(process, seat);
            return Ok(());
        }
        bots.restart(self.process(assigned, tickets, seat, file).await?, seat);
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

    /// Starts a process for a seat's bot.
    async fn process(
        &self,
        assigned: &Assignment,
        tickets: &[SeatTicket],
        seat: usize,
        stderr: StderrFile,
    ) -> Result<BotProcess, PlayError> {
        let bot = assigned.seating[seat];
        let command = self.launch.command(bot, &bot_start(assigned, seat));
        command
            .start_with(
                &self.server_url,
                &[(TICKET_VARIABLE, ticket_of(tickets, seat)?)],
                Some(stderr),
            )
            .await
            .map_err(|error| PlayError::not_started(self.launch.name(bot), &error))
    }

    /// Starts a process for a seat's bot, which attends a queue with its own key. If an earlier
    /// process of the bot had a seat, the server also offers that seat to the new process.
    pub(crate) async fn attending_process(
        &self,
        assigned: &Assignment,
        seat: usize,
        (queue_id, key): (&str, &ApiKey),
        stderr: StderrFile,
    ) -> Result<WatchedProcess, PlayError> {
        let bot = assigned.seating[seat];
        let command = self.launch.command(bot, &bot_start(assigned, seat));
        let key = key.metadata();
        let process = command
            // Keys are ASCII.
            .with_variable(KEY_VARIABLE, key.to_str().unwrap_or_default())
            .with_variable(SLOTS_VARIABLE, "1")
            .start_with(&self.server_url, &[(QUEUE_VARIABLE, queue_id)], Some(stderr))
            .await
            .map_err(|error| PlayError::not_started(self.launch.name(bot), &error))?;
        Ok(WatchedProcess::new(process))
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
