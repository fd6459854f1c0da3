//! The transport: from a listening socket to gRPC calls. The transport limits connections and
//! handshakes, each caller's calls, and the bytes that the server buffers for unread responses and
//! incomplete requests.

mod answer;
mod call;
mod calls;
mod connection;
mod connection_slots;
mod evictor;
mod fair_queue;
mod forwarding_node;
mod heartbeat;
mod incoming;
mod keyed_limits;
mod quotas;
mod request_timeout;
mod round_trip;
mod serving;
mod tls;
mod web_serving;

use std::net::{IpAddr, Ipv6Addr};

use bridgemaster_store::KeyId;

pub use call::{Call, QueueBudget, Watcher};
pub use calls::Calls;
pub use connection::{Connection, ConnectionInfo};
pub use connection_slots::{ConnectionSlots, SeatProtection};
pub use forwarding_node::{
    BEAT_INTERVAL, ForwardedCall, ForwardedOrigin, ForwardingNode, ForwardingNodeId,
    ForwardingNodes, LagReader,
};
pub use heartbeat::with_heartbeats;
pub use incoming::incoming;
pub use keyed_limits::{KeyedLimiter, KeyedPermit, TokenBuckets};
pub use quotas::{Quotas, ReplaySlot, RequestBytes, RulesBudget, RulesPermit};
pub use request_timeout::{awaited_body, with_arrival_timeout};
pub use round_trip::MinRoundTrip;
pub use serving::{MetadataReaders, serve};
pub use tls::{Tls, TlsError, TlsFiles, Validity};
pub use web_serving::serve_web;

/// The prefix length of an IPv6 network that is assigned to one customer.
const NETWORK_BITS: u32 = 64;

/// An address for limits: an IPv4 address, or a /64 network of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin(IpAddr);

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => {
                let network = u128::MAX << (Ipv6Addr::BITS - NETWORK_BITS);
                Ipv6Addr::from_bits(address.to_bits() & network).into()
            }
        })
    }
}

/// Identifies a caller for quotas and rates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallerId {
    /// A caller at this address without a known key.
    Address(Origin),
    /// The holder of this key, at any address.
    Key(KeyId),
}

/// The kind of clients that a listener serves, which determines the protocols that TLS offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientKind {
    /// Bots and other gRPC clients, which use HTTP/2.
    Programs,
    /// Browsers, which use HTTP/1.1 too.
    Browsers,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_of_64_bits_are_one_origin() {
        let origin = |text: &str| Origin::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(origin("2001:db8::1"), origin("2001:db8::ffff:2"));
        assert_ne!(origin("2001:db8::1"), origin("2001:db8:0:1::1"));
        assert_ne!(origin("192.0.2.1"), origin("192.0.2.2"));
        assert_eq!(origin("192.0.2.1"), origin("::ffff:192.0.2.1"));
    }
}
