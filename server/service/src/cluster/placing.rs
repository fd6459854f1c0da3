//! Where a new match is made: by the node that is asked, unless that has little room and another one
//! has plenty.

use bridgemaster_store::{NodeName, NodeStanding, StoredNode};

use super::{Cluster, membership};
use crate::refusal::Refusal;

/// From so many percent of its slots, or of its processors, a node is busy. Below that it makes the
/// matches that it is asked for: sending callers on costs them a call, and what is left bears the
/// matches that come before it knows the next load.
const BUSY_PERCENT: u32 = 90;

/// Up to so many percent of both, a node has plenty of room. Far below [`BUSY_PERCENT`]: what nodes
/// know of each other is a moment old, and a node that is sent all matches of that moment must not
/// become busy by them and send callers back.
const CALM_PERCENT: u32 = 50;

const _: () = assert!(CALM_PERCENT < BUSY_PERCENT);

/// What a node whose processors are all used counts as having left of them, in percent: its slots are
/// better than none. So does one that has not measured its load.
const LEAST_PERCENT_LEFT: u32 = 5;

impl Cluster {
    /// Where a match had better be made than here, where so many are in play: this node is busy, and
    /// another one has plenty of room. `None` for here.
    pub(crate) async fn place_better(&self, matches: usize) -> Option<Refusal> {
        if !self.is_shared() || !is_busy(matches as u64, &self.standing()) {
            return None;
        }
        // Where the others cannot be read, there is room here all the same.
        let nodes = self.nodes().nodes().await.ok()?;
        let node = calmest(nodes, self.name())?;
        Some(membership::moved(
            "this server is busy, and another one is not",
            node,
        ))
    }

    /// Where a match is to be made that has no place here, for this reason: the node that has most
    /// room. The reason itself, if no other node has any.
    pub(crate) async fn place_elsewhere(&self, reason: Refusal) -> Refusal {
        if !self.is_shared() {
            return reason;
        }
        let nodes = match self.nodes().nodes().await {
            Ok(nodes) => nodes,
            Err(error) => return membership::unreadable(error),
        };
        match roomiest(nodes, self.name()) {
            Some(node) => membership::moved("this server has no room, and another one has", node),
            None => reason,
        }
    }
}

/// Whether a node with so many matches has little room. One that has not measured its load yet is
/// not busy for it.
fn is_busy(matches: u64, standing: &NodeStanding) -> bool {
    let slots = u64::from(standing.slots);
    let uses_slots = slots > 0 && matches * 100 >= slots * u64::from(BUSY_PERCENT);
    uses_slots || standing.load_percent >= Some(BUSY_PERCENT)
}

/// Whether a node has plenty of room. Of one that has not measured its load yet nobody knows: it has
/// just started, and may have much to take over.
fn is_calm(node: &StoredNode) -> bool {
    let (slots, matches) = (u64::from(node.standing.slots), node.matches);
    let has_slots = node.free_slots() > 0 && matches * 100 <= slots * u64::from(CALM_PERCENT);
    let load = node.standing.load_percent;
    has_slots && load.is_some_and(|percent| percent <= CALM_PERCENT)
}

/// Of the nodes that have plenty of room, the one with the most.
fn calmest(mut nodes: Vec<StoredNode>, this: &NodeName) -> Option<StoredNode> {
    nodes.retain(is_calm);
    roomiest(nodes, this)
}

/// The other node with the most free slots, each of which counts the less the more of its processors
/// is used.
fn roomiest(nodes: Vec<StoredNode>, this: &NodeName) -> Option<StoredNode> {
    let room = |node: &StoredNode| {
        let load_percent = node.standing.load_percent.unwrap_or(100);
        node.free_slots() * u64::from(100_u32.saturating_sub(load_percent).max(LEAST_PERCENT_LEFT))
    };
    let others = nodes
        .into_iter()
        .filter(|node| node.name != *this && node.address.is_some() && node.free_slots() > 0);
    others.max_by_key(room)
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::NodeAddress;

    use super::*;

    /// A node with one match.
    fn node(name: &str, slots: u32, load_percent: impl Into<Option<u32>>) -> StoredNode {
        StoredNode {
            name: NodeName::new(name).unwrap(),
            address: NodeAddress::new("other.example:1").ok(),
            epoch: 1,
            lease_left_ms: 1,
            leads: false,
            matches: 1,
            standing: NodeStanding {
                slots,
                load_percent: load_percent.into(),
                ..NodeStanding::default()
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
    fn a_match_goes_to_the_node_with_most_room() {
        let chosen = |nodes: &[StoredNode]| name_of(roomiest(nodes.to_vec(), &this()));
        let (here, busy) = (node("this", 99, 0), node("busy", 21, 90));
        let (idle, full) = (node("idle", 11, 10), node("full", 1, 0));
        let nodes = [here, busy.clone(), idle.clone(), full.clone()];
        assert_eq!(chosen(&nodes).as_deref(), Some("idle"));
        let (mut gone, mut drains) = (idle.clone(), idle);
        gone.lease_left_ms = 0;
        drains.standing.draining = true;
        let nodes = [gone, drains, node("busiest", 10, 100), full];
        assert_eq!(chosen(&nodes).as_deref(), Some("busiest"));
        assert_eq!(chosen(&nodes[..2]), None);
    }

    #[test]
    fn a_node_without_a_measured_load_has_no_more_room_than_one_that_is_all_used() {
        let (new, idle) = (node("new", 99, None), node("idle", 11, 10));
        let nodes = vec![new.clone(), idle];
        assert_eq!(name_of(roomiest(nodes, &this())).as_deref(), Some("idle"));
        assert_eq!(
            name_of(roomiest(vec![new], &this())).as_deref(),
            Some("new"),
            "it has some"
        );
    }

    #[test]
    fn a_node_is_busy_that_uses_nine_tenths_of_its_slots_or_processors() {
        let is_busy = |matches, load| is_busy(matches, &node("this", 10, load).standing);
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
        let unknown = node("this", 0, None).standing;
        assert!(!super::is_busy(5, &unknown), "it has said nothing yet");
    }

    #[test]
    fn a_node_is_spared_only_by_one_that_uses_half_of_its_slots_and_processors_at_most() {
        let with = |matches, load: Option<u32>| StoredNode {
            matches,
            ..node("other", 10, load)
        };
        let is_chosen = |node: StoredNode| calmest(vec![node], &this()).is_some();
        assert!(is_chosen(with(5, Some(50))));
        assert!(!is_chosen(with(6, Some(0))));
        assert!(!is_chosen(with(0, Some(51))));
        assert!(!is_chosen(with(0, None)), "it has just started");
        assert!(!is_chosen(node("other", 0, 0)), "it has said nothing yet");
        assert!(!is_chosen(node("this", 10, 0)));
        let chosen = calmest(
            vec![node("one", 10, 40), node("two", 10, 20), with(6, Some(0))],
            &this(),
        );
        assert_eq!(name_of(chosen).as_deref(), Some("two"));
    }
}
