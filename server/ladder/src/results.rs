//! A ladder's counted results.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bridgemaster_contest::Ranking;

use crate::{
    BotVersion, SeatEnd,
    bots::{BotNumber, BotNumbers},
};

/// The number of matches in a block.
const BLOCK: usize = 1_024;

/// A ladder's counted results.
#[derive(Clone, Debug, Default)]
pub struct Results {
    pub(crate) played: CountedMatches,
    /// Each bot's matches, by bot number, as indexes into `played` in the order in which they were
    /// added.
    of_bots: Vec<Vec<u32>>,
}

/// The counted matches. Clones share blocks, which makes it cheap to take a snapshot for a fit.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountedMatches {
    pub(crate) numbers: Arc<BotNumbers>,
    /// The matches, in blocks of [`BLOCK`] matches. Only the last block can have fewer.
    blocks: Vec<Arc<Vec<CountedMatch>>>,
    /// Names of the bots without a rank.
    disqualified: Arc<BTreeSet<String>>,
}

/// A counted match and its seats.
#[derive(Clone, Debug)]
pub(crate) struct CountedMatch {
    /// The match's number on the ladder.
    pub(crate) number: u64,
    pub(crate) seats: Box<[(BotNumber, SeatEnd)]>,
}

/// The counted matches as rankings for a fit.
pub(crate) struct Rankings {
    /// The versions with counted matches, sorted by name.
    pub(crate) bots: Vec<BotNumber>,
    /// For each of `bots`, whether it is ranked: no other version of its bot had its first counted
    /// match later, and the bot is not disqualified.
    pub(crate) is_ranked: Vec<bool>,
    /// The index of each version in `bots`, by bot number.
    pub(crate) places: Vec<Option<usize>>,
    /// The matches, with indexes into `bots`.
    pub(crate) rankings: Vec<Ranking>,
}

/// A bot's head-to-head record against another bot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeadToHead {
    /// The number of counted matches in which both bots played.
    pub matches: u32,
    /// The number of matches in which the first bot had the better place.
    pub first_ahead: u32,
    /// The number of matches in which the two bots tied.
    pub ties: u32,
    /// The first bot's mean score minus the second bot's.
    pub mean_score_margin: f64,
}

impl Results {
    /// Creates an empty set of results.
    pub fn new() -> Self {
        Self::default()
    }

    /// Excludes the bots with these names from the ranks. Their results still count for the ratings
    /// of others.
    pub fn disqualify(&mut self, names: BTreeSet<String>) {
        self.played.disqualified = Arc::new(names);
    }

    /// Adds a counted match. Each number may be added only once.
    pub fn add(&mut self, number: u64, seats: &[(BotVersion, SeatEnd)]) {
        let numbered = seats.iter().map(|(bot, end)| (self.number(bot), *end));
        let seats: Box<[_]> = numbered.collect();
        self.add_numbered(number, seats);
    }

    pub(crate) fn add_numbered(&mut self, number: u64, seats: Box<[(BotNumber, SeatEnd)]>) {
        let place = u32::try_from(self.len()).unwrap_or(u32::MAX);
        for (bot, _) in &seats {
            if self.of_bots.len() <= bot.index() {
                self.of_bots.resize(bot.index() + 1, Vec::new());
            }
            self.of_bots[bot.index()].push(place);
        }
        self.played.push(CountedMatch { number, seats });
    }

    /// Returns the number of a version. A new version gets the next number.
    pub(crate) fn number(&mut self, bot: &BotVersion) -> BotNumber {
        match self.played.numbers.find(bot) {
            Some(number) => number,
            None => Arc::make_mut(&mut self.played.numbers).add(bot),
        }
    }

    /// Returns the number of counted matches.
    pub fn len(&self) -> usize {
        self.played.len()
    }

    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn matches_of(&self, bot: BotNumber) -> usize {
        self.of_bots.get(bot.index()).map_or(0, Vec::len)
    }

    /// Returns a snapshot of a bot's matches, from which head-to-head records can be computed
    /// without locking the ladder.
    pub fn meetings(&self, bot: &BotVersion) -> Meetings {
        let bot = self.played.numbers.find(bot);
        let places = bot.and_then(|bot| self.of_bots.get(bot.index()));
        Meetings { played: self.played.clone(), bot, places: places.cloned().unwrap_or_default() }
    }
}

impl CountedMatches {
    fn push(&mut self, counted: CountedMatch) {
        match self.blocks.last_mut().filter(|block| block.len() < BLOCK) {
            Some(block) => Arc::make_mut(block).push(counted),
            None => self.blocks.push(Arc::new(vec![counted])),
        }
    }

    pub(crate) fn len(&self) -> usize {
        let full = self.blocks.len().saturating_sub(1) * BLOCK;
        full + self.blocks.last().map_or(0, |block| block.len())
    }

    fn get(&self, place: u32) -> &CountedMatch {
        let place = place as usize;
        &self.blocks[place / BLOCK][place % BLOCK]
    }

    /// Returns the matches in the order in which they were added.
    pub(crate) fn all(&self) -> impl Iterator<Item = &CountedMatch> {
        self.blocks.iter().flat_map(|block| block.iter())
    }

    /// Returns the matches after the first `count` matches.
    pub(crate) fn after(&self, count: usize) -> impl Iterator<Item = &CountedMatch> {
        let blocks = self.blocks.iter().skip(count / BLOCK);
        blocks.flat_map(|block| block.iter()).skip(count % BLOCK)
    }

    /// Returns the results, in a form that does not depend on the order in which bots appeared.
    pub(crate) fn rankings(&self) -> Rankings {
        let mut first: Vec<Option<u64>> = vec![None; self.numbers.all().len()];
        for counted in self.all() {
            for (bot, _) in &counted.seats {
                let first = &mut first[bot.index()];
                *first = Some(first.map_or(counted.number, |first| first.min(counted.number)));
            }
        }
        let mut bots: Vec<BotNumber> = (0u32..).map(BotNumber).take(first.len()).collect();
        bots.retain(|bot| first[bot.index()].is_some());
        bots.sort_by_key(|bot| self.numbers.get(*bot));
        let mut places = vec![None; first.len()];
        for (place, bot) in bots.iter().enumerate() {
            places[bot.index()] = Some(place);
        }
        let name = |bot: &BotNumber| &self.numbers.get(*bot).name;
        let of_one_bot = bots.chunk_by(|one, other| name(one) == name(other));
        let is_ranked = of_one_bot.flat_map(|versions| {
            let newest = versions.iter().max_by_key(|bot| first[bot.index()]);
            let newest = newest.filter(|bot| !self.disqualified.contains(name(bot)));
            versions.iter().map(move |bot| Some(bot) == newest)
        });
        let is_ranked = is_ranked.collect();
        let ranking = |counted: &CountedMatch| {
            let seats = counted.seats.iter();
            let seats = seats.filter_map(|(bot, end)| Some((places[bot.index()]?, end.place)));
            Ranking::new(seats.collect(), counted.number)
        };
        let rankings = self.all().map(ranking).collect();
        Rankings { bots, is_ranked, places, rankings }
    }
}

/// A bot's matches, as a snapshot that shares its data with the ladder.
#[derive(Clone, Debug)]
pub struct Meetings {
    played: CountedMatches,
    /// The bot; `None` if it is unknown.
    bot: Option<BotNumber>,
    places: Vec<u32>,
}

impl Meetings {
    /// Returns the bot's record against each opponent, sorted by number of matches, highest first.
    pub fn head_to_heads(&self) -> Vec<(BotVersion, HeadToHead)> {
        let Some(bot) = self.bot else {
            return Vec::new();
        };
        let mut against: BTreeMap<BotNumber, (HeadToHead, i64)> = BTreeMap::new();
        for place in &self.places {
            let counted = self.played.get(*place);
            let Some((_, own)) = counted.seats.iter().find(|(seated, _)| *seated == bot) else {
                continue;
            };
            for (other, end) in counted.seats.iter().filter(|(other, _)| *other != bot) {
                let (met, margin) = against.entry(*other).or_default();
                met.matches += 1;
                met.first_ahead += u32::from(own.place < end.place);
                met.ties += u32::from(own.place == end.place);
                *margin += i64::from(own.score) - i64::from(end.score);
            }
        }
        let records = against.into_iter().map(|(other, (mut met, margin))| {
            met.mean_score_margin = margin as f64 / f64::from(met.matches);
            (self.played.numbers.get(other).clone(), met)
        });
        let mut records: Vec<_> = records.collect();
        records.sort_by(|(one, a), (other, b)| b.matches.cmp(&a.matches).then(one.cmp(other)));
        records
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_does_not_change_when_results_and_bots_are_added() {
        let end = |place| SeatEnd { place, score: 0, forfeited: false };
        let bot = |number: u64| BotVersion::new(format!("bot-{}", number % 7), "1");
        let mut results = Results::new();
        let mut copies = Vec::new();
        for number in 0..3_000 {
            if number % 500 == 0 {
                copies.push((number, results.played.clone()));
            }
            results.add(number, &[(bot(number), end(1)), (bot(number + 1), end(2))]);
        }
        results.add(3_000, &[(BotVersion::new("late", "1"), end(1)), (bot(0), end(2))]);
        for (count, copy) in copies {
            assert_eq!(copy.len() as u64, count);
            let numbers = copy.all().map(|counted| counted.number);
            assert!(numbers.eq(0..count));
            assert_eq!(copy.numbers.find(&BotVersion::new("late", "1")), None);
        }
        let late = results.played.after(2_047).map(|counted| counted.number);
        assert!(late.eq(2_047..3_001));
        assert_eq!(results.played.get(1_024).number, 1_024);
    }
}
