//! What a match was given: all of it must come to the referee, in that order and with those
//! moments, but for what streams say that do not hold their seats.

use bridgemaster_games::Seat;
use bridgemaster_match::{Entries, Moment};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{BotIdentity, HistoryId, Input, Known, Time};

use super::{Auditor, StreamId};
use crate::{
    oracle::{Violation, demand},
    reported::Report,
};

/// Least time between two tellings that a bot was turned away, in µs.
const TURNED_AWAY_INTERVAL_US: u64 = 1_000_000;

/// Something that a match was given.
#[derive(Debug)]
pub(super) enum Expected<D> {
    Report {
        moment: Moment,
        seat: Seat,
        stream: StreamId,
        report: Report<D>,
        /// Whether its stream held the seat, once a later change of that is known.
        is_heard: Option<bool>,
    },
    Joined {
        at: Time,
        seat: Seat,
        stream: StreamId,
        bot: BotIdentity,
        known: Option<Known>,
    },
    /// Comes to the referee if it was not told of one just before.
    TurnedAway {
        at: Time,
        seat: Seat,
    },
    /// Comes to the referee if its deadline has come.
    Tick {
        at: Time,
    },
    Overflowed {
        at: Time,
        seat: Seat,
    },
    Restarted {
        at: Time,
        next: HistoryId,
    },
    /// Comes to the referee if the match is not over by then.
    Cancelled {
        at: Time,
    },
}

impl<G: WireGame> Auditor<G> {
    pub(crate) fn reports(
        &mut self,
        moment: Moment,
        seat: Seat,
        stream: StreamId,
        report: Report<G::Decision>,
    ) {
        self.expected.push_back(Expected::Report {
            moment,
            seat,
            stream,
            report,
            is_heard: None,
        });
    }

    pub(crate) fn joins(
        &mut self,
        at: Time,
        seat: Seat,
        stream: StreamId,
        bot: BotIdentity,
        known: Option<Known>,
    ) {
        self.expected.push_back(Expected::Joined {
            at,
            seat,
            stream,
            bot,
            known,
        });
    }

    /// The bot that came last does not get its seat.
    pub(crate) fn refuses(&mut self, seat: Seat) {
        self.expected.pop_back();
        self.refused = Some(seat);
    }

    pub(crate) fn turns_away(&mut self, at: Time, seat: Seat) {
        self.expected.push_back(Expected::TurnedAway { at, seat });
    }

    pub(crate) fn ticks(&mut self, at: Time) {
        self.expected.push_back(Expected::Tick { at });
    }

    pub(crate) fn overflows(&mut self, at: Time, seat: Seat) {
        self.resolve(seat, self.expected.len());
        self.links[seat.index()] = None;
        self.expected.push_back(Expected::Overflowed { at, seat });
    }

    pub(crate) fn restarts(&mut self, at: Time, next: HistoryId) {
        self.expected.push_back(Expected::Restarted { at, next });
    }

    pub(crate) fn cancels(&mut self, at: Time) {
        self.expected.push_back(Expected::Cancelled { at });
    }

    /// The stream of a seat is about to change: what was reported before the one at this place is
    /// heard if it came from the stream until now.
    fn resolve(&mut self, seat: Seat, until: usize) {
        let link = self.links[seat.index()];
        for expected in self.expected.iter_mut().take(until) {
            if let Expected::Report {
                seat: of,
                stream,
                is_heard,
                ..
            } = expected
                && *of == seat
            {
                is_heard.get_or_insert(link == Some(*stream));
            }
        }
    }

    fn place_of_newcomer(&self, seat: Seat) -> Option<usize> {
        let mut expected = self.expected.iter();
        expected.position(
            |expected| matches!(expected, Expected::Joined { seat: of, .. } if *of == seat),
        )
    }

    /// The older stream of a seat ends because a newer one takes it.
    pub(super) fn supersedes(&mut self, seat: Seat, after: Entries) -> Result<(), Violation> {
        let place = self.place_of_newcomer(seat);
        demand!(
            self.demanded.is_empty() && after == Entries::NONE,
            "the older stream of {seat} ends out of its time"
        );
        let place = place.ok_or_else(|| Violation(format!("nobody comes to {seat}")))?;
        self.resolve(seat, place);
        let older = self.links[seat.index()].take();
        demand!(older.is_some(), "{seat} had no stream");
        Ok(())
    }

    /// A newer stream takes a seat.
    pub(super) fn opens(&mut self, seat: Seat) -> Result<(), Violation> {
        let place = self.place_of_newcomer(seat);
        let Some(Expected::Joined { stream, .. }) =
            place.and_then(|place| self.expected.get(place))
        else {
            return Err(Violation(format!("nobody comes to {seat}")));
        };
        let stream = *stream;
        demand!(
            self.demanded.is_empty() && self.links[seat.index()].is_none(),
            "{seat} has two streams"
        );
        self.resolve(seat, place.unwrap_or_default());
        self.links[seat.index()] = Some(stream);
        Ok(())
    }

    /// The stream of a seat ended by itself.
    pub(super) fn loses(&mut self, seat: Seat) -> Result<(), Violation> {
        let link = self.links[seat.index()];
        let place = self.expected.iter().position(|expected| {
            matches!(
                expected,
                Expected::Report { seat: of, stream, report, is_heard: None, .. }
                    if *of == seat && link == Some(*stream) && report.ends_stream()
            )
        });
        let place =
            place.ok_or_else(|| Violation(format!("the stream of {seat} has not ended")))?;
        self.resolve(seat, place + 1);
        self.links[seat.index()] = None;
        Ok(())
    }

    /// Demands that an input is the next of what the match was given.
    pub(super) fn expect_input(
        &mut self,
        at: Time,
        input: &Input<G>,
        begins: Option<HistoryId>,
    ) -> Result<(), Violation> {
        if let Input::RefereeLag { lag_us } = input {
            self.lag.told(*lag_us);
            self.reporter = None;
            return Ok(());
        }
        self.reporter = None;
        loop {
            let Some(expected) = self.expected.pop_front() else {
                return Err(Violation(format!(
                    "{input:?} is written down and did not happen"
                )));
            };
            let is_it = match &expected {
                Expected::Report {
                    moment,
                    seat,
                    stream,
                    report,
                    is_heard,
                } => {
                    if !is_heard.unwrap_or(self.holds(*seat, *stream)) {
                        continue;
                    }
                    self.lag.reached(*moment);
                    self.reporter = Some(*stream);
                    moment.time == at && input.seat() == Some(*seat) && report.is(input)
                }
                Expected::Joined {
                    at: came_at,
                    seat,
                    bot,
                    known,
                    ..
                } => {
                    let believed = self.believed(*seat, *known)?;
                    self.turned_away_at[seat.index()] = None;
                    *came_at == at
                        && matches!(
                            input,
                            Input::Connected { seat: of, bot: who, last_sequence }
                                if (of, who, last_sequence) == (seat, bot, &believed)
                        )
                }
                Expected::TurnedAway { at: away_at, seat } => {
                    let told_at = self.turned_away_at[seat.index()];
                    let is_due = told_at
                        .is_none_or(|told_at| away_at.us_since(told_at) >= TURNED_AWAY_INTERVAL_US);
                    if !is_due {
                        continue;
                    }
                    self.turned_away_at[seat.index()] = Some(*away_at);
                    *away_at == at && matches!(input, Input::TurnedAway { seat: of } if of == seat)
                }
                Expected::Tick { at: ticked_at } => {
                    let deadline = self.referee.deadline();
                    if deadline.is_none_or(|deadline| deadline > *ticked_at) {
                        continue;
                    }
                    *ticked_at == at && matches!(input, Input::Tick)
                }
                Expected::Overflowed { at: full_at, seat } => {
                    *full_at == at
                        && matches!(input, Input::Disconnected { seat: of } if of == seat)
                }
                Expected::Cancelled { at: cancelled_at } => {
                    *cancelled_at == at && matches!(input, Input::Cancelled)
                }
                Expected::Restarted { at: back_at, next } => {
                    *back_at == at && matches!(input, Input::Restarted) && begins == Some(*next)
                }
            };
            demand!(
                is_it,
                "{input:?} of {at:?} is written down after, or instead of, {expected:?}"
            );
            return Ok(());
        }
    }

    /// The next that a referee of a match that has ended does anything about: a bot that comes back.
    pub(super) fn next_after_the_end(&mut self) -> Result<Option<(Time, Input<G>)>, Violation> {
        while let Some(expected) = self.expected.pop_front() {
            if let Expected::Joined {
                at,
                seat,
                bot,
                known,
                ..
            } = expected
            {
                let last_sequence = self.believed(seat, known)?;
                let input = Input::Connected {
                    seat,
                    bot,
                    last_sequence,
                };
                return Ok(Some((at, input)));
            }
        }
        Ok(None)
    }

    /// What need not come to the referee, and did not, is no longer expected.
    pub(super) fn forget_what_need_not_be(&mut self) {
        while let Some(expected) = self.expected.front() {
            let need_not_be = match expected {
                Expected::Tick { at } => self.referee.deadline().is_none_or(|due| due > *at),
                Expected::Report {
                    seat,
                    stream,
                    is_heard,
                    ..
                } => !is_heard.unwrap_or(self.holds(*seat, *stream)),
                _ => false,
            };
            if !need_not_be {
                return;
            }
            self.expected.pop_front();
        }
    }

    /// The number of a bot that comes back, if it is one of this match and everything after it
    /// can be sent.
    fn believed(&self, seat: Seat, known: Option<Known>) -> Result<Option<u32>, Violation> {
        let Some(known) = known else { return Ok(None) };
        let last = known.last_sequence;
        let sent = self.oracle.sent_to(seat) as u32;
        let is_true = self.histories.holds(seat, known, sent);
        demand!(
            is_true || self.is_behind,
            "{seat} has {known:?} and is not believed, though nothing was lost"
        );
        let can_resume = self.referee.can_resume(seat, last);
        Ok((is_true && can_resume).then_some(last))
    }
}
