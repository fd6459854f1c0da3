//! A node's cluster task: it acquires leadership, and takes over dead nodes' matches.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

use bridgemaster_cluster::{Cluster, forwarding::Forwarder};
use bridgemaster_edge::{identity::Authenticator, metrics::Metrics};
use bridgemaster_lease::limits::ORPHAN_POLL_INTERVAL;
use bridgemaster_live::{
    journal::Journal,
    replays::Retention,
    {Matches, requires_leader},
};
use bridgemaster_matchmaking::{ladder::Ladders, lobby::Lobby};
use bridgemaster_proto::v1::Ladder;
use bridgemaster_store::{NodeStatus, Nodes, OpenMatch, StoreError, StoredNode};
use tokio::{select, task::yield_now, time::sleep};
use tokio_util::task::AbortOnDropHandle;
use tracing::{error, info, warn};

use super::{
    Storage,
    errors::BindError,
    load::CpuLoad,
    startup::{ensure_ladders, read_queues},
};

/// The minimum interval between polls for orphaned matches, however often callers request a match
/// that no node owns. A match that cannot be taken over might be requested endlessly.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Joins the cluster, if the store can be shared. If this node becomes the leader, it takes over
/// orphaned matches at once. Returns these matches.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) async fn join_cluster(
    storage: Option<&Storage>,
) -> Result<(Option<Arc<Cluster>>, Vec<OpenMatch>), StoreError> {
    let Some(shared) = storage.and_then(|storage| storage.shared.as_ref()) else {
        return Ok((None, Vec::new()));
    };
    let identity = shared.identity.clone();
    let is_shared = identity.address.is_some();
    let cluster = Cluster::new(Arc::clone(&shared.nodes), identity.name, is_shared);
    let orphans = join_renewing(&cluster).await?;
    Ok((Some(Arc::new(cluster)), orphans))
}

/// Renews the lease while taking over orphaned matches, since that can take longer than the lease
/// term.
async fn join_renewing(cluster: &Cluster) -> Result<Vec<OpenMatch>, StoreError> {
    select! {
        joined = take_leadership(cluster) => joined,
        ended = cluster.renew(NodeStatus::default) => Err(ended),
    }
}

/// Becomes the leader if there is none, and then takes over orphaned matches.
async fn take_leadership(cluster: &Cluster) -> Result<Vec<OpenMatch>, StoreError> {
    let mut orphans = Vec::new();
    cluster.until_trusted().await;
    if cluster.nodes().acquire_leadership().await? {
        // All orphans are taken over, since the leader's state can refer to them.
        loop {
            let batch = cluster.nodes().take_over_orphans(requires_leader).await?;
            if batch.is_empty() {
                break;
            }
            orphans.extend(batch);
        }
        cluster.become_leader();
    }
    Ok(orphans)
}

/// Renews the lease until the returned handle is dropped. If another node takes over this node,
/// commits fail from then on.
pub(super) fn spawn_lease_renewal(
    cluster: &Arc<Cluster>,
    matches: &Arc<Matches>,
    journal: &Arc<Journal>,
) -> AbortOnDropHandle<()> {
    let (cluster, matches) = (Arc::clone(cluster), Arc::clone(matches));
    let journal = Arc::clone(journal);
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut load = CpuLoad::start();
        let status = || node_status(&cluster, &matches, &mut load);
        let ended = cluster.renew(status).await;
        // A closed store means that the server is stopping.
        if !matches!(ended, StoreError::Closed) {
            error!(error = %ended, "lease lost to another node; shutting down");
            journal.fail(ended);
        }
    }))
}

/// Returns the status that this node publishes.
fn node_status(cluster: &Cluster, matches: &Matches, load: &mut CpuLoad) -> NodeStatus {
    let lag_ms = matches.clock().take_max_lag().as_millis();
    NodeStatus {
        draining: matches.lifecycle().is_draining(),
        slots: u32::try_from(matches.limits().open_matches).unwrap_or(u32::MAX),
        load_percent: load.percent(),
        lag_ms: u32::try_from(lag_ms).unwrap_or(u32::MAX),
        clock_skew_ms: cluster.nodes().clock_skew_ms(),
        peer_problems: cluster.peer_problems(),
    }
}

/// Interval at which a node checks the addresses of the others, and reads database statistics.
const OBSERVATION_INTERVAL: Duration = Duration::from_secs(10);

/// Reports nodes that this node cannot reach, and database statistics. Never returns.
pub(super) async fn observe(
    cluster: Arc<Cluster>,
    forwarder: Option<Arc<Forwarder>>,
    metrics: Arc<Metrics>,
) {
    let mut last_problems = BTreeMap::new();
    loop {
        if let Some(forwarder) = &forwarder
            && let Ok(problems) = forwarder.check_peers().await
        {
            // A node that starts may not listen yet. The texts are not compared, since each call
            // through a load balancer may reach another node.
            let mut confirmed = problems.clone();
            confirmed.retain(|name, _| last_problems.contains_key(name));
            last_problems = problems;
            let (new, is_solved) = cluster.set_peer_problems(confirmed);
            for problem in new {
                warn!(problem, "a node cannot be reached");
            }
            if is_solved {
                info!("an unreachable node can be reached again, or has stopped");
            }
        }
        // Failures of the database are reported by commits and renewals.
        if let Ok(figures) = cluster.nodes().database_figures().await {
            metrics.set_database_figures(figures);
        }
        sleep(OBSERVATION_INTERVAL).await;
    }
}

/// The task of a node that takes over leadership and orphaned matches.
pub(super) struct ClusterTask {
    pub(super) cluster: Arc<Cluster>,
    pub(super) matches: Arc<Matches>,
    pub(super) journal: Arc<Journal>,
    pub(super) lobby: Arc<Lobby>,
    pub(super) ladders: Arc<Ladders>,
    pub(super) authenticator: Authenticator,
    /// Ladders that this node creates when it becomes the leader, unless they exist.
    pub(super) configured_ladders: Vec<Ladder>,
    /// The replay retention task, which runs once this node leads.
    pub(super) retention: Option<Retention>,
    /// The live nodes when this node recovered the delayed matches of all others.
    pub(super) live: HashSet<String>,
}

impl ClusterTask {
    /// Polls for orphaned matches, until the future is dropped or the server drains.
    pub(super) async fn run(mut self) {
        // The running retention task, while this node leads.
        let mut retention_task = None;
        loop {
            if self.cluster.is_leader() && retention_task.is_none() {
                let retention = self.retention.take();
                retention_task = retention
                    .map(|retention| AbortOnDropHandle::new(tokio::spawn(retention.run())));
            }
            if self.matches.lifecycle().is_draining() {
                return;
            }
            if let Err(problem) = self.poll().await {
                warn!(%problem, "cannot take over orphaned matches; retrying");
            }
            until_next_poll(&self.cluster).await;
        }
    }

    async fn poll(&mut self) -> Result<(), BindError> {
        if !self.cluster.is_leader()
            && self.nodes().acquire_leadership().await.map_err(BindError::Nodes)?
        {
            info!("this node is the leader now");
            self.start_leading().await?;
        } else {
            self.take_over().await?;
        }
        if self.cluster.is_leader() && self.cluster.is_shared() {
            self.take_over_delayed_views().await?;
        }
        Ok(())
    }

    /// Recovers the delayed views of dead nodes' matches. Only the leader calls this.
    async fn take_over_delayed_views(&mut self) -> Result<(), BindError> {
        let live = self.live_nodes().await.map_err(BindError::Nodes)?;
        if live == self.live {
            return Ok(());
        }
        let recovered =
            self.matches.take_over_delayed_views(&self.journal, self.live_nodes()).await;
        recovered.map_err(BindError::Nodes)?;
        self.live = live;
        Ok(())
    }

    /// Reads the names of the nodes with a valid lease.
    async fn live_nodes(&self) -> Result<HashSet<String>, StoreError> {
        let nodes = self.nodes().nodes().await?;
        let live = nodes.into_iter().filter(StoredNode::is_live);
        Ok(live.map(|node| node.name.to_string()).collect())
    }

    /// Takes over orphaned matches in batches, so that other nodes can take over some of them.
    async fn take_over(&self) -> Result<(), BindError> {
        while !self.matches.lifecycle().is_draining() {
            let batch = take_over_batch(self.nodes(), &self.journal).await?;
            if batch.is_empty() {
                break;
            }
            let matches = batch.len();
            info!(matches, "took over matches from another node");
            self.matches.metrics().count_takeovers(matches);
            for open in batch {
                self.matches.resume_takeover(&open);
                // A match's journal can be long, and other tasks must run in between.
                yield_now().await;
            }
        }
        Ok(())
    }

    /// Recovers the leader's state, and then starts to serve it. Can be called again after a
    /// failure.
    async fn start_leading(&self) -> Result<(), BindError> {
        let store = Arc::clone(self.journal.store());
        self.matches.read_groups(&*store, true).await?;
        read_queues(&*store, &self.lobby).await?;
        self.take_over().await?;
        self.ladders.recover().await.map_err(BindError::Ladders)?;
        ensure_ladders(&self.ladders, self.configured_ladders.clone(), &self.authenticator).await?;
        self.cluster.become_leader();
        self.matches.end_complete_groups(&self.journal);
        self.ladders.run_all();
        Ok(())
    }

    fn nodes(&self) -> &dyn Nodes {
        self.cluster.nodes()
    }
}

/// Completes when the next poll is due. A poll is due early if a caller requests a match that no
/// node owns, since a bot is waiting.
async fn until_next_poll(cluster: &Cluster) {
    let missed = async {
        sleep(MIN_POLL_INTERVAL).await;
        cluster.orphan_requested().await;
    };
    select! {
        () = missed => {}
        () = sleep(ORPHAN_POLL_INTERVAL) => {}
    }
}

/// Takes over a batch of orphaned matches. If the outcome is unknown, this node stops, as after a
/// failed commit: the matches would stall while it renews its lease.
async fn take_over_batch(
    nodes: &dyn Nodes,
    journal: &Journal,
) -> Result<Vec<OpenMatch>, BindError> {
    match nodes.take_over_orphans(requires_leader).await {
        Err(error) if error.is_unavailable() => {
            error!(%error, "the store failed; stopping all matches");
            journal.fail(error);
            Err(BindError::Nodes(StoreError::Closed))
        }
        batch => batch.map_err(BindError::Nodes),
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use bridgemaster_match::MatchId;
    use bridgemaster_store::{IsLeaderOnly, MatchLocation, MemoryStore, NodeName};
    use bridgemaster_traces::SpanRecorder;
    use tokio::sync::watch;

    use super::*;

    /// A stand-in for the node, whose database always contains orphaned matches.
    struct FakeNodes {
        renewals: watch::Sender<u32>,
        /// The duration of a takeover, in lease renewals; `None` makes the takeover fail.
        takeover: Option<u32>,
    }

    impl FakeNodes {
        fn new(takeover: Option<u32>) -> Self {
            Self { renewals: watch::Sender::new(0), takeover }
        }
    }

    #[async_trait]
    impl Nodes for FakeNodes {
        async fn renew_lease(&self, _: NodeStatus) -> Result<(), StoreError> {
            self.renewals.send_modify(|renewals| *renewals += 1);
            Ok(())
        }

        async fn acquire_leadership(&self) -> Result<bool, StoreError> {
            Ok(true)
        }

        async fn take_over_orphans(&self, _: IsLeaderOnly) -> Result<Vec<OpenMatch>, StoreError> {
            let Some(takeover) = self.takeover else {
                let (database, detail) = (String::new(), String::new());
                return Err(StoreError::Unreachable { database, detail });
            };
            let mut renewals = self.renewals.subscribe();
            renewals.wait_for(|count| *count >= takeover).await.unwrap();
            Ok(Vec::new())
        }

        async fn release(&self, _: &[MatchId]) -> Result<(), StoreError> {
            Ok(())
        }

        async fn released_count(&self) -> Result<u64, StoreError> {
            Ok(0)
        }

        async fn node_of(&self, _: &MatchId) -> Result<Option<MatchLocation>, StoreError> {
            Ok(None)
        }

        async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
            Ok(Vec::new())
        }
    }

    #[tokio::test]
    async fn a_starting_node_renews_its_lease_during_a_takeover() {
        let nodes: Arc<dyn Nodes> = Arc::new(FakeNodes::new(Some(2)));
        let cluster = Cluster::new(nodes, NodeName::new("this").unwrap(), true);
        assert!(cluster.check_lease().is_err());
        join_renewing(&cluster).await.unwrap();
        assert!(cluster.is_leader() && cluster.check_lease().is_ok());
    }

    #[tokio::test]
    async fn a_node_stops_when_the_outcome_of_a_takeover_is_unknown() {
        let (store, metrics) = (Arc::new(MemoryStore::new()), Arc::new(Metrics::for_node(None)));
        let journal = Journal::new(store, metrics, SpanRecorder::disabled());
        let refused = take_over_batch(&FakeNodes::new(None), &journal).await;
        assert!(refused.is_err() && journal.failure().is_some());
    }
}
