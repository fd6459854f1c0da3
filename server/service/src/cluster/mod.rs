//! The servers that share a database: whether this one may answer, who leads, and where a match is.

mod membership;
mod renewing;

pub(crate) use membership::Cluster;
