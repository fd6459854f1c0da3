//! The rules once more, slowly and from scratch: a structure is a map of cells, and everything is
//! looked up in it anew each time. It shares the types with the game, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use bridgemaster_games::bridges_to_nowhere::{
    BridgeCard, Card, Cell, Config, Contract, Decision, GameResult, Observation, Phase, Piece,
    Placement, SeatScore, SeatView, Setup,
};
use bridgemaster_games::{Seat, Viewer};

use crate::position::seat;

/// A structure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pile(pub(crate) BTreeMap<Cell, Piece>);

impl Pile {
    pub(crate) fn at(&self, level: u8, column: i8) -> Option<Piece> {
        self.0.get(&Cell { level, column }).copied()
    }

    fn with(&self, placement: Placement) -> Self {
        let mut pile = self.clone();
        pile.0.insert(placement.cell, placement.piece);
        pile
    }

    fn can_lie(&self, Cell { level, column }: Cell) -> bool {
        let ground = self.0.keys().filter(|cell| cell.level == 1);
        let near = |cell: &Cell| cell.column.abs_diff(column) <= 2;
        self.at(level, column).is_none()
            && match level {
                1 if self.0.is_empty() => column == 0,
                1 => ground.into_iter().any(near),
                _ => self.at(level - 1, column).is_some(),
            }
    }

    /// The runs: the cell of the first card, and the cards.
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

    fn runs_are_legal(&self) -> bool {
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

    /// The cells that must be filled so that every run with a monument is closed.
    fn needed(&self) -> BTreeSet<Cell> {
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

    /// Runs with a pillar at both ends.
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

/// The names of the symbols that meet their like.
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
        Contract::Triple => pays(
            lengths(3).any(|length| length == 3),
            lengths(3).any(|length| length >= 4),
            25,
        ),
        Contract::Double => pays(
            lengths(2).any(|length| length == 4),
            lengths(2).any(|length| length >= 5),
            25,
        ),
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
            let all: Vec<&str> = segments
                .iter()
                .flat_map(|(_, cards)| pairs(cards))
                .collect();
            let kinds: BTreeSet<&str> = all.iter().copied().collect();
            pays(all.len() >= 3, kinds.len() == 3, 20)
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Owner {
    pile: Pile,
    pillars: u8,
    hand: Vec<Card>,
    placed: Vec<Placement>,
    has_ended: bool,
    /// Pile, pillars and hand at the beginning of the phase.
    shown: Option<(Pile, u8, Vec<Card>)>,
}

/// A whole match, told by its setup and its decisions.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    config: Config,
    setup: Setup,
    game: usize,
    round: usize,
    open: Vec<BridgeCard>,
    monuments: u8,
    owners: [Owner; 2],
    results: Vec<GameResult>,
    pub(crate) phase: Phase,
}

impl Model {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let mut model = Self {
            config: config.clone(),
            setup: setup.clone(),
            game: 0,
            round: 0,
            open: vec![],
            monuments: 0,
            owners: Default::default(),
            results: vec![],
            phase: Phase::Over,
        };
        model.begin_game();
        model
    }

    fn begin_game(&mut self) {
        self.round = 0;
        self.monuments = 3;
        self.owners = Default::default();
        for owner in &mut self.owners {
            owner.pillars = 6;
        }
        self.open_cards();
    }

    fn open_cards(&mut self) {
        let deck = &self.setup.deals[self.game].deck;
        self.open = deck[6 * self.round..6 * (self.round + 1)].to_vec();
        self.open.sort();
        let seat = self.first_drafter();
        self.phase = Phase::Draft { seat };
    }

    fn first_drafter(&self) -> Seat {
        let first = self.setup.deals[self.game].first_drafter;
        match self.round % 2 {
            0 => first,
            _ => seat(1 - first.number()),
        }
    }

    fn contract(&self) -> Option<Contract> {
        self.setup.contracts.map(|contracts| contracts[self.game])
    }

    pub(crate) fn pile(&self, owner: Seat) -> &Pile {
        &self.owners[owner.index()].pile
    }

    pub(crate) fn results(&self) -> &[GameResult] {
        &self.results
    }

    /// All legal decisions of a seat, in canonical order.
    pub(crate) fn legal(&self, by: Seat) -> Vec<Decision> {
        let owner = &self.owners[by.index()];
        match self.phase {
            Phase::Draft { seat } if seat == by => {
                let mut cards: Vec<Card> =
                    self.open.iter().map(|&card| Card::Bridge(card)).collect();
                cards.extend((self.monuments > 0).then_some(Card::Monument));
                cards.sort();
                cards.dedup();
                cards.into_iter().map(Decision::Take).collect()
            }
            Phase::Build if !owner.has_ended => {
                let mut pieces: Vec<Piece> =
                    owner.hand.iter().map(|&card| Piece::Card(card)).collect();
                pieces.extend((owner.pillars > 0).then_some(Piece::Pillar));
                pieces.sort();
                pieces.dedup();
                let cells =
                    (1..=3).flat_map(|level| (-40..=40).map(move |column| Cell { level, column }));
                let cells: Vec<Cell> = cells.filter(|&cell| owner.pile.can_lie(cell)).collect();
                let all = pieces
                    .iter()
                    .flat_map(|&piece| cells.iter().map(move |&cell| Placement { piece, cell }));
                let legal = all.filter(|placement| owner.may_place(*placement));
                let mut legal: Vec<Decision> = legal.map(Decision::Place).collect();
                legal.extend(owner.pile.needed().is_empty().then_some(Decision::End));
                legal
            }
            _ => vec![],
        }
    }

    pub(crate) fn apply(&mut self, by: Seat, decision: Decision) {
        match decision {
            Decision::Take(card) => {
                match card {
                    Card::Monument => self.monuments -= 1,
                    Card::Bridge(card) => {
                        let place = self.open.iter().position(|&other| other == card).unwrap();
                        self.open.remove(place);
                    }
                }
                self.owners[by.index()].hand.push(card);
                self.owners[by.index()].hand.sort();
                if self.owners.iter().all(|owner| owner.hand.len() == 3) {
                    self.phase = Phase::Build;
                    self.open.clear();
                    for owner in &mut self.owners {
                        let shown = (owner.pile.clone(), owner.pillars, owner.hand.clone());
                        owner.shown = Some(shown);
                    }
                } else {
                    let seat = seat(1 - by.number());
                    self.phase = Phase::Draft { seat };
                }
            }
            Decision::Place(placement) => {
                let owner = &mut self.owners[by.index()];
                owner.pile = owner.pile.with(placement);
                owner.placed.push(placement);
                match placement.piece {
                    Piece::Pillar => owner.pillars -= 1,
                    Piece::Card(card) => {
                        let place = owner.hand.iter().position(|&other| other == card).unwrap();
                        owner.hand.remove(place);
                    }
                }
            }
            Decision::End => {
                self.owners[by.index()].has_ended = true;
                if self.owners.iter().all(|owner| owner.has_ended) {
                    self.end_phase();
                }
            }
        }
    }

    fn end_phase(&mut self) {
        for owner in &mut self.owners {
            *owner = Owner {
                pile: owner.pile.clone(),
                pillars: owner.pillars,
                ..Owner::default()
            };
        }
        if self.round < 3 {
            self.round += 1;
            self.open_cards();
            return;
        }
        let contract = self.contract();
        let scores = self
            .owners
            .each_ref()
            .map(|owner| owner.pile.score(contract));
        let [first, second] = scores.map(|score| score.total());
        let winner = match first.cmp(&second) {
            std::cmp::Ordering::Greater => Some(seat(0)),
            std::cmp::Ordering::Less => Some(seat(1)),
            std::cmp::Ordering::Equal => None,
        };
        self.results.push(GameResult {
            contract,
            winner,
            scores,
        });
        let enough = usize::from(self.config.contracts_to_win);
        let decided = self.won().contains(&enough);
        if decided || self.game + 1 == usize::from(self.config.games) {
            self.phase = Phase::Over;
        } else {
            self.game += 1;
            self.begin_game();
        }
    }

    /// Games won by each seat.
    pub(crate) fn won(&self) -> [usize; 2] {
        [0, 1].map(|number| {
            let winners = self.results.iter().map(|result| result.winner);
            winners
                .filter(|&winner| winner == Some(seat(number)))
                .count()
        })
    }

    /// Points of each seat in all games.
    pub(crate) fn points(&self) -> [i32; 2] {
        [0, 1].map(|number: usize| {
            let points = self
                .results
                .iter()
                .map(|result| result.scores[number].total());
            points.map(i32::from).sum()
        })
    }

    /// What a viewer knows.
    pub(crate) fn observe(&self, viewer: Viewer) -> Observation {
        let seats = [0, 1].map(|number: usize| {
            let owner = &self.owners[number];
            let own = viewer == Viewer::Seat(seat(number as u8));
            let (pile, pillars, hand) = match &owner.shown {
                Some(shown) if !own => shown.clone(),
                _ => (owner.pile.clone(), owner.pillars, owner.hand.clone()),
            };
            SeatView {
                structure: pile
                    .0
                    .into_iter()
                    .map(|(cell, piece)| Placement { piece, cell })
                    .collect(),
                pillars,
                cards: hand.into_iter().collect(),
                placed: owner.placed.iter().copied().filter(|_| own).collect(),
                has_ended: own && owner.has_ended,
            }
        });
        let deck = &self.setup.deals[self.game].deck;
        let mut unseen = deck[6 * (self.round + 1)..].to_vec();
        unseen.sort();
        Observation {
            viewer,
            games: self.config.games,
            results: self.results.iter().cloned().collect(),
            game: self.game as u8,
            contract: self.contract(),
            round: self.round as u8,
            first_drafter: self.first_drafter(),
            phase: self.phase,
            open: self.open.iter().copied().collect(),
            monuments: self.monuments,
            unseen: unseen.into_iter().collect(),
            seats,
        }
    }
}

impl Owner {
    /// Whether a piece may go to a cell where it can lie.
    fn may_place(&self, placement: Placement) -> bool {
        let after = self.pile.with(placement);
        let pillars = self.pillars - u8::from(placement.piece == Piece::Pillar);
        after.runs_are_legal() && after.needed().len() <= usize::from(pillars)
    }
}
