//! Lag of the server and of forwarding nodes, which is reported to the referee before the next
//! input.

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{ForwardingLag, Input, MatchPhase, Time};

use crate::{Effect, Match, ServerTime};

impl<G: WireGame> Match<G> {
    /// Reports to the referee the lag up to `moment` that was not reported before: that of the
    /// server, including the time that effects waited to be stored, and that of forwarding nodes.
    pub(crate) fn report_lag(&mut self, moment: ServerTime, effects: &mut Vec<Effect>) {
        if self.referee.phase() == MatchPhase::Ended {
            return;
        }
        let Self {
            commits, referee, ..
        } = self;
        let has_run_out = || referee.deadline().is_some_and(|at| at <= moment.time);
        let storing_us = commits.take_wait_us(moment.time, has_run_out);
        let lag_us = moment.lag_us.saturating_sub(self.lag_us);
        self.lag_us = self.lag_us.max(moment.lag_us);
        let lag_us = lag_us.saturating_add(storing_us);
        let forwarding = self.take_forwarding_lag(moment.time);
        if lag_us > 0 || !forwarding.is_empty() {
            self.handle(
                moment.time,
                Input::RefereeLag { lag_us, forwarding },
                effects,
            );
        }
    }

    /// Adds lag of the node that forwards the stream of a seat, in µs, which was measured until this
    /// time. It is reported to the referee before the next input, so that it extends deadlines that
    /// have expired meanwhile. If that input is an earlier report of another seat, the part of the
    /// lag that may be later waits for a later input.
    pub fn add_forwarding_lag(&mut self, seat: Seat, lag_us: u64, until: Time) {
        self.streams[seat.index()].add_forwarding_lag(lag_us, until);
    }

    fn take_forwarding_lag(&mut self, moment: Time) -> Vec<ForwardingLag> {
        let streams = self.referee.seats().zip(&mut self.streams);
        let lags = streams.map(|(info, stream)| ForwardingLag {
            seat: info.seat,
            lag_us: stream.take_forwarding_lag(moment),
        });
        lags.filter(|lag| lag.lag_us > 0).collect()
    }
}
