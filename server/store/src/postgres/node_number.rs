//! Node numbers, and the range of match keys and batch numbers that each node has.

use std::ops::RangeInclusive;

use crate::db_error::DbError;

/// Width of the counter within a node, in bits. Its 10¹² numbers suffice for 35 years at a thousand
/// commits a second, and the remaining bits for eight million nodes.
const COUNTING_BITS: u32 = 40;

/// Number of a node. It never changes, and is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeNumber(i64);

impl NodeNumber {
    /// Creates a node number, after checking its range.
    ///
    /// # Errors
    /// Returns [`DbError::Inconsistent`] if it is out of range.
    pub(super) fn new(number: i64) -> Result<Self, DbError> {
        if (0..=i64::MAX >> COUNTING_BITS).contains(&number) {
            Ok(Self(number))
        } else {
            Err(DbError::Inconsistent(format!("the node number {number} is out of range")))
        }
    }

    pub(super) fn get(self) -> i64 {
        self.0
    }

    /// Returns the number that precedes the first match key and batch number of the node.
    pub(super) fn base(self) -> i64 {
        self.0 << COUNTING_BITS
    }

    /// Returns the largest possible match key and batch number of the node.
    pub(super) fn last(self) -> i64 {
        self.base() | ((1 << COUNTING_BITS) - 1)
    }

    /// Returns the range of the match keys and batch numbers of the node.
    pub(super) fn range(self) -> RangeInclusive<i64> {
        self.base() + 1..=self.last()
    }

    /// Converts a match key or batch number to a count within the node.
    pub(super) fn count(self, number: i64) -> i64 {
        number - self.base()
    }
}

/// A node, with the epoch in which a server holds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeEpoch {
    pub(super) number: NodeNumber,
    pub(super) epoch: i64,
}

/// SQL expression for the node number in a match key.
pub(super) const NODE_OF_KEY: &str = "match_key >> 40";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_ranges_of_nodes_do_not_overlap() {
        let node = |number| NodeNumber::new(number).unwrap();
        assert_eq!((node(0).base(), node(0).last()), (0, (1 << 40) - 1));
        assert_eq!(node(1).base(), node(0).last() + 1);
        assert_eq!(node(3).count(node(3).base() + 7), 7);
        assert!(NodeNumber::new(-1).is_err() && NodeNumber::new(1 << 23).is_err());
        assert!(node((1 << 23) - 1).last() == i64::MAX);
        assert_eq!(NODE_OF_KEY, format!("match_key >> {COUNTING_BITS}"));
    }
}
