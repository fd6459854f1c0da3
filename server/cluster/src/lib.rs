//! Several servers that share a database: the membership and leases of nodes, the placement of
//! matches, and the forwarding of calls between nodes.

#![forbid(unsafe_code)]

pub mod forwarding;
mod lease_renewal;
pub mod match_list;
mod membership;
mod placement;

pub use membership::Cluster;
