//! How a server starts: what it keeps is opened, and what was in play goes on.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use bridgemaster_proto::v1::Ladder;
use bridgemaster_replay::SigningKey;
use bridgemaster_store::{OpenMatch, Store};
use bridgemaster_traces::Traces;
use tokio_util::task::AbortOnDropHandle;
use tracing::info;

use super::{Storage, errors::BindError, listeners::listen};
use crate::{
    forwarding::{NodePass, ToOthers},
    hosting::{Matches, OfferTickets},
    identity::Authenticator,
    journal::Journal,
    ladder::Ladders,
    limits::Limits,
    lobby::{Lobby, QUEUE_NOTES},
    metrics::Metrics,
    replays::{KeepReplays, ReplayKeeper, Retention, signing_key},
    rules::Workers,
    services::make_configured,
};

/// Makes the folder of replays, if there is to be one and it is not there, so that only its user can
/// look into it: a replay may tell the seed of a group of matches that is not over. The rights of a
/// folder that is there are left as they are.
pub(super) async fn make_replay_folder(folder: Option<&Path>) -> Result<(), BindError> {
    let Some(folder) = folder else {
        return Ok(());
    };
    let mut builder = tokio::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    let made = builder.create(folder).await;
    made.map_err(|source| BindError::Replays {
        folder: folder.to_owned(),
        source,
    })
}

/// Keeps replays in this folder, if there is to be one.
pub(super) fn replay_keeper(
    folder: Option<PathBuf>,
    metrics: &Arc<Metrics>,
    store: Option<&Arc<dyn Store>>,
) -> Option<Arc<ReplayKeeper>> {
    let keeper = |folder| ReplayKeeper::new(folder, Arc::clone(metrics), store.cloned());
    folder.map(keeper).map(Arc::new)
}

/// The journal of a store, and the task that commits for it.
pub(super) fn begin_journal(
    store: Arc<dyn Store>,
    metrics: &Arc<Metrics>,
    traces: Traces,
) -> (Arc<Journal>, AbortOnDropHandle<()>) {
    let journal = Arc::new(Journal::new(store, Arc::clone(metrics), traces));
    let writing = tokio::spawn(Arc::clone(&journal).write());
    (journal, AbortOnDropHandle::new(writing))
}

/// The key that signs replays and the tickets of offers: those of the store, or new ones that end
/// with the server.
pub(super) async fn secrets(
    store: Option<&dyn Store>,
) -> Result<(SigningKey, OfferTickets), BindError> {
    let (key, tickets) = match store {
        Some(store) => (
            signing_key::kept_in(store).await?,
            OfferTickets::kept_in(store).await?,
        ),
        None => (signing_key::draw(), OfferTickets::draw()),
    };
    info!(key_id = %key.public().id(), key = %key.public(), "replays are signed");
    Ok((key, tickets))
}

/// By what the servers of a cluster know each other, where this is one of several; and the way to the
/// others, if calls are passed on.
pub(super) async fn way_to_others(
    storage: Option<&Storage>,
    matches: &Arc<Matches>,
) -> Result<(Option<Arc<NodePass>>, Option<Arc<ToOthers>>), BindError> {
    let shared = storage.filter(|storage| storage.node_name().is_some());
    let Some((storage, shared)) =
        shared.and_then(|storage| Some((storage, storage.shared.as_ref()?)))
    else {
        return Ok((None, None));
    };
    let pass = NodePass::kept_in(&*storage.store).await;
    let pass = Arc::new(pass.map_err(BindError::Nodes)?);
    let to_others = shared.forward.as_ref().map(|dial| {
        Arc::new(ToOthers::new(
            Arc::clone(dial),
            Arc::clone(&pass),
            Arc::clone(matches),
        ))
    });
    Ok((Some(pass), to_others))
}

/// Reads the queues of a store, and lets its matches go on, with those that were `taken` from others.
/// The server will listen on these addresses.
pub(super) async fn recover(
    storage: &Storage,
    taken: Vec<OpenMatch>,
    journal: &Journal,
    matches: &Arc<Matches>,
    lobby: &Lobby,
    addrs: [Option<SocketAddr>; 2],
) -> Result<(), BindError> {
    if matches.leads() {
        read_queues(&*storage.store, lobby).await?;
    }
    // An address that cannot be had refuses the start before matches are dropped. It is given back
    // until they go on, so that nobody waits for an answer meanwhile.
    for addr in addrs.into_iter().flatten() {
        listen(addr).await?;
    }
    matches.recover(journal, &storage.given_up, taken).await?;
    Ok(())
}

/// Reads the queues of a store.
pub(super) async fn read_queues(store: &dyn Store, lobby: &Lobby) -> Result<(), BindError> {
    let queues = store.notes(QUEUE_NOTES).await;
    lobby.read_queues(queues.map_err(BindError::Queues)?);
    Ok(())
}

/// Takes the ladders of a store, and makes those that are asked for and missing; unless another
/// server keeps them.
pub(super) async fn recover_ladders(
    ladders: Ladders,
    asked: Vec<Ladder>,
    authenticator: &Authenticator,
) -> Result<Arc<Ladders>, BindError> {
    let ladders = Arc::new(ladders);
    if ladders.matches().leads() {
        let recovered = ladders.recover().await;
        recovered.map_err(BindError::Ladders)?;
        make_asked(&ladders, asked, authenticator).await?;
    }
    Ok(ladders)
}

/// Makes the ladders that are asked for and missing.
pub(super) async fn make_asked(
    ladders: &Arc<Ladders>,
    asked: Vec<Ladder>,
    authenticator: &Authenticator,
) -> Result<(), BindError> {
    for one in asked {
        let name = one.ladder_id.clone();
        let made = make_configured(ladders, one, authenticator).await;
        made.map_err(|refusal| BindError::Ladder {
            name,
            problem: refusal.message().to_owned(),
        })?;
    }
    Ok(())
}

/// What has a store forget old replays, if any are to be forgotten.
pub(super) fn retention(
    storage: Option<&Storage>,
    folder: Option<&Arc<ReplayKeeper>>,
    metrics: &Arc<Metrics>,
) -> Option<Retention> {
    let storage = storage.filter(|storage| storage.keep_replays != KeepReplays::All)?;
    Some(Retention::new(
        storage.keep_replays,
        Arc::clone(&storage.store),
        folder.cloned(),
        Arc::clone(metrics),
    ))
}

/// The threads of the rules by call, with the processor time that a caller may have.
pub(super) fn start_rules(limits: &Limits) -> Result<Arc<Workers>, BindError> {
    let started = Workers::start(limits.rules_threads, Some(limits.rules_cpu_ms_per_caller));
    started.map(Arc::new).map_err(BindError::Threads)
}
