//! The servers that share a database: whether this one may answer, who leads, where a match
//! is, and where a new one is made.

mod membership;
mod placing;
mod renewing;

pub(crate) use membership::Cluster;
