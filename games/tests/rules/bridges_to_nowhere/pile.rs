//! A structure as a map of cells; everything is recomputed on each query.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_games::bridges_to_nowhere::{
    BridgeCard, Card, Cell, Contract, Piece, Placement, SeatScore,
};

/// The pieces of a structure by cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pile(pub(crate) BTreeMap<Cell, Piece>);

impl Pile {
    pub(crate) fn at(&self, level: u8, column: i8) -> Option<Piece> {
        self.0.get(&Cell { level, column }).copied()
    }

    pub(crate) fn with(&self, placement: Placement) -> Self {
        let mut pile = self.clone();
        pile.0.insert(placement.cell, placement.piece);
        pile
    }

    pub(crate) fn can_lie(&self, Cell { level, column }: Cell) -> bool {
        let ground = self.0.keys().filter(|cell| cell.level == 1);
        let near = |cell: &Cell| cell.column.abs_diff(column) <= 2;
        self.at(level, column).is_none()
            && match level {
                1 if self.0.is_empty() => column == 0,
                1 => ground.into_iter().any(near),
                _ => self.at(level - 1, column).is_some(),
            }
    }

    /// All runs: the cell of the first card, and the cards.
    pub(crate) fn runs(&self) -> Vec<(Cell, Vec<Card>)> {
        let mut runs: Vec<(Cell, Vec<Card>)> = Vec::new();
        for (&cell, &piece) in &self.0 {
            let Piece::Card(card) = piece else { continue };
            match runs.last_mut() {
                Some((first, cards))
                    if first.level == cell.level
                        && first.column + cards.len() as i8 == cell.column =>
                {
                    cards.push(card);
                }
                _ => runs.push((cell, vec![card])),
            }
        }
        runs
    }

    pub(crate) fn runs_are_legal(&self) -> bool {
        self.runs().iter().all(|(_, cards)| {
            let bridge = bridge_cards(cards);
            let numbers: Vec<u8> = bridge.iter().filter_map(|card| card.number).collect();
            let pairs: Vec<(u8, u8)> = numbers.windows(2).map(|two| (two[0], two[1])).collect();
            let turns = pairs.windows(2).filter(|steps| {
                let [(a, b), (_, c)] = steps else {
                    return false;
                };
                (a < b) != (b < c)
            });
            bridge.iter().all(|card| card.style == bridge[0].style)
                && pairs.iter().all(|(one, next)| one != next)
                && turns.count() <= 1
        })
    }

    /// The cells that must be filled to close every run with a monument.
    pub(crate) fn needed(&self) -> BTreeSet<Cell> {
        let mut needed = BTreeSet::new();
        for (first, cards) in self.runs() {
            if !cards.contains(&Card::Monument) {
                continue;
            }
            for column in [first.column - 1, first.column + cards.len() as i8] {
                if self.at(first.level, column).is_none() {
                    let below = (1..=first.level).filter(|&level| self.at(level, column).is_none());
                    needed.extend(below.map(|level| Cell { level, column }));
                }
            }
        }
        needed
    }

    /// All runs with a pillar at both ends.
    pub(crate) fn segments(&self) -> Vec<(u8, Vec<Card>)> {
        let pillar = |level, column| self.at(level, column) == Some(Piece::Pillar);
        let closed = |(first, cards): &(Cell, Vec<Card>)| {
            pillar(first.level, first.column - 1)
                && pillar(first.level, first.column + cards.len() as i8)
        };
        let runs = self.runs().into_iter().filter(closed);
        runs.map(|(first, cards)| (first.level, cards)).collect()
    }

    pub(crate) fn score(&self, contract: Option<Contract>) -> SeatScore {
        let segments = self.segments();
        let mut score = SeatScore::default();
        for (level, cards) in &segments {
            let level = u16::from(*level);
            let number = |place: usize| match cards.get(place) {
                Some(Card::Bridge(card)) => u16::from(card.number.unwrap_or(0)),
                _ => 0,
            };
            for (place, card) in cards.iter().enumerate() {
                let at_an_end = place == 0 || place == cards.len() - 1;
                match card {
                    Card::Monument => {
                        let beside = number(place.wrapping_sub(1)) + number(place + 1);
                        score.monuments += beside * level;
                    }
                    Card::Bridge(BridgeCard { number: None, .. }) if at_an_end => {
                        score.tolls += cards.len() as u16 * level;
                    }
                    _ => score.numbers += number(place) * level,
                }
            }
            score.symbols += 5 * pairs(cards).len() as u16;
        }
        score.contract = contract.map_or(0, |contract| contract_points(contract, &segments));
        score
    }
}

fn bridge_cards(cards: &[Card]) -> Vec<BridgeCard> {
    let bridge = cards.iter().filter_map(|card| match card {
        Card::Bridge(card) => Some(*card),
        Card::Monument => None,
    });
    bridge.collect()
}

/// The names of the symbols that meet an equal one.
fn pairs(cards: &[Card]) -> Vec<&'static str> {
    let pairs = cards.windows(2).filter_map(|two| match two {
        [Card::Bridge(one), Card::Bridge(next)] if one.right == next.left => Some(next.left.name()),
        _ => None,
    });
    pairs.collect()
}

fn contract_points(contract: Contract, segments: &[(u8, Vec<Card>)]) -> u16 {
    let lengths = |wanted: u8| {
        let on = segments.iter().filter(move |(level, _)| *level == wanted);
        on.map(|(_, cards)| cards.len())
    };
    let pays = |exact: bool, more: bool, points: u16| match (exact, more) {
        (_, true) => points,
        (true, false) => 10,
        _ => 0,
    };
    match contract {
        Contract::Triple => {
            pays(lengths(3).any(|length| length == 3), lengths(3).any(|length| length >= 4), 25)
        }
        Contract::Double => {
            pays(lengths(2).any(|length| length == 4), lengths(2).any(|length| length >= 5), 25)
        }
        Contract::SpanningTheDivide => pays(
            segments.iter().any(|(_, cards)| cards.len() == 5),
            segments.iter().any(|(_, cards)| cards.len() >= 6),
            25,
        ),
        Contract::LongestMile => match lengths(1).sum::<usize>() {
            all @ 9.. => 10 + 5 * (all as u16 - 9),
            _ => 0,
        },
        Contract::SpiceOfLife => {
            let mut longest = BTreeMap::new();
            for (_, cards) in segments {
                if let Some(card) = bridge_cards(cards).first() {
                    let length: &mut usize = longest.entry(card.style).or_default();
                    *length = cards.len().max(*length);
                }
            }
            let all = longest.len() == 3 && longest.values().all(|&length| length >= 3);
            let most = longest.values().max().copied().unwrap_or(0);
            pays(all && most == 4, all && most >= 5, 20)
        }
        Contract::TrialOfTheSea => {
            let all: Vec<&str> = segments.iter().flat_map(|(_, cards)| pairs(cards)).collect();
            let kinds: BTreeSet<&str> = all.iter().copied().collect();
            pays(all.len() >= 3, kinds.len() == 3, 20)
        }
    }
}
