//! The servers that share a database: lease, leadership, and the placement of matches.

mod lease_renewal;
mod membership;
mod placement;

pub(crate) use membership::Cluster;
