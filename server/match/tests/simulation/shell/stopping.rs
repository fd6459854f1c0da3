//! The server of a match stops, is killed, and goes on.

use std::collections::VecDeque;

use bridgemaster_games::Seat;
use bridgemaster_match::{Beginning, Inbox};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{Shell, history_of};
use crate::{auditor::StreamId, oracle::Violation, reported::Report, trace::Trace};

impl<G: WireGame> Shell<G> {
    /// The server stops in order: the match stands still, all streams end, and what is due is
    /// stored.
    pub(crate) fn stop(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        self.park(now, trace)?;
        self.store.have_stored(self.store.len(), now);
        Ok(())
    }

    /// The match stands still from now on, and all streams end.
    pub(crate) fn park(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        trace.line(now, format_args!("the server stops"));
        self.is_parked = true;
        self.machine.park();
        self.auditor.parked();
        self.end_streams(now, trace)
    }

    pub(crate) fn is_parked(&self) -> bool {
        self.is_parked
    }

    /// The server may not answer any more, and ends all streams: until their bots are back, their
    /// time is nobody's.
    pub(crate) fn take_streams_away(
        &mut self,
        now: Time,
        trace: &mut Trace,
    ) -> Result<(), Violation> {
        let open = self.open_streams();
        self.end_streams(now, trace)?;
        for (seat, _) in open {
            if !self.has_ended() {
                self.keeps_away(now, seat, trace)?;
            }
        }
        Ok(())
    }

    fn open_streams(&self) -> Vec<(Seat, StreamId)> {
        let seats = self.referee().rules().seats.seats();
        let senders = seats.zip(&self.senders);
        senders
            .filter_map(|(seat, stream)| Some((seat, (*stream)?)))
            .collect()
    }

    /// All streams end. What waits for them is not sent.
    fn end_streams(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        for (seat, stream) in self.open_streams() {
            self.report(now, seat, stream, Report::Left);
        }
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.catch_up(now, trace)
    }

    /// The server is killed: all that is not stored is gone, and of what is stored all but so much.
    pub(crate) fn kill(&mut self, now: Time, kept: usize, trace: &mut Trace) {
        let (stored, len) = (self.stored(), self.store.len());
        trace.line(
            now,
            format_args!(
                "the server is killed with {stored} of {len} entries stored, of which {kept} are kept"
            ),
        );
        self.auditor.killed(kept, stored);
        self.store.lose_all_but(kept);
        self.inbox = Inbox::default();
        self.made.clear();
        self.senders.fill(None);
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.wakes = false;
        self.are_news_due = false;
    }

    /// The server starts again from what is stored.
    pub(crate) fn restart(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        self.machine = self.restored()?;
        self.life += 1;
        self.begin_again(now, trace)
    }

    /// A server begins to go on with the match that it has restored.
    pub(crate) fn begin_again(&mut self, now: Time, trace: &mut Trace) -> Result<(), Violation> {
        let moment = self.moment(now);
        self.auditor
            .replay(self.store.entries(), history_of(0), moment)?;
        let histories = self.machine.histories();
        self.auditor.agrees(self.machine.referee(), histories)?;
        let next = history_of(self.life);
        self.begin(now);
        self.auditor.restarts(now, next);
        let beginning = Beginning {
            history_id: next,
            unix_ms: 0,
        };
        self.machine.restarted(moment, beginning, &mut self.effects);
        self.end(now, trace)
    }
}
