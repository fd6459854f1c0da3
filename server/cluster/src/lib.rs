//! Several servers that share a database: membership and leases of nodes, the placement of matches,
//! and calls that one node forwards to another.

#![forbid(unsafe_code)]

pub mod forwarding;
mod lease_renewal;
pub mod match_list;
mod membership;
mod placement;

pub use membership::Cluster;
