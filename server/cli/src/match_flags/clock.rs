//! Command-line flags for a match's clocks.

use bridgemaster_proto::v1::ClockRules;
use clap::Args;

/// Flags for the clock. For omitted flags, the server's defaults apply.
#[derive(Args)]
#[command(next_help_heading = "Clock (defaults: the server's)")]
pub(super) struct ClockFlags {
    /// Initial time bank of each seat, in ms
    #[arg(long, value_name = "MS")]
    bank_ms: Option<u32>,
    /// Time added to the bank for each answered request, in ms
    #[arg(long, value_name = "MS")]
    increment_ms: Option<u32>,
    /// Maximum time for one decision, in ms
    #[arg(long, value_name = "MS")]
    cap_ms: Option<u32>,
    /// Time for bots to connect before the match starts without them, in ms
    #[arg(long, value_name = "MS")]
    startup_ms: Option<u32>,
    /// Time for a disconnected bot to reconnect without a fault, in ms
    #[arg(long, value_name = "MS")]
    reconnect_ms: Option<u32>,
    /// Maximum network round trip credited to a seat for one decision, in ms
    #[arg(long, value_name = "MS")]
    round_trip_credit_ms: Option<u32>,
    /// Maximum lag of the referee in one request without spoiling the match, in ms
    #[arg(long, value_name = "MS")]
    referee_lag_limit_ms: Option<u32>,
}

/// Time for a human player to decide, to join and to reconnect, in ms: ten minutes.
const HUMAN_TIME_MS: u32 = 600_000;
/// Time bank of a human player, in ms: one hour.
const HUMAN_BANK_MS: u32 = 3_600_000;

impl ClockFlags {
    /// Returns the clock rules with longer defaults for human players.
    pub(super) fn rules_for_people(&self) -> ClockRules {
        ClockRules {
            bank_ms: self.bank_ms.or(Some(HUMAN_BANK_MS)),
            cap_ms: self.cap_ms.or(Some(HUMAN_TIME_MS)),
            startup_ms: self.startup_ms.or(Some(HUMAN_TIME_MS)),
            reconnect_ms: self.reconnect_ms.or(Some(HUMAN_TIME_MS)),
            ..self.rules()
        }
    }

    pub(super) fn rules(&self) -> ClockRules {
        ClockRules {
            bank_ms: self.bank_ms,
            increment_ms: self.increment_ms,
            cap_ms: self.cap_ms,
            startup_ms: self.startup_ms,
            reconnect_ms: self.reconnect_ms,
            round_trip_credit_ms: self.round_trip_credit_ms,
            referee_lag_limit_ms: self.referee_lag_limit_ms,
        }
    }
}
