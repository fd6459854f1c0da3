//! The referee's deadlines: their order, expiry and extension.

use bridgemaster_games::{Game, Seat};

use crate::{
    FaultReason, ForwardingLag, MatchPhase, RESTART_GRACE_MS, Referee, SeatState, Time, time::Lag,
};

/// A deadline that the referee must act on.
#[derive(Clone, Copy, Debug)]
enum Timer {
    /// The end of the match's start-up time.
    StartUp,
    /// The end of the clock for a seat's open request.
    Clock(Seat),
    /// The end of a seat's reconnect time.
    Grace(Seat),
}

impl<G: Game> Referee<G> {
    /// The time by which [`Referee::handle`] must next be called, with
    /// [`Input::Tick`](crate::Input::Tick) if no other input arrives earlier. `None` if no deadline
    /// is set or the match has ended.
    pub fn deadline(&self) -> Option<Time> {
        self.next_timer().map(|(at, _)| at)
    }

    /// Handles every expired deadline, in order of their times.
    pub(crate) fn expire(&mut self) {
        while let Some((at, timer)) = self.next_timer()
            && at <= self.now
        {
            match timer {
                Timer::StartUp => self.start(),
                Timer::Clock(seat) => self.clock_ran_out(seat),
                Timer::Grace(seat) => self.grace_ran_out(seat),
            }
            self.play();
        }
    }

    fn next_timer(&self) -> Option<(Time, Timer)> {
        match self.phase {
            MatchPhase::Waiting => {
                let startup_ends = self.created_at.plus_ms(self.rules.clock.startup_ms);
                let startup_ends = startup_ends
                    .plus_us(self.total_startup_lag().extension_us())
                    .plus_us(self.startup_away_us);
                Some((startup_ends.max(self.startup_waits_until), Timer::StartUp))
            }
            MatchPhase::Running => self
                .players
                .iter()
                .flat_map(|player| {
                    let seat = player.info.seat;
                    let open = player.open.as_ref();
                    let clock_runs_out = open
                        .and_then(|open| open.timer.deadline())
                        .map(|at| (at, Timer::Clock(seat)));
                    let grace_ends = player.grace_ends().map(|at| (at, Timer::Grace(seat)));
                    [clock_runs_out, grace_ends]
                })
                .flatten()
                .min_by_key(|(at, _)| *at),
            MatchPhase::Ended => None,
        }
    }

    pub(crate) fn add_lag(&mut self, lag_us: u64) {
        self.startup_lag.add(lag_us);
        for player in &mut self.players {
            player.add_lag(lag_us);
        }
    }

    /// Adds the lag of the node that forwards the stream of a seat. In the start-up time, only the
    /// lag of missing seats counts.
    pub(crate) fn add_forwarding_lag(&mut self, lag: ForwardingLag) {
        let (now, phase, created_at) = (self.now, self.phase, self.created_at);
        let Some(player) = self.players.get_mut(lag.seat.index()) else {
            return;
        };
        if phase == MatchPhase::Waiting && !player.is_connected() {
            let waited_us = now.us_since(created_at);
            player.startup_lag.add_forwarding(lag.lag_us, waited_us);
        }
        player.add_forwarding_lag(lag.lag_us, now);
    }

    /// Returns the lag in the start-up time: that of the referee, and the longest one of a
    /// forwarding node.
    fn total_startup_lag(&self) -> Lag {
        let of_seats = self.players.iter().map(|player| player.startup_lag);
        let longest = of_seats.max_by_key(|lag| lag.us()).unwrap_or_default();
        self.startup_lag.plus(longest)
    }

    pub(crate) fn handle_restart(&mut self, known_until: Time) {
        match self.phase {
            MatchPhase::Waiting => {
                let away_us = self.now.us_since(known_until);
                self.startup_away_us = self.startup_away_us.saturating_add(away_us);
                // A bot whose connection was lost in a restart gets time to reconnect.
                let back_until = self.now.plus_ms(RESTART_GRACE_MS);
                self.startup_waits_until =
                    self.startup_waits_until.plus_us(away_us).max(back_until);
            }
            MatchPhase::Running => {}
            MatchPhase::Ended => return,
        }
        self.lose_all_streams(known_until);
    }

    /// Excuses a seat whose connection the server refused, until its bot connects.
    pub(crate) fn handle_refused_connection(&mut self, seat: Seat) {
        let (now, player) = (self.now, &mut self.players[seat.index()]);
        if player.is_connected() || player.is_played_by_house() {
            return;
        }
        let grace_ms = self.rules.clock.reconnect_ms.max(RESTART_GRACE_MS);
        match self.phase {
            MatchPhase::Waiting => {
                let until = now.plus_ms(RESTART_GRACE_MS);
                self.startup_waits_until = self.startup_waits_until.max(until);
            }
            MatchPhase::Running => {}
            MatchPhase::Ended => return,
        }
        player.excuse(now, now, grace_ms);
    }

    /// Ends the time that a missing bot has to connect or reconnect.
    pub(crate) fn handle_expired(&mut self, seat: Seat, why: &str) {
        let player = &self.players[seat.index()];
        let is_over = self.phase == MatchPhase::Ended;
        if is_over || player.is_connected() || player.is_played_by_house() {
            return;
        }
        let reason = match player.info.state {
            SeatState::Vacant => FaultReason::NeverConnected,
            _ => FaultReason::Disconnected,
        };
        let mut detail = "the organiser expired the seat".to_owned();
        if !why.is_empty() {
            detail.push_str(": ");
            detail.push_str(why);
        }
        self.penalise(seat, reason, detail);
    }
}
