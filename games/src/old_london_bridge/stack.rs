//! Stacks of which only the top is visible.

use arrayvec::ArrayVec;

/// A stack in its order at the start of the match. The caller stores the number of items that were
/// taken.
#[derive(Debug)]
pub(super) struct Stack<T, const N: usize> {
    /// The items in the order in which they are taken.
    pub(super) items: [T; N],
    /// The indices in `items`, sorted by item. Every observation lists unseen items in this order.
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

    /// Returns the item on top, or `None` if all items have been taken.
    pub(super) fn top(&self, gone: u8) -> Option<T> {
        self.items.get(usize::from(gone)).copied()
    }

    /// Returns the items below the top in ascending order.
    pub(super) fn below_top(&self, gone: u8) -> ArrayVec<T, N> {
        let (mut unseen, mut count) = (self.items, 0);
        for &place in &self.places_in_order {
            // Each item is written unconditionally, and overwritten by the next one if it does not
            // count. Unconditional writes avoid a branch.
            unseen[count] = self.items[usize::from(place)];
            count += usize::from(place > gone);
        }
        let mut unseen = ArrayVec::from(unseen);
        unseen.truncate(count);
        unseen
    }
}
