//! From a listening socket to connections that gRPC is spoken on: who gets one, how long an
//! unfinished one may last, and TLS. And from there to calls: how many a caller may have, and how
//! much of what they do not read or not send whole the server keeps for them.

mod accepted;
mod allowances;
mod answer;
mod answer_body;
mod answer_room;
mod call;
mod caller_id;
mod connection;
mod connection_slots;
mod crowd;
mod few_connections;
mod gathering;
mod handshakes;
mod held_slot;
mod hop;
mod incoming;
mod lines;
mod origin;
mod peers;
mod request_bytes;
mod round_trip;
mod rules_allowance;
mod serving;
mod shares;
mod tls;
mod token_buckets;
mod turns;
mod web_serving;

pub use tls::{Tls, TlsError, TlsFiles};

pub(crate) use allowances::Allowances;
pub(crate) use call::{Call, QueueAllowance, Watcher};
pub(crate) use caller_id::CallerId;
pub(crate) use connection::{Connection, ConnectionInfo};
pub(crate) use connection_slots::{CarriesBot, ConnectionSlots};
pub(crate) use few_connections::FewConnections;
pub(crate) use hop::Hop;
pub(crate) use incoming::incoming;
pub(crate) use origin::Origin;
pub(crate) use peers::Peers;
pub(crate) use request_bytes::RequestBytes;
pub(crate) use round_trip::LeastRoundTrip;
pub(crate) use rules_allowance::{RulesAllowance, RulesPlace};
pub(crate) use serving::{Shown, serve};
pub(crate) use shares::{Share, Shares};
pub(crate) use token_buckets::TokenBuckets;
pub(crate) use web_serving::serve_web;
