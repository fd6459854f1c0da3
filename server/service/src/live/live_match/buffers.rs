//! Buffers for the inputs and effects of matches. Between calls they are empty, so that all matches
//! can share one pair per thread.

use std::cell::Cell;

use bridgemaster_match::{Effect, Report};

/// Reports and effects, both empty between calls.
type Buffers = (Vec<Report>, Vec<Effect>);

thread_local! {
    static BUFFERS: Cell<Buffers> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// Removes and returns this thread's buffers, which are empty.
pub(super) fn take() -> Buffers {
    BUFFERS.take()
}

/// Returns the buffers to this thread, after clearing them, so that no contents leak into another
/// match.
pub(super) fn put_back((mut reports, mut effects): Buffers) {
    debug_assert!(reports.is_empty() && effects.is_empty());
    reports.clear();
    effects.clear();
    BUFFERS.set((reports, effects));
}
