//! Flags for time.

use bridgemaster_proto::v1::ClockRules;
use clap::Args;

/// What is not given takes the server's default.
#[derive(Args)]
#[command(next_help_heading = "Clock (the server's defaults when not given)")]
pub(super) struct ClockFlags {
    /// Time in each seat's bank at the start, in ms
    #[arg(long, value_name = "MS")]
    bank_ms: Option<u32>,
    /// Time added to the bank after each answered request, in ms
    #[arg(long, value_name = "MS")]
    increment_ms: Option<u32>,
    /// Longest time for one decision, in ms
    #[arg(long, value_name = "MS")]
    cap_ms: Option<u32>,
    /// Time for bots to connect before the match starts without them, in ms
    #[arg(long, value_name = "MS")]
    startup_ms: Option<u32>,
    /// Time that a seat may be without a stream before it is a fault, in ms
    #[arg(long, value_name = "MS")]
    reconnect_ms: Option<u32>,
    /// Largest round trip that is credited back for one decision, in ms
    #[arg(long, value_name = "MS")]
    round_trip_credit_ms: Option<u32>,
    /// Largest lag of the server itself in one request that does not spoil the match, in ms
    #[arg(long, value_name = "MS")]
    referee_lag_limit_ms: Option<u32>,
}

/// Time that a person has for one decision, to come, and to come back, in ms: ten minutes.
const PERSONS_TIME_MS: u32 = 600_000;
/// Time in a person's bank, in ms: one hour.
const PERSONS_BANK_MS: u32 = 3_600_000;

impl ClockFlags {
    /// The same, where what is not given takes what a person needs.
    pub(super) fn rules_for_people(&self) -> ClockRules {
        ClockRules {
            bank_ms: self.bank_ms.or(Some(PERSONS_BANK_MS)),
            cap_ms: self.cap_ms.or(Some(PERSONS_TIME_MS)),
            startup_ms: self.startup_ms.or(Some(PERSONS_TIME_MS)),
            reconnect_ms: self.reconnect_ms.or(Some(PERSONS_TIME_MS)),
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
