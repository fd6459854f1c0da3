//! What a server is made of.

use std::{fmt, net::SocketAddr, path::PathBuf, sync::Arc};

use bridgemaster_proto::v1::Ladder;
use bridgemaster_store::{KeyStore, NodeIdentity, NodeName, Nodes, Store};
use bridgemaster_traces::Traces;

use crate::{
    forwarding::Dial, identity::PublicRead, limits::Limits, replays::KeepReplays, transport::Tls,
};

/// What a server is made of.
#[derive(Clone, Default)]
pub struct ServerOptions {
    /// Limits on what comes from outside.
    pub limits: Limits,
    /// Folder that the replay of every ended match is written to, as `MATCH_ID.replay.binpb`.
    pub replays: Option<PathBuf>,
    /// With these, every call of `PlayService`, `SeatService`, `MatchService` and `LobbyService` needs one of them;
    /// without, the server serves anyone.
    pub keys: Option<Arc<dyn KeyStore>>,
    /// What is shown without a key where keys are asked for.
    pub public_read: PublicRead,
    /// Ladders that are made if they are missing; one that is there has to be the same.
    pub ladders: Vec<Ladder>,
    /// With this, connections are encrypted; without, the server speaks plain HTTP/2.
    pub tls: Option<Arc<Tls>>,
    /// Whether `RulesService` is served: the rules by call, for keys with the scope `rules`.
    pub rules: bool,
    /// Where `GET /metrics` is answered; port 0 takes a free one. Nowhere if not set.
    pub metrics: Option<SocketAddr>,
    /// Takes spans of matches, seats and commits.
    pub traces: Traces,
    /// Where matches are kept beyond the server; `None` forgets them with it.
    pub storage: Option<Storage>,
}

/// Where matches are kept beyond a server.
#[derive(Clone)]
pub struct Storage {
    /// The store, which the server closes when it stops.
    pub store: Arc<dyn Store>,
    /// Matches in play that are dropped from the store before the others go on.
    pub given_up: Vec<String>,
    /// Which replays of matches that have ended stay in the store.
    pub keep_replays: KeepReplays,
    /// For a store that several servers can share: which of them this is.
    pub shared: Option<SharedStore>,
}

impl Storage {
    /// The name of this server among those that share the store, if there may be others.
    pub(super) fn node_name(&self) -> Option<&NodeName> {
        let shared = self.shared.as_ref()?;
        let identity = &shared.identity;
        identity.address.as_ref().map(|_| &identity.name)
    }
}

/// A store that several servers can share.
#[derive(Clone)]
pub struct SharedStore {
    /// The same store, as the servers that share it see each other.
    pub nodes: Arc<dyn Nodes>,
    /// Which of them this is, as it was opened. One with an address sends callers to others.
    pub identity: NodeIdentity,
    /// How others are reached, to pass on calls that they have the answers to; without it callers are
    /// sent there.
    pub forward: Option<Dial>,
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage")
            .field("given_up", &self.given_up)
            .field("keep_replays", &self.keep_replays)
            .field("node", &self.shared.as_ref().map(|shared| &shared.identity))
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("limits", &self.limits)
            .field("replays", &self.replays)
            .field("requires_keys", &self.keys.is_some())
            .field("public_read", &self.public_read)
            .field("ladders", &self.ladders.len())
            .field("tls", &self.tls)
            .field("rules", &self.rules)
            .field("metrics", &self.metrics)
            .field("traces", &self.traces.is_on())
            .field("storage", &self.storage)
            .finish()
    }
}
