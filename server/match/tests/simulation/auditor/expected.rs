//! The inputs of a match. All of them must reach the referee in order and with their times, except
//! reports of streams that do not hold their seats.

use bridgemaster_games::Seat;
use bridgemaster_match::{Entries, ServerTime};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{BotIdentity, HistoryId, Input, ResumePoint, Time};

use super::{Auditor, StreamId};
use crate::{
    oracle::{Violation, require},
    reported::Report,
};

/// Minimum interval between two recorded refusals of a bot, in µs.
const REFUSAL_REPORT_INTERVAL_US: u64 = 1_000_000;

/// An input of the match.
#[derive(Debug)]
pub(super) enum Expected<D> {
    Report {
        moment: ServerTime,
        seat: Seat,
        stream: StreamId,
        report: Report<D>,
        /// Whether the stream held the seat. Unknown until a later change of the stream determines
        /// it.
        is_heard: Option<bool>,
    },
    Joined {
        at: Time,
        seat: Seat,
        stream: StreamId,
        bot: BotIdentity,
        resume_point: Option<ResumePoint>,
    },
    /// An input that reaches the referee unless a refusal was recorded shortly before.
    ConnectionRefused {
        at: Time,
        seat: Seat,
    },
    /// An input that reaches the referee if a deadline has expired.
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
    /// An input that reaches the referee unless the match has ended by then.
    Cancelled {
        at: Time,
    },
}

impl<G: WireGame> Auditor<G> {
    pub(crate) fn reports(
        &mut self,
        moment: ServerTime,
        seat: Seat,
        stream: StreamId,
        report: Report<G::Decision>,
    ) {
        self.expected.push_back(Expected::Report { moment, seat, stream, report, is_heard: None });
    }

    pub(crate) fn expect_join(
        &mut self,
        at: Time,
        seat: Seat,
        stream: StreamId,
        bot: BotIdentity,
        resume_point: Option<ResumePoint>,
    ) {
        self.expected.push_back(Expected::Joined { at, seat, stream, bot, resume_point });
    }

    /// Notes that the last bot was refused its seat.
    pub(crate) fn note_refused_seat(&mut self, seat: Seat) {
        self.expected.pop_back();
        self.refused = Some(seat);
    }

    pub(crate) fn expect_refused_connection(&mut self, at: Time, seat: Seat) {
        self.expected.push_back(Expected::ConnectionRefused { at, seat });
    }

    pub(crate) fn expect_tick(&mut self, at: Time) {
        self.expected.push_back(Expected::Tick { at });
    }

    pub(crate) fn expect_overflow(&mut self, at: Time, seat: Seat) {
        self.resolve(seat, self.expected.len());
        self.links[seat.index()] = None;
        self.expected.push_back(Expected::Overflowed { at, seat });
    }

    pub(crate) fn expect_restart(&mut self, at: Time, next: HistoryId) {
        self.expected.push_back(Expected::Restarted { at, next });
    }

    pub(crate) fn expect_cancellation(&mut self, at: Time) {
        self.expected.push_back(Expected::Cancelled { at });
    }

    /// Notes a change of a seat's stream: earlier reports at or before this index are valid if they
    /// came from the current stream.
    fn resolve(&mut self, seat: Seat, until: usize) {
        let link = self.links[seat.index()];
        for expected in self.expected.iter_mut().take(until) {
            if let Expected::Report { seat: of, stream, is_heard, .. } = expected
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

    /// Notes that a newer stream supersedes that of a seat.
    pub(super) fn note_superseded(&mut self, seat: Seat, after: Entries) -> Result<(), Violation> {
        let place = self.place_of_newcomer(seat);
        require!(
            self.expected_effects.is_empty() && after == Entries::NONE,
            "the older stream of {seat} ends at the wrong time"
        );
        let place = place.ok_or_else(|| Violation(format!("no bot has connected to {seat}")))?;
        self.resolve(seat, place);
        let older = self.links[seat.index()].take();
        require!(older.is_some(), "{seat} had no stream");
        Ok(())
    }

    /// Notes that a newer stream takes a seat.
    pub(super) fn note_opened(&mut self, seat: Seat) -> Result<(), Violation> {
        let place = self.place_of_newcomer(seat);
        let Some(Expected::Joined { stream, .. }) =
            place.and_then(|place| self.expected.get(place))
        else {
            return Err(Violation(format!("no bot has connected to {seat}")));
        };
        let stream = *stream;
        require!(
            self.expected_effects.is_empty() && self.links[seat.index()].is_none(),
            "{seat} has two streams"
        );
        self.resolve(seat, place.unwrap_or_default());
        self.links[seat.index()] = Some(stream);
        Ok(())
    }

    /// Notes that the stream of a seat ended by itself.
    pub(super) fn note_lost(&mut self, seat: Seat) -> Result<(), Violation> {
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

    /// Checks that an input is the next one of the match.
    pub(super) fn expect_input(
        &mut self,
        at: Time,
        input: &Input<G>,
        begins: Option<HistoryId>,
    ) -> Result<(), Violation> {
        if let Input::RefereeLag { lag_us, .. } = input {
            self.lag.add_reported(*lag_us);
            self.reporter = None;
            return Ok(());
        }
        self.reporter = None;
        loop {
            let Some(expected) = self.expected.pop_front() else {
                return Err(Violation(format!("{input:?} is in the journal, but did not happen")));
            };
            let is_it = match &expected {
                Expected::Report { moment, seat, stream, report, is_heard } => {
                    if !is_heard.unwrap_or(self.holds(*seat, *stream)) {
                        continue;
                    }
                    self.lag.note_reached(*moment);
                    self.reporter = Some(*stream);
                    moment.time == at && input.seat() == Some(*seat) && report.is(input)
                }
                Expected::Joined { at: came_at, seat, bot, resume_point, .. } => {
                    let resumable_sequence = self.resumable_sequence(*seat, *resume_point)?;
                    self.turned_away_at[seat.index()] = None;
                    *came_at == at
                        && matches!(
                            input,
                            Input::Connected { seat: of, bot: who, last_sequence }
                                if (of, who, last_sequence) == (seat, bot, &resumable_sequence)
                        )
                }
                Expected::ConnectionRefused { at: away_at, seat } => {
                    let reported_at = self.turned_away_at[seat.index()];
                    let is_due = reported_at.is_none_or(|reported_at| {
                        away_at.us_since(reported_at) >= REFUSAL_REPORT_INTERVAL_US
                    });
                    if !is_due {
                        continue;
                    }
                    self.turned_away_at[seat.index()] = Some(*away_at);
                    *away_at == at
                        && matches!(input, Input::ConnectionRefused { seat: of } if of == seat)
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
            require!(
                is_it,
                "{input:?} of {at:?} is in the journal after, or instead of, {expected:?}"
            );
            return Ok(());
        }
    }

    /// The next input that affects the referee of a finished match: a returning bot.
    pub(super) fn next_after_end(&mut self) -> Result<Option<(Time, Input<G>)>, Violation> {
        while let Some(expected) = self.expected.pop_front() {
            if let Expected::Joined { at, seat, bot, resume_point, .. } = expected {
                let last_sequence = self.resumable_sequence(seat, resume_point)?;
                let input = Input::Connected { seat, bot, last_sequence };
                return Ok(Some((at, input)));
            }
        }
        Ok(None)
    }

    /// Removes inputs that need not reach the referee and did not.
    pub(super) fn drop_optional(&mut self) {
        while let Some(expected) = self.expected.front() {
            let need_not_be = match expected {
                Expected::Tick { at } => self.referee.deadline().is_none_or(|due| due > *at),
                Expected::Report { seat, stream, is_heard, .. } => {
                    !is_heard.unwrap_or(self.holds(*seat, *stream))
                }
                _ => false,
            };
            if !need_not_be {
                return;
            }
            self.expected.pop_front();
        }
    }

    /// The sequence number from which a returning bot can resume, if it is valid and all later
    /// messages can be sent.
    fn resumable_sequence(
        &self,
        seat: Seat,
        resume_point: Option<ResumePoint>,
    ) -> Result<Option<u32>, Violation> {
        let Some(resume_point) = resume_point else {
            return Ok(None);
        };
        let last = resume_point.last_sequence;
        let sent = self.oracle.sent_to(seat) as u32;
        let is_true = self.histories.covers(seat, resume_point, sent);
        require!(
            is_true || self.is_behind,
            "{seat} cannot resume from {resume_point:?}, although nothing was lost"
        );
        let can_resume = self.referee.can_resume(seat, last);
        Ok((is_true && can_resume).then_some(last))
    }
}
