//! The match of a check.

use std::time::Duration;

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame,
    v1::{ClockRules, FaultAction, FaultPolicy, MatchConfig},
};

use super::{
    failure::{Stop, Verdict},
    limits::Times,
};

/// The bank of the bot in checks where the clock is not what is checked, in ms: an hour.
const LONG_BANK_MS: u32 = 3_600_000;
/// Longest time for one decision in such checks, in ms: ten minutes.
const LONG_CAP_MS: u32 = 600_000;

/// The seed of every match, so that a failure can be seen again.
const SEED: &str = "check-bot";

/// The match of a check, and how the bot comes to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) game: &'static str,
    pub(super) seats: u8,
    /// Longest time for a decision, in ms; the bank is ten times as much.
    pub(super) cap_ms: Option<u32>,
    pub(super) ask_forced: bool,
    /// The bot is given the address of a server that is not there before the right one.
    pub(super) first_server_is_away: bool,
}

impl Setting {
    /// The config of the match.
    pub(super) fn config(self, times: Times) -> Verdict<MatchConfig> {
        let ms = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let game = with_game!(self.game, G => G::config_to_wire(&Default::default()));
        let game = game.ok_or_else(|| Stop::Broken(format!("no game is {}", self.game)))?;
        let bank_ms = self.cap_ms.map(|cap| cap.saturating_mul(10));
        Ok(MatchConfig {
            game: Some(game),
            seats: self.seats.into(),
            clock: Some(ClockRules {
                cap_ms: Some(self.cap_ms.unwrap_or(LONG_CAP_MS)),
                bank_ms: Some(bank_ms.unwrap_or(LONG_BANK_MS)),
                startup_ms: Some(ms(times.start())),
                reconnect_ms: Some(ms(times.reconnect())),
                ..ClockRules::default()
            }),
            faults: Some(FaultPolicy {
                illegal: FaultAction::Refuse.into(),
                ..FaultPolicy::default()
            }),
            ask_forced: self.ask_forced,
            seed: Some(SEED.to_owned()),
            ..MatchConfig::default()
        })
    }
}
