//! A ladder: what it knows, and what changes that.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_contest::ContestError;
use thiserror::Error;

use crate::{
    BotVersion, End, HeadToHead, Pairing, Presence, Purpose, Rated, Results, Rules, State,
    bots::{BotNumber, BotNumbers},
    conduct::{BENCH_AFTER_FAILURES, Conduct, Spoiled, validates},
    ratings::Fit,
    seating::SeatCounts,
};

/// Annulled matches that wait to be played again. Those of bots that never come back stay: the
/// oldest of more goes.
pub(crate) const MOST_AGAIN: usize = 1_000;

/// How often an annulled match is to be played again, if each time it is called off.
pub(crate) const MOST_CALLED_OFF: u32 = 3;

/// What is kept of a version, beside its matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The version.
    pub bot: BotVersion,
    /// Who has its key; empty if that is not known.
    pub owner: String,
    /// Whether it has shown that it works.
    pub is_validated: bool,
    /// Why it plays no more; `None` while it does.
    pub benched: Option<String>,
    /// Matches before this number are not held against it.
    pub forgiven_before: u64,
}

/// Whether a version is paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandingState<'a> {
    /// It is.
    Active,
    /// It plays a match that shows whether it works; rated ones follow.
    Validating,
    /// It is not, for this reason.
    Benched(&'a str),
}

impl Standing {
    /// Whether it is paired.
    #[must_use]
    pub fn state(&self) -> StandingState<'_> {
        match &self.benched {
            Some(why) => StandingState::Benched(why),
            None if self.is_validated => StandingState::Active,
            None => StandingState::Validating,
        }
    }
}

/// Why a version does not enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// The closing round is played.
    #[error("the ladder is frozen: versions that have not entered before wait for its next season")]
    Frozen,
    /// It is over.
    #[error("the ladder is closed")]
    Closed,
}

/// How many matches there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Paired so far, of all purposes.
    pub paired: u64,
    /// Paired and not over.
    pub open: usize,
    /// That count.
    pub counted: u64,
    /// That were annulled.
    pub annulled: u64,
    /// That were called off.
    pub called_off: u64,
}

/// One ladder.
#[derive(Clone, Debug)]
pub struct Ladder {
    pub(crate) rules: Rules,
    pub(crate) state: State,
    pub(crate) results: Results,
    pub(crate) bots: Vec<Bot>,
    /// Who attends and plays.
    pub(crate) there: BTreeMap<BotNumber, There>,
    pub(crate) open: BTreeMap<u64, Open>,
    /// Annulled matches that are to be played again, at most [`MOST_AGAIN`].
    pub(crate) again: BTreeMap<u64, Open>,
    pub(crate) counts: Counts,
    /// Rated matches paired so far: waits are counted in them.
    pub(crate) rated: u64,
    pub(crate) seat_counts: SeatCounts,
    /// What pairing goes by.
    pub(crate) fit: Option<Fit>,
    /// Of so many results, whether the order of the best is settled, by the rule of the closing
    /// round.
    pub(crate) settled: Option<(usize, bool)>,
    all_spoiled: Spoiled,
}

/// A version, by its number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bot {
    /// `None` while only matches tell of it.
    pub(crate) standing: Option<Standing>,
    pub(crate) conduct: Conduct,
    /// The bots of its last match, in the order of their numbers.
    pub(crate) last_table: Vec<BotNumber>,
    /// Rated matches of the closing round, open ones included.
    pub(crate) closing_matches: u64,
    /// Rated matches that the ladder had paired when it last sat down or stood up.
    pub(crate) waits_since: u64,
}

/// A bot that attends.
#[derive(Clone, Debug)]
pub(crate) struct There {
    pub(crate) owner: String,
    pub(crate) slots: u32,
    pub(crate) free_slots: u32,
    /// Rated matches that the ladder had paired when it came.
    pub(crate) since: u64,
}

/// A match that is not over, or is to be played again.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) purpose: Purpose,
    pub(crate) seats: Vec<BotNumber>,
    /// The annulled match that is played again by this one.
    pub(crate) replaces: Option<u64>,
    /// How often an annulled match was to be played again and was called off.
    pub(crate) called_off: u32,
}

impl Ladder {
    /// A ladder without bots and matches.
    #[must_use]
    pub fn new(rules: Rules, state: State) -> Self {
        Self {
            rules,
            state,
            results: Results::new(),
            bots: Vec::new(),
            there: BTreeMap::new(),
            open: BTreeMap::new(),
            again: BTreeMap::new(),
            counts: Counts::default(),
            rated: 0,
            seat_counts: SeatCounts::default(),
            fit: None,
            settled: None,
            all_spoiled: Spoiled::default(),
        }
    }

    /// Its rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// Takes it to its next state.
    pub fn advance(&mut self, state: State) {
        self.state = state;
        if let State::Frozen { .. } = state {
            for bot in &mut self.bots {
                bot.closing_matches = 0;
            }
        }
        if state == State::Closed {
            self.again.clear();
        }
    }

    /// How many matches there are.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            open: self.open.len(),
            counted: self.results.len() as u64,
            ..self.counts
        }
    }

    /// The results that count.
    #[must_use]
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// What is kept of a version.
    #[must_use]
    pub fn standing(&self, bot: &BotVersion) -> Option<&Standing> {
        let number = self.results.numbers.find(bot)?;
        self.bots.get(number.place())?.standing.as_ref()
    }

    /// What is kept of all versions, in the order in which they entered.
    pub fn standings(&self) -> impl Iterator<Item = &Standing> {
        self.bots.iter().filter_map(|bot| bot.standing.as_ref())
    }

    /// Annulled matches of a version.
    #[must_use]
    pub fn annulled_of(&self, bot: &BotVersion) -> u32 {
        let number = self.results.numbers.find(bot);
        let bot = number.and_then(|number| self.bots.get(number.place()));
        bot.map_or(0, |bot| bot.conduct.annulled)
    }

    /// Matches in which a version plays now.
    #[must_use]
    pub fn playing(&self, bot: &BotVersion) -> usize {
        let number = self.results.numbers.find(bot);
        number.map_or(0, |number| self.seats_taken(number))
    }

    /// What is to be kept of a version that attends and has not entered yet; `None` of one that
    /// has. Bots of the house need not show that they work.
    ///
    /// # Errors
    /// When none enters any more.
    pub fn entry(&self, presence: &Presence) -> Result<Option<Standing>, Refused> {
        if self.standing(&presence.bot).is_some() {
            return Ok(None);
        }
        match self.state {
            State::Open => Ok(Some(Standing {
                bot: presence.bot.clone(),
                owner: presence.owner.clone(),
                is_validated: self.rules.house_bots.contains(&presence.bot.name),
                benched: None,
                forgiven_before: 0,
            })),
            State::Frozen { .. } => Err(Refused::Frozen),
            State::Closed => Err(Refused::Closed),
        }
    }

    /// What is to be kept of a version that is let play again; `None` if it is not benched.
    #[must_use]
    pub fn unbenched(&self, bot: &BotVersion) -> Option<Standing> {
        let standing = self.standing(bot)?;
        standing.benched.as_ref()?;
        Some(Standing {
            benched: None,
            forgiven_before: self.counts.paired,
            ..standing.clone()
        })
    }

    /// Takes in what is kept of a version.
    pub fn keep(&mut self, standing: Standing) {
        let number = self.number(&standing.bot);
        let bot = &mut self.bots[number.place()];
        let before = bot.standing.as_ref().map_or(0, |was| was.forgiven_before);
        if standing.forgiven_before > before {
            let all = self.all_spoiled;
            self.all_spoiled = all.with(Spoiled::default(), bot.conduct.spoiled);
            bot.conduct.forgive();
        }
        bot.standing = Some(standing);
    }

    /// Takes in who attends and is not paused, all of them.
    pub fn attend(&mut self, there: &[Presence]) {
        let mut now = BTreeMap::new();
        for presence in there {
            let number = self.number(&presence.bot);
            let since = self.there.get(&number).map(|there| there.since);
            let there = There {
                owner: presence.owner.clone(),
                slots: presence.slots.min(self.rules.max_slots),
                free_slots: presence.free_slots,
                since: since.unwrap_or(self.rated),
            };
            now.insert(number, there);
        }
        self.there = now;
    }

    /// The matches up to this number that are not known are lost.
    pub fn skip_to(&mut self, number: u64) {
        self.counts.paired = self.counts.paired.max(number);
    }

    /// Takes in a match that is paired; its number is that of the matches paired before.
    pub fn paired(&mut self, pairing: &Pairing) -> u64 {
        let number = self.counts.paired;
        self.counts.paired += 1;
        let seats: Vec<BotNumber> = pairing.seats.iter().map(|bot| self.number(bot)).collect();
        let replaces = pairing.replaces;
        let replaced = replaces.and_then(|replaced| self.again.remove(&replaced));
        let mut table = seats.clone();
        table.sort_unstable();
        table.dedup();
        let is_rated = pairing.purpose == Purpose::Rated;
        self.rated += u64::from(is_rated);
        let in_round = self.is_of_round(number);
        for (seat, number) in seats.iter().enumerate() {
            let bot = &mut self.bots[number.place()];
            if is_rated {
                bot.last_table.clone_from(&table);
                bot.waits_since = self.rated;
                bot.closing_matches += u64::from(in_round);
                self.seat_counts.count(*number, seat);
            }
        }
        if let Some(fit) = self.fit.as_mut().filter(|_| is_rated) {
            fit.expect(&table);
        }
        let purpose = pairing.purpose;
        let open = Open {
            purpose,
            seats,
            replaces,
            called_off: replaced.map_or(0, |replaced| replaced.called_off),
        };
        self.open.insert(number, open);
        number
    }

    /// What is to be kept of the versions whose standing changes when an open match ends so.
    #[must_use]
    pub fn judged(&self, number: u64, end: &End) -> Vec<Standing> {
        let Some(open) = self.open.get(&number) else {
            return Vec::new();
        };
        let bots: BTreeSet<BotNumber> = open.seats.iter().copied().collect();
        let changed = |bot: BotNumber| {
            let kept = &self.bots[bot.place()];
            let was = kept.standing.as_ref()?;
            let mut now = was.clone();
            let seats = open.seats.iter().enumerate();
            let seats = seats.filter(|(_, seated)| **seated == bot);
            let seats: Vec<usize> = seats.map(|(seat, _)| seat).collect();
            let mut conduct = kept.conduct.clone();
            conduct.note(number, open.purpose, end, &seats, was.forgiven_before);
            let is_house = self.rules.house_bots.contains(&was.bot.name);
            now.is_validated |= validates(open.purpose, end, &seats);
            if now.benched.is_none() && !is_house {
                let all = self.all_spoiled.with(conduct.spoiled, kept.conduct.spoiled);
                now.benched = match conduct.spoiled.suspicion(all) {
                    Some(suspicion) => Some(suspicion.to_string()),
                    None => why_benched(&conduct),
                };
            }
            (now != *was).then_some(now)
        };
        bots.into_iter().filter_map(changed).collect()
    }

    /// Takes in what came of an open match; one that is not open is passed over.
    pub fn ended(&mut self, number: u64, end: &End) {
        let Some(open) = self.open.remove(&number) else {
            return;
        };
        let mut seats_of: BTreeMap<BotNumber, Vec<usize>> = BTreeMap::new();
        for (seat, bot) in open.seats.iter().enumerate() {
            seats_of.entry(*bot).or_default().push(seat);
        }
        for (bot, seats) in seats_of {
            let bot = &mut self.bots[bot.place()];
            let forgiven = bot.standing.as_ref().map_or(0, |was| was.forgiven_before);
            let before = bot.conduct.spoiled;
            bot.conduct
                .note(number, open.purpose, end, &seats, forgiven);
            if open.purpose == Purpose::Rated {
                // It waits from now on.
                bot.waits_since = self.rated;
            }
            self.all_spoiled = self.all_spoiled.with(bot.conduct.spoiled, before);
        }
        match end {
            End::Played(seats) if open.purpose == Purpose::Rated => {
                let seats = open.seats.iter().copied().zip(seats.iter().copied());
                self.results.add_numbered(number, seats.collect());
            }
            End::Played(_) => {}
            End::Annulled(_) => {
                self.counts.annulled += 1;
                self.take_out_of_round(number, &open);
                if open.purpose == Purpose::Rated {
                    let called_off = 0;
                    self.play_again(number, Open { called_off, ..open });
                }
            }
            End::CalledOff { .. } => {
                self.counts.called_off += 1;
                self.take_out_of_round(number, &open);
                let called_off = open.called_off + 1;
                // It still is to be played, instead of the one that was annulled.
                if let Some(replaced) = open.replaces.filter(|_| called_off < MOST_CALLED_OFF) {
                    self.play_again(replaced, Open { called_off, ..open });
                }
            }
        }
    }

    fn play_again(&mut self, number: u64, open: Open) {
        if self.state == State::Closed {
            return;
        }
        self.again.insert(number, open);
        if self.again.len() > MOST_AGAIN {
            self.again.pop_first();
        }
    }

    /// A match that does not count is none of the closing round.
    fn take_out_of_round(&mut self, number: u64, open: &Open) {
        if open.purpose != Purpose::Rated || !self.is_of_round(number) {
            return;
        }
        for bot in &open.seats {
            let bot = &mut self.bots[bot.place()];
            bot.closing_matches = bot.closing_matches.saturating_sub(1);
        }
    }

    /// The ratings that follow from the results, the best first.
    ///
    /// # Errors
    /// As [`ratings_of`](crate::ratings_of).
    pub fn ratings(&self) -> Result<Vec<Rated>, ContestError> {
        crate::ratings_of(&self.results)
    }

    /// The same, and whether the order of the best `count` holds with this confidence.
    ///
    /// # Errors
    /// As [`ratings_of`](crate::ratings_of).
    pub fn ratings_and_order(
        &self,
        count: usize,
        confidence: f64,
    ) -> Result<(Vec<Rated>, bool), ContestError> {
        let fit = Fit::of(&self.results, &BTreeSet::new())?;
        let is_settled = fit.bots.len() > 1 && fit.ratings.is_settled(count, confidence);
        Ok((fit.table(&self.results), is_settled))
    }

    /// What a version did against each other one that it met, most matches first.
    #[must_use]
    pub fn head_to_heads(&self, bot: &BotVersion) -> Vec<(BotVersion, HeadToHead)> {
        self.results.head_to_heads(bot)
    }

    /// The number of a version, with a place for what is known of it.
    pub(crate) fn number(&mut self, bot: &BotVersion) -> BotNumber {
        let number = self.results.numbers.of(bot);
        if self.bots.len() <= number.place() {
            self.bots.resize_with(number.place() + 1, Bot::default);
        }
        number
    }

    pub(crate) fn numbers(&self) -> &BotNumbers {
        &self.results.numbers
    }

    pub(crate) fn seats_taken(&self, bot: BotNumber) -> usize {
        let seats = self.open.values().flat_map(|open| &open.seats);
        seats.filter(|seated| **seated == bot).count()
    }
}

fn why_benched(conduct: &Conduct) -> Option<String> {
    let failures = conduct.failures_in_a_row();
    let is_benched = failures >= BENCH_AFTER_FAILURES;
    is_benched
        .then(|| format!("it forfeited or did not come to its seat {failures} times in a row"))
}

impl Spoiled {
    /// The sum of all, in which `before` of one bot has become `now`.
    fn with(self, now: Self, before: Self) -> Self {
        Self {
            played: self.played + now.played - before.played,
            played_behind: self.played_behind + now.played_behind - before.played_behind,
            annulled: self.annulled + now.annulled - before.annulled,
            annulled_behind: self.annulled_behind + now.annulled_behind - before.annulled_behind,
        }
    }
}
