//! Watches a match from outside: reads the entries of its journal as they are made, holds them
//! against what was reported, plays them on a referee of its own under the eyes of the oracle, and
//! demands the effects that must follow, each behind the entry that caused it.

mod effects;
mod expected;
mod lag;
mod playing;
mod starting_again;

use std::collections::{BTreeMap, VecDeque};

use bridgemaster_games::{Digest, Seat};
use bridgemaster_match::{
    Closing, Effect, Entries, Joined, Moment, Opening, Origin, StoredEntry, read_entry,
};
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{Histories, HistoryId, MatchPhase, Referee, Time};

use self::{expected::Expected, lag::LagBook};
use crate::{
    oracle::{Oracle, Violation, demand},
    shell::decoded,
    tampering::Tampering,
    trace::Trace,
};

/// Numbers the streams of a match in the order in which they were opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StreamId(pub(crate) usize);

/// An effect that must come.
#[derive(Debug)]
enum Demanded {
    Send {
        seat: Seat,
        response: v1::PlayResponse,
    },
    Close {
        seat: Seat,
        closing: Closing,
    },
}

/// How the match stood after an entry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    digest: Digest,
    records: u32,
    deadline: Option<Time>,
    /// What the referee said, as text.
    said: String,
}

/// Knows what must follow from what a match was given.
pub(crate) struct Auditor<G: WireGame> {
    origin: Origin,
    pub(crate) referee: Referee<G>,
    pub(crate) oracle: Oracle<G>,
    histories: Histories,
    /// Bots may know of what this server does not: a restart found less than had been stored, or
    /// another server goes on with the match.
    pub(crate) is_behind: bool,
    /// The stream of each seat.
    links: Vec<Option<StreamId>>,
    /// When each seat's bot was told last to be turned away, since it had a stream.
    turned_away_at: Vec<Option<Time>>,
    /// What the match was given and has not written down yet.
    expected: VecDeque<Expected<G::Decision>>,
    demanded: VecDeque<Demanded>,
    /// The match must end with the effects at hand.
    end_is_due: bool,
    standings: Vec<Standing>,
    /// What an effect waits for that is to come now.
    after: Entries,
    /// So many are stored, as far as the match was told.
    stored: Entries,
    /// The request that each seat was sent last, and what it waits for.
    asked: Vec<(u32, Entries)>,
    /// The stream whose report is being played.
    reporter: Option<StreamId>,
    /// What each stream must wait for before it is read any further.
    reported: BTreeMap<StreamId, Entries>,
    lag: LagBook,
    records: Vec<v1::Record>,
    public: effects::Public,
    is_parked: bool,
    /// A bot that came in this call does not get this seat.
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
            demanded: VecDeque::new(),
            end_is_due: false,
            standings: Vec::new(),
            after: Entries::NONE,
            stored: Entries::NONE,
            asked: vec![(0, Entries::NONE); seats],
            reporter: None,
            reported: BTreeMap::new(),
            lag: LagBook::default(),
            records: Vec::new(),
            is_parked: false,
            refused: None,
            inputs: 0,
            tampering,
        })
    }

    /// One for a match that another server had, which stood so after each of its entries.
    pub(crate) fn going_on(
        origin: Origin,
        referee: Referee<G>,
        first: HistoryId,
        standings: Vec<Standing>,
    ) -> Result<Self, Violation> {
        Ok(Self {
            standings,
            ..Self::new(origin, referee, first, None)?
        })
    }

    /// How the match stood after each of its entries.
    pub(crate) fn standings(&self) -> &[Standing] {
        &self.standings
    }

    pub(crate) fn holds(&self, seat: Seat, stream: StreamId) -> bool {
        self.links[seat.index()] == Some(stream)
    }

    fn has_ended(&self) -> bool {
        self.referee.phase() == MatchPhase::Ended
    }

    /// The match was told that so many entries are stored.
    pub(crate) fn told_stored(&mut self, entries: Entries, at: Time) {
        self.stored = self.stored.max(entries);
        self.lag.stored(entries, at);
    }

    /// The match stands still from now on.
    pub(crate) fn parked(&mut self) {
        self.is_parked = true;
    }

    /// Holds the effects of a call that ends at `now` against what must have come of it.
    pub(crate) fn audit(
        &mut self,
        effects: &[Effect],
        now: Moment,
        trace: &mut Trace,
    ) -> Result<(), Violation> {
        if self.is_parked {
            self.expected.clear();
            let is_lost =
                |effect: &Effect| matches!(effect, Effect::Lost { .. } | Effect::Handled(_));
            demand!(
                effects.iter().all(is_lost),
                "a match that stands still goes on: {effects:?}"
            );
            return Ok(());
        }
        for effect in effects {
            self.effect(effect, trace)?;
        }
        if self.has_ended() {
            self.go_on_after_the_end(trace)?;
        }
        if let Some(seat) = self.refused.take() {
            demand!(
                self.referee.forfeit(seat).is_some() || self.referee.is_cancelled(),
                "a bot is refused, and {seat} is not forfeited"
            );
        }
        self.forget_what_need_not_be();
        demand!(
            self.demanded.is_empty() && !self.end_is_due,
            "what must follow does not: {:?}",
            self.demanded
        );
        self.is_counted()?;
        self.lag.is_told(now)
    }

    fn effect(&mut self, effect: &Effect, trace: &mut Trace) -> Result<(), Violation> {
        match effect {
            Effect::Store(entry) => self.entry(entry, trace),
            Effect::Open { seat, .. } => self.opens(*seat),
            Effect::Lost { seat, .. } => self.loses(*seat),
            Effect::Close {
                seat,
                closing: Closing::Superseded,
                after,
            } => self.supersedes(*seat, *after),
            Effect::Close {
                seat,
                closing,
                after,
            } => {
                self.demanded_now(trace)?;
                let is_due = matches!(
                    self.demanded.pop_front(),
                    Some(Demanded::Close { seat: of, closing: why }) if (of, &why) == (*seat, closing)
                );
                demand!(is_due, "the stream of {seat} is closed: {closing:?}");
                self.waits(*after)
            }
            Effect::Send {
                seat,
                message,
                after,
            } => {
                self.demanded_now(trace)?;
                let due = self.demanded.pop_front();
                let response = &decoded(message)?;
                let is_due = matches!(
                    &due,
                    Some(Demanded::Send { seat: of, response: what }) if (of, what) == (seat, response)
                );
                demand!(is_due, "{seat} is sent {response:?}, and due is {due:?}");
                self.waits(*after)
            }
            Effect::Ended(ending) => {
                let is_due = std::mem::take(&mut self.end_is_due);
                demand!(is_due && !self.referee.is_cancelled(), "the match ends");
                self.waits(ending.after)
            }
            Effect::Cancelled { after } => {
                let is_due = std::mem::take(&mut self.end_is_due);
                demand!(
                    is_due && self.referee.is_cancelled(),
                    "the match is cancelled"
                );
                self.waits(*after)
            }
            Effect::Count(counted) => self.counts(counted),
            Effect::Wake | Effect::Handled(_) | Effect::Faulty { .. } => Ok(()),
        }
    }

    /// An effect waits for the entry that it comes of, if that is not stored.
    fn waits(&self, after: Entries) -> Result<(), Violation> {
        let due = match self.after <= self.stored {
            true => Entries::NONE,
            false => self.after,
        };
        demand!(
            after == due,
            "an effect waits for {after:?}, not for {due:?}"
        );
        Ok(())
    }

    /// Holds an entry against what was reported, and plays its inputs.
    fn entry(&mut self, entry: &StoredEntry, trace: &mut Trace) -> Result<(), Violation> {
        demand!(
            self.demanded.is_empty(),
            "an entry comes before {:?}",
            self.demanded
        );
        let read = read_entry::<G>(&entry.bytes)
            .map_err(|problem| Violation(format!("entry {}: {problem}", entry.number)))?;
        let mut said = String::new();
        let count = read.inputs.len();
        for (place, stored) in read.inputs.into_iter().enumerate() {
            let begins = stored.begins.map(|begins| begins.history_id);
            self.expect_input(stored.time, &stored.input, begins)?;
            let public_changes = self.referee.public_changes();
            if let Some(next) = begins {
                self.histories.begin(next, self.referee.sent().collect());
            }
            let text = self.play(stored.time, stored.input, Some(entry.number), trace)?;
            let must_be_stored =
                begins.is_some() || self.referee.public_changes() != public_changes;
            let is_last = place + 1 == count;
            demand!(
                is_last || (text.is_empty() && !must_be_stored),
                "an effect or a public change does not end its entry: {text}"
            );
            demand!(
                !is_last || !text.is_empty() || must_be_stored || entry.bytes.len() > 16_000,
                "entry {} has no effect",
                entry.number
            );
            said.push_str(&text);
        }
        demand!(
            (read.state_digest, read.records) == (self.referee.digest().0, self.referee.records()),
            "entry {} tells of another state",
            entry.number
        );
        demand!(
            entry.finish.is_some() == self.has_ended(),
            "the last entry is the one that ends the match"
        );
        if let Some(finish) = &entry.finish {
            self.is_kept(finish)?;
        }
        self.standings.push(Standing {
            digest: self.referee.digest(),
            records: self.referee.records(),
            deadline: self.referee.deadline(),
            said,
        });
        Ok(())
    }

    /// What a match that has ended does is in no entry.
    fn demanded_now(&mut self, trace: &mut Trace) -> Result<(), Violation> {
        while self.demanded.is_empty() && self.has_ended() {
            let Some((at, input)) = self.next_after_the_end()? else {
                break;
            };
            self.play(at, input, None, trace)?;
        }
        Ok(())
    }

    fn go_on_after_the_end(&mut self, trace: &mut Trace) -> Result<(), Violation> {
        while self.demanded.is_empty()
            && let Some((at, input)) = self.next_after_the_end()?
        {
            self.play(at, input, None, trace)?;
        }
        Ok(())
    }

    /// What a stream must wait for before it is read any further.
    pub(crate) fn unsettled_report(&self, stream: StreamId) -> Entries {
        let reported = self.reported.get(&stream).copied();
        let waits = reported.filter(|reported| *reported > self.stored);
        waits.unwrap_or(Entries::NONE)
    }

    /// Demands that what a stream's Welcome tells is true.
    pub(crate) fn welcomes(&self, joined: &Joined) -> Result<(), Violation> {
        let Opening { history_id, .. } = joined.opening;
        demand!(
            history_id == self.histories.running() || self.is_parked,
            "a bot is told of another history"
        );
        match self.is_parked {
            true => Ok(()),
            false => self.waits(joined.after),
        }
    }

    /// The match agrees with the referee of its own, once it has written down all that it was
    /// given. Lag is written down later where nothing came of it, and moves the deadline.
    pub(crate) fn agrees(
        &self,
        of_match: &Referee<G>,
        histories: &Histories,
    ) -> Result<(), Violation> {
        if !self.expected.is_empty() || self.is_parked {
            return Ok(());
        }
        demand!(
            *histories == self.histories,
            "{histories:?} are believed, and there were {:?}",
            self.histories
        );
        let standing =
            |referee: &Referee<G>| (referee.phase(), referee.digest(), referee.records());
        let deadline = |referee: &Referee<G>| referee.deadline();
        demand!(
            standing(of_match) == standing(&self.referee)
                && deadline(of_match) >= deadline(&self.referee)
                && deadline(of_match).is_some() == deadline(&self.referee).is_some(),
            "the match stands at {:?} until {:?}, and its journal at {:?} until {:?}",
            standing(of_match),
            deadline(of_match),
            standing(&self.referee),
            deadline(&self.referee)
        );
        Ok(())
    }
}
