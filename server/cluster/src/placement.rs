//! The placement of new matches: on the node that received the call, unless that node is busy and
//! another node is lightly loaded.

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_store::{NodeName, NodeStatus, StoredNode};

use super::{Cluster, membership};

/// A node is busy if it uses this percentage of its slots or of its processors. A node that is not
/// busy creates the requested matches itself, which saves the round trip of forwarding. The
/// remaining capacity absorbs the matches that arrive before the load is measured again.
const BUSY_PERCENT: u32 = 90;

/// A node is lightly loaded if it uses at most this percentage of its slots and of its processors.
/// The value is far below [`BUSY_PERCENT`] because published loads are slightly out of date: a node
/// that receives all new matches must not forward them back.
const LIGHT_LOAD_PERCENT: u32 = 50;

const _: () = assert!(LIGHT_LOAD_PERCENT < BUSY_PERCENT);

/// The minimum weight of a node's free processors, in percent. It keeps the free slots of a
/// saturated node in the comparison. A node that has not measured its load yet has the same weight.
const MIN_FREE_PERCENT: u32 = 5;

impl Cluster {
    /// Returns a refusal that forwards the call to a lightly loaded node, if this node is busy.
    /// `matches` is the number of matches in play on this node. Returns `None` to create the match
    /// here.
    pub async fn forward_when_busy(&self, matches: usize) -> Option<Refusal> {
        if !self.is_shared() || !is_busy(matches as u64, &self.status()) {
            return None;
        }
        // If the other nodes cannot be read, the match is created here.
        let nodes = self.nodes().nodes().await.ok()?;
        least_loaded_node(nodes, self.name()).map(membership::forwarding_refusal)
    }

    /// Returns a refusal that forwards the call to the node with the most free capacity. Used for a
    /// match that this node refused with `reason`, which is returned if no other node has capacity.
    pub async fn forward_when_full(&self, reason: Refusal) -> Refusal {
        if !self.is_shared() {
            return reason;
        }
        match self.nodes().nodes().await {
            Ok(nodes) => {
                most_free_node(nodes, self.name()).map_or(reason, membership::forwarding_refusal)
            }
            Err(error) => membership::nodes_unreadable(error),
        }
    }
}

/// Returns whether a node with `matches` matches is nearly full. A node that has not measured its
/// load yet is judged by its slots alone.
fn is_busy(matches: u64, status: &NodeStatus) -> bool {
    let slots = u64::from(status.slots);
    let uses_slots = slots > 0 && matches * 100 >= slots * u64::from(BUSY_PERCENT);
    uses_slots || status.load_percent >= Some(BUSY_PERCENT)
}

/// Returns whether a node is lightly loaded. A node that has not measured its load yet is not: it
/// may be about to take over matches.
fn is_lightly_loaded(node: &StoredNode) -> bool {
    let (slots, matches) = (u64::from(node.status.slots), node.matches);
    let has_slots = node.free_slots() > 0 && matches * 100 <= slots * u64::from(LIGHT_LOAD_PERCENT);
    let load = node.status.load_percent;
    has_slots && load.is_some_and(|percent| percent <= LIGHT_LOAD_PERCENT)
}

/// Returns the lightly loaded node with the most free capacity.
fn least_loaded_node(mut nodes: Vec<StoredNode>, this: &NodeName) -> Option<StoredNode> {
    nodes.retain(is_lightly_loaded);
    most_free_node(nodes, this)
}

/// Returns the node other than `this` with the most free slots, weighted by its free processors.
fn most_free_node(nodes: Vec<StoredNode>, this: &NodeName) -> Option<StoredNode> {
    let free = |node: &StoredNode| {
        let load_percent = node.status.load_percent.unwrap_or(100);
        node.free_slots() * u64::from(100_u32.saturating_sub(load_percent).max(MIN_FREE_PERCENT))
    };
    let others = nodes
        .into_iter()
        .filter(|node| node.name != *this && node.address.is_some() && node.free_slots() > 0);
    others.max_by_key(free)
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::NodeAddress;

    use super::*;

    /// Creates a node with one match.
    fn node(name: &str, slots: u32, load_percent: impl Into<Option<u32>>) -> StoredNode {
        StoredNode {
            name: NodeName::new(name).unwrap(),
            address: NodeAddress::new("other.example:1").ok(),
            epoch: 1,
            lease_left_ms: 1,
            is_leader: false,
            matches: 1,
            status: NodeStatus {
                slots,
                load_percent: load_percent.into(),
                ..NodeStatus::default()
            },
        }
    }

    fn name_of(chosen: Option<StoredNode>) -> Option<String> {
        Some(chosen?.name.to_string())
    }

    fn this() -> NodeName {
        NodeName::new("this").unwrap()
    }

    #[test]
    fn a_match_goes_to_the_node_with_most_free_capacity() {
        let chosen = |nodes: &[StoredNode]| name_of(most_free_node(nodes.to_vec(), &this()));
        let (here, busy) = (node("this", 99, 0), node("busy", 21, 90));
        let (idle, full) = (node("idle", 11, 10), node("full", 1, 0));
        let nodes = [here, busy.clone(), idle.clone(), full.clone()];
        assert_eq!(chosen(&nodes).as_deref(), Some("idle"));
        let (mut gone, mut draining) = (idle.clone(), idle);
        gone.lease_left_ms = 0;
        draining.status.draining = true;
        let nodes = [gone, draining, node("busiest", 10, 100), full];
        assert_eq!(chosen(&nodes).as_deref(), Some("busiest"));
        assert_eq!(chosen(&nodes[..2]), None);
    }

    #[test]
    fn a_node_without_a_measured_load_counts_as_fully_used() {
        let (new, idle) = (node("new", 99, None), node("idle", 11, 10));
        let nodes = vec![new.clone(), idle];
        assert_eq!(name_of(most_free_node(nodes, &this())).as_deref(), Some("idle"));
        assert_eq!(
            name_of(most_free_node(vec![new], &this())).as_deref(),
            Some("new"),
            "it has some"
        );
    }

    #[test]
    fn a_node_is_busy_at_ninety_percent_of_its_slots_or_processors() {
        let is_busy = |matches, load| is_busy(matches, &node("this", 10, load).status);
        for (matches, load, busy) in [
            (8, Some(89), false),
            (9, Some(0), true),
            (0, Some(90), true),
            (8, None, false),
            (9, None, true),
            (11, None, true),
        ] {
            assert_eq!(is_busy(matches, load), busy, "{matches}, {load:?}");
        }
        let unknown = node("this", 0, None).status;
        assert!(!super::is_busy(5, &unknown), "it has not reported yet");
    }

    #[test]
    fn a_busy_node_forwards_only_to_a_lightly_loaded_one() {
        let with = |matches, load: Option<u32>| StoredNode { matches, ..node("other", 10, load) };
        let is_chosen = |node: StoredNode| least_loaded_node(vec![node], &this()).is_some();
        assert!(is_chosen(with(5, Some(50))));
        assert!(!is_chosen(with(6, Some(0))));
        assert!(!is_chosen(with(0, Some(51))));
        assert!(!is_chosen(with(0, None)), "it has just started");
        assert!(!is_chosen(node("other", 0, 0)), "it has not reported yet");
        assert!(!is_chosen(node("this", 10, 0)));
        let chosen = least_loaded_node(
            vec![node("one", 10, 40), node("two", 10, 20), with(6, Some(0))],
            &this(),
        );
        assert_eq!(name_of(chosen).as_deref(), Some("two"));
    }
}
