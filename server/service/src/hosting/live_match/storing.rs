//! Time that passes while something waits to be stored. What was to be sent had not left by then, so
//! it is lag of the server and no bot's time.

use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{
    super::clock::{MIN_LAG, ServerClock, as_us},
    Table,
};
use crate::journal::Gate;

impl<G: WireGame> Table<G> {
    /// From `time` on, effects wait for this gate.
    pub(super) fn wait_for(&mut self, gate: Gate, time: Time) {
        let is_another = |last: &Gate| !last.is_same(&gate);
        if self.gate.as_ref().is_none_or(is_another) {
            self.storing_since = Some(time);
        }
        self.gate = Some(gate);
    }

    /// The time until `now` that effects waited for their gate and that was not taken before, in
    /// µs. As for the rest of the server's lag, what is short does not count, unless a deadline
    /// has come meanwhile: a request that has not left must not run out.
    pub(super) fn take_storing_us(&mut self, now: Time, clock: &ServerClock) -> u64 {
        let (Some(since), Some(gate)) = (self.storing_since, &self.gate) else {
            return 0;
        };
        let opened_at = gate.opened_at().map(|opened| clock.time_at(opened));
        let until = opened_at.map_or(now, |opened| opened.min(now));
        let waited_us = until.us_since(since);
        let has_run_out = || self.referee.deadline().is_some_and(|at| at <= now);
        let counts = waited_us >= as_us(MIN_LAG) || has_run_out();
        if opened_at.is_some() {
            self.storing_since = None;
        } else if counts {
            self.storing_since = Some(until);
        }
        if counts { waited_us } else { 0 }
    }
}
