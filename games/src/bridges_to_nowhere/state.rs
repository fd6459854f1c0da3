//! The complete state of a match.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::board::Spot;
use super::components::{
    BRIDGE_CARDS, CARDS_PER_DRAFT, CONTRACTS, Card, Contract, LEVELS, MAX_PLACED, MONUMENTS,
    OPEN_CARDS, PILLARS, PLAYERS, Piece, Placement, ROUNDS,
};
use super::config::{Config, MAX_GAMES, NextCards};
use super::edition::{CardId, Edition};
use super::observation::{GameResult, Phase};
use super::run::Traits;
use super::setup::{Deal, SEATS, Setup};
use super::structure::Structure;
use crate::{Digest, Digester, Seat};

/// The part that does not change during a match, including hidden orders. All states of a match
/// share this part.
#[derive(Debug)]
pub(super) struct Fixed {
    /// The card with each identifier; the monument is last.
    cards: [Card; BRIDGE_CARDS + 1],
    /// Each card as one number, because numbers are cheaper to compare than fields.
    words: [u32; BRIDGE_CARDS + 1],
    /// The traits of each card for runs.
    traits: [Traits; BRIDGE_CARDS + 1],
    pub(super) contracts_to_win: u8,
    pub(super) games: u8,
    pub(super) next_cards: NextCards,
    pub(super) contracts: Option<[Contract; CONTRACTS]>,
    pub(super) deals: ArrayVec<FixedDeal, MAX_GAMES>,
}

/// The deal of one game.
#[derive(Debug)]
pub(super) struct FixedDeal {
    pub(super) first_drafter: Seat,
    /// The cards that each round opens, in the order of the edition.
    pub(super) opened: [[CardId; OPEN_CARDS]; ROUNDS as usize],
}

/// The complete state. A clone copies about two kilobytes and shares the rest.
#[derive(Clone, Debug)]
pub struct State {
    pub(super) fixed: Arc<Fixed>,
    /// The results of the finished games.
    pub(super) results: ArrayVec<GameResult, MAX_GAMES>,
    /// The current game, counted from 0; once the match has ended, the last game that was played.
    pub(super) game: u8,
    /// The current round, counted from 0.
    pub(super) round: u8,
    pub(super) phase: Phase,
    /// The bridge cards on the table, in the order of the edition. During building, the table has
    /// the cards of the next round if they are already laid out.
    pub(super) open: ArrayVec<CardId, OPEN_CARDS>,
    /// The number of monuments on the table.
    pub(super) monuments: u8,
    pub(super) seats: [Builder; PLAYERS],
}

/// The pieces of one seat.
#[derive(Clone, Debug)]
pub(super) struct Builder {
    pub(super) structure: Structure,
    /// The number of pillars that have not been placed.
    pub(super) pillars: u8,
    /// This round's cards that are not placed, in the order of the edition.
    pub(super) hand: ArrayVec<CardId, CARDS_PER_DRAFT>,
    /// This phase's placements. A seat's hidden information consists of these placements and
    /// `has_ended`.
    pub(super) placed: ArrayVec<Placement, MAX_PLACED>,
    pub(super) has_ended: bool,
}

impl Fixed {
    /// Creates the shared part from a valid config and a valid setup.
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        let edition = &config.edition;
        let card = |place: usize| edition.cards().get(place).copied();
        let cards = std::array::from_fn(|place| card(place).map_or(Card::Monument, Card::Bridge));
        let deals = setup.deals.iter();
        Self {
            cards,
            words: cards.map(Card::word),
            traits: cards.map(Traits::from),
            contracts_to_win: config.contracts_to_win,
            games: config.games,
            next_cards: config.next_cards,
            contracts: setup.contracts,
            deals: deals.map(|deal| FixedDeal::new(edition, deal)).collect(),
        }
    }

    /// Returns the card with this identifier.
    pub(super) fn card(&self, id: CardId) -> Card {
        self.cards[id.index()]
    }

    /// Returns a card's position in a list of identifiers.
    pub(super) fn position(&self, ids: &[CardId], card: Card) -> Option<usize> {
        let word = card.word();
        ids.iter().position(|id| self.words[id.index()] == word)
    }

    /// Returns the traits that a card has in runs.
    pub(super) fn traits(&self, id: CardId) -> Traits {
        self.traits[id.index()]
    }
}

impl FixedDeal {
    fn new(edition: &Edition, deal: &Deal) -> Self {
        let id = |card| edition.find(Card::Bridge(card));
        let ids = deal.deck.map(|card| id(card).unwrap_or(CardId::MONUMENT));
        Self {
            first_drafter: deal.first_drafter,
            opened: std::array::from_fn(|round| {
                let mut opened = ids.as_chunks().0[round];
                opened.sort_unstable();
                opened
            }),
        }
    }

    /// Returns the cards that are unseen once the first `rounds` rounds are open, in the order of
    /// the edition.
    pub(super) fn unseen(&self, rounds: usize) -> ArrayVec<CardId, BRIDGE_CARDS> {
        let upcoming = self.opened[rounds..].as_flattened();
        let mut ids: ArrayVec<CardId, BRIDGE_CARDS> = upcoming.iter().copied().collect();
        ids.sort_unstable();
        ids
    }
}

impl Builder {
    /// Creates a seat's state at the start of a game.
    pub(super) const fn new() -> Self {
        Self {
            structure: Structure::EMPTY,
            pillars: PILLARS,
            hand: ArrayVec::new_const(),
            placed: ArrayVec::new_const(),
            has_ended: false,
        }
    }

    /// Returns the structure's pieces by cell, except the `hidden` pieces.
    pub(super) fn pieces(
        &self,
        fixed: &Fixed,
        hidden: &[Placement],
    ) -> impl Iterator<Item = Placement> {
        let structure = &self.structure;
        let mut shown = structure.taken();
        for spot in hidden.iter().map(|placed| Spot::of(placed.cell)) {
            shown[spot.level] &= !spot.board();
        }
        (0..LEVELS).flat_map(move |level| {
            structure.cells(level, shown[level]).map(move |cell| {
                let spot = Spot::of(cell);
                let piece = if spot.is_on(&structure.pillars) {
                    Piece::Pillar
                } else {
                    Piece::Card(fixed.card(structure.card(spot)))
                };
                Placement { piece, cell }
            })
        })
    }
}

impl State {
    /// Creates the state before the first game. `setup` must be valid.
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            fixed: Arc::new(Fixed::new(config, setup)),
            results: ArrayVec::new(),
            game: 0,
            round: 0,
            phase: Phase::Over,
            open: ArrayVec::new(),
            monuments: MONUMENTS,
            seats: [Builder::new(), Builder::new()],
        }
    }

    pub(super) fn seat(&self, seat: Seat) -> &Builder {
        &self.seats[seat.index()]
    }

    pub(super) fn deal(&self) -> &FixedDeal {
        &self.fixed.deals[usize::from(self.game)]
    }

    /// Returns the current game's contract.
    pub(super) fn contract(&self) -> Option<Contract> {
        self.fixed.contracts.map(|contracts| contracts[usize::from(self.game)])
    }

    /// Returns the cards on the table during building: the cards of the next round, if they are
    /// already laid out (N16).
    pub(super) fn open_while_building(&self) -> ArrayVec<CardId, OPEN_CARDS> {
        let next = self.deal().opened.get(usize::from(self.round) + 1);
        match (self.fixed.next_cards, next) {
            (NextCards::BeforeBuilding, Some(&cards)) => cards.into(),
            _ => ArrayVec::new(),
        }
    }

    /// Returns the number of the current game's rounds whose cards have been laid out.
    pub(super) fn rounds_opened(&self) -> usize {
        let is_ahead = self.phase == Phase::Build && !self.open.is_empty();
        usize::from(self.round) + 1 + usize::from(is_ahead)
    }

    /// Returns the seat that takes the first card in the current round (N1).
    pub(super) fn first_drafter(&self) -> Seat {
        SEATS[(self.deal().first_drafter.index() + usize::from(self.round)) % PLAYERS]
    }

    /// Returns the digest of the state: the fields below in this order, each integer as in
    /// [`Digester`], enum values by index, an absent value as 255. Bridge cards are hashed as
    /// style, number (0 for a toll), left and right symbol, and cells as level and column plus 128.
    /// A monument is 254, and a pillar is 253.
    ///
    /// * Contracts to win, games, and the time at which the next cards are laid out.
    /// * Contract, winner and points of the seats in each finished game.
    /// * Game, contracts of this and the later games, round, phase and first drafter.
    /// * Cards and monuments on the table.
    /// * The cards of each later round. For each later game, the first drafter and the cards of
    ///   each round.
    /// * For each seat: structure, pillars, cards, placements in this phase, and whether the seat
    ///   has ended.
    pub(super) fn digest(&self) -> Digest {
        let Self { fixed, results, game, round, phase, open, monuments, seats } = self;
        let Fixed {
            cards: _, // digested wherever they are held, see `digest_cards`
            words: _,
            traits: _,
            contracts_to_win,
            games,
            next_cards,
            contracts,
            deals,
        } = &**fixed;
        let mut d = Digester::default();
        d.bytes(&[*contracts_to_win, *games, *next_cards as u8]);
        d.u8(results.len() as u8);
        results.iter().for_each(|result| digest_result(&mut d, result));
        d.u8(*game);
        match contracts {
            None => d.u8(ABSENT),
            Some(contracts) => {
                for contract in &contracts[usize::from(*game)..usize::from(*games)] {
                    d.u8(*contract as u8);
                }
            }
        }
        d.u8(*round);
        match *phase {
            Phase::Draft { seat } => d.bytes(&[0, seat.number()]),
            Phase::Build => d.u8(1),
            Phase::Over => d.u8(2),
        }
        d.u8(self.first_drafter().number());
        self.digest_cards(&mut d, open);
        d.u8(*monuments);
        for opened in &self.deal().opened[usize::from(*round) + 1..] {
            self.digest_cards(&mut d, opened);
        }
        for deal in &deals[usize::from(*game) + 1..] {
            d.u8(deal.first_drafter.number());
            for opened in &deal.opened {
                self.digest_cards(&mut d, opened);
            }
        }
        for builder in seats {
            self.digest_builder(&mut d, builder);
        }
        d.finish()
    }

    fn digest_builder(&self, d: &mut Digester, builder: &Builder) {
        let Builder {
            structure: _, // its pieces
            pillars,
            hand,
            placed,
            has_ended,
        } = builder;
        let pieces = || builder.pieces(&self.fixed, &[]);
        d.u8(pieces().count() as u8);
        pieces().for_each(|piece| digest_placement(d, piece));
        d.u8(*pillars);
        self.digest_cards(d, hand);
        d.u8(placed.len() as u8);
        placed.iter().for_each(|&placed| digest_placement(d, placed));
        d.u8(u8::from(*has_ended));
    }

    fn digest_cards(&self, d: &mut Digester, cards: &[CardId]) {
        d.u8(cards.len() as u8);
        for &id in cards {
            digest_piece(d, Piece::Card(self.fixed.card(id)));
        }
    }
}

/// The number that is hashed for an absent value.
const ABSENT: u8 = u8::MAX;

fn digest_result(d: &mut Digester, result: &GameResult) {
    d.u8(result.contract.map_or(ABSENT, |contract| contract as u8));
    d.u8(result.winner.map_or(ABSENT, Seat::number));
    for (_, points) in result.scores.iter().flat_map(|score| score.lines()) {
        d.i32(points.into());
    }
}

fn digest_piece(d: &mut Digester, piece: Piece) {
    match piece {
        Piece::Card(Card::Bridge(card)) => {
            d.array([card.style as u8, card.number.unwrap_or(0), card.left as u8, card.right as u8])
        }
        Piece::Card(Card::Monument) => d.u8(254),
        Piece::Pillar => d.u8(253),
    }
}

fn digest_placement(d: &mut Digester, placement: Placement) {
    let Placement { piece, cell } = placement;
    digest_piece(d, piece);
    d.array([cell.level, (i16::from(cell.column) + 128) as u8]);
}
