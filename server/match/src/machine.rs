//! A match, and what it is given.
//!
//! Whatever happens goes through one function, `Match::handle`: it is written down for the journal,
//! given to the referee, and what comes of it becomes effects. They wait for the entry that has it.

#[cfg(test)]
mod handled_late;
#[cfg(test)]
mod replay_asked_for_late;

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{
    BotIdentity, FaultReason, Histories, HistoryId, Input, Known, MatchPhase, MatchRules, NoteRoom,
    Output, Referee, RulesError, Time,
};
use bridgemaster_replay::{ReplayWriter, SigningKey};

use crate::{
    Beginning, Cancellation, Closing, Effect, Entries, MIN_LAG_US, Moment, Origin, Recovered,
    Report, SeatInput, StreamNumber, TicketHash, Verdict,
    calendar::Calendar,
    held_back::HeldBack,
    journal::{MatchJournal, write_header},
    link::Link,
    referee_input::referee_input,
    returns::{Returns, Told},
    storing::Storing,
    untold::Untold,
};

/// A match of one game.
pub struct Match<G: WireGame> {
    pub(crate) origin: Arc<Origin>,
    pub(crate) signing_key: Arc<SigningKey>,
    /// Of each seat, in seat order.
    pub(crate) tickets: Vec<TicketHash>,
    pub(crate) referee: Referee<G>,
    /// Which numbers of bots that come back are believed.
    pub(crate) histories: Histories,
    pub(crate) calendar: Calendar,
    pub(crate) returns: Returns,
    /// What began last.
    began: Beginning,
    pub(crate) links: Vec<Link>,
    /// Lag of the server that the referee knows of or that was before its time, in µs.
    lag_us: u64,
    /// What happened while it was secret who had decided.
    pub(crate) held_back: HeldBack,
    pub(crate) untold: Untold<G::Event>,
    pub(crate) replay: Replay,
    /// `None` without a store, and once the match has ended.
    pub(crate) journal: Option<MatchJournal>,
    pub(crate) storing: Storing,
    /// The moment at which the timer looks again.
    pub(crate) armed: Option<Time>,
    /// Its chance stays secret after its end.
    pub(crate) is_held_back: bool,
    /// When and why it was cancelled, if it was.
    pub(crate) cancelled: Option<(Time, Arc<Cancellation>)>,
    pub(crate) is_parked: bool,
    pub(crate) outputs: Vec<Output<G>>,
}

pub(crate) enum Replay {
    /// Of a match that has not ended.
    Growing(ReplayWriter),
    /// Of one that has, and whose replay nobody has asked for.
    Whole(ReplayWriter),
    /// The signed file.
    Sealed(Arc<[u8]>),
}

/// A seat that was taken with a new stream.
#[derive(Clone, Copy, Debug)]
pub struct Joined {
    /// The stream.
    pub stream: StreamNumber,
    /// What its Welcome tells.
    pub opening: Opening,
    /// Not to be told before so many entries are stored: a bot that was told of a history names it
    /// for ever.
    pub after: Entries,
}

/// Where a stream begins.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// The history that the match is in.
    pub history_id: HistoryId,
    /// What came after the last message that the bot has follows; otherwise it begins anew.
    pub resumed: bool,
    /// Bytes that are left for the notes of the seat.
    pub note_bytes_left: u32,
}

/// Why a bot does not get a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSeated {
    /// The bot of another API key holds the seat, or the seat is reserved for one.
    OfAnotherKey,
    /// The seat was offered to another version of the bot: this one.
    OfAnotherVersion(String),
    /// The seat is forfeited, for this reason.
    Forfeited(FaultReason),
    /// The match was cancelled.
    Cancelled(Arc<Cancellation>),
}

/// Why a match is not cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCancelled {
    /// It has ended.
    Ended,
    /// The server ends, and the match stands still.
    Parked,
}

impl<G: WireGame> Match<G> {
    /// A match that waits for its bots, made in the history `running`; the start-up time runs from
    /// `made_at`. Its entries are to be stored if it `is_stored`; its replay is signed with the key.
    ///
    /// # Errors
    /// Names the first field of the rules that is not valid, and what would be; or tells why the
    /// game refuses to set up.
    pub fn new(
        origin: Origin,
        rules: MatchRules<G>,
        made_at: Moment,
        running: HistoryId,
        is_stored: bool,
        signing_key: Arc<SigningKey>,
    ) -> Result<Self, RulesError> {
        let recovered = Recovered {
            calendar: Calendar::new(made_at.time, origin.created_unix_ms),
            returns: Returns::default(),
            origin,
            referee: Referee::new(rules, made_at.time)?,
            histories: Histories::new(running),
            replay: ReplayWriter::default(),
            entries: Entries::NONE,
            known_until: made_at.time,
        };
        let mut made = Self::recovered(recovered, signing_key);
        made.lag_us = made_at.lag_us;
        if !is_stored {
            made.journal = None;
        }
        Ok(made)
    }

    /// Goes on with a match of an earlier server, whose entries are stored. To be followed by
    /// [`Match::restarted`].
    pub fn recovered(recovered: Recovered<G>, signing_key: Arc<SigningKey>) -> Self {
        let Recovered {
            origin,
            referee,
            histories,
            replay,
            entries,
            known_until: _,
            calendar,
            returns,
        } = recovered;
        let is_held_back = origin.is_held_back();
        Self {
            tickets: origin.tickets.clone(),
            began: Beginning {
                history_id: histories.running(),
                unix_ms: origin.created_unix_ms,
            },
            calendar,
            returns,
            origin: Arc::new(origin),
            signing_key,
            links: referee.seats().map(|_| Link::default()).collect(),
            referee,
            histories,
            lag_us: 0,
            held_back: HeldBack::default(),
            untold: Untold::default(),
            replay: Replay::Growing(replay),
            journal: Some(MatchJournal::new(entries)),
            storing: Storing::new(entries),
            armed: None,
            is_held_back,
            cancelled: None,
            is_parked: false,
            outputs: Vec::new(),
        }
    }

    /// What a store must keep to begin it again: the bytes of a [`Header`](crate::Header).
    pub fn header(&self) -> Vec<u8> {
        let referee = &self.referee;
        let running = self.histories.running();
        write_header(referee.rules(), &self.origin, referee.created_at(), running)
    }

    /// So many entries are stored since `at`.
    pub fn stored(&mut self, entries: Entries, at: Time) {
        self.storing.stored(entries, at);
    }

    /// The server ends: from now on the match stands still as it is. That its streams end with the
    /// server is no bot's fault.
    pub fn park(&mut self) {
        self.is_parked = true;
    }

    /// The group of the match is over: what was held back is shown from now on.
    pub fn reveal(&mut self) {
        self.is_held_back = false;
    }

    /// The server was started again, and its clock runs: the history `next` begins.
    pub fn restarted(&mut self, now: Moment, next: Beginning, effects: &mut Vec<Effect>) {
        self.lag_us = now.lag_us;
        let sent = self.referee.sent().collect();
        self.histories.begin(next.history_id, sent);
        self.calendar.go_on(now.time, next.unix_ms);
        self.began = next;
        self.handle(now.time, Input::Restarted, effects);
    }

    /// Handles what streams have reported, in order, and leaves `reports` empty; a report of a
    /// stream that does not hold its seat is dropped. Effects are appended.
    pub fn handle_reports(&mut self, reports: &mut Vec<Report>, effects: &mut Vec<Effect>) {
        for report in reports.drain(..) {
            self.handle_report(report, effects);
        }
    }

    fn handle_report(&mut self, report: Report, effects: &mut Vec<Effect>) {
        let Report {
            moment,
            seat,
            stream,
            input,
        } = report;
        let link = &mut self.links[seat.index()];
        if !link.holds(stream) {
            return;
        }
        let lost = match &input {
            SeatInput::Left => Some(None),
            SeatInput::Garbage { detail } => Some(Some(detail.clone())),
            _ => None,
        };
        if let Some(garbage) = lost {
            link.end();
            effects.push(Effect::Lost { seat, garbage });
        }
        self.tell_lag(moment, effects);
        let is_judged = matches!(input, SeatInput::Decision(_) | SeatInput::Resign);
        let is_message = !matches!(input, SeatInput::HandedOver { .. } | SeatInput::Left);
        let input = referee_input(seat, input, self.referee.note_room(seat));
        let before = effects.len();
        let after = self.handle(moment.time, input, effects);
        let link = &mut self.links[seat.index()];
        link.note(after);
        if is_judged && !self.is_parked {
            link.judged(Verdict::in_effects(seat, &effects[before..]));
        }
        if is_message {
            effects.push(Effect::Handled(moment));
        }
    }

    /// A bot comes with a new stream to its seat; an older stream of the seat ends. With the name of
    /// its API `key`, a seat that the bot of another key holds is refused. `known` is what the bot
    /// says that it has. What had been reported by then is handled first.
    ///
    /// # Errors
    /// Why it does not get the seat, and how many entries must be stored before that is told.
    pub fn join(
        &mut self,
        (now, reports): (Moment, &mut Vec<Report>),
        seat: Seat,
        bot: BotIdentity,
        key: Option<&str>,
        known: Option<Known>,
        effects: &mut Vec<Effect>,
    ) -> Result<Joined, (NotSeated, Entries)> {
        self.handle_reports(reports, effects);
        if let Some(key) = key
            && self.held_by(seat).is_some_and(|name| name != key)
        {
            return Err((NotSeated::OfAnotherKey, self.unsettled()));
        }
        if let Some(offered) = self.origin.offered.get(&seat)
            && offered.bot_version != bot.version
        {
            let why = NotSeated::OfAnotherVersion(offered.bot_version.clone());
            return Err((why, self.unsettled()));
        }
        self.tell_lag(now, effects);
        if let Some((_, cancellation)) = &self.cancelled {
            let why = NotSeated::Cancelled(Arc::clone(cancellation));
            return Err((why, self.unsettled()));
        }
        if let Some(fault) = self.referee.forfeit(seat) {
            return Err((NotSeated::Forfeited(fault), self.unsettled()));
        }
        let last_sequence = self.believed(seat, known);
        let link = &mut self.links[seat.index()];
        if link.end() {
            effects.push(Effect::Close {
                seat,
                closing: Closing::Superseded,
                // That is so whether it is stored or not.
                after: Entries::NONE,
            });
        }
        let stream = link.open();
        effects.push(Effect::Open { seat, stream });
        let input = Input::Connected {
            seat,
            bot,
            last_sequence,
        };
        self.handle(now.time, input, effects);
        Ok(Joined {
            stream,
            opening: Opening {
                history_id: self.histories.running(),
                resumed: last_sequence.is_some(),
                note_bytes_left: self.referee.note_room(seat).map_or(0, NoteRoom::left_bytes),
            },
            after: self.unsettled(),
        })
    }

    /// The bot of a seat came, and the server turned it away for a reason of its own. Between two
    /// that are told the grace goes on. Tells whether this one counts.
    pub fn turned_away(
        &mut self,
        (now, reports): (Moment, &mut Vec<Report>),
        seat: Seat,
        effects: &mut Vec<Effect>,
    ) -> bool {
        self.handle_reports(reports, effects);
        self.tell_lag(now, effects);
        let counts = self.links[seat.index()].is_turned_away(now.time);
        if counts {
            self.handle(now.time, Input::TurnedAway { seat }, effects);
        }
        counts
    }

    /// Lets the referee act on time that has passed, and gives the time at which to look again;
    /// `None` when there will be none any more. What was decoded before the deadline is in time,
    /// and lag moves the deadline. While something waits to be stored, this is not asked for more
    /// often than every [`MIN_LAG_US`].
    pub fn tick(
        &mut self,
        (now, reports): (Moment, &mut Vec<Report>),
        effects: &mut Vec<Effect>,
    ) -> Option<Time> {
        self.handle_reports(reports, effects);
        self.tell_lag(now, effects);
        if self.referee.deadline().is_some_and(|at| at <= now.time) {
            self.handle(now.time, Input::Tick, effects);
        }
        self.armed = self.next_look(now.time);
        self.armed
    }

    /// When to look at the time again. While something waits to be stored, a deadline that has come
    /// moves with the time: it is looked at now and then.
    fn next_look(&self, now: Time) -> Option<Time> {
        let deadline = self.referee.deadline().filter(|_| !self.is_parked)?;
        Some(match self.storing.unsettled() {
            Entries::NONE => deadline,
            _ => deadline.max(now.plus_us(MIN_LAG_US)),
        })
    }

    /// The queue of a seat's stream was full, and the shell has ended the stream as too slow.
    pub fn overflowed(
        &mut self,
        now: Moment,
        seat: Seat,
        stream: StreamNumber,
        effects: &mut Vec<Effect>,
    ) {
        let link = &mut self.links[seat.index()];
        if link.holds(stream) {
            link.end();
            self.tell_lag(now, effects);
            self.handle(now.time, Input::Disconnected { seat }, effects);
        }
    }

    /// Tells the referee what it does not know of the server's lag before a moment, and of the
    /// time that effects waited to be stored.
    pub(crate) fn tell_lag(&mut self, moment: Moment, effects: &mut Vec<Effect>) {
        if self.referee.phase() == MatchPhase::Ended {
            return;
        }
        let Self {
            storing, referee, ..
        } = self;
        let has_run_out = || referee.deadline().is_some_and(|at| at <= moment.time);
        let storing_us = storing.claim_us(moment.time, has_run_out);
        let lag_us = moment.lag_us.saturating_sub(self.lag_us);
        self.lag_us = self.lag_us.max(moment.lag_us);
        let lag_us = lag_us.saturating_add(storing_us);
        if lag_us > 0 {
            self.handle(moment.time, Input::RefereeLag { lag_us }, effects);
        }
    }

    /// Gives an input to the referee, and effects for what it says. Tells what they wait for.
    pub(crate) fn handle(
        &mut self,
        time: Time,
        input: Input<G>,
        effects: &mut Vec<Effect>,
    ) -> Entries {
        if self.is_parked {
            return Entries::NONE;
        }
        // Bots are told of a history as soon as it runs, so its beginning is stored in any case.
        let begins_history = matches!(input, Input::Restarted);
        let public_changes = self.referee.public_changes();
        if let Some(journal) = &mut self.journal {
            journal.note(time, &input, self.began);
        }
        let told = Told::by(&input);
        self.referee.handle(time, input, &mut self.outputs);
        let seats = self.links.len();
        self.returns.take(told, seats, &self.outputs);
        // So is what everybody may see, though no output may come of it: a bot that came and went very
        // often goes once more, and no other bot is there to be told.
        let must_be_stored = begins_history || self.referee.public_changes() != public_changes;
        let after = if !self.outputs.is_empty() || must_be_stored {
            self.carry_out(time, effects)
        } else {
            if let Some(journal) = &mut self.journal
                && journal.is_full()
            {
                effects.push(Effect::Store(journal.make_entry(&self.referee, None)));
            }
            Entries::NONE
        };
        self.wake_timer(effects);
        after
    }

    /// Lets the timer know when the deadline is before the moment at which it looks again, or
    /// when there is none any more.
    fn wake_timer(&mut self, effects: &mut Vec<Effect>) {
        let deadline = self.referee.deadline();
        let looks_too_late = match (deadline, self.armed) {
            (Some(deadline), Some(armed)) => deadline < armed,
            (Some(_), None) | (None, Some(_)) => true,
            (None, None) => false,
        };
        if looks_too_late {
            self.armed = deadline;
            effects.push(Effect::Wake);
        }
    }

    /// The number of a bot that comes back, if it is one of this match and everything after it can
    /// be sent. Otherwise the bot begins anew.
    fn believed(&self, seat: Seat, known: Option<Known>) -> Option<u32> {
        let known = known?;
        let sent_so_far = self.referee.sent().nth(seat.index())?;
        let is_true = self.histories.holds(seat, known, sent_so_far)
            && self.referee.can_resume(seat, known.last_sequence);
        is_true.then_some(known.last_sequence)
    }
}
