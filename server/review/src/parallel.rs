//! A loop over independent items on several threads.

use std::{
    panic::resume_unwind,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// Applies a function to each item, and returns the results in the order of the items.
pub(crate) fn map<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    function: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return results;
            };
            results.push((index, function(item)));
        }
    };
    let mut results = thread::scope(|scope| {
        let threads = (0..threads.clamp(1, items.len().max(1))).map(|_| scope.spawn(work));
        let threads: Vec<_> = threads.collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        let joined = joined.map(|results| results.unwrap_or_else(|panic| resume_unwind(panic)));
        joined.flatten().collect::<Vec<_>>()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items_whatever_the_number_of_threads() {
        let items: Vec<u32> = (0..100).collect();
        let squares: Vec<u32> = items.iter().map(|item| item * item).collect();
        for threads in [0, 1, 3, 200] {
            assert_eq!(map(threads, &items, |item| item * item), squares);
        }
        assert_eq!(map(4, &[], |item: &u32| *item), []);
    }
}
