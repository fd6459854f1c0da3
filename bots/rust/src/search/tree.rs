//! The tree of a search over information sets: nodes are what the searching seat knows, so all
//! sampled states share them, and an edge counts how often its decision was legal (P. I. Cowling,
//! E. J. Powley and D. Whitehouse, "Information Set Monte Carlo Tree Search", 2012).

use bridgemaster_games::Seat;

/// Edges from which on no node is added, for memory: some 50 MB. Playouts then leave the tree where it
/// ends. A search comes to them after some ten seconds.
const MOST_EDGES: usize = 500_000;

/// The node of the question.
pub(super) const ROOT: NodeId = NodeId(0);

/// A node, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

/// An edge, by its place among those of its node.
pub(super) type EdgeId = usize;

/// All nodes of a search.
#[derive(Debug)]
pub(super) struct Tree<D> {
    nodes: Vec<Node<D>>,
    /// Edges of all nodes.
    edges: usize,
}

#[derive(Debug)]
struct Node<D> {
    seat: Seat,
    /// What the state shows that tells nodes of the same decisions apart.
    sight: u64,
    /// The next node that the same edge leads to.
    sibling: Option<NodeId>,
    visits: u32,
    /// Rewards of `seat`, added up.
    total: f64,
    edges: Vec<Edge<D>>,
}

/// A decision of a node.
#[derive(Clone, Debug)]
pub(super) struct Edge<D> {
    /// The decision.
    pub(super) decision: D,
    /// How good it looked at first, to be compared with the edges beside it.
    rating: f64,
    /// Playouts through it.
    pub(super) visits: u32,
    /// Playouts in which it was legal here.
    available: u32,
    /// Rewards of the node's seat, added up.
    total: f64,
    child: Option<NodeId>,
}

impl<D> Edge<D> {
    const fn new(decision: D, rating: f64) -> Self {
        Self {
            decision,
            rating,
            visits: 0,
            available: 0,
            total: 0.0,
            child: None,
        }
    }

    /// The mean reward.
    pub(super) fn mean(&self) -> f64 {
        self.total / f64::from(self.visits.max(1))
    }
}

/// How edges are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choosing {
    /// See [`Habits`](super::think::Habits).
    pub(super) exploration: f64,
    /// See [`Habits`](super::think::Habits).
    pub(super) temperature: f64,
}

impl<D: PartialEq + Clone> Tree<D> {
    /// A tree of the question alone.
    pub(super) fn new(seat: Seat) -> Self {
        let mut tree = Self {
            nodes: Vec::new(),
            edges: 0,
        };
        tree.add(seat, 0);
        tree
    }

    fn add(&mut self, seat: Seat, sight: u64) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            seat,
            sight,
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

    /// The edges of the question.
    pub(super) fn root_edges(&self) -> &[Edge<D>] {
        &self.node(ROOT).edges
    }

    /// The node that an edge leads to when `seat` decides next in a state of this sight, and
    /// whether it is new; `None` where the tree ends because it is as large as may be.
    pub(super) fn child(
        &mut self,
        from: NodeId,
        edge: EdgeId,
        seat: Seat,
        sight: u64,
    ) -> Option<(NodeId, bool)> {
        let first = self.node(from).edges[edge].child;
        let mut next = first;
        while let Some(id) = next {
            let node = self.node(id);
            if node.seat == seat && node.sight == sight {
                return Some((id, false));
            }
            next = node.sibling;
        }
        if self.edges >= MOST_EDGES {
            return None;
        }
        let id = self.add(seat, sight);
        self.node_mut(id).sibling = first;
        self.node_mut(from).edges[edge].child = Some(id);
        Some((id, true))
    }

    /// Finds the edges of `decisions`, which are legal now, and adds those that are missing with
    /// the ratings that `rate` gives them. Their places come into `open`.
    pub(super) fn open(
        &mut self,
        id: NodeId,
        decisions: &[D],
        open: &mut Vec<EdgeId>,
        rate: impl FnOnce(&[D], &mut [f64]),
    ) {
        let edges = &self.node(id).edges;
        open.clear();
        let known = edges.len();
        let mut missing: Vec<D> = Vec::new();
        // Lists are in canonical order, so the next edge is nearly always the one after the last.
        let mut at = 0;
        for decision in decisions {
            let after = edges[at.min(known)..known].iter();
            let found = after.clone().position(|edge| edge.decision == *decision);
            let found = found.map(|place| place + at).or_else(|| {
                let before = edges[..at.min(known)].iter();
                before.clone().position(|edge| edge.decision == *decision)
            });
            match found {
                Some(place) => {
                    at = place + 1;
                    open.push(place);
                }
                None => {
                    open.push(known + missing.len());
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

    /// The edge to try next among those that are `open`: the mean reward so far, and more for what
    /// looked good at first and was tried seldom (PUCT, as in D. Silver et al., "Mastering the game
    /// of Go without human knowledge", 2017).
    pub(super) fn choose(&mut self, id: NodeId, open: &[EdgeId], choosing: Choosing) -> EdgeId {
        let node = self.node_mut(id);
        let edges = &mut node.edges;
        let best_rating = open
            .iter()
            .map(|&edge| edges[edge].rating)
            .fold(f64::NEG_INFINITY, f64::max);
        let weight = |edge: &Edge<D>| ((edge.rating - best_rating) / choosing.temperature).exp();
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
            let value = expected + choosing.exploration * weight(edge) / all * untried;
            if value > best.1 {
                best = (place, value);
            }
        }
        best.0
    }

    /// Counts a playout that went through an edge.
    pub(super) fn learn(&mut self, id: NodeId, edge: EdgeId, rewards: &[f64]) {
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

    const CHOOSING: Choosing = Choosing {
        exploration: 0.5,
        temperature: 1.0,
    };

    fn seat(number: u8) -> Seat {
        Seat::new(number).unwrap()
    }

    /// The decisions that are open at the root, those that are new rated 0.
    fn open(tree: &mut Tree<u8>, decisions: &[u8]) -> Vec<EdgeId> {
        let mut open = Vec::new();
        tree.open(ROOT, decisions, &mut open, |_, _| {});
        open
    }

    #[test]
    fn a_decision_keeps_its_edge_whichever_others_are_legal() {
        let mut tree = Tree::new(seat(0));
        assert_eq!(open(&mut tree, &[1, 3, 5]), [0, 1, 2]);
        assert_eq!(open(&mut tree, &[2, 3, 5]), [3, 1, 2]);
        assert_eq!(open(&mut tree, &[5, 1, 2]), [2, 0, 3]);
        assert_eq!(tree.root_edges().len(), 4);
    }

    #[test]
    fn only_what_is_open_is_chosen_and_what_looks_good_first() {
        let mut tree = Tree::new(seat(0));
        let mut places = Vec::new();
        tree.open(ROOT, &[1, 2, 3], &mut places, |decisions, ratings| {
            assert_eq!(decisions, [1, 2, 3]);
            ratings.copy_from_slice(&[0.0, 9.0, 5.0]);
        });
        assert_eq!(tree.choose(ROOT, &places, CHOOSING), 1);
        let without_the_best = open(&mut tree, &[1, 3]);
        assert_eq!(tree.choose(ROOT, &without_the_best, CHOOSING), 2);
    }

    #[test]
    fn what_wins_is_tried_most() {
        let mut tree = Tree::new(seat(1));
        for _ in 0..200 {
            let places = open(&mut tree, &[1, 2, 3]);
            let edge = tree.choose(ROOT, &places, CHOOSING);
            let reward = if edge == 2 { 0.8 } else { 0.3 };
            tree.learn(ROOT, edge, &[1.0 - reward, reward]);
        }
        let visits: Vec<u32> = tree.root_edges().iter().map(|edge| edge.visits).collect();
        assert_eq!(visits.iter().sum::<u32>(), 200);
        let tried = visits.iter().all(|visits| *visits > 0);
        assert!(tried && visits[2] > 100, "{visits:?}");
    }

    #[test]
    fn an_edge_leads_to_a_node_for_each_seat_and_sight() {
        let mut tree = Tree::new(seat(0));
        open(&mut tree, &[7]);
        let mut child = |number, sight| tree.child(ROOT, 0, seat(number), sight).unwrap();
        let (first, is_new) = child(1, 5);
        assert!(is_new);
        let (other, is_new) = child(1, 6);
        assert!(is_new && other != first);
        assert!(child(0, 5).1);
        assert_eq!(child(1, 5), (first, false));
        assert_eq!(child(1, 6), (other, false));
    }

    #[test]
    fn a_full_tree_gets_no_further_nodes_and_keeps_those_that_it_has() {
        let mut tree = Tree::new(seat(0));
        open(&mut tree, &[7]);
        let (known, _) = tree.child(ROOT, 0, seat(1), 0).unwrap();
        tree.edges = MOST_EDGES;
        assert_eq!(tree.child(ROOT, 0, seat(1), 0), Some((known, false)));
        assert_eq!(tree.child(ROOT, 0, seat(1), 1), None);
    }
}
