//! A fair queue: callers take turns, however many tasks each caller has.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Queued items per caller. Callers take turns, so that a caller with many items does not delay
/// other callers.
#[derive(Debug)]
pub(super) struct RoundRobinQueue<K, T> {
    /// Callers with queued items, each once, in the order of their turns.
    turns: VecDeque<K>,
    waiting: HashMap<K, VecDeque<T>>,
}

impl<K, T> Default for RoundRobinQueue<K, T> {
    fn default() -> Self {
        Self {
            turns: VecDeque::new(),
            waiting: HashMap::new(),
        }
    }
}

impl<K: Clone + Eq + Hash, T> RoundRobinQueue<K, T> {
    /// Queues an item behind the other items of its caller.
    pub(super) fn push(&mut self, key: K, item: T) {
        let waiting = self.waiting.entry(key.clone()).or_default();
        if waiting.is_empty() {
            self.turns.push_back(key);
        }
        waiting.push_back(item);
    }

    /// Removes and returns the next item of the caller whose turn it is.
    pub(super) fn pop(&mut self) -> Option<(K, T)> {
        let key = self.turns.pop_front()?;
        let waiting = self.waiting.get_mut(&key)?;
        let item = waiting.pop_front();
        if waiting.is_empty() {
            self.waiting.remove(&key);
        } else {
            self.turns.push_back(key.clone());
        }
        item.map(|item| (key, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_take_turns_however_many_items_one_has() {
        let mut queue = RoundRobinQueue::default();
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
