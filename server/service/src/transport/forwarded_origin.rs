//! The original caller of a call that another server in the cluster has forwarded.

use std::{net::IpAddr, sync::Arc};

use tonic::codegen::http::HeaderMap;

use super::forwarding_node::ForwardingNode;

/// The origin of a forwarded call, as reported by the server that forwarded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ForwardedOrigin {
    /// The address of the original caller.
    pub(crate) address: IpAddr,
    /// The round trip between the caller and the forwarding server, in µs; `None` if the forwarding
    /// server's system does not report it.
    pub(crate) round_trip_us: Option<u32>,
}

/// A call that another server forwarded.
#[derive(Clone, Debug)]
pub(crate) struct ForwardedCall {
    pub(crate) origin: ForwardedOrigin,
    /// The server that forwarded the call, if it sends beats.
    pub(crate) node: Option<Arc<ForwardingNode>>,
}

/// Reads the metadata of a forwarded call. Only servers in the cluster are trusted.
pub(crate) type ReadForwardedCall = Arc<dyn Fn(&HeaderMap) -> Option<ForwardedCall> + Send + Sync>;
