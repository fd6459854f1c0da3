//! Positions built piece by piece, and matches continued from them.

use bridgemaster_games::bridges_to_nowhere::{
    BridgeCard, BridgesToNowhere, CARDS_PER_DRAFT, Card, Cell, Config, Contract, Decision, Edition,
    Event, MONUMENTS, OPEN_CARDS, Observation, PILLARS, Phase, Piece, Placement, ROUNDS, SeatScore,
    SeatView, State, Style,
};
use bridgemaster_games::{ChanceStream, Game, NoEvents, Rules, Sample, SeatCount, Seed, Viewer};

use crate::play::seat;

/// Parses the short name of a piece: `|` a pillar, `M` a monument, otherwise style and number or
/// `$` for a toll, such as `S4` or `T$`, of the built-in edition.
pub(crate) fn piece(name: &str) -> Piece {
    match name {
        "|" => Piece::Pillar,
        "M" => Piece::Card(Card::Monument),
        _ => Piece::Card(Card::Bridge(bridge_card(name))),
    }
}

pub(crate) fn bridge_card(name: &str) -> BridgeCard {
    let style = Style::ALL["STC".find(&name[..1]).unwrap()];
    let number = name[1..].parse().ok();
    let edition = Edition::built_in();
    let cards = edition.cards().iter();
    let mut found = cards.filter(|card| card.style == style && card.number == number);
    *found.next().unwrap()
}

/// The notation of a placement, from the short name of its piece.
pub(crate) fn place(name: &str, level: u8, column: i8) -> String {
    let cell = Cell { level, column };
    let piece = piece(name);
    Decision::Place(Placement { piece, cell }).to_string()
}

/// A position at the start of both seats' building phase.
pub(crate) struct Position {
    round: u8,
    contract: Contract,
    structures: [Vec<Placement>; 2],
    cards: [Vec<Card>; 2],
}

impl Position {
    /// The first phase of a game, with empty structures and arbitrary cards in hand.
    pub(crate) fn new() -> Self {
        Self {
            round: 0,
            contract: Contract::Triple,
            structures: [vec![], vec![]],
            cards: [vec![], vec![]],
        }
    }

    /// The last phase of a game with this contract.
    pub(crate) fn last(contract: Contract) -> Self {
        Self { round: ROUNDS - 1, contract, ..Self::new() }
    }

    pub(crate) fn round(mut self, round: u8) -> Self {
        self.round = round;
        self
    }

    /// Sets the cards that a seat took in this round; arbitrary cards fill them up to three.
    pub(crate) fn cards(mut self, owner: u8, names: &str) -> Self {
        let cards = names.split_whitespace().map(|name| match piece(name) {
            Piece::Card(card) => card,
            Piece::Pillar => panic!("a pillar is not a card"),
        });
        self.cards[usize::from(owner)] = cards.collect();
        self
    }

    /// Puts pieces side by side on a level, the first at `column`; `.` leaves a cell empty.
    pub(crate) fn row(mut self, owner: u8, level: u8, column: i8, names: &str) -> Self {
        for (column, name) in (column..).zip(names.split_whitespace()) {
            let cell = Cell { level, column };
            if name != "." {
                let piece = piece(name);
                self.structures[usize::from(owner)].push(Placement { piece, cell });
            }
        }
        self
    }

    /// The observation of `viewer` at the start of the phase. If the earlier rounds do not have
    /// enough cards for a structure, its seat has placed the rest in this phase, and `viewer` must
    /// be that seat.
    pub(crate) fn view(&self, viewer: Viewer) -> Observation {
        let (config, mut cards) = (Config::default(), self.cards.clone());
        let placed = self.structures.iter().flatten();
        let mut used: Vec<Piece> = placed.map(|placed| placed.piece).collect();
        used.extend(cards.iter().flatten().map(|&card| Piece::Card(card)));
        let edition = config.edition.cards().iter().copied();
        let mut free: Vec<BridgeCard> =
            edition.filter(|&card| !used.contains(&Piece::Card(Card::Bridge(card)))).collect();
        let to_come = usize::from(ROUNDS - 1 - self.round) * OPEN_CARDS;
        let monument = Piece::Card(Card::Monument);
        let monuments = used.iter().filter(|&&piece| piece == monument).count() as u8;
        let seats = [0, 1].map(|number: usize| {
            let mut structure = self.structures[number].clone();
            let is_card = |placed: &&Placement| placed.piece != Piece::Pillar;
            let before = usize::from(self.round) * CARDS_PER_DRAFT;
            let late = structure.iter().enumerate().filter(|(_, placed)| is_card(placed));
            let late = late.map(|(place, _)| place).nth(before);
            let placed = structure[late.unwrap_or(structure.len())..].to_vec();
            let hand = &mut cards[number];
            while hand.len() + placed.iter().filter(is_card).count() < CARDS_PER_DRAFT {
                hand.push(Card::Bridge(free.pop().unwrap()));
            }
            hand.sort_unstable();
            structure.sort_by_key(|placed| placed.cell);
            let pillars = structure.iter().filter(|placed| !is_card(placed)).count();
            SeatView {
                structure: structure.iter().copied().collect(),
                pillars: PILLARS - pillars as u8,
                cards: hand.iter().copied().collect(),
                placed: placed.into_iter().collect(),
                has_ended: false,
            }
        });
        Observation {
            viewer,
            games: config.games,
            results: Default::default(),
            game: 0,
            contract: Some(self.contract),
            round: self.round,
            first_drafter: seat(0),
            phase: Phase::Build,
            open: free[..to_come.min(OPEN_CARDS)].iter().copied().collect(),
            monuments: MONUMENTS - monuments,
            unseen: free[to_come.min(OPEN_CARDS)..to_come].iter().copied().collect(),
            seats,
        }
    }

    /// Starts a match from the position.
    pub(crate) fn play(self) -> Play {
        Play::of(&self.view(Viewer::Seat(seat(0))))
    }
}

/// A match in progress.
pub(crate) struct Play {
    pub(crate) state: State,
}

impl Play {
    /// A match of the default config in which seat 0 has this view, and seat 1 has not built in
    /// this phase.
    pub(crate) fn of(view: &Observation) -> Self {
        let mut chance = ChanceStream::new(&Seed::from(1), 0);
        // The sampler draws the placements of the other seat; one draw in a few has none.
        loop {
            let state = BridgesToNowhere::sample_state(&Config::default(), view, &mut chance);
            let play = Self { state: state.unwrap() };
            if play.view(1).seats[1] == view.seats[1] {
                return play;
            }
        }
    }

    /// A match from its start.
    pub(crate) fn start(config: &Config, seed: u64) -> Self {
        let seats = SeatCount::new(2).unwrap();
        let setup = BridgesToNowhere::draw_setup(config, seats, &Seed::from(seed)).unwrap();
        let state = BridgesToNowhere::start(config, seats, &setup, &mut NoEvents).unwrap();
        Self { state }
    }

    /// Applies a decision and returns its events.
    pub(crate) fn decide(&mut self, owner: u8, decision: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let parsed = decision.parse().unwrap();
        if let Err(refusal) =
            BridgesToNowhere::apply(&mut self.state, seat(owner), &parsed, &mut events)
        {
            panic!("{decision}: {refusal}");
        }
        events
    }

    /// Places the piece of a short name.
    pub(crate) fn place(&mut self, owner: u8, name: &str, level: u8, column: i8) {
        assert_eq!(self.decide(owner, &place(name, level, column)), []);
    }

    /// The error text of a refused decision.
    pub(crate) fn refusal(&mut self, owner: u8, decision: &str) -> String {
        let parsed = decision.parse().unwrap();
        let refused = BridgesToNowhere::apply(&mut self.state, seat(owner), &parsed, &mut NoEvents);
        assert!(!self.legal(owner).contains(&decision.to_owned()));
        refused.unwrap_err().to_string()
    }

    pub(crate) fn legal(&self, owner: u8) -> Vec<String> {
        let mut list = Vec::new();
        BridgesToNowhere::legal(&self.state, seat(owner), &mut list);
        list.iter().map(ToString::to_string).collect()
    }

    pub(crate) fn view(&self, viewer: u8) -> Observation {
        BridgesToNowhere::observe(&self.state, Viewer::Seat(seat(viewer)))
    }

    /// Ends the phase of both seats and returns the events.
    pub(crate) fn end_both(&mut self) -> Vec<Event> {
        let mut events = self.decide(0, "end");
        events.extend(self.decide(1, "end"));
        events
    }
}

/// The score of seat 0 in the last phase of a game with this structure.
pub(crate) fn score(position: Position) -> SeatScore {
    let events = position.play().end_both();
    let scores = events.iter().find_map(|event| match event {
        Event::Scored { seat: owner, score } if *owner == seat(0) => Some(*score),
        _ => None,
    });
    scores.unwrap()
}
