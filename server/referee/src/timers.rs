//! When the referee has to be woken, what happens then, and what moves these moments.

use bridgemaster_games::{Game, Seat};

use crate::{MatchPhase, Output, RESTART_GRACE_MS, Referee, Time};

/// What the machine waits for.
#[derive(Clone, Copy, Debug)]
enum Timer {
    /// The start-up time of the match.
    StartUp,
    /// The clock of a seat's open request.
    Clock(Seat),
    /// The reconnect time of a seat.
    Grace(Seat),
}

impl<G: Game> Referee<G> {
    /// The next moment at which [`Referee::handle`] must be called, with [`Input::Tick`](crate::Input::Tick) if nothing
    /// else happens before. `None` when no deadline is set, or the match is over.
    pub fn deadline(&self) -> Option<Time> {
        self.next_timer().map(|(at, _)| at)
    }

    /// Fires every timer that is due, in the order of their moments.
    pub(crate) fn expire(&mut self, out: &mut Vec<Output<G>>) {
        while let Some((at, timer)) = self.next_timer()
            && at <= self.now
        {
            match timer {
                Timer::StartUp => self.start(out),
                Timer::Clock(seat) => self.clock_ran_out(seat, out),
                Timer::Grace(seat) => self.grace_ran_out(seat, out),
            }
            self.play(out);
        }
    }

    fn next_timer(&self) -> Option<(Time, Timer)> {
        match self.phase {
            MatchPhase::Waiting => {
                let startup_ends = self.created_at.plus_ms(self.rules.clock.startup_ms);
                let startup_ends = startup_ends
                    .plus_us(self.startup_lag.extension_us())
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

    pub(crate) fn lagged(&mut self, lag_us: u64) {
        self.startup_lag.add(lag_us);
        for player in &mut self.players {
            player.lagged(lag_us);
        }
    }

    pub(crate) fn restarted(&mut self, known_until: Time, out: &mut Vec<Output<G>>) {
        match self.phase {
            MatchPhase::Waiting => {
                let away_us = self.now.us_since(known_until);
                self.startup_away_us = self.startup_away_us.saturating_add(away_us);
                // A bot that nobody remembers may have been there, and is not to blame.
                let back_until = self.now.plus_ms(RESTART_GRACE_MS);
                self.startup_waits_until =
                    self.startup_waits_until.plus_us(away_us).max(back_until);
            }
            MatchPhase::Running => {}
            MatchPhase::Ended => return,
        }
        self.lose_all_streams(known_until, out);
    }

    /// The bot of a seat was turned away by the server, and is not to blame until it is back.
    pub(crate) fn turned_away(&mut self, seat: Seat) {
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
}
