//! Audits a match from outside: compares the entries of its journal with the reports, replays them
//! on a second referee that the oracle checks, and requires the resulting effects, each after the
//! entry that caused it.

mod effects;
mod expected;
mod lag;
mod playing;
mod starting_again;

use std::collections::{BTreeMap, VecDeque};

use bridgemaster_games::{Digest, Seat};
use bridgemaster_match::{
    Closing, Effect, Entries, Joined, Origin, ServerTime, StoredEntry, StreamStart, read_entry,
};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{Histories, HistoryId, MatchPhase, Referee, Time};

use self::{expected::Expected, lag::LagAccount};
use crate::{
    oracle::{Oracle, Violation, require},
    shell::decoded,
    tampering::Tampering,
    trace::Trace,
};

/// Number of a stream of the match, in the order of their opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StreamId(pub(crate) usize);

/// A required effect.
#[derive(Debug)]
enum ExpectedEffect {
    Send { seat: Seat, response: v1::PlayResponse },
    Close { seat: Seat, closing: Closing },
}

/// The state of the match after an entry.
#[derive(Clone, Debug, PartialEq)]
struct Snapshot {
    digest: Digest,
    records: u32,
    deadline: Option<Time>,
    /// The outputs of the referee, as text.
    said: String,
}

/// Derives the required effects of a match from its inputs.
pub(crate) struct Auditor<G: WireGame> {
    origin: Origin,
    pub(crate) referee: Referee<G>,
    pub(crate) oracle: Oracle<G>,
    histories: Histories,
    /// Bots may have received messages that the server no longer has, because a restart lost
    /// entries.
    is_behind: bool,
    /// The current stream of each seat.
    links: Vec<Option<StreamId>>,
    /// The last recorded refusal of each seat's bot since it had a stream.
    turned_away_at: Vec<Option<Time>>,
    /// Inputs of the match that are not in the journal yet.
    expected: VecDeque<Expected<G::Decision>>,
    expected_effects: VecDeque<ExpectedEffect>,
    /// The match must end with the current effects.
    end_is_due: bool,
    snapshots: Vec<Snapshot>,
    /// The entries that the next effect waits for.
    after: Entries,
    /// The number of stored entries that was reported to the match.
    stored: Entries,
    /// For each seat, the id of its last request and the entries that this request waits for.
    asked: Vec<(u32, Entries)>,
    /// The stream whose report is being replayed.
    reporter: Option<StreamId>,
    /// The entries that each stream must wait for before it is read any further.
    reported: BTreeMap<StreamId, Entries>,
    lag: LagAccount,
    records: Vec<v1::Record>,
    public: effects::Public,
    is_parked: bool,
    /// The seat that was refused to a bot in this call.
    refused: Option<Seat>,
    pub(crate) inputs: u64,
    tampering: Option<Tampering>,
}

impl<G: WireGame> Auditor<G> {
    pub(crate) fn new(
        origin: Origin,
        referee: Referee<G>,
        running: HistoryId,
        tampering: Option<Tampering>,
    ) -> Result<Self, Violation> {
        let seats = usize::from(referee.rules().seats.get());
        Ok(Self {
            origin,
            oracle: Oracle::new(&referee)?,
            public: effects::Public::default(),
            referee,
            histories: Histories::new(running),
            is_behind: false,
            links: vec![None; seats],
            turned_away_at: vec![None; seats],
            expected: VecDeque::new(),
            expected_effects: VecDeque::new(),
            end_is_due: false,
            snapshots: Vec::new(),
            after: Entries::NONE,
            stored: Entries::NONE,
            asked: vec![(0, Entries::NONE); seats],
            reporter: None,
            reported: BTreeMap::new(),
            lag: LagAccount::default(),
            records: Vec::new(),
            is_parked: false,
            refused: None,
            inputs: 0,
            tampering,
        })
    }

    pub(crate) fn holds(&self, seat: Seat, stream: StreamId) -> bool {
        self.links[seat.index()] == Some(stream)
    }

    fn has_ended(&self) -> bool {
        self.referee.phase() == MatchPhase::Ended
    }

    /// Notes that the storage of this number of entries was reported to the match.
    pub(crate) fn note_stored(&mut self, entries: Entries, at: Time) {
        self.stored = self.stored.max(entries);
        self.lag.stored(entries, at);
    }

    /// Notes that the match is parked.
    pub(crate) fn note_parked(&mut self) {
        self.is_parked = true;
    }

    /// Compares the effects of a call that ends at `now` with the required ones.
    pub(crate) fn audit(
        &mut self,
        effects: &[Effect],
        now: ServerTime,
        trace: &mut Trace,
    ) -> Result<(), Violation> {
        if self.is_parked {
            self.expected.clear();
            let is_lost =
                |effect: &Effect| matches!(effect, Effect::Lost { .. } | Effect::Handled(_));
            require!(effects.iter().all(is_lost), "a parked match has effects: {effects:?}");
            return Ok(());
        }
        for effect in effects {
            self.effect(effect, trace)?;
        }
        if self.has_ended() {
            self.run_after_end(trace)?;
        }
        if let Some(seat) = self.refused.take() {
            require!(
                self.referee.forfeit(seat).is_some() || self.referee.is_cancelled(),
                "a bot is refused, although {seat} is not forfeited"
            );
        }
        self.drop_optional();
        require!(
            self.expected_effects.is_empty() && !self.end_is_due,
            "required effects are missing: {:?}",
            self.expected_effects
        );
        self.check_counts()?;
        self.lag.check_update(now)
    }

    fn effect(&mut self, effect: &Effect, trace: &mut Trace) -> Result<(), Violation> {
        match effect {
            Effect::Store(entry) => self.entry(entry, trace),
            Effect::Open { seat, .. } => self.note_opened(*seat),
            Effect::Lost { seat, .. } => self.note_lost(*seat),
            Effect::Close { seat, closing: Closing::Superseded, after } => {
                self.note_superseded(*seat, *after)
            }
            Effect::Close { seat, closing, after } => {
                self.expect_now(trace)?;
                let is_due = matches!(
                    self.expected_effects.pop_front(),
                    Some(ExpectedEffect::Close { seat: of, closing: why }) if (of, &why) == (*seat, closing)
                );
                require!(is_due, "the stream of {seat} is closed: {closing:?}");
                self.check_wait(*after)
            }
            Effect::Send { seat, message, after } => {
                self.expect_now(trace)?;
                let due = self.expected_effects.pop_front();
                let response = &decoded(message)?;
                let is_due = matches!(
                    &due,
                    Some(ExpectedEffect::Send { seat: of, response: what }) if (of, what) == (seat, response)
                );
                require!(is_due, "{seat} is sent {response:?} instead of {due:?}");
                self.check_wait(*after)
            }
            Effect::Ended(ending) => {
                let is_due = std::mem::take(&mut self.end_is_due);
                require!(is_due && !self.referee.is_cancelled(), "the match ends");
                self.check_wait(ending.after)
            }
            Effect::Cancelled { after } => {
                let is_due = std::mem::take(&mut self.end_is_due);
                require!(is_due && self.referee.is_cancelled(), "the match is cancelled");
                self.check_wait(*after)
            }
            Effect::Count(counted) => self.check_counted(counted),
            Effect::Wake | Effect::Handled(_) | Effect::LogFault { .. } => Ok(()),
        }
    }

    /// Checks that an effect waits for the entry that caused it, if that is not stored.
    fn check_wait(&self, after: Entries) -> Result<(), Violation> {
        let due = match self.after <= self.stored {
            true => Entries::NONE,
            false => self.after,
        };
        require!(after == due, "an effect waits for {after:?} instead of {due:?}");
        Ok(())
    }

    /// Compares an entry with the reports, and replays its inputs.
    fn entry(&mut self, entry: &StoredEntry, trace: &mut Trace) -> Result<(), Violation> {
        require!(
            self.expected_effects.is_empty(),
            "an entry comes before {:?}",
            self.expected_effects
        );
        let read = read_entry::<G>(&entry.bytes)
            .map_err(|problem| Violation(format!("entry {}: {problem}", entry.number)))?;
        let mut said = String::new();
        let count = read.inputs.len();
        for (place, stored) in read.inputs.into_iter().enumerate() {
            let begins = stored.history_start.map(|begins| begins.history_id);
            self.expect_input(stored.time, &stored.input, begins)?;
            let public_changes = self.referee.public_changes();
            if let Some(next) = begins {
                self.histories.begin(next, self.referee.sent().collect());
            }
            let text = self.play(stored.time, stored.input, Some(entry.number), trace)?;
            let must_be_stored =
                begins.is_some() || self.referee.public_changes() != public_changes;
            let is_last = place + 1 == count;
            require!(
                is_last || (text.is_empty() && !must_be_stored),
                "an effect or a public change does not end its entry: {text}"
            );
            require!(
                !is_last || !text.is_empty() || must_be_stored || entry.bytes.len() > 16_000,
                "entry {} has no effect",
                entry.number
            );
            said.push_str(&text);
        }
        require!(
            (read.state_digest, read.records) == (self.referee.digest().0, self.referee.records()),
            "entry {} leads to a wrong state",
            entry.number
        );
        require!(
            entry.finish.is_some() == self.has_ended(),
            "an entry follows the one that ends the match"
        );
        if let Some(finish) = &entry.finish {
            self.check_retained(finish)?;
        }
        self.snapshots.push(Snapshot {
            digest: self.referee.digest(),
            records: self.referee.records(),
            deadline: self.referee.deadline(),
            said,
        });
        Ok(())
    }

    /// Handles the effects of a finished match, which no entry contains.
    fn expect_now(&mut self, trace: &mut Trace) -> Result<(), Violation> {
        while self.expected_effects.is_empty() && self.has_ended() {
            let Some((at, input)) = self.next_after_end()? else {
                break;
            };
            self.play(at, input, None, trace)?;
        }
        Ok(())
    }

    fn run_after_end(&mut self, trace: &mut Trace) -> Result<(), Violation> {
        while self.expected_effects.is_empty()
            && let Some((at, input)) = self.next_after_end()?
        {
            self.play(at, input, None, trace)?;
        }
        Ok(())
    }

    /// The entries that a stream must wait for before it is read any further.
    pub(crate) fn uncommitted_report(&self, stream: StreamId) -> Entries {
        let reported = self.reported.get(&stream).copied();
        let waits = reported.filter(|reported| *reported > self.stored);
        waits.unwrap_or(Entries::NONE)
    }

    /// Checks the Welcome message of a stream.
    pub(crate) fn check_welcome(&self, joined: &Joined) -> Result<(), Violation> {
        let StreamStart { history_id, .. } = joined.start;
        require!(
            history_id == self.histories.running() || self.is_parked,
            "the Welcome has a wrong history"
        );
        match self.is_parked {
            true => Ok(()),
            false => self.check_wait(joined.after),
        }
    }

    /// Compares the match with the second referee, once all inputs are in the journal. Lag without
    /// an effect is written later, and moves the deadline.
    pub(crate) fn check_agreement(
        &self,
        of_match: &Referee<G>,
        histories: &Histories,
    ) -> Result<(), Violation> {
        if !self.expected.is_empty() || self.is_parked {
            return Ok(());
        }
        require!(
            *histories == self.histories,
            "the match has the histories {histories:?}, but the journal has {:?}",
            self.histories
        );
        let snapshot =
            |referee: &Referee<G>| (referee.phase(), referee.digest(), referee.records());
        let deadline = |referee: &Referee<G>| referee.deadline();
        require!(
            snapshot(of_match) == snapshot(&self.referee)
                && deadline(of_match) >= deadline(&self.referee)
                && deadline(of_match).is_some() == deadline(&self.referee).is_some(),
            "the match is at {:?} until {:?}, but its journal is at {:?} until {:?}",
            snapshot(of_match),
            deadline(of_match),
            snapshot(&self.referee),
            deadline(&self.referee)
        );
        Ok(())
    }
}
