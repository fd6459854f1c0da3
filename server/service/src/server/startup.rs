//! Starts a server: opens its resources, and recovers its matches, queues and ladders.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use bridgemaster_cluster::{
    Cluster,
    forwarding::{Forwarder, NodeCredential},
};
use bridgemaster_edge::{
    identity::{Authenticator, LeaseCheck},
    limits::Limits,
    metrics::Metrics,
};
use bridgemaster_live::{
    journal::Journal,
    replays::{
        KeepReplays, ReplayExporter, ReplayFolder, Retention, generate_signing_key,
        load_signing_key,
    },
    {Matches, OfferTickets},
};
use bridgemaster_matchmaking::{
    ladder::Ladders,
    lobby::{Lobby, QUEUE_RECORD_PREFIX},
};
use bridgemaster_proto::v1::Ladder;
use bridgemaster_replay::{SigningKey, whole_file::FileMode};
use bridgemaster_store::{OpenMatch, Store};
use bridgemaster_traces::SpanRecorder;
use tokio::task::spawn_blocking;
use tokio_util::task::AbortOnDropHandle;
use tracing::info;

use super::{Storage, errors::BindError, listeners::listen};
use crate::{
    rules::{WorkerKind, Workers},
    services::{ReplayVerifier, ensure_ladder},
};

/// Creates the replay folder, if a folder is configured. The folder is private to the user, unless
/// `mode` permits access by other users. The mode of an existing folder changes only if `mode` is
/// set.
pub(super) async fn create_replay_folder(
    folder: Option<PathBuf>,
    mode: Option<FileMode>,
) -> Result<Option<ReplayFolder>, BindError> {
    let Some(folder) = folder else {
        return Ok(None);
    };
    let path = folder.clone();
    let of_files = mode.unwrap_or_default();
    let created = spawn_blocking(move || of_files.create_folder(&path, mode.is_some()));
    match created.await.unwrap_or_else(|panicked| Err(panicked.into())) {
        Ok(()) => Ok(Some(ReplayFolder::new(folder, of_files))),
        Err(source) => Err(BindError::Replays { folder, source }),
    }
}

/// Creates the writer to the replay folder, if a folder is configured.
pub(super) fn replay_exporter(
    folder: Option<ReplayFolder>,
    metrics: &Arc<Metrics>,
    store: Option<&Arc<dyn Store>>,
) -> Option<Arc<ReplayExporter>> {
    let exporter = |folder| ReplayExporter::new(folder, Arc::clone(metrics), store.cloned());
    folder.map(exporter).map(Arc::new)
}

/// Creates the journal of a store, and spawns the task that commits.
pub(super) fn start_journal(
    store: Arc<dyn Store>,
    metrics: &Arc<Metrics>,
    span_recorder: SpanRecorder,
) -> (Arc<Journal>, AbortOnDropHandle<()>) {
    let journal = Arc::new(Journal::new(store, Arc::clone(metrics), span_recorder));
    let writing = tokio::spawn(Arc::clone(&journal).write());
    (journal, AbortOnDropHandle::new(writing))
}

/// Returns the key that signs replays, and the secret for offer tickets. The key and the secret are
/// read from the store, or generated if there is no store.
pub(super) async fn load_secrets(
    store: Option<&dyn Store>,
) -> Result<(SigningKey, OfferTickets), BindError> {
    let (key, tickets) = match store {
        Some(store) => (load_signing_key(store).await?, OfferTickets::load_or_create(store).await?),
        None => (generate_signing_key(), OfferTickets::generate()),
    };
    info!(key_id = %key.public().id(), key = %key.public(), "replays are signed with this key");
    Ok((key, tickets))
}

/// Returns a function that checks whether this node's lease permits it to answer calls.
pub(super) fn lease_check(cluster: &Arc<Cluster>) -> LeaseCheck {
    let cluster = Arc::clone(cluster);
    Arc::new(move || {
        let cluster = Arc::clone(&cluster);
        Box::pin(async move { cluster.until_answering().await })
    })
}

/// Returns the forwarder of calls to other nodes, if there can be other nodes.
pub(super) async fn node_forwarding(
    storage: Option<&Storage>,
    cluster: Option<&Arc<Cluster>>,
    matches: &Matches,
) -> Result<Option<Arc<Forwarder>>, BindError> {
    let storage = storage.filter(|storage| storage.node_name().is_some());
    let shared = storage.and_then(|storage| Some((storage, storage.shared.as_ref()?)));
    let Some(((storage, shared), cluster)) = shared.zip(cluster) else {
        return Ok(None);
    };
    let credential = Arc::new(NodeCredential::load_or_create(&*storage.store).await?);
    let connector = Arc::clone(&shared.connector);
    let forwarder = Forwarder::new(
        connector,
        credential,
        Arc::clone(cluster),
        matches.limits().clone(),
        Arc::clone(matches.metrics()),
        Arc::clone(matches.lifecycle()),
    );
    Ok(Some(Arc::new(forwarder)))
}

/// Reads a store's queues, and recovers its matches together with the `orphans` that were taken
/// over. `addrs` are the addresses on which the server will listen.
pub(super) async fn recover_matches(
    storage: &Storage,
    orphans: Vec<OpenMatch>,
    journal: &Journal,
    matches: &Arc<Matches>,
    lobby: &Lobby,
    addrs: [Option<SocketAddr>; 2],
) -> Result<(), BindError> {
    if matches.is_leader() {
        read_queues(&*storage.store, lobby).await?;
    }
    // Binds to each address once, so that an unavailable address stops the start before matches are
    // dropped. The port is then released. Until the matches are recovered, connections of clients
    // are refused at once, so that clients do not wait.
    for addr in addrs.into_iter().flatten() {
        listen(addr).await?;
    }
    matches.metrics().count_takeovers(orphans.len());
    matches.recover(journal, &storage.dropped_matches, orphans).await?;
    Ok(())
}

/// Reads the queues of a store into the lobby.
pub(super) async fn read_queues(store: &dyn Store, lobby: &Lobby) -> Result<(), BindError> {
    let queues = store.records(QUEUE_RECORD_PREFIX).await;
    lobby.read_queues(queues.map_err(BindError::Queues)?);
    Ok(())
}

/// Recovers the ladders of a store, and creates configured ladders that are missing. Does nothing
/// if another node leads.
pub(super) async fn recover_ladders(
    ladders: Ladders,
    configured: Vec<Ladder>,
    authenticator: &Authenticator,
) -> Result<Arc<Ladders>, BindError> {
    let ladders = Arc::new(ladders);
    if ladders.matches().is_leader() {
        let recovered = ladders.recover().await;
        recovered.map_err(BindError::Ladders)?;
        ensure_ladders(&ladders, configured, authenticator).await?;
    }
    Ok(ladders)
}

/// Creates configured ladders that are missing.
pub(super) async fn ensure_ladders(
    ladders: &Arc<Ladders>,
    configured: Vec<Ladder>,
    authenticator: &Authenticator,
) -> Result<(), BindError> {
    for one in configured {
        let name = one.ladder_id.clone();
        let ensured = ensure_ladder(ladders, one, authenticator).await;
        ensured
            .map_err(|refusal| BindError::Ladder { name, problem: refusal.message().to_owned() })?;
    }
    Ok(())
}

/// Creates the task that removes old replays from a store, unless all are retained.
pub(super) fn replay_retention(
    storage: Option<&Storage>,
    folder: Option<&Arc<ReplayExporter>>,
    matches: &Arc<Matches>,
) -> Option<Retention> {
    let storage = storage.filter(|storage| storage.keep_replays != KeepReplays::All)?;
    Some(Retention::new(
        storage.keep_replays,
        Arc::clone(&storage.store),
        folder.cloned(),
        Arc::clone(matches) as _,
        Arc::clone(matches.metrics()),
    ))
}

/// Spawns the worker threads of `RulesService`, if it is enabled, and the thread that verifies
/// replay files. Callers have CPU budgets.
pub(super) fn start_workers(
    limits: &Limits,
    has_rules: bool,
) -> Result<(Option<Arc<Workers>>, Arc<ReplayVerifier>), BindError> {
    let cpu_ms = Some(limits.rules_cpu_ms_per_caller);
    let rules = has_rules.then(|| Workers::start(WorkerKind::RULES, limits.rules_threads, cpu_ms));
    let rules = rules.transpose().map_err(BindError::Threads)?;
    let verifier = ReplayVerifier::start(limits).map_err(BindError::Threads)?;
    Ok((rules.map(Arc::new), Arc::new(verifier)))
}
