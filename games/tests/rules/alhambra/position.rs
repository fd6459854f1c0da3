//! Positions built by hand, and matches continued from them.

use arrayvec::ArrayVec;
use bridgemaster_games::alhambra::{
    Alhambra, Building, Buildings, Category, Config, Currency, DummyView, Money, MoneyCard,
    Observation, Phase, PlaceRange, Points, RowCards, SeatView,
};
use bridgemaster_games::{ChanceStream, Seed, Viewer, resolve_chance};

use crate::play::{self, seat};

/// Parses a money card.
pub(crate) fn card(text: &str) -> MoneyCard {
    let (letter, value) = text.split_at(1);
    let currency = Currency::from_letter(letter.chars().next().unwrap()).unwrap();
    MoneyCard::new(currency, value.parse().unwrap()).unwrap()
}

/// Parses money cards separated by spaces.
pub(crate) fn cards(text: &str) -> Vec<MoneyCard> {
    text.split_whitespace().map(card).collect()
}

pub(crate) fn money(text: &str) -> Money {
    Money::from_cards(cards(text)).unwrap()
}

/// Parses a building from category and price.
pub(crate) fn building(text: &str) -> Building {
    let (name, price) = text.split_once(' ').unwrap();
    let category = Category::ALL.into_iter().find(|c| c.name() == name);
    Building::new(category.unwrap(), price.parse().unwrap()).unwrap()
}

/// Parses buildings separated by commas.
pub(crate) fn buildings(text: &str) -> Vec<Building> {
    let parts = text.split(", ").filter(|part| !part.is_empty());
    parts.map(building).collect()
}

/// All buildings except `gone`.
pub(crate) fn buildings_without(gone: impl IntoIterator<Item = Building>) -> Vec<Building> {
    let mut rest: Vec<Building> = Buildings::ALL.iter().collect();
    for building in gone {
        let place = rest.iter().position(|other| *other == building);
        rest.remove(place.unwrap_or_else(|| panic!("{building} is used up")));
    }
    rest
}

/// All money cards of a table except some.
pub(crate) fn money_without(
    count: u8,
    gone: impl IntoIterator<Item = MoneyCard>,
) -> Vec<MoneyCard> {
    let copies = if count == 2 { 2 } else { 3 };
    let all = MoneyCard::all().flat_map(|card| std::iter::repeat_n(card, copies));
    let mut rest: Vec<MoneyCard> = all.collect();
    for card in gone {
        let place = rest.iter().position(|other| *other == card);
        rest.remove(place.unwrap_or_else(|| panic!("{card} is used up")));
    }
    rest
}

/// A position in which seat 0 decides: both scoring cards are drawn, and no seat owns anything.
#[derive(Clone)]
pub(crate) struct Position {
    pub(crate) config: Config,
    pub(crate) view: Observation,
    /// The cards of the money pile; if none are named, all that are nowhere else.
    pile: Option<Money>,
    /// The buildings of the pile; if none are named, all that are nowhere else. Otherwise the last
    /// owner gets the rest.
    buildings_left: Option<Buildings>,
}

impl Position {
    pub(crate) fn new(count: u8) -> Self {
        let view = Observation {
            viewer: Viewer::Spectator,
            phase: Phase::Turn { seat: seat(0) },
            turn_purchases: ArrayVec::new(),
            seats: (0..count)
                .map(|_| SeatView {
                    hand: Money::EMPTY,
                    buildings: Buildings::EMPTY,
                    points: Points::default(),
                })
                .collect(),
            dummy: (count == 2)
                .then_some(DummyView { buildings: Buildings::EMPTY, points: Points::default() }),
            yard: ["garden 10", "tower 13", "arcades 8", "chambers 11"]
                .map(|text| Some(building(text))),
            row: RowCards::from_cards(cards("b9 g9 o9 y9")).unwrap(),
            discard: Money::EMPTY,
            unseen_money: Money::EMPTY,
            unseen_buildings: Buildings::EMPTY,
            scoring_cards: [None; 2],
            shuffles: 1,
        };
        Self { config: Config::default(), view, pile: None, buildings_left: None }
    }

    pub(crate) fn hand(mut self, number: u8, text: &str) -> Self {
        self.view.seats[usize::from(number)].hand = money(text);
        self
    }

    pub(crate) fn buildings(mut self, number: u8, text: &str) -> Self {
        let set = Buildings::from_buildings(buildings(text)).unwrap();
        self.view.seats[usize::from(number)].buildings = set;
        self
    }

    pub(crate) fn row(mut self, text: &str) -> Self {
        self.view.row = RowCards::from_cards(cards(text)).unwrap();
        self
    }

    pub(crate) fn yard(mut self, yard: [&str; 4]) -> Self {
        self.view.yard = yard.map(|text| Some(building(text)));
        self
    }

    /// Sets the money pile to exactly these cards; the rest is discarded.
    pub(crate) fn pile(mut self, text: &str) -> Self {
        self.pile = Some(money(text));
        self
    }

    /// Sets the building pile to exactly these buildings; the last owner gets the rest.
    pub(crate) fn buildings_left(mut self, text: &str) -> Self {
        self.buildings_left = Some(Buildings::from_buildings(buildings(text)).unwrap());
        self
    }

    /// Puts both scoring cards into the pile, below these ranges of numbers of money cards.
    pub(crate) fn scoring_cards(mut self, a: [u8; 2], b: [u8; 2]) -> Self {
        let range = |[first, last]: [u8; 2]| Some(PlaceRange { first, last });
        self.view.scoring_cards = [range(a), range(b)];
        self.view.shuffles = 0;
        self
    }

    /// Puts scoring card B into the pile; A is drawn.
    pub(crate) fn scoring_card_b(mut self, b: [u8; 2]) -> Self {
        self = self.scoring_cards([0, 0], b);
        self.view.scoring_cards[0] = None;
        self
    }

    /// The observation, with all cards and buildings that were not named in their default places.
    pub(crate) fn completed(&self) -> Observation {
        let mut view = self.view.clone();
        let count = view.seats.len() as u8;
        let hands = view.seats.iter().flat_map(|seat| seat.hand.cards());
        let open: Vec<MoneyCard> = hands.chain(view.row.cards()).collect();
        match self.pile {
            None => {
                let gone = open.into_iter().chain(view.discard.cards());
                view.unseen_money = Money::from_cards(money_without(count, gone)).unwrap();
            }
            Some(pile) => {
                let gone = open.into_iter().chain(pile.cards());
                view.unseen_money = pile;
                view.discard = Money::from_cards(money_without(count, gone)).unwrap();
            }
        }
        let mut gone: Vec<Building> = view.yard.iter().flatten().copied().collect();
        gone.extend(view.seats.iter().flat_map(|seat| seat.buildings.iter()));
        gone.extend(view.dummy.iter().flat_map(|dummy| dummy.buildings.iter()));
        match self.buildings_left {
            None => {
                view.unseen_buildings = Buildings::from_buildings(buildings_without(gone)).unwrap()
            }
            Some(left) => {
                gone.extend(left.iter());
                view.unseen_buildings = left;
                let last = view.seats.last_mut().map(|seat| &mut seat.buildings);
                let owned = match &mut view.dummy {
                    Some(dummy) => &mut dummy.buildings,
                    None => last.unwrap(),
                };
                let more = owned.iter().chain(buildings_without(gone));
                *owned = Buildings::from_buildings(more).unwrap();
            }
        }
        view
    }

    /// Starts a match from the position.
    pub(crate) fn play(&self) -> Play {
        Play::sampled(&self.config, &self.completed())
    }
}

/// A match in progress.
pub(crate) type Play = play::Play<Alhambra>;

impl Play {
    /// Draws and applies pending shuffles.
    pub(crate) fn resolve_chance(&mut self) -> &mut Self {
        let mut chance = ChanceStream::new(&Seed::from(2), 0);
        resolve_chance::<Alhambra>(&mut self.state, &mut chance, &mut self.events);
        self
    }

    pub(crate) fn seat(&self, number: u8) -> SeatView {
        self.view().seats[usize::from(number)]
    }

    /// The seat whose turn it is.
    pub(crate) fn turn(&self) -> Option<u8> {
        match self.view().phase {
            Phase::Turn { seat } => Some(seat.number()),
            Phase::Shuffle { .. } | Phase::Over => None,
        }
    }

    /// The buildings in the yard, in notation.
    pub(crate) fn yard(&self) -> [String; 4] {
        let name = |slot: Option<Building>| slot.map_or("-".to_owned(), |b| b.to_string());
        self.view().yard.map(name)
    }

    /// The events so far as transcript lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.events.iter().map(ToString::to_string).collect()
    }

    /// The transcript lines that start with `start`.
    pub(crate) fn lines_with(&self, start: &str) -> Vec<String> {
        let lines = self.lines().into_iter();
        lines.filter(|line| line.starts_with(start)).collect()
    }
}
