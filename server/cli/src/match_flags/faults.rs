//! Command-line flags for the policy on bots' faults.

use bridgemaster_proto::v1::{FaultAction, FaultPolicy, HousePolicy};
use clap::{Args, ValueEnum};

/// Flags for the fault policy. For omitted flags, the server's defaults apply.
#[derive(Args)]
#[command(next_help_heading = "Faults (defaults: the server's)")]
pub(super) struct FaultFlags {
    /// Cost of an illegal decision
    #[arg(
        long,
        value_name = "COST",
        value_enum,
        hide_possible_values = true,
        long_help = "Cost of an illegal decision. COST is one of: refuse (the message is rejected and \
            the clock keeps running), strike (also counts a strike; the seat forfeits at the limit \
            of --strikes), substitute (the house makes the decision), forfeit (the house plays the \
            seat to the end, and the seat takes last place)"
    )]
    on_illegal: Option<Cost>,
    /// Cost of a late decision: strike, substitute or forfeit
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_late: Option<Cost>,
    /// Cost of not reconnecting in time: strike, substitute or forfeit
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_disconnected: Option<Cost>,
    /// Cost of never connecting: substitute or forfeit
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_never_connected: Option<Cost>,
    /// Cost of sending too many messages that answer no request
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_flood: Option<Cost>,
    /// Cost of sending bytes that are not a message
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_garbage: Option<Cost>,
    /// Number of strikes at which a seat forfeits
    #[arg(long, value_name = "N")]
    strikes: Option<u32>,
    /// Decisions that the house makes for late and forfeited seats
    #[arg(long, value_name = "POLICY", value_enum)]
    house: Option<House>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Cost {
    Refuse,
    Strike,
    Substitute,
    Forfeit,
}

#[derive(Clone, Copy, ValueEnum)]
enum House {
    /// A random legal decision, derived from the match's seed
    Random,
    /// The first legal decision
    First,
}

impl FaultFlags {
    pub(super) fn policy(&self) -> FaultPolicy {
        FaultPolicy {
            illegal: action(self.on_illegal),
            late: action(self.on_late),
            disconnected: action(self.on_disconnected),
            never_connected: action(self.on_never_connected),
            flood: action(self.on_flood),
            garbage: action(self.on_garbage),
            strikes_to_forfeit: self.strikes,
        }
    }

    pub(super) fn house_policy(&self) -> HousePolicy {
        match self.house {
            None => HousePolicy::Unspecified,
            Some(House::Random) => HousePolicy::Random,
            Some(House::First) => HousePolicy::First,
        }
    }
}

fn action(cost: Option<Cost>) -> i32 {
    let action = match cost {
        None => FaultAction::Unspecified,
        Some(Cost::Refuse) => FaultAction::Refuse,
        Some(Cost::Strike) => FaultAction::Strike,
        Some(Cost::Substitute) => FaultAction::Substitute,
        Some(Cost::Forfeit) => FaultAction::Forfeit,
    };
    action.into()
}
