//! The results that count.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_contest::Ranking;

use crate::{
    BotVersion, SeatEnd,
    bots::{BotNumber, BotNumbers},
};

/// The results that count, of matches in any order.
#[derive(Clone, Debug, Default)]
pub struct Results {
    pub(crate) numbers: BotNumbers,
    matches: Vec<Counted>,
    /// By bot: places in `matches`, in the order in which they came.
    of_bots: Vec<Vec<u32>>,
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
        let numbered = seats.iter().map(|(bot, end)| (self.numbers.of(bot), *end));
        let seats: Box<[_]> = numbered.collect();
        self.add_numbered(number, seats);
    }

    pub(crate) fn add_numbered(&mut self, number: u64, seats: Box<[(BotNumber, SeatEnd)]>) {
        let place = u32::try_from(self.matches.len()).unwrap_or(u32::MAX);
        for (bot, _) in &seats {
            if self.of_bots.len() <= bot.place() {
                self.of_bots.resize(bot.place() + 1, Vec::new());
            }
            self.of_bots[bot.place()].push(place);
        }
        self.matches.push(Counted { number, seats });
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.matches.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matches.is_empty()
    }

    /// The matches of a bot, in the order in which they came.
    pub(crate) fn of(&self, bot: BotNumber) -> impl DoubleEndedIterator<Item = &Counted> {
        let places = self.of_bots.get(bot.place()).map_or(&[][..], Vec::as_slice);
        places.iter().map(|place| &self.matches[*place as usize])
    }

    pub(crate) fn matches_of(&self, bot: BotNumber) -> usize {
        self.of_bots.get(bot.place()).map_or(0, Vec::len)
    }

    /// The bots that have a match that counts, and `more`, by their names, and the results with the
    /// bots by their places in that list. So the fit does not depend on who came first.
    pub(crate) fn rankings(&self, more: &BTreeSet<BotNumber>) -> (Vec<BotNumber>, Vec<Ranking>) {
        let played = (0u32..).zip(&self.of_bots);
        let played = played.filter(|(_, matches)| !matches.is_empty());
        let mut bots: BTreeSet<BotNumber> = played.map(|(number, _)| BotNumber(number)).collect();
        bots.extend(more);
        let mut bots = Vec::from_iter(bots);
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
        let rankings = self.matches.iter().map(ranking).collect();
        (bots, rankings)
    }

    /// What a bot did against each other one that it met.
    #[must_use]
    pub fn head_to_heads(&self, bot: &BotVersion) -> Vec<(BotVersion, HeadToHead)> {
        let Some(bot) = self.numbers.find(bot) else {
            return Vec::new();
        };
        let mut against: BTreeMap<BotNumber, (HeadToHead, i64)> = BTreeMap::new();
        for counted in self.of(bot) {
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
            (self.numbers.get(other).clone(), met)
        });
        let mut told: Vec<_> = told.collect();
        told.sort_by(|(one, a), (other, b)| b.matches.cmp(&a.matches).then(one.cmp(other)));
        told
    }
}
