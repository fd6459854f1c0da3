//! A ladder: what it knows of its bots and matches. What a match changes is in [`course`], and what
//! a fit of the ratings does in [`fits`].

mod course;
mod fits;

use std::{collections::BTreeMap, sync::Arc};

use thiserror::Error;

use crate::{
    BotVersion, Presence, Purpose, Results, Rules, State, Table,
    bots::{BotNumber, BotNumbers},
    conduct::Conduct,
    knowledge::Knowledge,
    seating::SeatCounts,
    suspicion::Spoiled,
    table::Origin,
};

/// What is kept of a version, beside its matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The version.
    pub bot: BotVersion,
    /// Who has its key; empty if that is not known.
    pub owner: String,
    /// Whether it has shown that it works.
    pub is_validated: bool,
    /// How it failed the last match that was to show it; `None` if it failed none, or has shown it.
    pub failed_validation: Option<String>,
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
    /// That were cancelled.
    pub cancelled: u64,
}

/// One ladder.
#[derive(Clone, Debug)]
pub struct Ladder {
    origin: Origin,
    pub(crate) rules: Rules,
    pub(crate) state: State,
    pub(crate) results: Results,
    pub(crate) bots: Vec<Bot>,
    /// Who attends and plays.
    pub(crate) there: BTreeMap<BotNumber, There>,
    pub(crate) open: BTreeMap<u64, Open>,
    /// Annulled matches that are to be played again, at most [`MOST_AGAIN`](course::MOST_AGAIN).
    pub(crate) again: BTreeMap<u64, Open>,
    pub(crate) counts: Counts,
    /// Rated matches paired so far: waits are counted in them.
    pub(crate) rated: u64,
    pub(crate) seat_counts: SeatCounts,
    /// What pairing goes by.
    pub(crate) knowledge: Knowledge,
    /// By the last fit.
    pub(crate) table: Arc<Table>,
    all_spoiled: Spoiled,
    /// When it was looked at who is there, in ms since any fixed moment.
    pub(crate) now_ms: u64,
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
    /// When it was first seen to be away, in ms; `None` while it is there.
    pub(crate) away_since_ms: Option<u64>,
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
    /// When it was paired, in ms of the same clock as `now_ms`; 0 for one that was read again.
    pub(crate) paired_ms: u64,
    /// The annulled match that is played again by this one.
    pub(crate) replaces: Option<u64>,
    /// How often an annulled match was to be played again and was cancelled.
    pub(crate) cancelled: u32,
}

impl Ladder {
    /// A ladder without bots and matches.
    #[must_use]
    pub fn new(rules: Rules, state: State) -> Self {
        Self {
            origin: Origin::default(),
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
            knowledge: Knowledge::default(),
            table: Arc::default(),
            all_spoiled: Spoiled::default(),
            now_ms: 0,
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
        let number = self.results.played.numbers.find(bot)?;
        self.bots.get(number.place())?.standing.as_ref()
    }

    /// What is kept of all versions, in the order in which they entered.
    pub fn standings(&self) -> impl Iterator<Item = &Standing> {
        self.bots.iter().filter_map(|bot| bot.standing.as_ref())
    }

    /// Annulled matches of a version.
    #[must_use]
    pub fn annulled_of(&self, bot: &BotVersion) -> u32 {
        let number = self.results.played.numbers.find(bot);
        let bot = number.and_then(|number| self.bots.get(number.place()));
        bot.map_or(0, |bot| bot.conduct.annulled)
    }

    /// Matches in which a version plays now.
    #[must_use]
    pub fn playing(&self, bot: &BotVersion) -> usize {
        let number = self.results.played.numbers.find(bot);
        number.map_or(0, |number| self.seats_taken(number))
    }

    /// What is to be kept of a version that attends and has not entered yet, or whose owner is
    /// another now; `None` of others. Bots of the house need not show that they work.
    ///
    /// # Errors
    /// When none enters any more.
    pub fn entry(&self, presence: &Presence) -> Result<Option<Standing>, Refused> {
        if let Some(known) = self.standing(&presence.bot) {
            let has_changed_hands = known.owner != presence.owner;
            return Ok(has_changed_hands.then(|| Standing {
                owner: presence.owner.clone(),
                ..known.clone()
            }));
        }
        match self.state {
            State::Open => Ok(Some(Standing {
                bot: presence.bot.clone(),
                owner: presence.owner.clone(),
                is_validated: self.rules.house_bots.contains(&presence.bot.name),
                failed_validation: None,
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
            self.all_spoiled = all.with(Spoiled::default(), bot.conduct.watched.sums());
            bot.conduct.forgive();
        }
        bot.standing = Some(standing);
    }

    /// Takes in who attends and is not paused, all of them, at a moment in ms since any fixed one.
    /// Versions that have not entered are not known.
    pub fn attend(&mut self, there: &[Presence], now_ms: u64) {
        let mut now = BTreeMap::new();
        for presence in there {
            let number = self.numbers().find(&presence.bot);
            let entered = |bot: &BotNumber| {
                let bot = self.bots.get(bot.place());
                bot.is_some_and(|bot| bot.standing.is_some())
            };
            let Some(number) = number.filter(entered) else {
                continue;
            };
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
        self.now_ms = now_ms;
        for (number, bot) in (0..).map(BotNumber).zip(&mut self.bots) {
            bot.away_since_ms = match self.there.contains_key(&number) {
                true => None,
                false => bot.away_since_ms.or(Some(now_ms)),
            };
        }
    }

    /// The number of a version, with a place for what is known of it.
    pub(crate) fn number(&mut self, bot: &BotVersion) -> BotNumber {
        let number = self.results.number(bot);
        if self.bots.len() <= number.place() {
            self.bots.resize_with(number.place() + 1, Bot::default);
        }
        number
    }

    pub(crate) fn numbers(&self) -> &BotNumbers {
        &self.results.played.numbers
    }

    pub(crate) fn seats_taken(&self, bot: BotNumber) -> usize {
        let seats = self.open.values().flat_map(|open| &open.seats);
        seats.filter(|seated| **seated == bot).count()
    }
}
