//! What the streams of a match have reported and the match has not handled yet.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bridgemaster_games::Seat;

use super::{
    SeatInput,
    clock::{Moment, ServerClock},
    seat_stream::StreamNumber,
};

/// A report of a stream, and when it was made.
pub(super) struct Report {
    pub(super) moment: Moment,
    pub(super) seat: Seat,
    pub(super) number: StreamNumber,
    pub(super) input: SeatInput,
}

/// Reports in the order of their moments.
///
/// Its lock is held only to add and to take, so a report has the moment at which it was made,
/// however long the match is busy. It stays short: a stream waits until its report is handled.
#[derive(Default)]
pub(super) struct Inbox {
    reports: Mutex<Vec<Report>>,
}

impl Inbox {
    /// Adds a report that is made now.
    pub(super) fn put(
        &self,
        clock: &ServerClock,
        seat: Seat,
        number: StreamNumber,
        input: SeatInput,
    ) {
        let mut reports = self.reports();
        reports.push(Report {
            // Read under the lock, so that moments have the order of reports.
            moment: clock.now(),
            seat,
            number,
            input,
        });
    }

    /// Moves all reports into `taken`, which is empty. Reports that come later have no earlier
    /// moment than the one that it gives.
    pub(super) fn take(&self, clock: &ServerClock, taken: &mut Vec<Report>) -> Moment {
        let mut reports = self.reports();
        std::mem::swap(&mut *reports, taken);
        clock.now()
    }

    fn reports(&self) -> MutexGuard<'_, Vec<Report>> {
        // Nothing that holds the lock can leave the list half changed.
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
