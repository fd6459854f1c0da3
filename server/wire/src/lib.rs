//! Conversions between the protocol and the referee's types, the same for every game; what a
//! game's own messages mean is known in `bridgemaster_proto::games`.

#![forbid(unsafe_code)]

mod message;
mod record;
mod result;
mod rules;
mod seat;
mod seed_salt;

pub use message::response_to_wire;
pub use record::record_to_wire;
pub use result::result_to_wire;
pub use rules::{game_unset, rules_from_wire, rules_to_wire, seed_from_wire};
pub use seat::seat_to_wire;
pub use seed_salt::SeedSalt;
