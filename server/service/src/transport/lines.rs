//! Connections to other servers, over which the calls of one connection are passed on.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tonic::transport::Channel;

/// Servers whose connections are kept. A caller that needs more has some opened again.
const MAX_KEPT: usize = 16;

/// The connections to other servers that belong to one of a caller's: one to each server, so that
/// callers wait for each other no more than if each were connected there itself. They are closed with
/// it. All clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    by_address: Arc<Mutex<HashMap<String, Channel>>>,
}

impl Lines {
    /// The connection to this address, made by `open` if there is none.
    ///
    /// # Errors
    /// When `open` fails.
    pub(crate) fn to<E>(
        &self,
        address: &str,
        open: impl FnOnce() -> Result<Channel, E>,
    ) -> Result<Channel, E> {
        let mut by_address = self.by_address.lock();
        if let Some(channel) = by_address.get(address) {
            return Ok(channel.clone());
        }
        let channel = open()?;
        if by_address.len() >= MAX_KEPT {
            by_address.clear();
        }
        by_address.insert(address.to_owned(), channel.clone());
        Ok(channel)
    }
}
