//! Work that waits, in turn by callers.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// What waits of each caller. Callers have turns, so that who has much waiting keeps nobody else
/// from working.
#[derive(Debug)]
pub(super) struct TurnQueue<K, T> {
    /// Callers of whom something waits, each once.
    turns: VecDeque<K>,
    waiting: HashMap<K, VecDeque<T>>,
}

impl<K, T> Default for TurnQueue<K, T> {
    fn default() -> Self {
        Self {
            turns: VecDeque::new(),
            waiting: HashMap::new(),
        }
    }
}

impl<K: Clone + Eq + Hash, T> TurnQueue<K, T> {
    /// Lets something wait behind what waits of its caller.
    pub(super) fn push(&mut self, of: K, item: T) {
        let waiting = self.waiting.entry(of.clone()).or_default();
        if waiting.is_empty() {
            self.turns.push_back(of);
        }
        waiting.push_back(item);
    }

    /// The first of the caller whose turn it is.
    pub(super) fn pop(&mut self) -> Option<(K, T)> {
        let of = self.turns.pop_front()?;
        let waiting = self.waiting.get_mut(&of)?;
        let item = waiting.pop_front();
        match waiting.is_empty() {
            true => drop(self.waiting.remove(&of)),
            false => self.turns.push_back(of.clone()),
        }
        item.map(|item| (of, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_have_turns_however_much_one_has_waiting() {
        let mut queue = TurnQueue::default();
        for item in 0..3 {
            queue.push("much", item);
        }
        queue.push("little", 10);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(
            order,
            [("much", 0), ("little", 10), ("much", 1), ("much", 2)]
        );
        assert!(queue.waiting.is_empty());
    }
}
