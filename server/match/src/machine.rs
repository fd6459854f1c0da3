//! The state of a match and its entry points.
//!
//! Every input passes through `Match::handle`, which records the input in the journal, passes it to
//! the referee, and converts the outputs to effects. The effects wait for the journal entry with
//! the input.

use std::sync::Arc;

use bridgemaster_games::{FieldError, Seat};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{
    ForwardingLag, Histories, HistoryId, Input, MatchPhase, MatchRules, NoteBudget, Output,
    Referee, ResumePoint, Time,
};
use bridgemaster_replay::{ReplayWriter, SigningKey};

use crate::{
    Cancellation, Closing, Effect, Entries, HistoryStart, JoinError, JoinRequest, Joined,
    MIN_LAG_US, Origin, Recovered, Report, SeatInput, ServerTime, StreamNumber, StreamStart,
    TicketHash, Verdict,
    clocks::WallClockMap,
    commit_tracker::CommitTracker,
    effect::WithheldCounts,
    journal::{MatchJournal, write_header},
    report::referee_input,
    return_tracker::{Presence, ReturnTracker},
    seat_stream::SeatStream,
    spectator_update::UnpublishedEvents,
};

/// A match of one game.
pub struct Match<G: WireGame> {
    pub(crate) origin: Arc<Origin>,
    pub(crate) signing_key: Arc<SigningKey>,
    /// The current ticket hashes, in seat order.
    pub(crate) tickets: Vec<TicketHash>,
    pub(crate) referee: Referee<G>,
    /// The histories, by which the sequence numbers of returning bots are checked.
    pub(crate) histories: Histories,
    pub(crate) wall_clock: WallClockMap,
    pub(crate) returns: ReturnTracker,
    /// The start of the current history.
    last_start: HistoryStart,
    pub(crate) streams: Vec<SeatStream>,
    /// Server lag in µs that was reported to the referee or was before the start of the match.
    pub(crate) lag_us: u64,
    /// Metrics that are withheld while it is secret which seats have decided.
    pub(crate) withheld_counts: WithheldCounts,
    pub(crate) unpublished: UnpublishedEvents<G::Event>,
    pub(crate) replay: Replay,
    /// The journal; `None` without a store, and once the match has ended.
    pub(crate) journal: Option<MatchJournal>,
    pub(crate) commits: CommitTracker,
    /// The time at which the timer fires next.
    pub(crate) armed: Option<Time>,
    /// The seed stays secret after the end of the match.
    pub(crate) is_seed_withheld: bool,
    /// The time and circumstances of the cancellation.
    pub(crate) cancelled: Option<(Time, Arc<Cancellation>)>,
    pub(crate) is_parked: bool,
    pub(crate) outputs: Vec<Output<G>>,
}

pub(crate) enum Replay {
    /// The match has not ended.
    Recording(ReplayWriter),
    /// The match has ended, and the file was not requested yet.
    Complete(ReplayWriter),
    Signed(Arc<[u8]>),
}

impl<G: WireGame> Match<G> {
    /// Creates a match that waits for its bots, in the history `running`. The start-up time begins
    /// at `made_at`. The match has a journal if `is_stored` is true. Its replay is signed with
    /// `signing_key`.
    ///
    /// # Errors
    /// Returns an error that names the first invalid field of the rules and its valid values, or
    /// describes the problem with the game's setup.
    pub fn new(
        origin: Origin,
        rules: MatchRules<G>,
        made_at: ServerTime,
        running: HistoryId,
        is_stored: bool,
        signing_key: Arc<SigningKey>,
    ) -> Result<Self, FieldError> {
        let recovered = Recovered {
            wall_clock: WallClockMap::new(made_at.time, origin.created_unix_ms),
            returns: ReturnTracker::default(),
            origin,
            referee: Referee::new(rules, made_at.time)?,
            histories: Histories::new(running),
            replay: ReplayWriter::default(),
            entries: Entries::NONE,
            known_until: made_at.time,
        };
        let mut new_match = Self::from_recovered(recovered, signing_key);
        new_match.lag_us = made_at.lag_us;
        if !is_stored {
            new_match.journal = None;
        }
        Ok(new_match)
    }

    /// Creates a match from a recovered one. The entries of its journal are already stored.
    /// [`Match::restart`] must be called next.
    pub fn from_recovered(recovered: Recovered<G>, signing_key: Arc<SigningKey>) -> Self {
        let Recovered {
            origin,
            referee,
            histories,
            replay,
            entries,
            known_until: _,
            wall_clock,
            returns,
        } = recovered;
        let is_seed_withheld = origin.is_seed_withheld();
        Self {
            tickets: origin.tickets.clone(),
            last_start: HistoryStart {
                history_id: histories.running(),
                unix_ms: origin.created_unix_ms,
            },
            wall_clock,
            returns,
            origin: Arc::new(origin),
            signing_key,
            streams: referee.seats().map(|_| SeatStream::default()).collect(),
            referee,
            histories,
            lag_us: 0,
            withheld_counts: WithheldCounts::default(),
            unpublished: UnpublishedEvents::default(),
            replay: Replay::Recording(replay),
            journal: Some(MatchJournal::new(entries)),
            commits: CommitTracker::new(entries),
            armed: None,
            is_seed_withheld,
            cancelled: None,
            is_parked: false,
            outputs: Vec::new(),
        }
    }

    /// Returns the bytes of the [`Header`](crate::Header), which a store needs to recover the
    /// match.
    pub fn header(&self) -> Vec<u8> {
        let referee = &self.referee;
        let running = self.histories.running();
        write_header(referee.rules(), &self.origin, referee.created_at(), running)
    }

    /// Records that this number of entries was stored at `at`.
    pub fn mark_stored(&mut self, entries: Entries, at: Time) {
        self.commits.mark_stored(entries, at);
    }

    /// Freezes the match because the server stops, so that the end of its streams is not charged to
    /// the bots.
    pub fn park(&mut self) {
        self.is_parked = true;
    }

    /// Reveals the withheld seed, because the group of the match has ended.
    pub fn reveal_seed(&mut self) {
        self.is_seed_withheld = false;
    }

    /// Begins the history `next` after a restart of the server.
    pub fn restart(&mut self, now: ServerTime, next: HistoryStart, effects: &mut Vec<Effect>) {
        self.lag_us = now.lag_us;
        let sent = self.referee.sent().collect();
        self.histories.begin(next.history_id, sent);
        self.wall_clock.add(now.time, next.unix_ms);
        self.last_start = next;
        self.handle(now.time, Input::Restarted, effects);
    }

    /// Handles the reports of streams in order and drains `reports`. Reports of superseded or
    /// closed streams are dropped.
    pub fn handle_reports(&mut self, reports: &mut Vec<Report>, effects: &mut Vec<Effect>) {
        for report in reports.drain(..) {
            self.handle_report(report, effects);
        }
    }

    fn handle_report(&mut self, report: Report, effects: &mut Vec<Effect>) {
        let Report { moment, seat, stream, input } = report;
        let current = &mut self.streams[seat.index()];
        if !current.holds(stream) {
            return;
        }
        current.date_forwarding_lag_before(moment.time);
        let lost = match &input {
            SeatInput::Left => Some(None),
            SeatInput::Garbage { detail } => Some(Some(detail.clone())),
            _ => None,
        };
        if let Some(garbage) = lost {
            current.end();
            effects.push(Effect::Lost { seat, garbage });
        }
        self.report_lag(moment, effects);
        let is_judged = matches!(input, SeatInput::Decision(_) | SeatInput::Resign);
        let is_message = !matches!(input, SeatInput::HandedOver { .. } | SeatInput::Left);
        let input = referee_input(seat, input, self.referee.note_budget(seat));
        let before = effects.len();
        let after = self.handle(moment.time, input, effects);
        let current = &mut self.streams[seat.index()];
        current.record_effect(after);
        if is_judged && !self.is_parked {
            current.set_verdict(Verdict::in_effects(seat, &effects[before..]));
        }
        if is_message {
            effects.push(Effect::Handled(moment));
        }
    }

    /// Attaches a new stream of a bot to its seat, and replaces an older stream. Earlier reports
    /// are handled first.
    ///
    /// # Errors
    /// Returns the reason why the bot cannot join, with the journal position that the refusal must
    /// wait for.
    pub fn join(
        &mut self,
        (now, reports): (ServerTime, &mut Vec<Report>),
        seat: Seat,
        request: JoinRequest<'_>,
        effects: &mut Vec<Effect>,
    ) -> Result<Joined, (JoinError, Entries)> {
        let JoinRequest { bot, key, resume_point, client_stream } = request;
        self.handle_reports(reports, effects);
        if let Some(key) = key
            && self.seat_owner(seat).is_some_and(|name| name != key)
        {
            return Err((JoinError::OfAnotherKey, self.uncommitted()));
        }
        if let Some(offered) = self.origin.offered.get(&seat)
            && offered.bot_version != bot.version
        {
            let why = JoinError::OfAnotherVersion(offered.bot_version.clone());
            return Err((why, self.uncommitted()));
        }
        self.report_lag(now, effects);
        if let Some((_, cancellation)) = &self.cancelled {
            let why = JoinError::Cancelled(Arc::clone(cancellation));
            return Err((why, self.uncommitted()));
        }
        if let Some(fault) = self.referee.forfeit(seat) {
            return Err((JoinError::Forfeited(fault), self.uncommitted()));
        }
        let last_sequence = self.resumable_sequence(seat, resume_point);
        let current = &mut self.streams[seat.index()];
        if current.is_newer_than(client_stream.as_ref()) {
            // Correct even if the last entries were lost.
            return Err((JoinError::Superseded, Entries::NONE));
        }
        if current.end() {
            effects.push(Effect::Close {
                seat,
                closing: Closing::Superseded,
                // The refusal would be correct even if the last entries were lost.
                after: Entries::NONE,
            });
        }
        let stream = current.open(client_stream);
        effects.push(Effect::Open { seat, stream });
        let input = Input::Connected { seat, bot, last_sequence };
        self.handle(now.time, input, effects);
        Ok(Joined {
            stream,
            start: StreamStart {
                history_id: self.histories.running(),
                resumed: last_sequence.is_some(),
                note_bytes_left: self
                    .referee
                    .note_budget(seat)
                    .map_or(0, NoteBudget::remaining_bytes),
            },
            after: self.uncommitted(),
        })
    }

    /// Records that the server refused a bot's connection because of its own state. Refusals in
    /// quick succession are recorded once, since one grace period covers them. If the server caused
    /// the loss of the stream `lost`, this counts as a refusal, unless the seat has had a newer
    /// stream. Returns whether this refusal was recorded.
    pub fn connection_refused(
        &mut self,
        (now, reports): (ServerTime, &mut Vec<Report>),
        seat: Seat,
        lost: Option<StreamNumber>,
        effects: &mut Vec<Effect>,
    ) -> bool {
        self.handle_reports(reports, effects);
        self.report_lag(now, effects);
        let current = &mut self.streams[seat.index()];
        let counts =
            lost.is_none_or(|lost| current.has_lost(lost)) && current.record_refusal(now.time);
        if counts {
            self.handle(now.time, Input::ConnectionRefused { seat }, effects);
        }
        counts
    }

    /// Handles expired deadlines, and returns the time of the next call, or `None` if no deadline
    /// is set. An answer that was decoded before its deadline is in time, and lag extends
    /// deadlines. While entries wait to be stored, the next call is at least [`MIN_LAG_US`] later.
    pub fn tick(
        &mut self,
        (now, reports): (ServerTime, &mut Vec<Report>),
        effects: &mut Vec<Effect>,
    ) -> Option<Time> {
        self.handle_reports(reports, effects);
        self.report_lag(now, effects);
        if self.referee.deadline().is_some_and(|at| at <= now.time) {
            self.handle(now.time, Input::Tick, effects);
        }
        self.armed = self.next_tick(now.time);
        self.armed
    }

    /// Computes the time of the next tick. While entries wait to be stored, an expired deadline is
    /// moved to the near future again and again, so that it is checked at intervals.
    fn next_tick(&self, now: Time) -> Option<Time> {
        let deadline = self.referee.deadline().filter(|_| !self.is_parked)?;
        Some(match self.commits.uncommitted() {
            Entries::NONE => deadline,
            _ => deadline.max(now.plus_us(MIN_LAG_US)),
        })
    }

    /// Handles the overflow of a stream's queue, after the shell has closed the stream as too slow.
    pub fn handle_overflow(
        &mut self,
        now: ServerTime,
        seat: Seat,
        stream: StreamNumber,
        effects: &mut Vec<Effect>,
    ) {
        let current = &mut self.streams[seat.index()];
        if current.holds(stream) {
            current.end();
            self.report_lag(now, effects);
            self.handle(now.time, Input::Disconnected { seat }, effects);
        }
    }

    /// Passes an input to the referee and emits the resulting effects. Returns the journal position
    /// that they wait for.
    pub(crate) fn handle(
        &mut self,
        time: Time,
        input: Input<G>,
        effects: &mut Vec<Effect>,
    ) -> Entries {
        if self.is_parked {
            return Entries::NONE;
        }
        // A history identifier is sent to bots as soon as the history begins, so its start is
        // always stored.
        let begins_history = matches!(input, Input::Restarted);
        let public_changes = self.referee.public_changes();
        if let Some(journal) = &mut self.journal {
            journal.record(time, &input, self.last_start);
        }
        let presence = Presence::from_input(&input);
        self.referee.handle(time, input, &mut self.outputs);
        let seats = self.streams.len();
        self.returns.take(presence, seats, &self.outputs);
        // A public change is stored even if it has no outputs: a seat that reconnects often may
        // have used up its records, and there may be no other bot to notify.
        let must_be_stored = begins_history || self.referee.public_changes() != public_changes;
        let after = if !self.outputs.is_empty() || must_be_stored {
            self.emit_effects(time, effects)
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

    /// Wakes the timer if the deadline was moved to an earlier time or removed.
    fn wake_timer(&mut self, effects: &mut Vec<Effect>) {
        let deadline = self.referee.deadline();
        let is_timer_wrong = match deadline.zip(self.armed) {
            Some((deadline, armed)) => deadline < armed,
            None => deadline != self.armed,
        };
        if is_timer_wrong {
            self.armed = deadline;
            effects.push(Effect::Wake);
        }
    }

    /// Returns the sequence number after which a returning bot can resume. A bot can resume if its
    /// history covers the number and all later messages can be sent; otherwise it starts over.
    fn resumable_sequence(&self, seat: Seat, resume_point: Option<ResumePoint>) -> Option<u32> {
        let resume_point = resume_point?;
        let sent_so_far = self.referee.sent().nth(seat.index())?;
        let is_valid = self.histories.covers(seat, resume_point, sent_so_far)
            && self.referee.can_resume(seat, resume_point.last_sequence);
        is_valid.then_some(resume_point.last_sequence)
    }

    /// Reports all unreported lag up to `moment` to the referee: the lag of forwarding nodes, and
    /// the server's own lag, which includes the time that effects waited to be stored.
    pub(crate) fn report_lag(&mut self, moment: ServerTime, effects: &mut Vec<Effect>) {
        if self.referee.phase() == MatchPhase::Ended {
            return;
        }
        let Self { commits, referee, .. } = self;
        let has_run_out = || referee.deadline().is_some_and(|at| at <= moment.time);
        let storing_us = commits.take_wait_us(moment.time, has_run_out);
        let lag_us = moment.lag_us.saturating_sub(self.lag_us);
        self.lag_us = self.lag_us.max(moment.lag_us);
        let lag_us = lag_us.saturating_add(storing_us);
        let forwarding = self.take_forwarding_lag(moment.time);
        if lag_us > 0 || !forwarding.is_empty() {
            self.handle(moment.time, Input::RefereeLag { lag_us, forwarding }, effects);
        }
    }

    /// Adds lag of the node that forwards the stream of a seat, in µs, which was measured until
    /// this time. It is reported to the referee before the next input, so that it extends deadlines
    /// that have expired in the meantime. If the next input is an earlier report of another seat,
    /// the part of the lag that may be later is reported with a later input.
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

    /// Removes and returns the outcome of the last answer from a stream. Its journal position must
    /// be stored before the bot receives the outcome. Returns `None` if the answer was dropped
    /// because the stream was replaced or the match is parked. Also stores an answer that had no
    /// effect, because a bot does not repeat an acknowledged answer.
    pub fn take_verdict(
        &mut self,
        seat: Seat,
        stream: StreamNumber,
        effects: &mut Vec<Effect>,
    ) -> Option<(Verdict, Entries)> {
        let verdict = self.streams[seat.index()].take_verdict(stream)?;
        let mut after = self.uncommitted();
        // No clock depends on this entry, so the time until it is stored does not count as lag.
        if let Some(journal) = &mut self.journal
            && journal.has_pending()
        {
            effects.push(Effect::Store(journal.make_entry(&self.referee, None)));
            after = journal.entries();
        }
        Some((verdict, after))
    }
}
