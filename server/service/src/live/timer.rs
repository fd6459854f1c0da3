//! Wakes a match at its deadline.
//!
//! Nearly every decision moves a match's deadline, and nearly always to a later time. So the timer
//! sleeps until the deadline that it last read, and then reads the deadline again. Only a deadline
//! that moves to an earlier time wakes the timer early, so most decisions do not wake it.

use std::sync::Arc;

use bridgemaster_referee::Time;
use tokio::{sync::Notify, time::sleep_until};

use super::clock::MatchClock;

/// Drives a match until it has no deadline or is removed from memory. `tick` applies the deadlines
/// that have passed, and returns the next one.
pub(super) async fn drive(
    tick: impl Fn() -> Option<Time>,
    deadline_moved: Arc<Notify>,
    clock: MatchClock,
) {
    while let Some(deadline) = tick() {
        tokio::select! {
            () = sleep_until(clock.instant(deadline)) => {}
            () = deadline_moved.notified() => {}
        }
    }
}
