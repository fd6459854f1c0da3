//! What can be read from a referee, held against what is known of its match.

use bridgemaster_games::Game;
use bridgemaster_referee::{MatchPhase, Referee};

use super::{Oracle, Violation, demand, seat_model::Known};

impl<G: Game> Oracle<G> {
    /// What can be read from the referee agrees with what is known.
    pub(super) fn agree(&self, referee: &Referee<G>) -> Result<(), Violation> {
        demand!(
            referee.phase() == self.phase,
            "the phase is {:?}, not {:?}",
            referee.phase(),
            self.phase
        );
        let deadline = self.timers().into_iter().map(|(at, _)| at).min();
        demand!(
            referee.deadline() == deadline,
            "the next deadline is {:?}, not {deadline:?}",
            referee.deadline()
        );
        for (info, model) in referee.seats().zip(&self.models) {
            demand!(
                (info.state, info.strikes, &info.bot) == (model.state(), model.strikes, &model.bot),
                "{info:?} is shown, but it is {:?} with {} strikes and {:?}",
                model.state(),
                model.strikes,
                model.bot
            );
            demand!(
                referee.forfeit(info.seat) == model.forfeit,
                "the forfeit of {} is wrong",
                info.seat
            );
            let shown = referee.clock_reading(info.seat, self.now);
            let reading = model.open.as_ref().map(|_| model.reading(self.now));
            demand!(
                shown == reading,
                "the clock of {} shows {shown:?}, not {reading:?}",
                info.seat
            );
        }
        for (info, model) in referee.public_seats().zip(&self.models) {
            let shown = Known {
                state: info.state,
                bot: info.bot.clone(),
                strikes: info.strikes,
            };
            demand!(
                shown == model.public,
                "everybody is shown {info:?}, and may know {:?}",
                model.public
            );
        }
        demand!(
            referee.public_decisions() == self.public_decisions,
            "{} decisions are shown, and {} are public",
            referee.public_decisions(),
            self.public_decisions
        );
        self.everybody_is_told()?;
        demand!(
            referee.result().is_some() == (self.phase == MatchPhase::Ended && !self.is_cancelled),
            "there is a result exactly when the match is over and was not cancelled"
        );
        Ok(())
    }

    /// Every bot that is there knows how every seat stands, as far as it may.
    fn everybody_is_told(&self) -> Result<(), Violation> {
        if self.phase != MatchPhase::Running {
            return Ok(());
        }
        for (seat, model) in self.rules.seats.seats().zip(&self.models) {
            let others = self.models.iter().zip(&model.knows);
            for (about, (other, told)) in self.rules.seats.seats().zip(others) {
                demand!(
                    about == seat || !model.is_connected || *told == other.public.state,
                    "{seat} was told that {about} is {told:?}, and it is {:?}",
                    other.public.state
                );
            }
        }
        Ok(())
    }
}
