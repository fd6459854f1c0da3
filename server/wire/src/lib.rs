//! Conversions between protocol messages and the referee's types, for the messages that are the
//! same in every game. Conversions of each game's own messages are in `bridgemaster_proto::games`.

#![forbid(unsafe_code)]

mod fork;
mod message;
mod record;
mod result;
mod rules;
mod seat;
mod seed_salt;

pub use fork::{ForkSource, chance_from_wire, fork_origin, fork_to_wire};
pub use message::{
    charge_from_wire, response_to_wire, started_without_game, write_request, write_started,
};
pub use record::{record_to_wire, write_record};
pub use result::{clock_use_from_wire, result_to_wire};
pub use rules::{
    missing_game, rules_from_wire, rules_to_wire, rules_without_game, seed_from_wire,
    write_game_config, write_rules,
};
pub use seat::{action_to_wire, reason_from_wire, reason_to_wire, seat_to_wire};
pub use seed_salt::SeedSalt;
