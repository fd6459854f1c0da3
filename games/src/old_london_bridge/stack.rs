//! Stacks of which only the top is seen.

use arrayvec::ArrayVec;

/// A stack as it was when the match started. How many items are gone since, the caller tells.
#[derive(Debug)]
pub(super) struct Stack<T, const N: usize> {
    /// The first item to be taken first.
    pub(super) items: [T; N],
    /// The places in the order of the items that lie there: what is unseen is listed in this
    /// order, for every observation.
    places_in_order: [u8; N],
}

impl<T: Copy + Ord, const N: usize> Stack<T, N> {
    pub(super) fn new(items: [T; N]) -> Self {
        let mut places_in_order = std::array::from_fn(|place| place as u8);
        places_in_order.sort_unstable_by_key(|&place| items[usize::from(place)]);
        Self {
            items,
            places_in_order,
        }
    }

    /// The item on top; `None` when all are gone.
    pub(super) fn top(&self, gone: u8) -> Option<T> {
        self.items.get(usize::from(gone)).copied()
    }

    /// What lies below the top, in ascending order.
    pub(super) fn below_top(&self, gone: u8) -> ArrayVec<T, N> {
        let (mut unseen, mut count) = (self.items, 0);
        for &place in &self.places_in_order {
            // Written in any case, and kept or written over: without a branch for each.
            unseen[count] = self.items[usize::from(place)];
            count += usize::from(place > gone);
        }
        let mut unseen = ArrayVec::from(unseen);
        unseen.truncate(count);
        unseen
    }
}
