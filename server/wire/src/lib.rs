//! Conversions between the protocol and the referee's types, the same for every game; what a
//! game's own messages mean is known in `bridgemaster_proto::games`.

#![forbid(unsafe_code)]

mod fork;
mod message;
mod record;
mod result;
mod rules;
mod seat;
mod seed_salt;

pub use fork::{TakenOver, chance_from_wire, fork_origin, fork_to_wire};
pub use message::{
    charge_from_wire, response_to_wire, started_beside_the_game, write_request, write_started,
};
pub use record::{record_to_wire, write_record};
pub use result::{clock_use_from_wire, result_to_wire};
pub use rules::{
    game_unset, rules_beside_the_game, rules_from_wire, rules_to_wire, seed_from_wire,
    write_game_config, write_rules,
};
pub use seat::{action_to_wire, reason_from_wire, reason_to_wire, seat_to_wire};
pub use seed_salt::SeedSalt;
