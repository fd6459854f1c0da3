//! The processes of the bots of a match: started for their seats, and again when they die in it.

use bridgemaster_bot_process::{BotProcess, StderrFile};
use bridgemaster_proto::v1::{MatchInfo, SeatState, SeatTicket};

use crate::{
    PlayError,
    folder::Folder,
    launch::Start,
    play::{Assignment, Court},
    processes::Bots,
};

impl Court {
    /// Starts the bots of a match, but for those that attend.
    pub(crate) fn start(
        &self,
        assigned: &Assignment,
        tickets: &[SeatTicket],
    ) -> Result<Bots, PlayError> {
        let mut bots = Bots::none();
        for (seat, &bot) in assigned.seating.iter().enumerate() {
            if self.launch.attends(bot).is_some() {
                bots.add_attending();
                continue;
            }
            let name = self.launch.name(bot);
            let stderr = Folder::stderr_name(assigned.of, assigned.attempt, seat, name);
            let file = StderrFile::at(&self.folder.path(&stderr));
            bots.add(self.process(assigned, tickets, seat, file)?, stderr);
        }
        Ok(bots)
    }

    /// Starts the bot of a seat again whose process has died while its match goes on, as often as
    /// the contest allows. It comes back with the ticket that it had; its clock ran meanwhile.
    pub(crate) fn start_again(
        &self,
        assigned: &Assignment,
        tickets: &[SeatTicket],
        info: &MatchInfo,
        bots: &mut Bots,
        seat: usize,
    ) -> Result<(), PlayError> {
        let told = info.seats.iter().find(|told| told.seat as usize == seat);
        // What the house plays no bot gets back.
        let is_its_own = told.is_some_and(|told| told.state() != SeatState::Forfeited);
        let died = &bots.ends[seat];
        if !is_its_own || !died.has_died() || died.restarts >= self.spec.restarts() {
            return Ok(());
        }
        let file = StderrFile::end_of(&self.folder.path(&died.stderr));
        bots.add_again(self.process(assigned, tickets, seat, file)?, seat);
        Ok(())
    }

    /// A process of the bot that has a seat.
    fn process(
        &self,
        assigned: &Assignment,
        tickets: &[SeatTicket],
        seat: usize,
        stderr: StderrFile,
    ) -> Result<BotProcess, PlayError> {
        let bot = assigned.seating[seat];
        let command = self.launch.command(bot, &start(assigned, seat));
        command
            .start_and_keep(&self.server_url, ticket_of(tickets, seat)?, stderr)
            .map_err(|source| PlayError::Start {
                bot: self.launch.name(bot).to_owned(),
                source,
            })
    }
}

fn start(assigned: &Assignment, seat: usize) -> Start<'_> {
    Start {
        of: assigned.of,
        group_seed: &assigned.seed,
        seat,
        place: assigned.place,
    }
}

fn ticket_of(tickets: &[SeatTicket], seat: usize) -> Result<&str, PlayError> {
    let ticket = tickets.iter().find(|ticket| ticket.seat as usize == seat);
    ticket
        .map(|ticket| ticket.ticket.as_str())
        .ok_or_else(|| PlayError::Server(format!("gave no ticket for seat {seat}")))
}
