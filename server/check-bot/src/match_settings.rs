//! A check's match settings.

use std::time::Duration;

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame,
    v1::{ClockRules, FaultAction, FaultPolicy, MatchConfig},
};

use super::{
    failure::{StopReason, Verdict},
    limits::TimeLimits,
};

/// The time bank in checks that do not test the clock: one hour, in ms.
const LONG_BANK_MS: u32 = 3_600_000;
/// The time limit per decision in checks that do not test the clock: ten minutes, in ms.
const LONG_CAP_MS: u32 = 600_000;

/// The seed of every match, so that failures can be reproduced.
const SEED: &str = "check-bot";

/// A check's match settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchSettings {
    pub(super) game: &'static str,
    pub(super) seats: u8,
    /// Time limit per decision, in ms. The time bank is ten times as long. `None` means the long
    /// limits.
    pub(super) cap_ms: Option<u32>,
    pub(super) ask_forced: bool,
    /// True if the bot's first server address is unreachable.
    pub(super) first_server_is_absent: bool,
}

impl MatchSettings {
    /// Returns the match's config.
    pub(super) fn config(self, times: TimeLimits) -> Verdict<MatchConfig> {
        let ms = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let game = with_game!(self.game, G => G::config_to_wire(&Default::default()));
        let game = game.ok_or_else(|| StopReason::Broken(format!("unknown game {}", self.game)))?;
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
