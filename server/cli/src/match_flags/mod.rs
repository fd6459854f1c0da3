//! What can be chosen for a match, the same for every command that makes one.

mod clock;
mod clock_of;
mod faults;
mod game_options;

use anyhow::Context as _;
use bridgemaster_games::{GAME_IDS, SeatCount, Seed, with_game};
use bridgemaster_proto::v1::MatchConfig;
use bridgemaster_runner::{House, MatchRules};
use clap::{Args, builder::PossibleValuesParser};

pub(super) use self::clock_of::ClockOf;
use self::{clock::ClockFlags, faults::FaultFlags, game_options::GameOptions};
use super::failure::misuse;

#[derive(Args)]
pub(super) struct MatchFlags {
    /// Game to play
    #[arg(long, value_name = "GAME", help_heading = "Game", default_value = GAME_IDS[0],
        value_parser = PossibleValuesParser::new(GAME_IDS))]
    game: String,
    /// Number of seats [default: one for each bot that gets one; else the most that the game allows,
    /// and in a contest the least]
    #[arg(long, value_name = "N", help_heading = "Game")]
    seats: Option<u8>,
    /// Seed of every result of chance: 1 to 64 printable characters without spaces [default: drawn
    /// by the server]
    #[arg(long, value_name = "SEED", help_heading = "Game")]
    seed: Option<Seed>,
    /// Also ask bots for decisions with only one legal answer, which the referee otherwise plays by
    /// itself
    #[arg(long, help_heading = "Game")]
    ask_forced: bool,
    #[command(flatten)]
    options: GameOptions,
    #[command(flatten)]
    clock: ClockFlags,
    #[command(flatten)]
    faults: FaultFlags,
}

impl MatchFlags {
    /// The number of seats that was chosen, within the range of the game; `None` when none was.
    pub(super) fn seats(&self) -> anyhow::Result<Option<SeatCount>> {
        self.seats
            .map(|seats| self.check_seats(usize::from(seats), &format!("--seats {seats}")))
            .transpose()
    }

    /// The number of seats that was chosen, or the most that the game allows.
    pub(super) fn seats_or_most(&self) -> anyhow::Result<SeatCount> {
        match self.seats()? {
            Some(seats) => Ok(seats),
            None => {
                let most = with_game!(self.game.as_str(), G => *G::SEATS.end());
                self.check_seats(most.map_or(0, usize::from), "--seats")
            }
        }
    }

    /// The number of seats that was chosen, or the fewest that the game has.
    pub(super) fn least_seats(&self) -> anyhow::Result<SeatCount> {
        match self.seats()? {
            Some(seats) => Ok(seats),
            None => {
                let least = with_game!(self.game.as_str(), G => *G::SEATS.start());
                self.check_seats(least.map_or(0, usize::from), "--seats")
            }
        }
    }

    /// This number of seats, if the game allows it; `given` is what gave it on the command line.
    pub(super) fn check_seats(&self, seats: usize, given: &str) -> anyhow::Result<SeatCount> {
        let (name, range) = with_game!(self.game.as_str(), G => (G::NAME, G::SEATS))
            .with_context(|| format!("there is no game {}", self.game))?;
        u8::try_from(seats)
            .ok()
            .filter(|seats| range.contains(seats))
            .and_then(SeatCount::new)
            .ok_or_else(|| {
                let (min, max) = (range.start(), range.end());
                misuse(format!("{given}: {name} has {min} to {max} seats"))
            })
    }

    /// The seed that was chosen.
    pub(super) fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// The rules of each match of a contest with this many seats.
    pub(super) fn contest_rules(&self, seats: SeatCount) -> anyhow::Result<MatchRules> {
        Ok(MatchRules {
            game: self.game.clone(),
            rules_version: None,
            seats: seats.get(),
            options: self.options.texts(&self.game)?,
            clock: self.clock.rules().into(),
            fault_costs: self.faults.policy().into(),
            house: House::of(self.faults.house_policy()),
            ask_forced: self.ask_forced,
        })
    }

    /// The config of a match in which people play: they have more time, where no flag says how much.
    pub(super) fn config_for_people(&self, seats: SeatCount) -> anyhow::Result<MatchConfig> {
        Ok(MatchConfig {
            clock: Some(self.clock.rules_for_people()),
            ..self.config(seats)?
        })
    }

    /// The config of a match with this many seats.
    pub(super) fn config(&self, seats: SeatCount) -> anyhow::Result<MatchConfig> {
        Ok(MatchConfig {
            game: Some(self.options.config(&self.game, seats)?),
            seats: seats.get().into(),
            seed: self.seed.as_ref().map(ToString::to_string),
            clock: Some(self.clock.rules()),
            faults: Some(self.faults.policy()),
            house_policy: self.faults.house_policy().into(),
            ask_forced: self.ask_forced,
            ..MatchConfig::default()
        })
    }
}
