//! The settings of a check: its time limits, scaled by a factor for slow machines, and its match.

use std::time::Duration;

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame,
    v1::{ClockRules, FaultAction, FaultPolicy, MatchConfig, TimeControl},
};

use super::report::{StopReason, Verdict};

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
                time_control: Some(TimeControl::fischer(
                    bank_ms.unwrap_or(LONG_BANK_MS),
                    0,
                    self.cap_ms.unwrap_or(LONG_CAP_MS),
                )),
                startup_ms: Some(ms(times.start)),
                reconnect_ms: Some(ms(times.reconnect)),
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

/// The time limits for a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimits {
    /// Maximum time from the start of the process to its first stream. It is long
    /// enough to load an interpreter.
    pub(super) start: Duration,
    /// Maximum time from the start of a stream to its Hello, which is the servers'
    /// default.
    pub(super) hello: Duration,
    /// Maximum time for an answer in checks that do not test the clock.
    pub(super) answer: Duration,
    /// Maximum duration of a match.
    pub(super) whole_match: Duration,
    /// Maximum time to reconnect after a lost stream, which is the matches' default.
    pub(super) reconnect: Duration,
    /// Maximum time for a Pong. It is much longer than a round trip, and much shorter
    /// than the time until a bot counts as lost.
    pub(super) pong: Duration,
    /// Maximum time for the bot's process to exit after it has stopped playing.
    pub(super) exit: Duration,
    /// Time for which a check watches for forbidden behaviour. Faulty bots show it at
    /// once.
    pub(super) quiet: Duration,
    /// Time during which a superseded bot must not reconnect. It covers several of a
    /// typical bot's retry intervals.
    pub(super) no_reconnect_time: Duration,
    /// Length of the pause without requests in the `slow-clock` check.
    pub(super) pause: Duration,
    /// Duration of the server outage in the `drain` check.
    pub(super) away: Duration,
    /// Time limit per decision in the `fast-clock` check.
    pub(super) fast_cap: Duration,
}

impl TimeLimits {
    /// Creates limits scaled by `factor`.
    pub(super) fn new(factor: f64) -> Self {
        let scaled = |ms| Duration::from_millis(ms).mul_f64(factor);
        Self {
            start: scaled(20_000),
            hello: scaled(10_000),
            answer: scaled(10_000),
            whole_match: scaled(120_000),
            reconnect: scaled(10_000),
            pong: scaled(1_000),
            exit: scaled(5_000),
            quiet: scaled(500),
            no_reconnect_time: scaled(2_000),
            pause: scaled(3_000),
            away: scaled(1_500),
            fast_cap: scaled(1_000),
        }
    }
}
