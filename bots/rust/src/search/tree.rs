//! The tree in a search over information sets. A node stands for all states that the searching seat
//! cannot distinguish, so all sampled states share one tree. An edge counts how often its decision
//! was legal. See P. I. Cowling, E. J. Powley and D. Whitehouse, "Information Set Monte Carlo Tree
//! Search", 2012.

use bridgemaster_games::Seat;

use super::searchable::Params;

/// The maximum number of edges, which limits memory to about 50 MB. A search reaches this number
/// after about ten seconds. The tree then no longer grows.
const MAX_EDGES: usize = 500_000;

/// The node for the position to decide.
pub(super) const ROOT: NodeId = NodeId(0);

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

/// The index of an edge in its node's list.
pub(super) type EdgeId = usize;

/// All nodes in a search.
#[derive(Debug)]
pub(super) struct Tree<D> {
    nodes: Vec<Node<D>>,
    /// The total number of all nodes' edges.
    edges: usize,
}

#[derive(Debug)]
struct Node<D> {
    seat: Seat,
    /// The key for the public chance results, which distinguishes nodes that the same decisions
    /// lead to.
    chance_key: u64,
    /// The next node in the list of nodes that the same edge leads to.
    sibling: Option<NodeId>,
    visits: u32,
    /// The sum of the rewards for `seat`.
    total: f64,
    edges: Vec<Edge<D>>,
}

/// A decision at a node.
#[derive(Clone, Debug)]
pub(super) struct Edge<D> {
    /// The decision that leads to this node.
    pub(super) decision: D,
    /// The prior rating, relative to the node's other edges.
    rating: f64,
    /// The number of playouts through the edge.
    pub(super) visits: u32,
    /// The number of playouts in which the decision was legal at this node.
    available: u32,
    /// The sum of the rewards for the node's seat.
    total: f64,
    child: Option<NodeId>,
}

impl<D> Edge<D> {
    const fn new(decision: D, rating: f64) -> Self {
        Self { decision, rating, visits: 0, available: 0, total: 0.0, child: None }
    }

    /// Returns the mean reward.
    pub(super) fn mean(&self) -> f64 {
        self.total / f64::from(self.visits.max(1))
    }
}

impl<D: PartialEq + Clone> Tree<D> {
    /// Creates a tree with only the root.
    pub(super) fn new(seat: Seat) -> Self {
        let mut tree = Self { nodes: Vec::new(), edges: 0 };
        tree.add(seat, 0);
        tree
    }

    fn add(&mut self, seat: Seat, chance_key: u64) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            seat,
            chance_key,
            sibling: None,
            visits: 0,
            total: 0.0,
            edges: Vec::new(),
        });
        id
    }

    fn node(&self, id: NodeId) -> &Node<D> {
        &self.nodes[id.0 as usize]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node<D> {
        &mut self.nodes[id.0 as usize]
    }

    /// Returns the root's edges.
    pub(super) fn root_edges(&self) -> &[Edge<D>] {
        &self.node(ROOT).edges
    }

    /// Returns the node that an edge leads to if `seat` decides next in a state with this
    /// `chance_key`, and whether the node is new. Returns `None` if the tree is full.
    pub(super) fn child(
        &mut self,
        from: NodeId,
        edge: EdgeId,
        seat: Seat,
        chance_key: u64,
    ) -> Option<(NodeId, bool)> {
        let first = self.node(from).edges[edge].child;
        let mut next = first;
        while let Some(id) = next {
            let node = self.node(id);
            if node.seat == seat && node.chance_key == chance_key {
                return Some((id, false));
            }
            next = node.sibling;
        }
        if self.edges >= MAX_EDGES {
            return None;
        }
        let id = self.add(seat, chance_key);
        self.node_mut(id).sibling = first;
        self.node_mut(from).edges[edge].child = Some(id);
        Some((id, true))
    }

    /// Finds the edges for `decisions`, the legal decisions, and adds missing edges with the
    /// ratings from `rate`. Stores the edges' indices in `open`.
    pub(super) fn open(
        &mut self,
        id: NodeId,
        decisions: &[D],
        open: &mut Vec<EdgeId>,
        rate: impl FnOnce(&[D], &mut [f64]),
    ) {
        let edges = &self.node(id).edges;
        open.clear();
        let existing = edges.len();
        let mut missing: Vec<D> = Vec::new();
        // Lists are in canonical order, so the next edge nearly always follows the previous edge.
        let mut at = 0;
        for decision in decisions {
            let after = edges[at.min(existing)..existing].iter();
            let found = after.clone().position(|edge| edge.decision == *decision);
            let found = found.map(|place| place + at).or_else(|| {
                let before = edges[..at.min(existing)].iter();
                before.clone().position(|edge| edge.decision == *decision)
            });
            match found {
                Some(place) => {
                    at = place + 1;
                    open.push(place);
                }
                None => {
                    open.push(existing + missing.len());
                    missing.push(decision.clone());
                }
            }
        }
        if missing.is_empty() {
            return;
        }
        self.edges += missing.len();
        let mut ratings = vec![0.0; missing.len()];
        rate(&missing, &mut ratings);
        let rated = missing.into_iter().zip(ratings);
        let new = rated.map(|(decision, rating)| Edge::new(decision, rating));
        self.node_mut(id).edges.extend(new);
    }

    /// Selects the edge in `open` to try next: the edge with the highest sum of its mean reward and
    /// a bonus for a high prior and few visits (PUCT, as in D. Silver et al., "Mastering the game
    /// of Go without human knowledge", 2017).
    pub(super) fn choose(&mut self, id: NodeId, open: &[EdgeId], params: &Params) -> EdgeId {
        let node = self.node_mut(id);
        let edges = &mut node.edges;
        let best_rating =
            open.iter().map(|&edge| edges[edge].rating).fold(f64::NEG_INFINITY, f64::max);
        let weight = |edge: &Edge<D>| ((edge.rating - best_rating) / params.temperature).exp();
        let all: f64 = open.iter().map(|&edge| weight(&edges[edge])).sum();
        let mean = match node.visits {
            0 => 0.5,
            visits => node.total / f64::from(visits),
        };
        let mut best = (open[0], f64::NEG_INFINITY);
        for &place in open {
            let edge = &mut edges[place];
            edge.available += 1;
            let expected = if edge.visits == 0 { mean } else { edge.mean() };
            let untried = f64::from(edge.available).sqrt() / f64::from(1 + edge.visits);
            let value = expected + params.exploration * weight(edge) / all * untried;
            if value > best.1 {
                best = (place, value);
            }
        }
        best.0
    }

    /// Records a playout that went through an edge.
    pub(super) fn record(&mut self, id: NodeId, edge: EdgeId, rewards: &[f64]) {
        let node = self.node_mut(id);
        let reward = rewards[node.seat.index()];
        node.visits += 1;
        node.total += reward;
        let edge = &mut node.edges[edge];
        edge.visits += 1;
        edge.total += reward;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &Params = &Params {
        exploration: 0.5,
        temperature: 1.0,
        candidates: 1,
        samples: 1,
        rates_new_nodes: false,
    };

    fn seat(number: u8) -> Seat {
        Seat::new(number).unwrap()
    }

    /// Opens `decisions` at the root, and rates new ones 0.
    fn open(tree: &mut Tree<u8>, decisions: &[u8]) -> Vec<EdgeId> {
        let mut open = Vec::new();
        tree.open(ROOT, decisions, &mut open, |_, _| {});
        open
    }

    #[test]
    fn a_decision_keeps_its_edge_when_other_decisions_change() {
        let mut tree = Tree::new(seat(0));
        assert_eq!(open(&mut tree, &[1, 3, 5]), [0, 1, 2]);
        assert_eq!(open(&mut tree, &[2, 3, 5]), [3, 1, 2]);
        assert_eq!(open(&mut tree, &[5, 1, 2]), [2, 0, 3]);
        assert_eq!(tree.root_edges().len(), 4);
    }

    #[test]
    fn only_open_edges_are_chosen_and_the_best_rated_first() {
        let mut tree = Tree::new(seat(0));
        let mut places = Vec::new();
        tree.open(ROOT, &[1, 2, 3], &mut places, |decisions, ratings| {
            assert_eq!(decisions, [1, 2, 3]);
            ratings.copy_from_slice(&[0.0, 9.0, 5.0]);
        });
        assert_eq!(tree.choose(ROOT, &places, PARAMS), 1);
        let without_the_best = open(&mut tree, &[1, 3]);
        assert_eq!(tree.choose(ROOT, &without_the_best, PARAMS), 2);
    }

    #[test]
    fn a_decision_that_wins_gets_the_most_visits() {
        let mut tree = Tree::new(seat(1));
        for _ in 0..200 {
            let places = open(&mut tree, &[1, 2, 3]);
            let edge = tree.choose(ROOT, &places, PARAMS);
            let reward = if edge == 2 { 0.8 } else { 0.3 };
            tree.record(ROOT, edge, &[1.0 - reward, reward]);
        }
        let visits: Vec<u32> = tree.root_edges().iter().map(|edge| edge.visits).collect();
        assert_eq!(visits.iter().sum::<u32>(), 200);
        let tried = visits.iter().all(|visits| *visits > 0);
        assert!(tried && visits[2] > 100, "{visits:?}");
    }

    #[test]
    fn an_edge_has_one_node_per_seat_and_chance_key() {
        let mut tree = Tree::new(seat(0));
        open(&mut tree, &[7]);
        let mut child = |number, chance_key| tree.child(ROOT, 0, seat(number), chance_key).unwrap();
        let (first, is_new) = child(1, 5);
        assert!(is_new);
        let (other, is_new) = child(1, 6);
        assert!(is_new && other != first);
        assert!(child(0, 5).1);
        assert_eq!(child(1, 5), (first, false));
        assert_eq!(child(1, 6), (other, false));
    }

    #[test]
    fn a_full_tree_adds_no_nodes_and_keeps_existing_nodes() {
        let mut tree = Tree::new(seat(0));
        open(&mut tree, &[7]);
        let (existing, _) = tree.child(ROOT, 0, seat(1), 0).unwrap();
        tree.edges = MAX_EDGES;
        assert_eq!(tree.child(ROOT, 0, seat(1), 0), Some((existing, false)));
        assert_eq!(tree.child(ROOT, 0, seat(1), 1), None);
    }
}
