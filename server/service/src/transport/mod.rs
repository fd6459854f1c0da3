//! The transport: from a listening socket to gRPC calls. The transport limits connections and
//! handshakes, each caller's calls, and the bytes that the server buffers for unread responses and
//! incomplete requests.

mod accepted;
mod answer;
mod answer_body;
mod answer_budget;
mod bounded_listener;
mod call;
mod caller_id;
mod client_kind;
mod connection;
mod connection_slots;
mod evictor;
mod fair_queue;
mod forward_channels;
mod forwarded_origin;
mod forwarding_node;
mod handshakes;
mod incoming;
mod keyed_limiter;
mod origin;
mod quotas;
mod request_bytes;
mod round_trip;
mod rules_budget;
mod serving;
mod slot_guard;
mod tls;
mod token_buckets;
mod web_serving;
mod write_coalescer;

pub use tls::{Tls, TlsError, TlsFiles};

pub(crate) use bounded_listener::BoundedListener;
pub(crate) use call::{Call, QueueBudget, Watcher};
pub(crate) use caller_id::CallerId;
pub(crate) use client_kind::ClientKind;
pub(crate) use connection::{Connection, ConnectionInfo};
pub(crate) use connection_slots::{ConnectionSlots, SeatProtection};
pub(crate) use forwarded_origin::{ForwardedCall, ForwardedOrigin};
pub(crate) use forwarding_node::{
    BEAT_INTERVAL, ForwardingNode, ForwardingNodeId, ForwardingNodes, LagReader,
};
pub(crate) use incoming::incoming;
pub(crate) use keyed_limiter::{KeyedLimiter, KeyedPermit};
pub(crate) use origin::Origin;
pub(crate) use quotas::Quotas;
pub(crate) use request_bytes::RequestBytes;
pub(crate) use round_trip::MinRoundTrip;
pub(crate) use rules_budget::{RulesBudget, RulesPermit};
pub(crate) use serving::{MetadataReaders, serve};
pub(crate) use token_buckets::TokenBuckets;
pub(crate) use web_serving::serve_web;
