//! Conversions between the protocol and the referee's types, the same for every game; what a
//! game's own messages mean is known in `bridgemaster_proto::games`.

mod message;
mod record;
mod result;
mod rules;
mod seat;
mod seed_salt;

pub(crate) use message::response_to_wire;
pub(crate) use record::record_to_wire;
pub(crate) use result::result_to_wire;
pub(crate) use rules::{rules_from_wire, rules_to_wire};
pub(crate) use seat::seat_to_wire;
pub(crate) use seed_salt::SeedSalt;
