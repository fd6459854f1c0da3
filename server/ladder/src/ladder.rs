//! A ladder's state, with the rating fits that are applied to it. [`matches`] contains the changes
//! that matches cause.

mod matches;

use std::{collections::BTreeMap, sync::Arc};

use thiserror::Error;

use crate::{
    Actions, AttendingBot, BotVersion, FitJob, FitResult, Purpose, Results, Rules, State, Table,
    bots::{BotNumber, BotNumbers},
    failure_record::FailureRecord,
    pairing_model::{PairingModel, SeatCounts},
    suspicion::MatchTotals,
    table::Origin,
};

/// A version's stored entry on a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderEntry {
    /// The bot version that takes part.
    pub bot: BotVersion,
    /// Owner of the bot's API key; empty if unknown.
    pub owner: String,
    /// Whether the version has passed a validation.
    pub is_validated: bool,
    /// The fault in the last failed validation; `None` if no validation has failed, or if the
    /// version is validated.
    pub failed_validation: Option<String>,
    /// The reason why the version is benched; `None` if it is not benched.
    pub benched: Option<String>,
    /// Matches with a lower number are ignored in the version's failure statistics.
    pub forgiven_before: u64,
    /// The reason why an organiser excludes the version from pairing. [`Ladder::store_entry`] sets
    /// it according to the [`Actions`]; it is not stored.
    pub excluded: Option<String>,
}

/// Determines the matches for which a version is paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState<'a> {
    /// The version is paired for rated matches.
    Active,
    /// The version is paired for validation matches until it passes one.
    Validating,
    /// The version is benched for this reason, so it is not paired.
    Benched(&'a str),
}

impl LadderEntry {
    /// Returns the entry's state.
    pub fn state(&self) -> EntryState<'_> {
        match self.excluded.as_ref().or(self.benched.as_ref()) {
            Some(why) => EntryState::Benched(why),
            None if self.is_validated => EntryState::Active,
            None => EntryState::Validating,
        }
    }
}

/// The reason why a version cannot enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EntryRefused {
    /// The closing round is being played.
    #[error("the ladder is frozen; new versions can enter its next season")]
    Frozen,
    /// The ladder is closed for good.
    #[error("the ladder is closed")]
    Closed,
    /// An organiser excludes the bot.
    #[error("an organiser excludes the bot")]
    Excluded,
}

/// Numbers of a ladder's matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of matches paired so far, of all purposes.
    pub paired: u64,
    /// The number of matches in progress.
    pub open: usize,
    /// The number of counted matches.
    pub counted: u64,
    /// The number of annulled matches.
    pub annulled: u64,
    /// The number of cancelled matches.
    pub cancelled: u64,
}

/// A ladder: its rules, bots, open matches and results.
#[derive(Clone, Debug)]
pub struct Ladder {
    origin: Origin,
    pub(crate) rules: Rules,
    pub(crate) actions: Actions,
    pub(crate) state: State,
    pub(crate) results: Results,
    pub(crate) bots: Vec<Bot>,
    /// The bots that wait in the queue and have an entry.
    pub(crate) present: BTreeMap<BotNumber, AttendingSlots>,
    pub(crate) open: BTreeMap<u64, OpenMatch>,
    /// Annulled matches that are to be played again, at most
    /// [`MAX_TO_REPEAT`](matches::MAX_TO_REPEAT).
    pub(crate) to_repeat: BTreeMap<u64, OpenMatch>,
    pub(crate) counts: Counts,
    /// The number of rated matches paired so far. Waiting times are differences between two values
    /// of this number.
    pub(crate) rated: u64,
    pub(crate) seat_counts: SeatCounts,
    /// The uncertainty model that pairing uses.
    pub(crate) pairing_model: PairingModel,
    /// The rating table from the last fit.
    pub(crate) table: Arc<Table>,
    pub(crate) all_totals: MatchTotals,
    /// The time of the last [`Self::set_present`] call, in ms since a fixed epoch.
    pub(crate) now_ms: u64,
}

/// A version and its state on the ladder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bot {
    /// The entry; `None` for a version that is known only from matches.
    pub(crate) entry: Option<LadderEntry>,
    pub(crate) failure_record: FailureRecord,
    /// The bots in the version's last rated match, sorted by number.
    pub(crate) last_table: Vec<BotNumber>,
    /// The version's number of rated matches in the closing round, including matches in progress.
    pub(crate) closing_matches: u64,
    /// The value of [`Ladder::rated`] when the version's last match started or ended.
    pub(crate) waits_since: u64,
    /// The time at which the version became absent, in ms since a fixed epoch; `None` while it
    /// waits in the queue.
    pub(crate) away_since_ms: Option<u64>,
}

/// A bot that waits in the queue, with its slots.
#[derive(Clone, Debug)]
pub(crate) struct AttendingSlots {
    pub(crate) owner: String,
    pub(crate) slots: u32,
    pub(crate) free_slots: u32,
    /// The value of [`Ladder::rated`] when the bot arrived.
    pub(crate) since: u64,
}

/// A match that is in progress or waits to be repeated.
#[derive(Clone, Debug)]
pub(crate) struct OpenMatch {
    pub(crate) purpose: Purpose,
    pub(crate) seats: Vec<BotNumber>,
    /// The time at which the match was paired, in ms on the clock of `now_ms`; 0 for a match that
    /// was restored from the store.
    pub(crate) paired_ms: u64,
    /// The number of the annulled match that this match repeats.
    pub(crate) replaces: Option<u64>,
    /// The number of times that a repetition of the annulled match was cancelled.
    pub(crate) cancelled: u32,
}

impl Ladder {
    /// Creates a ladder without bots and matches.
    pub fn new(rules: Rules, state: State) -> Self {
        let pairing_model = PairingModel::without_bots(rules.rating_method);
        Self {
            origin: Origin::default(),
            rules,
            actions: Actions::default(),
            state,
            results: Results::new(),
            bots: Vec::new(),
            present: BTreeMap::new(),
            open: BTreeMap::new(),
            to_repeat: BTreeMap::new(),
            counts: Counts::default(),
            rated: 0,
            seat_counts: SeatCounts::default(),
            pairing_model,
            table: Arc::default(),
            all_totals: MatchTotals::default(),
            now_ms: 0,
        }
    }

    /// Sets the organisers' actions of a ladder that has no entries and matches yet.
    #[must_use]
    pub fn with_actions(mut self, actions: Actions) -> Self {
        self.results.disqualify(actions.disqualified());
        self.actions = actions;
        self
    }

    /// Returns the organisers' actions.
    pub fn actions(&self) -> &Actions {
        &self.actions
    }

    /// Returns the ladder's rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the ladder's current state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Moves the ladder to its next state.
    pub fn advance(&mut self, state: State) {
        self.state = state;
        if let State::Frozen { .. } = state {
            for bot in &mut self.bots {
                bot.closing_matches = 0;
            }
        }
        if state == State::Closed {
            self.to_repeat.clear();
        }
    }

    /// Returns the numbers of matches.
    pub fn counts(&self) -> Counts {
        Counts { open: self.open.len(), counted: self.results.len() as u64, ..self.counts }
    }

    /// Returns the results that count for ratings.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Returns a version's entry.
    pub fn entry(&self, bot: &BotVersion) -> Option<&LadderEntry> {
        self.bot(bot)?.entry.as_ref()
    }

    fn bot(&self, bot: &BotVersion) -> Option<&Bot> {
        self.bots.get(self.numbers().find(bot)?.index())
    }

    /// Returns all entries, in the order of first appearance.
    pub fn entries(&self) -> impl Iterator<Item = &LadderEntry> {
        self.bots.iter().filter_map(|bot| bot.entry.as_ref())
    }

    /// Returns a version's number of annulled matches.
    pub fn annulled_matches_of(&self, bot: &BotVersion) -> u32 {
        self.bot(bot).map_or(0, |bot| bot.failure_record.annulled)
    }

    /// Returns a version's number of matches in progress.
    pub fn open_matches_of(&self, bot: &BotVersion) -> usize {
        let number = self.numbers().find(bot);
        let taken = number.and_then(|number| self.seats_taken().get(&number).copied());
        taken.unwrap_or_default()
    }

    /// Returns the entry to store for a version in the queue that is new or has a new owner.
    /// Returns `None` if the stored entry does not change. House bots (see
    /// [`Rules::house_bots`](crate::Rules::house_bots)) need no validation.
    ///
    /// # Errors
    /// Returns an error if new versions cannot enter in the ladder's current state.
    pub fn admit(&self, presence: &AttendingBot) -> Result<Option<LadderEntry>, EntryRefused> {
        if let Some(existing) = self.entry(&presence.bot) {
            let has_changed_hands = existing.owner != presence.owner;
            return Ok(has_changed_hands
                .then(|| LadderEntry { owner: presence.owner.clone(), ..existing.clone() }));
        }
        match self.state {
            _ if self.actions.exclusion(&presence.bot).is_some() => Err(EntryRefused::Excluded),
            State::Open => Ok(Some(LadderEntry {
                bot: presence.bot.clone(),
                owner: presence.owner.clone(),
                is_validated: self.rules.house_bots.contains(&presence.bot.name),
                failed_validation: None,
                benched: None,
                forgiven_before: 0,
                excluded: None,
            })),
            State::Frozen { .. } => Err(EntryRefused::Frozen),
            State::Closed => Err(EntryRefused::Closed),
        }
    }

    /// Returns the entry to store in order to reinstate a version. Returns `None` if the version is
    /// not benched.
    pub fn unbench(&self, bot: &BotVersion) -> Option<LadderEntry> {
        let entry = self.entry(bot)?;
        entry.benched.as_ref()?;
        Some(LadderEntry { benched: None, forgiven_before: self.counts.paired, ..entry.clone() })
    }

    /// Applies a version's stored entry.
    pub fn store_entry(&mut self, mut entry: LadderEntry) {
        entry.excluded = self.actions.exclusion_reason(&entry.bot);
        let number = self.number(&entry.bot);
        let bot = &mut self.bots[number.index()];
        let before = bot.entry.as_ref().map_or(0, |was| was.forgiven_before);
        if entry.forgiven_before > before {
            let all = self.all_totals;
            self.all_totals =
                all.replacing(MatchTotals::default(), bot.failure_record.annulments.sums());
            bot.failure_record.forgive();
        }
        bot.entry = Some(entry);
    }

    /// Sets the list of all bots in the queue that are not paused. `now_ms` is the current time in
    /// ms since a fixed epoch. Versions without an entry are ignored.
    pub fn set_present(&mut self, present: &[AttendingBot], now_ms: u64) {
        let present = present.iter().filter_map(|presence| {
            let number = self.numbers().find(&presence.bot)?;
            self.bots.get(number.index())?.entry.as_ref()?;
            let before = self.present.get(&number);
            let attending = AttendingSlots {
                owner: presence.owner.clone(),
                slots: presence.slots.min(self.rules.max_slots),
                free_slots: presence.free_slots,
                since: before.map_or(self.rated, |attending| attending.since),
            };
            Some((number, attending))
        });
        self.present = present.collect();
        self.now_ms = now_ms;
        for (number, bot) in (0..).map(BotNumber).zip(&mut self.bots) {
            bot.away_since_ms = if self.present.contains_key(&number) {
                None
            } else {
                bot.away_since_ms.or(Some(now_ms))
            };
        }
    }

    /// Returns a version's number. A new version gets a new state.
    pub(crate) fn number(&mut self, bot: &BotVersion) -> BotNumber {
        let number = self.results.number(bot);
        if self.bots.len() <= number.index() {
            self.bots.resize_with(number.index() + 1, Bot::default);
        }
        number
    }

    pub(crate) fn numbers(&self) -> &BotNumbers {
        &self.results.played.numbers
    }

    /// Returns the number of seats that each bot takes in matches in progress.
    pub(crate) fn seats_taken(&self) -> BTreeMap<BotNumber, usize> {
        let mut taken = BTreeMap::new();
        for bot in self.open.values().flat_map(|open| &open.seats) {
            *taken.entry(*bot).or_default() += 1;
        }
        taken
    }

    /// Returns a snapshot of the results, so that ratings can be fitted without locking the ladder.
    pub fn fit_job(&self) -> FitJob {
        let rated = self.open.values();
        let rated = rated.filter(|open| open.purpose == Purpose::Rated);
        FitJob {
            origin: self.origin.clone(),
            played: self.results.played.clone(),
            rating_method: self.rules.rating_method,
            in_play: rated.map(|open| open.seats.clone()).collect(),
            paired: self.counts.paired,
        }
    }

    /// Applies a fit, and adds the matches that were paired since the fit's snapshot. If the fit
    /// belongs to another ladder, ignores it and returns `false`.
    pub fn apply_fit(&mut self, fitted: FitResult) -> bool {
        let FitResult { origin, table, mut pairing_model, paired } = fitted;
        if origin != self.origin {
            return false;
        }
        // The fit already includes matches that were in progress when the snapshot was taken.
        let since = self.results.played.after(table.results());
        for counted in since.filter(|counted| counted.number >= paired) {
            let bots: Vec<BotNumber> = counted.seats.iter().map(|(bot, _)| *bot).collect();
            pairing_model.add_bots_and_table(&bots);
        }
        let later = self.open.range(paired..).map(|(_, open)| open);
        for open in later.filter(|open| open.purpose == Purpose::Rated) {
            pairing_model.add_bots_and_table(&open.seats);
        }
        self.pairing_model = pairing_model;
        self.table = Arc::new(table);
        true
    }

    /// Returns the rating table from the last fit.
    pub fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table)
    }

    /// Returns whether the last fit includes all results.
    pub fn is_fit_current(&self) -> bool {
        self.table.results() == self.results.len()
    }
}
