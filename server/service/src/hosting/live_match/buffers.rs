//! Buffers for what a match is given and for what comes of it: one pair for each thread, since they are
//! full for no longer than a call, and there are many matches.

use std::cell::Cell;

use bridgemaster_match::{Effect, Report};

/// Empty in between.
type Buffers = (Vec<Report>, Vec<Effect>);

thread_local! {
    static BUFFERS: Cell<Buffers> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// Takes the buffers of this thread, which are empty.
pub(super) fn take() -> Buffers {
    BUFFERS.take()
}

/// Gives them back. What was left in them would go to another match.
pub(super) fn give_back((mut reports, mut effects): Buffers) {
    debug_assert!(reports.is_empty() && effects.is_empty());
    reports.clear();
    effects.clear();
    BUFFERS.set((reports, effects));
}
