//! Comparison of the referee's queries with the oracle's model.

use bridgemaster_games::Game;
use bridgemaster_referee::{MatchPhase, Referee};

use super::{Oracle, Violation, require, seat_model::PublicSeat};

impl<G: Game> Oracle<G> {
    /// Compares all queries of the referee with the model.
    pub(super) fn agree(&self, referee: &Referee<G>) -> Result<(), Violation> {
        require!(
            referee.phase() == self.phase,
            "the phase is {:?}, not {:?}",
            referee.phase(),
            self.phase
        );
        let deadline = self.timers().into_iter().map(|(at, _)| at).min();
        require!(
            referee.deadline() == deadline,
            "the next deadline is {:?}, not {deadline:?}",
            referee.deadline()
        );
        for (info, model) in referee.seats().zip(&self.models) {
            require!(
                (info.state, info.strikes, &info.bot) == (model.state(), model.strikes, &model.bot),
                "the seat is shown as {info:?}, but is {:?} with {} strikes and {:?}",
                model.state(),
                model.strikes,
                model.bot
            );
            require!(
                referee.forfeit(info.seat) == model.forfeit,
                "the forfeit of {} is wrong",
                info.seat
            );
            let visible = referee.clock_reading(info.seat, self.now);
            let reading = model.open.as_ref().map(|_| model.reading(self.now));
            require!(
                visible == reading,
                "the clock of {} shows {visible:?}, not {reading:?}",
                info.seat
            );
        }
        for (info, model) in referee.public_seats().zip(&self.models) {
            let visible =
                PublicSeat { state: info.state, bot: info.bot.clone(), strikes: info.strikes };
            require!(
                visible == model.public,
                "the seat is shown as {info:?}, but {:?} is public",
                model.public
            );
        }
        require!(
            referee.public_decisions() == self.public_decisions,
            "{} decisions are visible, but {} are public",
            referee.public_decisions(),
            self.public_decisions
        );
        self.check_notifications()?;
        require!(
            referee.result().is_some() == (self.phase == MatchPhase::Ended && !self.is_cancelled),
            "a match must have a result exactly when it is over and was not cancelled"
        );
        Ok(())
    }

    /// Checks that every connected bot has been sent the public state of every seat.
    fn check_notifications(&self) -> Result<(), Violation> {
        if self.phase != MatchPhase::Running {
            return Ok(());
        }
        for (seat, model) in self.rules.seats.seats().zip(&self.models) {
            let others = self.models.iter().zip(&model.knows);
            for (about, (other, sent)) in self.rules.seats.seats().zip(others) {
                require!(
                    about == seat || !model.is_connected || *sent == other.public.state,
                    "{seat} was notified that {about} is {sent:?}, but it is {:?}",
                    other.public.state
                );
            }
        }
        Ok(())
    }
}
