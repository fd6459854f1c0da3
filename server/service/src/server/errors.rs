//! Why a server does not start, and why it ends.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use bridgemaster_store::StoreError;
use thiserror::Error;

use crate::{
    hosting::OfferSecretError, journal::RecoveryError, replays::signing_key::SigningKeyError,
};

/// Why a server cannot listen.
#[derive(Debug, Error)]
pub enum BindError {
    /// The address cannot be had.
    #[error("cannot listen on {addr}")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder for replays cannot be had.
    #[error("the folder for replays {} cannot be made", folder.display())]
    Replays {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The API keys cannot be read.
    #[error("the API keys cannot be read")]
    Keys(#[source] StoreError),
    /// The key that signs replays cannot be had from the store.
    #[error(transparent)]
    SigningKey(#[from] SigningKeyError),
    /// The secret of the tickets of offers cannot be had from the store.
    #[error(transparent)]
    OfferSecret(#[from] OfferSecretError),
    /// The system gives no thread for the rules by call.
    #[error("the system gives no thread for the rules by call")]
    Threads(#[source] std::io::Error),
    /// The ladders cannot be read.
    #[error("the ladders cannot be read")]
    Ladders(#[source] StoreError),
    /// A ladder that is to be there cannot be made, or is there and is another.
    #[error("the ladder {name} of the config file: {problem}")]
    Ladder {
        /// Its name.
        name: String,
        /// What is wrong, and where.
        problem: String,
    },
    /// The servers that share the store cannot be read.
    #[error("the servers that share the store cannot be read")]
    Nodes(#[source] StoreError),
    /// The queues cannot be read.
    #[error("the queues cannot be read")]
    Queues(#[source] StoreError),
    /// The matches in the store cannot go on.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
}

/// Why a server ended other than by being stopped.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The descriptors of the protocol cannot be served.
    #[error("the reflection service cannot be built")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The store failed. Nothing was sent that is not stored.
    #[error("the store failed, and the server with it")]
    Storage(#[source] Arc<StoreError>),
}
