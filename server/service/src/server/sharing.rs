//! A server among others over one database: it takes over what a server leaves that is gone.

use std::{collections::HashSet, sync::Arc, time::Duration};

use bridgemaster_lease::limits::LOOK_FOR_ORPHANS;
use bridgemaster_proto::v1::Ladder;
use bridgemaster_store::{NodeStanding, Nodes, OpenMatch, StoreError};
use tokio::{select, task::yield_now, time::sleep};
use tokio_util::task::AbortOnDropHandle;
use tracing::{error, info, warn};

use super::{
    Storage,
    errors::BindError,
    health::ServicesHealth,
    load::Load,
    starting::{make_asked, read_queues},
};
use crate::{
    cluster::Cluster,
    hosting::{Matches, Telling, is_led},
    identity::Authenticator,
    journal::Journal,
    ladder::Ladders,
    lobby::Lobby,
    replays::Retention,
};

/// Time between two rounds of telling other servers of the matches here: how old their lists are.
const TELL_EVERY: Duration = Duration::from_secs(2);

/// Least time between two looks for what others leave, however often somebody asks for a match that
/// nobody has: one that cannot be taken over may be asked for without end.
const LEAST_BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// Rounds between two looks for what was told of matches that are over: nobody is shown it.
const SWEEP_EVERY: u64 = 15;

/// This server among those that share its store, if that can be shared; without one it leads. One
/// that leads takes over at once what nobody plays, and gives it.
///
/// # Errors
/// When the store fails.
pub(super) async fn join(
    storage: Option<&Storage>,
) -> Result<(Option<Arc<Cluster>>, Vec<OpenMatch>), StoreError> {
    let Some(shared) = storage.and_then(|storage| storage.shared.as_ref()) else {
        return Ok((None, Vec::new()));
    };
    let identity = shared.identity.clone();
    let is_shared = identity.address.is_some();
    let cluster = Cluster::new(Arc::clone(&shared.nodes), identity.name, is_shared);
    let taken = share(&cluster).await?;
    Ok((Some(Arc::new(cluster)), taken))
}

/// Has the lease renewed, and takes what there is to be taken meanwhile: that may take longer than
/// a lease.
async fn share(cluster: &Cluster) -> Result<Vec<OpenMatch>, StoreError> {
    select! {
        joined = take_part(cluster) => joined,
        ended = cluster.renew(NodeStanding::default) => Err(ended),
    }
}

/// Takes the lead if nobody has it, and then what nobody plays.
async fn take_part(cluster: &Cluster) -> Result<Vec<OpenMatch>, StoreError> {
    let mut taken = Vec::new();
    cluster.trusted().await;
    if cluster.nodes().lead().await? {
        // What the leader keeps may have matches of a server that is gone.
        loop {
            let some = cluster.nodes().take_orphans(is_led).await?;
            if some.is_empty() {
                break;
            }
            taken.extend(some);
        }
        cluster.begins_to_lead();
    }
    Ok(taken)
}

/// Renews the lease while what it gives lives. Once another server has this one's matches, nothing
/// is committed any more.
pub(super) fn renew(
    cluster: &Arc<Cluster>,
    matches: &Arc<Matches>,
    journal: &Arc<Journal>,
) -> AbortOnDropHandle<()> {
    let (cluster, matches) = (Arc::clone(cluster), Arc::clone(matches));
    let journal = Arc::clone(journal);
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut load = Load::begin();
        let standing = || standing_of(&matches, &mut load);
        let ended = cluster.renew(standing).await;
        // A store that was closed ends with the server.
        if !matches!(ended, StoreError::Closed) {
            error!(error = %ended, "this server has lost its matches: it ends");
            journal.fail(ended);
        }
    }))
}

/// What this server says of itself.
fn standing_of(matches: &Matches, load: &mut Load) -> NodeStanding {
    let lag_ms = matches.clock().take_longest_lag().as_millis();
    NodeStanding {
        draining: matches.lifecycle().is_draining(),
        slots: u32::try_from(matches.limits().open_matches).unwrap_or(u32::MAX),
        load_percent: load.percent(),
        lag_ms: u32::try_from(lag_ms).unwrap_or(u32::MAX),
    }
}

/// Tells through the health service whether this server answers, until it drains.
pub(super) async fn tell_health(
    cluster: Arc<Cluster>,
    matches: Arc<Matches>,
    health: ServicesHealth,
) {
    let mut answering = cluster.answering();
    // It may have lapsed while the server started.
    answering.mark_changed();
    let draining = matches.lifecycle().draining();
    loop {
        select! {
            biased;
            () = draining.cancelled() => return,
            Ok(()) = answering.changed() => {
                let answers = *answering.borrow_and_update();
                health.answers(answers).await;
            }
            else => return,
        }
    }
}

/// Tells other servers of the matches in play here, for their lists, until it is dropped.
pub(super) async fn tell_of_matches(cluster: Arc<Cluster>, matches: Arc<Matches>) {
    let mut telling = Telling::default();
    for round in 0_u64.. {
        if let Err(problem) = telling.round(&matches, cluster.nodes()).await {
            warn!(%problem, "other servers are told of the matches here the next time");
        }
        if cluster.leads()
            && round.is_multiple_of(SWEEP_EVERY)
            && let Err(problem) = cluster.nodes().sweep_told().await
        {
            warn!(%problem, "what was told of matches that are over is removed the next time");
        }
        sleep(TELL_EVERY).await;
    }
}

/// What a server does with what others leave.
pub(super) struct Sharing {
    pub(super) cluster: Arc<Cluster>,
    pub(super) matches: Arc<Matches>,
    pub(super) journal: Arc<Journal>,
    pub(super) lobby: Arc<Lobby>,
    pub(super) ladders: Arc<Ladders>,
    pub(super) authenticator: Authenticator,
    /// Ladders that are made by the server that leads, if they are missing.
    pub(super) asked: Vec<Ladder>,
    /// Runs once this server leads.
    pub(super) retention: Option<Retention>,
    /// The servers that are gone and whose late matches this one has taken in.
    pub(super) gone: HashSet<String>,
}

impl Sharing {
    /// Looks for what others leave, until it is dropped or the server drains.
    pub(super) async fn run(mut self) {
        // What is forgotten of the store while this server leads.
        let mut forgetting = None;
        loop {
            if self.cluster.leads() && forgetting.is_none() {
                let retention = self.retention.take();
                forgetting = retention
                    .map(|retention| AbortOnDropHandle::new(tokio::spawn(retention.run())));
            }
            if self.matches.lifecycle().is_draining() {
                return;
            }
            if let Err(problem) = self.look().await {
                warn!(%problem, "what others left is looked at again");
            }
            until_next_look(&self.cluster).await;
        }
    }

    async fn look(&mut self) -> Result<(), BindError> {
        if !self.cluster.leads() && self.nodes().lead().await.map_err(BindError::Nodes)? {
            info!("this server leads now");
            self.take_the_lead().await?;
        } else {
            self.take_over().await?;
        }
        match self.cluster.leads() && self.cluster.is_shared() {
            true => self.take_in_late().await,
            false => Ok(()),
        }
    }

    /// Shows late what servers did that are gone: the one that leads does, so that one alone does.
    async fn take_in_late(&mut self) -> Result<(), BindError> {
        let nodes = self.nodes().nodes().await.map_err(BindError::Nodes)?;
        let gone = nodes.into_iter().filter(|node| !node.is_live());
        let gone: HashSet<_> = gone.map(|node| node.name.to_string()).collect();
        // One that came back may show others by now.
        self.gone.retain(|known| gone.contains(known));
        if gone.is_subset(&self.gone) {
            return Ok(());
        }
        let taken_in = self.matches.take_in_late(&self.journal, &gone).await;
        taken_in.map_err(BindError::Nodes)?;
        self.gone = gone;
        Ok(())
    }

    /// Takes over what nobody plays, some matches after the other, so that others take some too.
    async fn take_over(&self) -> Result<(), BindError> {
        while !self.matches.lifecycle().is_draining() {
            let taken = take_some(self.nodes(), &self.journal).await?;
            if taken.is_empty() {
                break;
            }
            let matches = taken.len();
            info!(matches, "matches of another server are taken over");
            for open in taken {
                self.matches.take_in(&open);
                // A match may be long, and others go on.
                yield_now().await;
            }
        }
        Ok(())
    }

    /// Takes in what the leader keeps, and then answers for it. If this fails it is done again.
    async fn take_the_lead(&self) -> Result<(), BindError> {
        let store = Arc::clone(self.journal.store());
        self.matches.read_groups(&*store, true).await?;
        read_queues(&*store, &self.lobby).await?;
        self.take_over().await?;
        self.ladders.recover().await.map_err(BindError::Ladders)?;
        make_asked(&self.ladders, self.asked.clone(), &self.authenticator).await?;
        self.cluster.begins_to_lead();
        self.matches.end_complete_groups(&self.journal);
        self.ladders.run_all();
        Ok(())
    }

    fn nodes(&self) -> &dyn Nodes {
        self.cluster.nodes()
    }
}

/// Completes when it is time to look again for what others leave: sooner once somebody asks for a
/// match that nobody has, since a bot waits for it.
async fn until_next_look(cluster: &Cluster) {
    let missed = async {
        sleep(LEAST_BETWEEN_LOOKS).await;
        cluster.missed().await;
    };
    select! {
        () = missed => {}
        () = sleep(LOOK_FOR_ORPHANS) => {}
    }
}

/// Takes some matches that nobody plays. When it cannot be known whether they are this server's, it
/// ends, as after a commit: they would stand still while it renews its lease.
async fn take_some(nodes: &dyn Nodes, journal: &Journal) -> Result<Vec<OpenMatch>, BindError> {
    match nodes.take_orphans(is_led).await {
        Err(error @ StoreError::Unreachable { .. }) => {
            error!(%error, "the store failed: all matches stop");
            journal.fail(error);
            Err(BindError::Nodes(StoreError::Closed))
        }
        taken => taken.map_err(BindError::Nodes),
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use bridgemaster_match::MatchId;
    use bridgemaster_store::{
        IsLed, KeyName, MemoryStore, NodeName, NodeOfMatch, StoredNode, ToldCursor, ToldMatch,
        ToldPage,
    };
    use bridgemaster_traces::Traces;
    use tokio::sync::watch;

    use super::*;
    use crate::metrics::Metrics;

    /// A node of a database in which matches are to be taken over.
    struct Planted {
        renewals: watch::Sender<u32>,
        /// Renewals that taking over takes; without a number it fails.
        taking: Option<u32>,
    }

    impl Planted {
        fn new(taking: Option<u32>) -> Self {
            Self {
                renewals: watch::Sender::new(0),
                taking,
            }
        }
    }

    #[async_trait]
    impl Nodes for Planted {
        async fn renew_lease(&self, _: NodeStanding) -> Result<(), StoreError> {
            self.renewals.send_modify(|renewals| *renewals += 1);
            Ok(())
        }

        async fn withdraw(&self) -> Result<(), StoreError> {
            Ok(())
        }

        async fn lead(&self) -> Result<bool, StoreError> {
            Ok(true)
        }

        async fn take_orphans(&self, _: IsLed) -> Result<Vec<OpenMatch>, StoreError> {
            let Some(taking) = self.taking else {
                let (database, detail) = (String::new(), String::new());
                return Err(StoreError::Unreachable { database, detail });
            };
            let mut renewals = self.renewals.subscribe();
            renewals.wait_for(|made| *made >= taking).await.unwrap();
            Ok(Vec::new())
        }

        async fn release(&self, _: &[MatchId]) -> Result<(), StoreError> {
            Ok(())
        }

        async fn released(&self) -> Result<u64, StoreError> {
            Ok(0)
        }

        async fn node_of(&self, _: &MatchId) -> Result<Option<NodeOfMatch>, StoreError> {
            Ok(None)
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
            Ok(Vec::new())
        }
    }

    #[tokio::test]
    async fn a_server_that_starts_renews_its_lease_while_it_takes_over() {
        let nodes: Arc<dyn Nodes> = Arc::new(Planted::new(Some(2)));
        let cluster = Cluster::new(nodes, NodeName::new("this").unwrap(), true);
        assert!(cluster.check_may_answer().is_err());
        share(&cluster).await.unwrap();
        assert!(cluster.leads() && cluster.check_may_answer().is_ok());
    }

    #[tokio::test]
    async fn a_server_ends_that_does_not_know_what_it_has_taken_over() {
        let (store, metrics) = (Arc::new(MemoryStore::new()), Arc::new(Metrics::new()));
        let journal = Journal::new(store, metrics, Traces::off());
        let refused = take_some(&Planted::new(None), &journal).await;
        assert!(refused.is_err() && journal.failure().is_some());
    }
}
