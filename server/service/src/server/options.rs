//! The options with which a server starts, and the storage that it opens.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use bridgemaster_cluster::forwarding::NodeConnector;
use bridgemaster_edge::{
    identity::{PrivateAccess, PublicRead},
    limits::Limits,
    transport::Tls,
};
use bridgemaster_live::replays::KeepReplays;
use bridgemaster_proto::v1::Ladder;
use bridgemaster_replay::whole_file::FileMode;
use bridgemaster_store::{KeyStore, NodeIdentity, NodeName, Nodes, Store};
use bridgemaster_traces::SpanRecorder;

/// Settings of a server; `serve` derives them from its flags and its config file.
#[derive(Clone, Default)]
pub struct ServerOptions {
    /// The limits on callers and on resources.
    pub limits: Limits,
    /// The folder to which each finished match's replay is written once the replay is public, as
    /// `MATCH_ID.replay.binpb`.
    pub replays: Option<PathBuf>,
    /// The permissions of replay files. These permissions also determine the folder's mode. `None`
    /// means 0600 for files, and does not change the mode of an existing folder.
    pub replay_mode: Option<FileMode>,
    /// The API keys. If keys are set, every call to `PlayService`, `SeatService`, `MatchService`
    /// and `LobbyService` needs one of them. Otherwise the server serves any caller.
    pub keys: Option<Arc<dyn KeyStore>>,
    /// Makes the server private to the program that runs it and to the bots that this program
    /// starts. These bots may play their seats, and make only a few other calls. Ignored together
    /// with `keys`.
    pub private: Option<PrivateAccess>,
    /// Read access without a key, on a server that uses keys.
    pub public_read: PublicRead,
    /// Ladders that are created if they are missing. An existing ladder must be identical.
    pub ladders: Vec<Ladder>,
    /// Encrypts connections. If not set, the server uses plain HTTP/2.
    pub tls: Option<Arc<Tls>>,
    /// Enables `RulesService`, for keys with the `rules` scope.
    pub rules: bool,
    /// The address of `GET /metrics`; port 0 selects a free port. `None` disables metrics.
    pub metrics: Option<SocketAddr>,
    /// Exports trace spans for matches, seats and commits.
    pub span_recorder: SpanRecorder,
    /// The storage of matches; `None` keeps them in memory.
    pub storage: Option<Storage>,
}

impl ServerOptions {
    /// Returns the options of a private server with this many concurrent seats, with or without a
    /// page. The connections and the bots that the program starts fit into the open-file limit of
    /// this process.
    #[must_use]
    pub fn private(access: PrivateAccess, seats: usize, has_page: bool) -> Self {
        Self {
            limits: Limits::for_private_server(seats, has_page),
            private: Some(access),
            ..Self::default()
        }
    }
}

/// The store of a server, and how the server uses it.
#[derive(Clone)]
pub struct Storage {
    /// The store. The server closes it when it stops.
    pub store: Arc<dyn Store>,
    /// Matches in play that are dropped from the store before all other matches are recovered.
    pub dropped_matches: Vec<String>,
    /// The retention of replays in the store.
    pub keep_replays: KeepReplays,
    /// The identity of this node, for a store that several nodes can share.
    pub shared: Option<SharedStore>,
}

impl Storage {
    /// The name of this node, if other nodes can share the store.
    pub(super) fn node_name(&self) -> Option<&NodeName> {
        let shared = self.shared.as_ref()?;
        let identity = &shared.identity;
        identity.address.as_ref().map(|_| &identity.name)
    }
}

/// A store that several nodes can share.
#[derive(Clone)]
pub struct SharedStore {
    /// The interface of the store for nodes that share it.
    pub nodes: Arc<dyn Nodes>,
    /// The identity with which this node opened the store. If it has an address, other nodes
    /// forward calls to this node.
    pub identity: NodeIdentity,
    /// The connector to other nodes, to which calls are forwarded.
    pub connector: NodeConnector,
}
