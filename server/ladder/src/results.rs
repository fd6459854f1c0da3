//! The results that count.

use std::{collections::BTreeMap, sync::Arc};

use bridgemaster_contest::Ranking;

use crate::{
    BotVersion, SeatEnd,
    bots::{BotNumber, BotNumbers},
};

/// Matches of a block.
const BLOCK: usize = 1_024;

/// The results that count, of matches in any order.
#[derive(Clone, Debug, Default)]
pub struct Results {
    pub(crate) played: Played,
    /// By bot: places in `played`, in the order in which they came.
    of_bots: Vec<Vec<u32>>,
}

/// The matches that count. A copy of them shares all blocks: so ratings are fitted to one beside
/// the ladder, which goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    pub(crate) numbers: Arc<BotNumbers>,
    /// All but the last have [`BLOCK`] matches.
    blocks: Vec<Arc<Vec<Counted>>>,
}

/// A match that counts.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    /// Its number on the ladder.
    pub(crate) number: u64,
    pub(crate) seats: Box<[(BotNumber, SeatEnd)]>,
}

/// What two bots did against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeadToHead {
    /// Matches of both that count.
    pub matches: u32,
    /// Matches in which the first had the better place.
    pub first_ahead: u32,
    /// Matches in which they shared a place.
    pub ties: u32,
    /// Mean of the first one's score less the second one's.
    pub mean_score_margin: f64,
}

impl Results {
    /// No results.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a match that counts. Its number tells it from the others; each is added once.
    pub fn add(&mut self, number: u64, seats: &[(BotVersion, SeatEnd)]) {
        let numbered = seats.iter().map(|(bot, end)| (self.number(bot), *end));
        let seats: Box<[_]> = numbered.collect();
        self.add_numbered(number, seats);
    }

    pub(crate) fn add_numbered(&mut self, number: u64, seats: Box<[(BotNumber, SeatEnd)]>) {
        let place = u32::try_from(self.len()).unwrap_or(u32::MAX);
        for (bot, _) in &seats {
            if self.of_bots.len() <= bot.place() {
                self.of_bots.resize(bot.place() + 1, Vec::new());
            }
            self.of_bots[bot.place()].push(place);
        }
        self.played.push(Counted { number, seats });
    }

    /// The number of a version, a new one for one that is new.
    pub(crate) fn number(&mut self, bot: &BotVersion) -> BotNumber {
        match self.played.numbers.find(bot) {
            Some(number) => number,
            None => Arc::make_mut(&mut self.played.numbers).add(bot),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.played.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn matches_of(&self, bot: BotNumber) -> usize {
        self.of_bots.get(bot.place()).map_or(0, Vec::len)
    }

    /// What a bot did against each other one, to be summed up beside the ladder.
    #[must_use]
    pub fn meetings(&self, bot: &BotVersion) -> Meetings {
        let bot = self.played.numbers.find(bot);
        let places = bot.and_then(|bot| self.of_bots.get(bot.place()));
        Meetings {
            played: self.played.clone(),
            bot,
            places: places.cloned().unwrap_or_default(),
        }
    }
}

impl Played {
    fn push(&mut self, counted: Counted) {
        match self.blocks.last_mut().filter(|block| block.len() < BLOCK) {
            Some(block) => Arc::make_mut(block).push(counted),
            None => self.blocks.push(Arc::new(vec![counted])),
        }
    }

    pub(crate) fn len(&self) -> usize {
        let full = self.blocks.len().saturating_sub(1) * BLOCK;
        full + self.blocks.last().map_or(0, |block| block.len())
    }

    fn get(&self, place: u32) -> &Counted {
        let place = place as usize;
        &self.blocks[place / BLOCK][place % BLOCK]
    }

    /// The matches, in the order in which they came.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Counted> {
        self.blocks.iter().flat_map(|block| block.iter())
    }

    /// Those that came after so many.
    pub(crate) fn after(&self, count: usize) -> impl Iterator<Item = &Counted> {
        let blocks = self.blocks.iter().skip(count / BLOCK);
        blocks.flat_map(|block| block.iter()).skip(count % BLOCK)
    }

    /// The bots that have a match that counts, by their names, and the results with the bots by
    /// their places in that list. So a fit does not depend on who came first.
    pub(crate) fn rankings(&self) -> (Vec<BotNumber>, Vec<Ranking>) {
        let mut has_played = vec![false; self.numbers.all().len()];
        for (bot, _) in self.all().flat_map(|counted| &counted.seats) {
            has_played[bot.place()] = true;
        }
        let numbered = (0u32..).map(BotNumber).zip(has_played);
        let mut bots: Vec<BotNumber> = numbered
            .filter_map(|(bot, has_played)| has_played.then_some(bot))
            .collect();
        bots.sort_by_key(|bot| self.numbers.get(*bot));
        let mut places = vec![0; self.numbers.all().len()];
        for (place, bot) in bots.iter().enumerate() {
            places[bot.place()] = place;
        }
        let ranking = |counted: &Counted| {
            let seats = counted.seats.iter();
            let seats = seats.map(|(bot, end)| (places[bot.place()], end.place));
            Ranking::new(seats.collect(), counted.number)
        };
        let rankings = self.all().map(ranking).collect();
        (bots, rankings)
    }
}

/// The matches of a bot: a copy that shares what it can with the ladder.
#[derive(Clone, Debug)]
pub struct Meetings {
    played: Played,
    /// `None` for one that was never heard of.
    bot: Option<BotNumber>,
    places: Vec<u32>,
}

impl Meetings {
    /// What the bot did against each other one that it met, most matches first.
    #[must_use]
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
        let told = against.into_iter().map(|(other, (mut met, margin))| {
            met.mean_score_margin = margin as f64 / f64::from(met.matches);
            (self.played.numbers.get(other).clone(), met)
        });
        let mut told: Vec<_> = told.collect();
        told.sort_by(|(one, a), (other, b)| b.matches.cmp(&a.matches).then(one.cmp(other)));
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_stays_as_it_is_while_results_and_bots_come() {
        let end = |place| SeatEnd {
            place,
            score: 0,
            forfeited: false,
        };
        let bot = |number: u64| BotVersion::new(format!("bot-{}", number % 7), "1");
        let mut results = Results::new();
        let mut copies = Vec::new();
        for number in 0..3_000 {
            if number % 500 == 0 {
                copies.push((number, results.played.clone()));
            }
            results.add(number, &[(bot(number), end(1)), (bot(number + 1), end(2))]);
        }
        results.add(
            3_000,
            &[(BotVersion::new("late", "1"), end(1)), (bot(0), end(2))],
        );
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
