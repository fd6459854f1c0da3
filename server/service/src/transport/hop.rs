//! A call that another server of the cluster has passed on.

use std::{net::IpAddr, sync::Arc};

use tonic::codegen::http::HeaderMap;

/// A call that another server of the cluster has passed on, as that one tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    /// Where the caller is.
    pub(crate) address: IpAddr,
    /// The round trip between the caller and the other server, in µs; `None` where the system does not
    /// tell it.
    pub(crate) round_trip_us: Option<u32>,
}

/// Tells what another server of the cluster says of a call in its metadata; nobody else is believed.
pub(crate) type ShownHop = Arc<dyn Fn(&HeaderMap) -> Option<Hop> + Send + Sync>;
