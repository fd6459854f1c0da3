//! The membership of this server in a cluster that shares one database.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_lease::{LeaseTrust, limits::LEASE_RENEWAL_INTERVAL};
use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{
    MatchId, MatchLocation, NodeName, NodeStatus, Nodes, StoreError, StoredNode,
};
use parking_lot::Mutex;
use tokio::{
    sync::{Notify, watch},
    time::timeout,
};
use tracing::error;

/// Membership of this server in a cluster that shares one database.
pub struct Cluster {
    nodes: Arc<dyn Nodes>,
    name: NodeName,
    /// Whether other nodes can share the database. If not, this server waits for a lost database
    /// instead of stopping.
    is_shared: bool,
    /// The time at which this server's clock is zero.
    started: Instant,
    trust: Mutex<LeaseTrust>,
    /// Whether the lease is trusted, for tasks that wait for a change of this value.
    trusted: watch::Sender<bool>,
    is_leader: AtomicBool,
    /// Notified when a check of the session that renews the lease has succeeded.
    session_checked: Notify,
    /// The number of crashed nodes whose lease this server has ended.
    crashes: AtomicU64,
    /// Notified when a caller requests a match that no live node serves, or a node has crashed.
    orphan_requested: Notify,
    /// The status that this server published last.
    status: Mutex<NodeStatus>,
    /// The nodes that this server cannot reach, and why.
    peer_problems: Mutex<BTreeMap<NodeName, String>>,
}

impl Cluster {
    /// Joins the cluster as the node of this name. The lease is not trusted before its first
    /// renewal, since its age is unknown until then.
    pub fn new(nodes: Arc<dyn Nodes>, name: NodeName, is_shared: bool) -> Self {
        Self {
            nodes,
            name,
            is_shared,
            started: Instant::now(),
            trust: Mutex::default(),
            trusted: watch::Sender::new(false),
            is_leader: AtomicBool::new(false),
            session_checked: Notify::new(),
            crashes: AtomicU64::default(),
            orphan_requested: Notify::new(),
            status: Mutex::default(),
            peer_problems: Mutex::default(),
        }
    }

    /// Returns whether other nodes can share the database.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns the name of this node.
    pub fn name(&self) -> &NodeName {
        &self.name
    }

    /// Returns the rows of all nodes in the store.
    pub fn nodes(&self) -> &dyn Nodes {
        &*self.nodes
    }

    /// Returns whether this node leads and has loaded all of the leader's state.
    pub fn is_leader(&self) -> bool {
        self.is_leader.load(Ordering::Acquire)
    }

    /// Marks this node as the leader, until the node stops.
    pub fn become_leader(&self) {
        self.is_leader.store(true, Ordering::Release);
    }

    /// Returns the status that this server published last, or the default before the first time.
    pub(super) fn status(&self) -> NodeStatus {
        self.status.lock().clone()
    }

    /// Sets the status that this server publishes.
    pub(super) fn set_status(&self, status: NodeStatus) {
        *self.status.lock() = status;
    }

    /// Sets the problems with the addresses of other nodes, which are published with the status.
    /// Returns the problems of nodes that had none, and whether any node no longer has a problem.
    pub fn set_peer_problems(&self, problems: BTreeMap<NodeName, String>) -> (Vec<String>, bool) {
        let mut known = self.peer_problems.lock();
        let new = problems.iter().filter(|(name, _)| !known.contains_key(*name));
        let new = new.map(|(_, problem)| problem.clone()).collect();
        let is_solved = known.keys().any(|name| !problems.contains_key(name));
        *known = problems;
        (new, is_solved)
    }

    /// Returns the problems with the addresses of other nodes, one per line.
    pub fn peer_problems(&self) -> String {
        let problems = self.peer_problems.lock();
        let texts: Vec<&str> = problems.values().map(String::as_str).collect();
        texts.join("\n")
    }

    /// Returns the time since the last successful renewal started, or [`Duration::MAX`] if there
    /// was none.
    pub fn since_renewal(&self) -> Duration {
        self.lease_trust().since_renewal(self.now())
    }

    /// Returns the time on this server's clock.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn lease_trust(&self) -> LeaseTrust {
        *self.trust.lock()
    }

    /// Records a successful renewal that started at `started`. The lease can already be too old by
    /// now, if the process was suspended before it read the response.
    pub(super) fn record_renewal(&self, started: Duration) {
        self.trust.lock().record_renewal(started);
        self.session_checked.notify_waiters();
        if self.lease_trust().is_valid(self.now()) {
            self.trusted.send_if_modified(|trusted| !std::mem::replace(trusted, true));
        }
    }

    /// Records a successful check of the session that renews the lease.
    pub(super) fn record_session_check(&self, started: Duration) {
        self.trust.lock().record_session_check(started);
        self.session_checked.notify_waiters();
    }

    /// Records that the session that renews the lease is lost.
    pub(super) fn record_session_loss(&self) {
        self.trust.lock().record_session_loss();
    }

    /// Records that this server has ended the lease of a crashed node, and starts a takeover.
    pub(super) fn record_crash(&self) {
        self.crashes.fetch_add(1, Ordering::Relaxed);
        self.orphan_requested.notify_one();
    }

    /// Returns the number of crashed nodes whose lease this server has ended.
    pub fn crashes(&self) -> u64 {
        self.crashes.load(Ordering::Relaxed)
    }

    /// Stops this server from answering calls if the last renewal is too old. Returns whether it
    /// was answering before.
    pub(super) fn expire_lease(&self) -> bool {
        self.is_shared
            && !self.lease_trust().is_valid(self.now())
            && self.trusted.send_if_modified(|trusted| std::mem::replace(trusted, false))
    }

    /// Checks that this server may answer calls, because no other node can have taken over its
    /// matches yet. The check reads the clock, so it is correct even right after the process was
    /// suspended.
    ///
    /// # Errors
    /// Returns an error if the lease was not renewed in time.
    pub fn check_lease(&self) -> Result<(), Refusal> {
        if !self.is_shared || self.lease_trust().is_valid(self.now()) {
            Ok(())
        } else {
            Err(Refusal::node_superseded())
        }
    }

    /// Returns whether this server answers calls now, without the wait of
    /// [`until_answering`](Self::until_answering).
    pub fn is_answering(&self) -> bool {
        self.check_lease().is_ok() && self.has_session()
    }

    fn has_session(&self) -> bool {
        !self.is_shared || self.lease_trust().has_session(self.now())
    }

    /// Waits while the session that renews the lease is lost or does not respond, because another
    /// node might end the lease of a node without a session. Open streams need not wait, since they
    /// send nothing before its commit.
    ///
    /// # Errors
    /// Returns an error if the lease was not renewed in time, or the session is not restored soon.
    pub async fn until_answering(&self) -> Result<(), Refusal> {
        self.check_lease()?;
        let restored = async {
            loop {
                // Registered before the check, so that no notification is missed.
                let checked = self.session_checked.notified();
                if self.has_session() {
                    return;
                }
                checked.await;
            }
        };
        let restored = timeout(LEASE_RENEWAL_INTERVAL, restored).await;
        restored.map_err(|_| Refusal::node_superseded())
    }

    /// Completes when the lease is renewed and therefore trusted.
    pub async fn until_trusted(&self) {
        let mut trusted = self.trusted.subscribe();
        // `self` owns the sender, so waiting cannot fail.
        let _ = trusted.wait_for(|trusted| *trusted).await;
    }

    /// Completes when this server may no longer answer calls. Returns the refusal for its callers.
    pub async fn lease_lapsed(&self) -> Refusal {
        let mut trusted = self.trusted.subscribe();
        // `self` owns the sender, so waiting cannot fail.
        let _ = trusted.wait_for(|trusted| !trusted).await;
        Refusal::node_superseded()
    }

    /// Returns whether another node can take over matches: a live node that has an address and does
    /// not drain.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn has_successor(&self) -> Result<bool, StoreError> {
        let nodes = self.nodes.nodes().await?;
        let mut others = nodes.iter().filter(|node| node.name != self.name);
        Ok(others.any(|node| node.is_live() && node.address.is_some() && !node.status.draining))
    }

    /// Returns all nodes except this one.
    ///
    /// # Errors
    /// Returns an error if the nodes cannot be read.
    pub(crate) async fn other_nodes(&self) -> Result<Vec<StoredNode>, Refusal> {
        let mut nodes = self.nodes.nodes().await.map_err(nodes_unreadable)?;
        nodes.retain(|node| node.name != self.name);
        Ok(nodes)
    }

    /// Checks that no other node serves a match that is not on this node.
    ///
    /// # Errors
    /// Returns a refusal that names the node of the match; or a server error, if a takeover is in
    /// progress or the nodes cannot be read.
    pub async fn check_not_remote(&self, id: &MatchId) -> Result<(), Refusal> {
        if !self.is_shared {
            return Ok(());
        }
        match self.nodes.node_of(id).await.map_err(nodes_unreadable)? {
            None => Ok(()),
            Some(MatchLocation { node, is_released }) => {
                if is_released || !node.is_live() {
                    self.orphan_requested.notify_one();
                }
                // If the match belongs to this node, a takeover has just ended and the match is
                // about to be served.
                if is_released || node.name == self.name {
                    Err(takeover_refusal())
                } else {
                    Err(forwarding_refusal(node))
                }
            }
        }
    }

    /// Completes when a caller requests a match that no live node serves, or when a node has
    /// crashed. Completes at once if that has happened since the last time.
    pub async fn orphan_requested(&self) {
        self.orphan_requested.notified().await;
    }

    /// Checks that this node has the name `name`, or has taken over the node of that name.
    ///
    /// # Errors
    /// Returns a refusal that names the node's address; or a server error, if the nodes cannot be
    /// read.
    pub async fn check_node_is_local(&self, name: &str) -> Result<(), Refusal> {
        if name == self.name.as_str() {
            return Ok(());
        }
        let nodes = self.nodes.nodes().await.map_err(nodes_unreadable)?;
        let node = nodes.into_iter().find(|node| node.name.as_str() == name);
        // A store that was copied from another cluster does not contain the node.
        node.map_or(Ok(()), |node| Err(forwarding_refusal(node)))
    }

    /// Checks that this node leads.
    ///
    /// # Errors
    /// Returns a refusal that names the leader; or a server error, if there is no leader, this
    /// server cannot forward calls, or the nodes cannot be read.
    pub async fn check_leader(&self) -> Result<(), Refusal> {
        if self.is_leader() {
            return Ok(());
        }
        // A server without a cluster does not forward calls, so a refusal with the leader's address
        // would reach the caller.
        if !self.is_shared {
            return Err(takeover_refusal());
        }
        let nodes = self.nodes.nodes().await.map_err(nodes_unreadable)?;
        let leader = nodes.into_iter().find(|node| node.is_leader);
        match leader.filter(|node| node.name != self.name) {
            Some(leader) => Err(forwarding_refusal(leader)),
            None => Err(takeover_refusal()),
        }
    }
}

/// Returns the refusal of a call that `node` can answer, so that the call is forwarded to `node`.
/// During a takeover of that node, the refusal makes the caller retry instead.
pub(super) fn forwarding_refusal(node: StoredNode) -> Refusal {
    let is_live = node.is_live();
    match node.address.filter(|_| is_live) {
        Some(address) => Refusal::forward_to(address),
        None => takeover_refusal(),
    }
}

fn takeover_refusal() -> Refusal {
    let message = "another server of the cluster is taking over; retry in a moment";
    Refusal::new(RefusalReason::NodeSuperseded, message)
}

pub(super) fn nodes_unreadable(error: StoreError) -> Refusal {
    error!(%error, "cannot read the nodes of the cluster from the store");
    Refusal::storage_failed()
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use bridgemaster_edge::refusal::FORWARD_TO_HEADER;
    use bridgemaster_lease::limits::LEASE_TRUST_TIMEOUT;
    use bridgemaster_store::{IsLeaderOnly, NodeAddress, OpenMatch};
    use tonic::Status;

    use super::*;

    /// A store with one match at this node. The flag is true if the node has released the match.
    struct FakeNodes(StoredNode, bool);

    #[async_trait]
    impl Nodes for FakeNodes {
        async fn renew_lease(&self, _: NodeStatus) -> Result<(), StoreError> {
            Ok(())
        }

        async fn acquire_leadership(&self) -> Result<bool, StoreError> {
            Ok(false)
        }

        async fn take_over_orphans(&self, _: IsLeaderOnly) -> Result<Vec<OpenMatch>, StoreError> {
            Ok(Vec::new())
        }

        async fn release(&self, _: &[MatchId]) -> Result<(), StoreError> {
            Ok(())
        }

        async fn released_count(&self) -> Result<u64, StoreError> {
            Ok(0)
        }

        async fn node_of(&self, _: &MatchId) -> Result<Option<MatchLocation>, StoreError> {
            Ok(Some(MatchLocation { node: self.0.clone(), is_released: self.1 }))
        }

        async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
            Ok(vec![self.0.clone()])
        }
    }

    fn other(lease_left_ms: i64) -> StoredNode {
        StoredNode {
            name: NodeName::new("other").unwrap(),
            address: NodeAddress::new("other.example:1").ok(),
            epoch: 1,
            lease_left_ms,
            is_leader: true,
            matches: 1,
            status: NodeStatus { slots: 3, ..NodeStatus::default() },
        }
    }

    /// Returns the address to which a refused call is forwarded.
    fn node_of(refused: Refusal) -> Option<String> {
        let status = Status::from(refused);
        let address = status.metadata().get(FORWARD_TO_HEADER)?;
        address.to_str().ok().map(str::to_owned)
    }

    fn cluster(node: StoredNode, is_shared: bool) -> Cluster {
        of(FakeNodes(node, false), is_shared)
    }

    fn of(planted: FakeNodes, is_shared: bool) -> Cluster {
        let name = NodeName::new("this").unwrap();
        Cluster::new(Arc::new(planted), name, is_shared)
    }

    #[test]
    fn a_problem_whose_text_changes_is_neither_new_nor_solved() {
        let cluster = cluster(other(1), true);
        let set = |names: &[&str], text: &str| {
            let problem = |name: &&str| (NodeName::new(*name).unwrap(), format!("{name} {text}"));
            cluster.set_peer_problems(names.iter().map(problem).collect())
        };
        assert_eq!(set(&["two"], "a"), (vec!["two a".to_owned()], false));
        // A load balancer in front of several nodes leads to another node each time.
        assert_eq!(set(&["two"], "b"), (vec![], false));
        let (new, is_solved) = set(&["three"], "b");
        assert_eq!((new, is_solved), (vec!["three b".to_owned()], true));
        assert_eq!(cluster.peer_problems(), "three b");
    }

    #[tokio::test]
    async fn a_call_is_forwarded_to_a_live_node_and_retried_for_a_dead_one() {
        let id = MatchId::new("a").unwrap();
        let there = cluster(other(1), true);
        for refused in [
            there.check_not_remote(&id).await.unwrap_err(),
            there.check_leader().await.unwrap_err(),
        ] {
            assert_eq!(node_of(refused).as_deref(), Some("other.example:1"));
        }
        timeout(Duration::ZERO, there.orphan_requested()).await.unwrap_err();
        let gone = cluster(other(0), true);
        for refused in
            [gone.check_not_remote(&id).await.unwrap_err(), gone.check_leader().await.unwrap_err()]
        {
            assert_eq!(refused.reason(), RefusalReason::NodeSuperseded);
            assert_eq!(node_of(refused), None);
        }
        gone.orphan_requested().await;
        let mut stopped = other(1);
        stopped.address = None;
        let refused = cluster(stopped, true).check_not_remote(&id).await;
        let refused = refused.unwrap_err();
        assert_eq!(node_of(refused), None, "it has ended");
        let alone = cluster(other(1), false);
        assert!(alone.check_not_remote(&id).await.is_ok());
        let refused = alone.check_leader().await.unwrap_err();
        assert_eq!(refused.reason(), RefusalReason::NodeSuperseded);
        assert_eq!(node_of(refused), None, "it forwards no calls");
        alone.become_leader();
        assert!(alone.check_leader().await.is_ok());
    }

    #[tokio::test]
    async fn no_call_is_forwarded_to_a_node_that_released_the_match() {
        let id = MatchId::new("a").unwrap();
        for name in ["other", "this"] {
            let mut node = other(1);
            node.name = NodeName::new(name).unwrap();
            let cluster = of(FakeNodes(node, true), true);
            let refused = cluster.check_not_remote(&id).await.unwrap_err();
            assert_eq!(refused.reason(), RefusalReason::NodeSuperseded);
            assert_eq!(node_of(refused), None);
            cluster.orphan_requested().await;
        }
    }

    #[tokio::test]
    async fn a_draining_or_dead_node_is_not_chosen_as_successor() {
        assert!(cluster(other(1), true).has_successor().await.unwrap());
        assert!(!cluster(other(0), true).has_successor().await.unwrap());
        let mut node = other(1);
        node.status.draining = true;
        assert!(!cluster(node, true).has_successor().await.unwrap());
        let mut node = other(1);
        node.address = None;
        assert!(!cluster(node, true).has_successor().await.unwrap());
        let mut node = other(1);
        node.name = NodeName::new("this").unwrap();
        assert!(!cluster(node, true).has_successor().await.unwrap());
    }

    #[tokio::test]
    async fn a_match_is_refused_when_all_nodes_are_full() {
        let full = || Refusal::server_limit("open_matches", 1);
        let there = cluster(other(1), true);
        let sent = there.forward_when_full(full()).await;
        assert_eq!(node_of(sent).as_deref(), Some("other.example:1"));
        for cluster in [cluster(other(0), true), cluster(other(1), false)] {
            let refused = cluster.forward_when_full(full()).await;
            assert_eq!(refused.reason(), RefusalReason::LimitReached);
        }
    }

    #[tokio::test]
    async fn calls_wait_while_the_session_that_renews_the_lease_is_lost() {
        let shared = cluster(other(1), true);
        shared.record_renewal(shared.now());
        assert!(shared.until_answering().await.is_ok() && shared.is_answering());
        shared.record_session_loss();
        let mut waiting = std::pin::pin!(shared.until_answering());
        timeout(Duration::ZERO, &mut waiting).await.unwrap_err();
        assert!(shared.check_lease().is_ok() && !shared.is_answering(), "streams continue");
        shared.record_renewal(shared.now());
        assert!(waiting.await.is_ok());
    }

    #[tokio::test]
    async fn a_server_without_a_renewal_does_not_answer_until_the_next() {
        // The clock starts before the trust period, so that its origin does not count as a renewal.
        let started = Instant::now().checked_sub(LEASE_TRUST_TIMEOUT).unwrap();
        let long_ago = Duration::ZERO;
        let mut shared = cluster(other(1), true);
        shared.started = started;
        let refused = shared.check_lease().unwrap_err();
        assert_eq!(refused.reason(), RefusalReason::NodeSuperseded, "not yet");
        assert!(refused.is_server_error(), "bots are not charged for it");
        shared.record_renewal(shared.now());
        assert!(shared.check_lease().is_ok() && *shared.trusted.borrow());
        shared.record_renewal(long_ago);
        let refused = shared.check_lease().unwrap_err();
        assert_eq!(refused.reason(), RefusalReason::NodeSuperseded);
        assert!(shared.expire_lease() && !shared.expire_lease());
        assert_eq!(shared.lease_lapsed().await.reason(), RefusalReason::NodeSuperseded);
        shared.record_renewal(long_ago);
        assert!(!*shared.trusted.borrow(), "an old renewal does not restore trust");
        shared.record_renewal(shared.now());
        assert!(shared.check_lease().is_ok() && *shared.trusted.borrow());

        let mut alone = cluster(other(1), false);
        alone.started = started;
        alone.record_renewal(long_ago);
        assert!(alone.check_lease().is_ok() && !alone.expire_lease());
        assert!(alone.until_answering().await.is_ok() && alone.is_answering());
    }
}
