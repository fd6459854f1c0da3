//! An independent, slow implementation of the rules. It shares only the types with the game.

use bridgemaster_games::bridges_to_nowhere::{
    BridgeCard, Card, Cell, Config, Contract, Decision, Event, GameResult, NextCards, Observation,
    Phase, Piece, Placement, SeatView, Setup,
};
use bridgemaster_games::{Seat, Viewer};

use crate::bridges_to_nowhere::pile::Pile;
use crate::play::seat;

#[derive(Clone, Debug, Default)]
struct Owner {
    pile: Pile,
    pillars: u8,
    hand: Vec<Card>,
    placed: Vec<Placement>,
    has_ended: bool,
    /// Pile, pillars and hand at the start of the phase.
    shown: Option<(Pile, u8, Vec<Card>)>,
}

/// A whole match, computed from its setup and its decisions.
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
    /// Events since they were last taken.
    pub(crate) events: Vec<Event>,
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
            events: vec![],
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
        self.events.push(Event::GameStarted { game: self.game as u8, contract: self.contract() });
        self.open_cards();
    }

    /// The cards revealed in a round.
    fn opened(&self, round: usize) -> Vec<BridgeCard> {
        let deck = &self.setup.deals[self.game].deck;
        let mut opened = deck[6 * round..6 * (round + 1)].to_vec();
        opened.sort();
        opened
    }

    fn open_cards(&mut self) {
        self.open = self.opened(self.round);
        let seat = self.first_drafter();
        self.phase = Phase::Draft { seat };
        self.events.push(Event::RoundStarted {
            round: self.round as u8,
            first_drafter: seat,
            opened: self.open.iter().copied().collect(),
        });
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

    /// All legal decisions of a seat in canonical order.
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
                self.events.push(Event::Taken { seat: by, card });
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
                    let next_cards = match self.config.next_cards {
                        NextCards::BeforeBuilding if self.round < 3 => self.opened(self.round + 1),
                        _ => vec![],
                    };
                    self.events.push(Event::DraftEnded {
                        discarded: self.open.iter().copied().collect(),
                        next_cards: next_cards.iter().copied().collect(),
                    });
                    self.open = next_cards;
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
        for (number, owner) in (0..).zip(&mut self.owners) {
            let seat = seat(number);
            let placed = owner.placed.drain(..);
            let placed = placed.map(|placement| Event::Placed { seat, placement });
            self.events.extend(placed);
            self.events.push(Event::BuildingEnded {
                seat,
                discarded: owner.hand.iter().copied().collect(),
            });
            *owner = Owner { pile: owner.pile.clone(), pillars: owner.pillars, ..Owner::default() };
        }
        if self.round < 3 {
            self.round += 1;
            self.open_cards();
            return;
        }
        let contract = self.contract();
        let scores = self.owners.each_ref().map(|owner| owner.pile.score(contract));
        for (number, score) in (0..).zip(scores) {
            let seat = seat(number);
            self.events.push(Event::Scored { seat, score });
        }
        let [first, second] = scores.map(|score| score.total());
        let winner = match first.cmp(&second) {
            std::cmp::Ordering::Greater => Some(seat(0)),
            std::cmp::Ordering::Less => Some(seat(1)),
            std::cmp::Ordering::Equal => None,
        };
        self.results.push(GameResult { contract, winner, scores });
        self.events.push(Event::GameEnded { game: self.game as u8, winner });
        let enough = usize::from(self.config.contracts_to_win);
        let decided = self.won().contains(&enough);
        if decided || self.game + 1 == usize::from(self.config.games) {
            self.phase = Phase::Over;
            self.events.push(Event::MatchEnded);
        } else {
            self.game += 1;
            self.begin_game();
        }
    }

    /// The number of games won by each seat.
    pub(crate) fn won(&self) -> [usize; 2] {
        [0, 1].map(|number| {
            let winners = self.results.iter().map(|result| result.winner);
            winners.filter(|&winner| winner == Some(seat(number))).count()
        })
    }

    /// The points of each seat in all games.
    pub(crate) fn points(&self) -> [i32; 2] {
        [0, 1].map(|number: usize| {
            let points = self.results.iter().map(|result| result.scores[number].total());
            points.map(i32::from).sum()
        })
    }

    /// The observation of a viewer.
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
        let next_are_open = self.phase == Phase::Build && !self.open.is_empty();
        let mut unseen = deck[6 * (self.round + 1 + usize::from(next_are_open))..].to_vec();
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
    /// True if a piece may be placed in a supported cell.
    fn may_place(&self, placement: Placement) -> bool {
        let after = self.pile.with(placement);
        let pillars = self.pillars - u8::from(placement.piece == Piece::Pillar);
        after.runs_are_legal() && after.needed().len() <= usize::from(pillars)
    }
}
