//! Flags for what faults cost.

use bridgemaster_proto::v1::{FaultAction, FaultPolicy, HousePolicy};
use clap::{Args, ValueEnum};

/// What is not given takes the server's default.
#[derive(Args)]
#[command(next_help_heading = "Faults (the server's defaults when not given)")]
pub(super) struct FaultFlags {
    /// Cost of a decision that is not legal
    #[arg(
        long,
        value_name = "COST",
        value_enum,
        hide_possible_values = true,
        long_help = "Cost of a decision that is not legal. A COST is one of: refuse (the message \
            is refused and the clock runs on), strike (the same, and the seat forfeits at the \
            limit of strikes), substitute (the house decides this request), forfeit (the house \
            plays the seat to the end, and it takes the last place)"
    )]
    on_illegal: Option<Cost>,
    /// Cost of giving no legal answer in time: strike, substitute or forfeit
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_late: Option<Cost>,
    /// Cost of losing the stream and not coming back: strike, substitute or forfeit
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_disconnected: Option<Cost>,
    /// Cost of never connecting: substitute or forfeit
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_never_connected: Option<Cost>,
    /// Cost of too many messages that answer nothing
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_flood: Option<Cost>,
    /// Cost of bytes that are no message
    #[arg(long, value_name = "COST", value_enum, hide_possible_values = true)]
    on_garbage: Option<Cost>,
    /// Strikes at which a seat forfeits
    #[arg(long, value_name = "N")]
    strikes: Option<u32>,
    /// How the house decides for a seat that is late or forfeited
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
    /// A legal decision drawn from the seed
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
