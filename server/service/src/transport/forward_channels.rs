//! Connections to other servers, over which calls from one connection are forwarded.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tonic::transport::Channel;

/// The maximum number of cached connections. If a caller needs more, some connections are closed
/// and reopened.
const MAX_CACHED: usize = 16;

/// The connections to other servers for one caller's connection, one per server. Since callers
/// share no such connection, they do not delay each other more than with direct connections. The
/// connections close with the caller's connection. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForwardChannels {
    by_address: Arc<Mutex<HashMap<String, Channel>>>,
}

impl ForwardChannels {
    /// Returns the connection to `address`; if there is none, opens it first.
    ///
    /// # Errors
    /// When `open` fails.
    pub(crate) fn get_or_open<E>(
        &self,
        address: &str,
        open: impl FnOnce() -> Result<Channel, E>,
    ) -> Result<Channel, E> {
        let mut by_address = self.by_address.lock();
        if let Some(channel) = by_address.get(address) {
            return Ok(channel.clone());
        }
        let channel = open()?;
        if by_address.len() >= MAX_CACHED {
            by_address.clear();
        }
        by_address.insert(address.to_owned(), channel.clone());
        Ok(channel)
    }
}
