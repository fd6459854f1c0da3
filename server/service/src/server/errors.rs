//! Errors that occur when a server starts, and while it serves.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use bridgemaster_edge::random::SecretError;
use bridgemaster_live::RecoveryError;
use bridgemaster_store::StoreError;
use thiserror::Error;

/// An error that occurs when a server starts.
#[derive(Debug, Error)]
pub enum BindError {
    /// The server cannot bind to its address.
    #[error("cannot listen on {addr}")]
    Listen {
        /// The requested address.
        addr: SocketAddr,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The folder for replays cannot be created.
    #[error("cannot create the replay folder {}", folder.display())]
    Replays {
        /// The path to the folder.
        folder: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The API keys cannot be read from the store.
    #[error("cannot read the API keys from the store")]
    Keys(#[source] StoreError),
    /// A secret of the store is not available.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The threads that run the rules of games cannot be spawned.
    #[error("cannot spawn the threads that run the rules")]
    Threads(#[source] std::io::Error),
    /// The ladders cannot be read from the store.
    #[error("cannot read the ladders from the store")]
    Ladders(#[source] StoreError),
    /// A configured ladder cannot be created, or differs from the existing one.
    #[error("ladder {name} in the config file: {problem}")]
    Ladder {
        /// The name of the ladder.
        name: String,
        /// The invalid field, and the reason why it is invalid.
        problem: String,
    },
    /// The nodes that share the store cannot be read.
    #[error("cannot read the nodes that share the store")]
    Nodes(#[source] StoreError),
    /// The queues cannot be read from the store.
    #[error("cannot read the queues from the store")]
    Queues(#[source] StoreError),
    /// The matches in the store cannot be recovered.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
}

/// An error that ends a server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The protocol descriptors are invalid.
    #[error("cannot build the reflection service")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The store failed. Everything that the server sent before is stored.
    #[error("the store failed; the server has stopped")]
    Storage(#[source] Arc<StoreError>),
}
