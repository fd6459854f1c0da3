//! This server among those that share its database.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_lease::Trust;
use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{
    MatchId, NodeName, NodeOfMatch, NodeStanding, Nodes, StoreError, StoredNode,
};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tracing::error;

use crate::refusal::Refusal;

/// This server among those that share its database.
pub(crate) struct Cluster {
    nodes: Arc<dyn Nodes>,
    name: NodeName,
    /// Whether callers can be sent to other nodes and from them. A server that is alone waits for
    /// its database, since nobody else would answer.
    is_shared: bool,
    /// The clock of this server counts from here.
    started: Instant,
    trust: Mutex<Trust>,
    /// Whether the lease is trusted, for whoever waits for that.
    trusted: watch::Sender<bool>,
    leads: AtomicBool,
    /// Notified when somebody asks for a match that no server has.
    missed: Notify,
    /// What this server has said of itself last.
    standing: Mutex<NodeStanding>,
}

impl Cluster {
    /// The node of this name. The lease that it has taken is trusted once it is renewed: how old it
    /// is, nobody has measured.
    pub(crate) fn new(nodes: Arc<dyn Nodes>, name: NodeName, is_shared: bool) -> Self {
        Self {
            nodes,
            name,
            is_shared,
            started: Instant::now(),
            trust: Mutex::default(),
            trusted: watch::Sender::new(false),
            leads: AtomicBool::new(false),
            missed: Notify::new(),
            standing: Mutex::default(),
        }
    }

    /// Whether callers are sent to other nodes and from them.
    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    pub(crate) fn name(&self) -> &NodeName {
        &self.name
    }

    pub(crate) fn nodes(&self) -> &dyn Nodes {
        &*self.nodes
    }

    /// Whether this node leads, and has taken in all that the leader keeps.
    pub(crate) fn leads(&self) -> bool {
        self.leads.load(Ordering::Acquire)
    }

    /// This node leads from now on, until it ends.
    pub(crate) fn begins_to_lead(&self) {
        self.leads.store(true, Ordering::Release);
    }

    /// What this server has said of itself last; of nothing before the first time.
    pub(super) fn standing(&self) -> NodeStanding {
        *self.standing.lock()
    }

    /// This server says this of itself from now on.
    pub(super) fn stands(&self, standing: NodeStanding) {
        *self.standing.lock() = standing;
    }

    /// How long ago the last renewal began that succeeded; for ever if none has.
    pub(crate) fn since_renewal(&self) -> Duration {
        self.trust().since_renewal(self.now())
    }

    /// By the clock of this server.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn trust(&self) -> Trust {
        *self.trust.lock()
    }

    /// A renewal that began then has succeeded. It may be old: this server may have stood still
    /// before it read the answer.
    pub(super) fn renewed(&self, begun: Duration) {
        self.trust.lock().renewed(begun);
        if self.trust().holds(self.now()) {
            self.trusted
                .send_if_modified(|trusted| !std::mem::replace(trusted, true));
        }
    }

    /// Has this server not answer any more, if the last renewal is too old. Whether it answered
    /// before.
    pub(super) fn lapses(&self) -> bool {
        self.is_shared
            && !self.trust().holds(self.now())
            && self
                .trusted
                .send_if_modified(|trusted| std::mem::replace(trusted, false))
    }

    /// Makes sure that this server may answer: that nobody else can have its matches yet. It looks
    /// at the clock, so that it holds at once for a server that stood still.
    ///
    /// # Errors
    /// When its lease was not renewed for too long.
    pub(crate) fn check_may_answer(&self) -> Result<(), Refusal> {
        match !self.is_shared || self.trust().holds(self.now()) {
            true => Ok(()),
            false => Err(Refusal::node_superseded()),
        }
    }

    /// Whether this server may answer, as that changes.
    pub(crate) fn answering(&self) -> watch::Receiver<bool> {
        self.trusted.subscribe()
    }

    /// Completes when the lease is renewed, and so trusted.
    pub(crate) async fn trusted(&self) {
        let mut trusted = self.trusted.subscribe();
        // The sender is in `self`.
        let _ = trusted.wait_for(|trusted| *trusted).await;
    }

    /// Completes when this server may not answer any more.
    pub(crate) async fn lapsed(&self) -> Refusal {
        let mut trusted = self.trusted.subscribe();
        // The sender is in `self`.
        let _ = trusted.wait_for(|trusted| !trusted).await;
        Refusal::node_superseded()
    }

    /// Whether another node can take matches over: it is live, callers can be sent there, and it does
    /// not drain.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn has_successor(&self) -> Result<bool, StoreError> {
        let nodes = self.nodes.nodes().await?;
        let mut others = nodes.iter().filter(|node| node.name != self.name);
        Ok(others.any(|node| node.is_live() && node.address.is_some() && !node.standing.draining))
    }

    /// Makes sure that no other node has a match that is not here.
    ///
    /// # Errors
    /// Where it is played, or that it is on its way; or that this cannot be told.
    pub(crate) async fn check_is_nowhere_else(&self, id: &MatchId) -> Result<(), Refusal> {
        if !self.is_shared {
            return Ok(());
        }
        match self.nodes.node_of(id).await.map_err(unreadable)? {
            None => Ok(()),
            Some(NodeOfMatch { node, is_released }) => {
                if is_released || !node.is_live() {
                    self.missed.notify_one();
                }
                // One that was just taken over is here in a moment.
                match is_released || node.name == self.name {
                    true => Err(on_its_way()),
                    false => Err(moved(PLAYED_ELSEWHERE, node)),
                }
            }
        }
    }

    /// Completes when somebody has asked for a match that no server has, since this completed last.
    pub(crate) async fn missed(&self) {
        self.missed.notified().await;
    }

    /// Makes sure that what is at the node of this name is not at another one.
    ///
    /// # Errors
    /// Where a match of that node is, in the words for one that is played there; or that this cannot
    /// be told.
    pub(crate) async fn check_is_not_at(&self, name: &str) -> Result<(), Refusal> {
        if name == self.name.as_str() {
            return Ok(());
        }
        let nodes = self.nodes.nodes().await.map_err(unreadable)?;
        let node = nodes.into_iter().find(|node| node.name.as_str() == name);
        // A store that was copied from elsewhere does not know that node.
        node.map_or(Ok(()), |node| Err(moved(PLAYED_ELSEWHERE, node)))
    }

    /// Makes sure that this node leads.
    ///
    /// # Errors
    /// Which one does.
    pub(crate) async fn check_leads(&self) -> Result<(), Refusal> {
        if self.leads() {
            return Ok(());
        }
        let nodes = self.nodes.nodes().await.map_err(unreadable)?;
        let leader = nodes.into_iter().find(|node| node.leads);
        match leader.filter(|node| node.name != self.name) {
            Some(leader) => {
                let what = "queues, ladders and groups whose chance is held back are kept by \
                            another server";
                Err(moved(what, leader))
            }
            None => Err(on_its_way()),
        }
    }
}

const PLAYED_ELSEWHERE: &str = "the match is played on another server";

/// Sends a caller to a node, or has him wait until another one has taken it over.
pub(super) fn moved(what: &str, node: StoredNode) -> Refusal {
    match node.address.as_ref().filter(|_| node.is_live()) {
        Some(address) => {
            let message = format!("{what}: {address}");
            Refusal::new(RefusalReason::Moved, message).with("address", address.to_string())
        }
        None => on_its_way(),
    }
}

fn on_its_way() -> Refusal {
    let message = "a server of the cluster is gone or ends, and another one takes over; try again";
    Refusal::new(RefusalReason::NodeSuperseded, message)
}

pub(super) fn unreadable(error: StoreError) -> Refusal {
    error!(%error, "the nodes of the database cannot be read");
    Refusal::storage_failed()
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use bridgemaster_lease::limits::LEASE_TRUST;
    use bridgemaster_store::{
        IsLed, KeyName, NodeAddress, OpenMatch, ToldCursor, ToldMatch, ToldPage,
    };

    use tokio::time::timeout;

    use super::*;

    /// One match, at this node, which may have released it.
    struct Planted(StoredNode, bool);

    #[async_trait]
    impl Nodes for Planted {
        async fn renew_lease(&self, _: NodeStanding) -> Result<(), StoreError> {
            Ok(())
        }

        async fn withdraw(&self) -> Result<(), StoreError> {
            Ok(())
        }

        async fn lead(&self) -> Result<bool, StoreError> {
            Ok(false)
        }

        async fn take_orphans(&self, _: IsLed) -> Result<Vec<OpenMatch>, StoreError> {
            Ok(Vec::new())
        }

        async fn release(&self, _: &[MatchId]) -> Result<(), StoreError> {
            Ok(())
        }

        async fn released(&self) -> Result<u64, StoreError> {
            Ok(0)
        }

        async fn node_of(&self, _: &MatchId) -> Result<Option<NodeOfMatch>, StoreError> {
            Ok(Some(NodeOfMatch {
                node: self.0.clone(),
                is_released: self.1,
            }))
        }

        async fn tell(&self, _: &[ToldMatch]) -> Result<(), StoreError> {
            Ok(())
        }

        async fn told_elsewhere(
            &self,
            _: &ToldCursor,
            _: u32,
            _: Option<&KeyName>,
        ) -> Result<ToldPage, StoreError> {
            Ok(ToldPage::default())
        }

        async fn sweep_told(&self) -> Result<(), StoreError> {
            Ok(())
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
            leads: true,
            matches: 1,
            standing: NodeStanding {
                slots: 3,
                ..NodeStanding::default()
            },
        }
    }

    fn cluster(node: StoredNode, is_shared: bool) -> Cluster {
        of(Planted(node, false), is_shared)
    }

    fn of(planted: Planted, is_shared: bool) -> Cluster {
        let name = NodeName::new("this").unwrap();
        Cluster::new(Arc::new(planted), name, is_shared)
    }

    #[tokio::test]
    async fn a_caller_is_sent_to_a_node_that_is_there_and_waits_for_one_that_is_not() {
        let id = MatchId::new("a").unwrap();
        let there = cluster(other(1), true);
        for refused in [
            there.check_is_nowhere_else(&id).await.unwrap_err(),
            there.check_leads().await.unwrap_err(),
        ] {
            assert_eq!(refused.reason(), RefusalReason::Moved);
            assert_eq!(refused.named("address"), Some("other.example:1"));
        }
        timeout(Duration::ZERO, there.missed()).await.unwrap_err();
        let gone = cluster(other(0), true);
        for refused in [
            gone.check_is_nowhere_else(&id).await.unwrap_err(),
            gone.check_leads().await.unwrap_err(),
        ] {
            assert_eq!(refused.reason(), RefusalReason::NodeSuperseded);
        }
        gone.missed().await;
        let mut withdrawn = other(1);
        withdrawn.address = None;
        let refused = cluster(withdrawn, true).check_is_nowhere_else(&id).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.reason(), RefusalReason::NodeSuperseded, "it ends");
        let alone = cluster(other(1), false);
        assert!(alone.check_is_nowhere_else(&id).await.is_ok());
        alone.begins_to_lead();
        assert!(alone.check_leads().await.is_ok());
    }

    #[tokio::test]
    async fn nobody_is_sent_to_a_node_for_a_match_that_it_has_released() {
        let id = MatchId::new("a").unwrap();
        for name in ["other", "this"] {
            let mut node = other(1);
            node.name = NodeName::new(name).unwrap();
            let cluster = of(Planted(node, true), true);
            let refused = cluster.check_is_nowhere_else(&id).await.unwrap_err();
            assert_eq!(refused.reason(), RefusalReason::NodeSuperseded);
            cluster.missed().await;
        }
    }

    #[tokio::test]
    async fn a_node_that_drains_or_is_gone_takes_nothing_over() {
        assert!(cluster(other(1), true).has_successor().await.unwrap());
        assert!(!cluster(other(0), true).has_successor().await.unwrap());
        let mut node = other(1);
        node.standing.draining = true;
        assert!(!cluster(node, true).has_successor().await.unwrap());
        let mut node = other(1);
        node.address = None;
        assert!(!cluster(node, true).has_successor().await.unwrap());
        let mut node = other(1);
        node.name = NodeName::new("this").unwrap();
        assert!(!cluster(node, true).has_successor().await.unwrap());
    }

    #[tokio::test]
    async fn a_match_without_a_place_is_refused_where_no_node_has_one() {
        let full = || Refusal::server_limit("open_matches", 1);
        let there = cluster(other(1), true);
        let sent = there.place_elsewhere(full()).await;
        assert_eq!(sent.named("address"), Some("other.example:1"));
        for cluster in [cluster(other(0), true), cluster(other(1), false)] {
            let refused = cluster.place_elsewhere(full()).await;
            assert_eq!(refused.reason(), RefusalReason::LimitReached);
        }
    }

    #[tokio::test]
    async fn a_server_without_a_renewal_does_not_answer_until_the_next() {
        // It began to count so long ago that its beginning is no reason to answer.
        let started = Instant::now().checked_sub(LEASE_TRUST).unwrap();
        let long_ago = Duration::ZERO;
        let mut shared = cluster(other(1), true);
        shared.started = started;
        let refused = shared.check_may_answer().unwrap_err();
        assert_eq!(refused.reason(), RefusalReason::NodeSuperseded, "not yet");
        assert!(refused.is_servers_own(), "no bot pays for it");
        shared.renewed(shared.now());
        assert!(shared.check_may_answer().is_ok() && *shared.answering().borrow());
        shared.renewed(long_ago);
        let refused = shared.check_may_answer().unwrap_err();
        assert_eq!(refused.reason(), RefusalReason::NodeSuperseded);
        assert!(shared.lapses() && !shared.lapses());
        assert_eq!(
            shared.lapsed().await.reason(),
            RefusalReason::NodeSuperseded
        );
        shared.renewed(long_ago);
        assert!(!*shared.answering().borrow(), "an old renewal is no reason");
        shared.renewed(shared.now());
        assert!(shared.check_may_answer().is_ok() && *shared.answering().borrow());

        let mut alone = cluster(other(1), false);
        alone.started = started;
        alone.renewed(long_ago);
        assert!(alone.check_may_answer().is_ok() && !alone.lapses());
    }
}
