//! Public effects of a match: spectator updates, counts, the replay and the summary.

use bridgemaster_games::Seat;
use bridgemaster_match::{CountedEvent, DueUpdate, Finish, decode_finished};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{Record, RecordEntry};
use bridgemaster_replay::wire::{record_to_wire, result_to_wire, rules_to_wire, seat_to_wire};

use super::Auditor;
use crate::oracle::{Violation, require};

/// The published state, and the state that must be published.
#[derive(Debug, Default)]
pub(super) struct Public {
    is_watched: bool,
    /// Version of the public state at the last update.
    published_changes: u64,
    /// The events since then.
    events: Vec<v1::GameEvent>,
    /// The decisions and faults since the start of the server.
    decisions: u32,
    faults: u32,
    counted_decisions: u32,
    counted_faults: u32,
}

impl<G: WireGame> Auditor<G> {
    /// Starts watching the match.
    pub(crate) fn start_watching(&mut self) {
        self.public.is_watched = !self.has_ended();
        self.public.published_changes = self.referee.public_changes();
        self.public.events.clear();
    }

    pub(super) fn note_record(&mut self, record: &Record<G>) {
        let wire = record_to_wire(record);
        let events = match &wire.record {
            Some(v1::record::Record::Decision(decision)) => &*decision.events,
            Some(v1::record::Record::Chance(chance)) => &chance.events,
            _ => &[],
        };
        if self.public.is_watched {
            self.public.events.extend_from_slice(events);
        }
        match &record.entry {
            RecordEntry::Decision(_) => self.public.decisions += 1,
            RecordEntry::Fault { .. } => self.public.faults += 1,
            RecordEntry::Chance(_) | RecordEntry::Seat(_) => {}
        }
        self.records.push(wire);
    }

    /// Checks an update: it must contain the public state and all events since the last one, and
    /// must be absent if nothing has changed.
    pub(crate) fn check_update(&mut self, update: Option<&DueUpdate>) -> Result<(), Violation> {
        let referee = &self.referee;
        let changes = referee.public_changes();
        let is_due = self.public.is_watched && changes != self.public.published_changes;
        require!(is_due == update.is_some(), "an update is due: {is_due}; it is {update:?}");
        let Some(update) = update else { return Ok(()) };
        self.check_wait(update.after)?;
        let news = update.update.to_message();
        let seats: Vec<_> = referee.public_seats().map(seat_to_wire).collect();
        let is_true = news.r#match.as_ref().is_some_and(|info| {
            info.decisions == referee.public_decisions() && info.seats == seats
        });
        let observation = referee.observe_spectator();
        let observation = observation.map(|seen| G::observation_to_wire(&seen));
        require!(
            is_true
                && news.observation == observation
                && news.events == self.public.events
                && update.is_last == self.has_ended(),
            "the update contains {news:?}"
        );
        self.public.events.clear();
        self.public.published_changes = changes;
        self.public.is_watched = !update.is_last;
        Ok(())
    }

    pub(super) fn check_counted(&mut self, counted: &CountedEvent) -> Result<(), Violation> {
        match counted {
            CountedEvent::Decision { .. } => self.public.counted_decisions += 1,
            CountedEvent::Fault { .. } => self.public.counted_faults += 1,
        }
        Ok(())
    }

    /// Checks counted events: only public ones, and all of them once nothing is secret.
    pub(super) fn check_counts(&self) -> Result<(), Violation> {
        let public = &self.public;
        require!(public.counted_decisions <= public.decisions, "more is counted than happened");
        let uncounted = public.decisions - public.counted_decisions;
        // Decisions before the last restart are not counted.
        let secret = self.oracle.secret_decisions().min(public.decisions);
        require!(
            uncounted == secret,
            "{uncounted} decisions are not counted, and {secret} are secret"
        );
        require!(
            public.counted_faults == public.faults || self.referee.is_secret_who_decided(),
            "only {} of {} faults are counted, although nothing is secret",
            public.counted_faults,
            public.faults
        );
        Ok(())
    }

    /// Checks the summary and the replay of a finished match.
    pub(crate) fn check_retained(&self, finish: &Finish) -> Result<(), Violation> {
        self.finish(finish)?;
        match self.referee.is_cancelled() {
            true => Ok(()),
            false => self.check_replay(&finish.replay),
        }
    }

    /// The decisions of a seat's bot by request, according to the replay.
    pub(crate) fn decisions_of(&self, seat: Seat) -> Vec<(u32, String)> {
        let decided = self.oracle.decided[seat.index()].iter();
        let of_bot = decided.filter_map(|decided| {
            let (request_id, decision) =
                decided.strip_prefix("Bot for request ")?.split_once(": ")?;
            Some((request_id.parse().ok()?, decision.to_owned()))
        });
        of_bot.collect()
    }

    fn check_replay(&self, replay: &[u8]) -> Result<(), Violation> {
        let file = bridgemaster_replay::decode(replay)
            .map_err(|error| Violation(format!("the replay is invalid: {error}")))?;
        require!(
            file.replay.records == self.records,
            "the replay has {} records instead of {}",
            file.replay.records.len(),
            self.records.len()
        );
        let result = self.referee.result();
        let result = result.map(|result| result_to_wire(self.origin.id.as_str(), result));
        require!(file.replay.result == result, "the replay has a wrong result");
        require!(
            file.replay.config == Some(rules_to_wire(self.referee.rules(), true)),
            "the replay has a wrong config"
        );
        Ok(())
    }

    /// Checks that the summary contains the end of the match and all its histories.
    fn finish(&self, finish: &Finish) -> Result<(), Violation> {
        let finished = decode_finished(&finish.summary)
            .map_err(|problem| Violation(format!("the summary: {problem}")))?;
        let info = finished.info.unwrap_or_default();
        let sent = finished.histories.last().map(|last| &last.last_sequences);
        let state = match self.referee.is_cancelled() {
            true => v1::MatchState::Cancelled,
            false => v1::MatchState::Ended,
        };
        let config = v1::MatchConfig {
            group: self.origin.group.clone(),
            spectators: self.origin.spectators,
            ..rules_to_wire(self.referee.rules(), info.result.is_some())
        };
        let is_true = info.state() == state
            && info.config == Some(config)
            && info.result.is_some() != self.referee.is_cancelled()
            && info.cancellation.is_some() == self.referee.is_cancelled()
            && finish.replay.is_empty() == self.referee.is_cancelled()
            && info.decisions == self.referee.public_decisions()
            && finished.histories.len() == self.histories.ended().len() + 1
            && sent == Some(&self.referee.sent().collect());
        require!(is_true, "the match is stored as {info:?}");
        Ok(())
    }
}
