//! Stopping, killing and restarting the server of a match.

use std::collections::VecDeque;

use bridgemaster_match::{HistoryStart, Inbox};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{Shell, history_of};
use crate::{oracle::Violation, reported::Report, trace::Trace};

impl<G: WireGame> Shell<G> {
    /// Stops the server gracefully: parks the match, closes all streams and stores pending entries.
    pub(crate) fn stop(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        trace.line(now, format_args!("the server stops"));
        self.machine.park();
        self.auditor.note_parked();
        self.end_streams(now, trace)?;
        self.store.finish_store(self.store.len(), now);
        Ok(())
    }

    /// Closes all streams and discards their queues.
    fn end_streams(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        let seats = self.referee().rules().seats.seats();
        let open: Vec<_> = seats.zip(self.senders.clone()).collect();
        for (seat, stream) in open {
            if let Some(stream) = stream {
                self.report(now, seat, stream, Report::Left);
            }
        }
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.catch_up(now, trace)
    }

    /// Kills the server: unstored entries are lost, and possibly some stored ones.
    pub(crate) fn kill(&mut self, now: Time, retained: usize, trace: &mut Trace) {
        let (stored, len) = (self.stored(), self.store.len());
        trace.line(
            now,
            format_args!(
                "the server is killed with {stored} of {len} entries stored, of which {retained} are retained"
            ),
        );
        self.auditor.handle_kill(retained, stored);
        self.store.lose_all_but(retained);
        self.inbox = Inbox::default();
        self.made.clear();
        self.senders.fill(None);
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.wakes = false;
        self.is_update_due = false;
    }

    /// Restarts the server from the stored data. `run` is the number of the new run.
    pub(crate) fn restart(
        &mut self,
        now: Time,
        run: u32,
        trace: &mut Trace,
    ) -> Result<(), Violation> {
        self.machine = self.restored()?;
        let moment = self.moment(now);
        self.auditor.replay(self.store.entries(), history_of(0), moment)?;
        let histories = self.machine.histories();
        self.auditor.check_agreement(self.machine.referee(), histories)?;
        let next = history_of(run);
        self.begin(now);
        self.auditor.expect_restart(now, next);
        let history_start = HistoryStart { history_id: next, unix_ms: 0 };
        self.machine.restart(moment, history_start, &mut self.effects);
        self.end(now, trace)
    }
}
