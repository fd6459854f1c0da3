//! Results of reads that must be withheld until the values read are flushed.

/// A value read from finished matches, with the highest number of these matches. Readers see
/// matches as soon as they are committed, possibly before they are flushed.
pub(super) struct MaybeUnflushed<T> {
    pub(super) value: T,
    pub(super) newest: Option<i64>,
}
