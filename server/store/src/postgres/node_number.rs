//! The number of a node, and the numbers of matches and batches that are its own.

use super::failure::Fault;

/// Bits of a number that count within a node: a million millions. That is 35 years of a thousand
/// commits a second, and leaves room for eight million nodes.
const COUNTING_BITS: u32 = 40;

/// The number of a node. It never changes, and no other node gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeNumber(i64);

impl NodeNumber {
    /// The node of this number.
    ///
    /// # Errors
    /// A contradiction if no node can have it.
    pub(super) fn new(number: i64) -> Result<Self, Fault> {
        match (0..=i64::MAX >> COUNTING_BITS).contains(&number) {
            true => Ok(Self(number)),
            false => Err(Fault::Contradiction(format!(
                "a node has the number {number}"
            ))),
        }
    }

    pub(super) fn get(self) -> i64 {
        self.0
    }

    /// Keys of matches and numbers of batches of the node are larger than this.
    pub(super) fn base(self) -> i64 {
        self.0 << COUNTING_BITS
    }

    /// The largest key and the largest number of the node.
    pub(super) fn last(self) -> i64 {
        self.base() | ((1 << COUNTING_BITS) - 1)
    }

    /// What a key or a number counts within the node.
    pub(super) fn count(self, number: i64) -> i64 {
        number - self.base()
    }
}

/// A node in the epoch in which a server holds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldNode {
    pub(super) number: NodeNumber,
    pub(super) epoch: i64,
}

/// In SQL: the number of the node whose match has this key.
pub(super) const NODE_OF_KEY: &str = "match_key >> 40";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_nodes_do_not_meet() {
        let node = |number| NodeNumber::new(number).unwrap();
        assert_eq!((node(0).base(), node(0).last()), (0, (1 << 40) - 1));
        assert_eq!(node(1).base(), node(0).last() + 1);
        assert_eq!(node(3).count(node(3).base() + 7), 7);
        assert!(NodeNumber::new(-1).is_err() && NodeNumber::new(1 << 23).is_err());
        assert!(node((1 << 23) - 1).last() == i64::MAX);
        assert_eq!(NODE_OF_KEY, format!("match_key >> {COUNTING_BITS}"));
    }
}
