//! Lists of a cluster: every match is listed once, whichever nodes answer for its pages.

use std::{collections::BTreeSet, sync::Arc};

use bridgemaster_proto::v1::{ListMatchesRequest, ListMatchesResponse};
use bridgemaster_server::{KeepReplays, Limits};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

use crate::{
    scripted_cluster::Cluster,
    test_server::{TestServer, of_two},
};

/// Three nodes with matches that are created and ended at random.
struct Nodes {
    random: SmallRng,
    servers: [TestServer; 3],
    /// The node of each match in play.
    in_play: Vec<(usize, String)>,
    ended: Vec<String>,
}

impl Nodes {
    async fn start(cluster: &Arc<Cluster>, seed: u64) -> Self {
        let limits = Limits { ended_matches_kept: 3, ..Limits::default() };
        let start = |name| cluster.start_with(name, limits.clone(), KeepReplays::All, None);
        Self {
            random: SmallRng::seed_from_u64(seed),
            servers: [start("one").await, start("two").await, start("three").await],
            in_play: Vec::new(),
            ended: Vec::new(),
        }
    }

    /// Creates matches or ends them at their nodes.
    async fn change(&mut self, count: usize) {
        for _ in 0..count {
            if self.in_play.is_empty() || self.random.random_bool(0.6) {
                let node = self.random.random_range(0..3);
                let created = self.servers[node].create(of_two()).await;
                self.in_play.push((node, created.match_id));
            } else {
                let place = self.random.random_range(0..self.in_play.len());
                let (node, id) = self.in_play.swap_remove(place);
                self.servers[node].cancel(&id, "it ends").await.unwrap();
                self.ended.push(id);
            }
        }
    }

    fn all(&self) -> BTreeSet<String> {
        let in_play = self.in_play.iter().map(|(_, id)| id);
        in_play.chain(&self.ended).cloned().collect()
    }

    /// Lists all matches, each page at one of the first `live` nodes. Returns whether any page was
    /// incomplete.
    async fn list(&mut self, live: usize, changes: usize) -> (Vec<String>, bool) {
        let (mut ids, mut is_incomplete, mut page_token) = (Vec::new(), false, String::new());
        loop {
            let node = self.random.random_range(0..live);
            let request = ListMatchesRequest {
                page_size: self.random.random_range(1..6),
                page_token,
                ..ListMatchesRequest::default()
            };
            let ListMatchesResponse { matches, next_page_token, incomplete, .. } =
                self.servers[node].page(request).await.unwrap();
            ids.extend(matches.into_iter().map(|info| info.match_id));
            is_incomplete |= incomplete;
            page_token = next_page_token;
            if page_token.is_empty() {
                return (ids, is_incomplete);
            }
            let changes = self.random.random_range(0..=changes);
            self.change(changes).await;
        }
    }
}

#[tokio::test]
async fn every_match_is_listed_once_while_matches_end_and_any_node_answers() {
    for seed in 0..6 {
        let mut nodes = Nodes::start(&Cluster::new(), seed).await;
        nodes.change(20).await;
        for _ in 0..4 {
            let existing = nodes.all();
            let (listed, is_incomplete) = nodes.list(3, 3).await;
            assert!(!is_incomplete);
            assert!(listed.is_sorted_by(|newer, older| newer > older), "{seed}: {listed:?}");
            let listed = BTreeSet::from_iter(listed);
            assert!(listed.is_superset(&existing), "{seed}: {listed:?} {existing:?}");
        }
    }
}

#[tokio::test]
async fn a_list_reports_that_the_matches_in_play_of_a_lost_node_are_missing() {
    let cluster = Cluster::new();
    let mut nodes = Nodes::start(&cluster, 7).await;
    nodes.change(30).await;
    nodes.servers[2].crash().await;
    cluster.lose("three");
    let mut expected = nodes.all();
    let lost = nodes.in_play.iter().filter(|(node, _)| *node == 2);
    for (_, id) in lost {
        assert!(expected.remove(id));
    }
    let (listed, is_incomplete) = nodes.list(2, 0).await;
    assert!(is_incomplete && listed.len() == expected.len());
    assert_eq!(BTreeSet::from_iter(listed), expected);
}
