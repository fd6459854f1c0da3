//! Conversions between protocol messages and the referee's types, for the messages that are the
//! same in every game. Conversions of each game's own messages are in `bridgemaster_proto::games`.

/// Defines the conversion of an enum of the referee to the enum of the protocol with the same
/// variants, and optionally the conversion back, which returns `None` for the unspecified value.
macro_rules! same_variants {
    ($enum:ident: $($variant:ident)+, $to:ident) => {
        /// Converts the value to the protocol's value of the same name.
        pub(crate) fn $to(value: $enum) -> v1::$enum {
            match value {
                $($enum::$variant => v1::$enum::$variant,)+
            }
        }
    };
    ($enum:ident: $($variant:ident)+, $to:ident, $from:ident) => {
        same_variants!($enum: $($variant)+, $to);

        /// Reads the protocol's value; returns `None` if it is unspecified.
        pub(crate) fn $from(value: v1::$enum) -> Option<$enum> {
            match value {
                v1::$enum::Unspecified => None,
                $(v1::$enum::$variant => Some($enum::$variant),)+
            }
        }
    };
}

/// Defines the conversions between a struct of the referee and the message with the same fields.
macro_rules! same_fields {
    ($struct:ident: $($field:ident)+, $to:ident, $from:ident) => {
        /// Converts the struct to the message with the same fields.
        pub(crate) fn $to(value: &$struct) -> v1::$struct {
            v1::$struct { $($field: value.$field,)+ }
        }

        /// Reads the message, without checking it.
        pub(crate) fn $from(value: &v1::$struct) -> $struct {
            $struct { $($field: value.$field,)+ }
        }
    };
}

mod fork;
mod messages;
mod rules;
mod seed_commitment;

pub use fork::{ForkSource, chance_from_wire, fork_origin, fork_to_wire};
pub(crate) use messages::{charge_from_wire, clock_use_from_wire, reason_from_wire};
pub use messages::{
    reason_to_wire, record_to_wire, response_to_wire, result_to_wire, seat_to_wire,
    started_without_game, write_record, write_request, write_started,
};
pub(crate) use rules::action_to_wire;
pub use rules::{
    missing_game, rules_from_wire, rules_to_wire, rules_without_game, seed_from_wire,
    time_control_to_wire, write_game_config, write_rules,
};
pub use seed_commitment::SeedSalt;
