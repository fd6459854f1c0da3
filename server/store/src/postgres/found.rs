//! What was read, with what it takes to know whether it is flushed.

/// What was read of finished matches, and the highest number of those that were found: who reads sees
/// them as soon as they are committed, and they may not be flushed yet.
pub(super) struct Found<T> {
    pub(super) value: T,
    pub(super) newest: Option<i64>,
}
