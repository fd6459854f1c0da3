//! Creation of observations, and sampling of states that are consistent with an observation.

use arrayvec::ArrayVec;

use super::BridgesToNowhere;
use super::components::{
    BRIDGE_CARDS, BridgeCard, CARDS_PER_DRAFT, CONTRACTS, Card, Contract, MAX_PIECES, OPEN_CARDS,
    PILLARS, PLAYERS, Piece, Placement,
};
use super::config::Config;
use super::decision::Decision;
use super::edition::{CardId, Edition};
use super::observation::{Observation, Phase, SeatView};
use super::observation_check::check;
use super::setup::{Deal, SEATS, Setup, draw_deck, draw_seat};
use super::state::{Builder, Fixed, State};
use crate::{ChanceStream, FieldError, Sample, SeatCount, Viewer};

impl Sample for BridgesToNowhere {
    type Observation = Observation;

    fn observe(state: &State, viewer: Viewer) -> Observation {
        Observation {
            viewer,
            games: state.fixed.games,
            results: state.results.clone(),
            game: state.game,
            contract: state.contract(),
            round: state.round,
            first_drafter: state.first_drafter(),
            phase: state.phase,
            open: state.bridge_cards(&state.open),
            monuments: state.monuments,
            unseen: state.bridge_cards(&state.deal().unseen(state.rounds_opened())),
            seats: SEATS.map(|seat| {
                let is_own = viewer == Viewer::Seat(seat);
                state.seat(seat).view(&state.fixed, is_own)
            }),
        }
    }

    fn viewer(observation: &Observation) -> Viewer {
        observation.viewer
    }

    /// Draws the order of unseen cards and contracts, and the deals of later games, uniformly.
    /// `sample_secret_building` draws the hidden placements of other seats.
    fn draw_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, FieldError> {
        check(config, observation)?;
        let setup = sample_setup(config, observation, chance);
        let id = |&card: &BridgeCard| config.edition.find(Card::Bridge(card));
        let mut state = State {
            results: observation.results.clone(),
            game: observation.game,
            round: observation.round,
            phase: observation.phase,
            open: observation.open.iter().filter_map(id).collect(),
            monuments: observation.monuments,
            ..State::new(config, &setup)
        };
        for (number, view) in observation.seats.iter().enumerate() {
            state.seats[number] = rebuild(&state.fixed, &config.edition, number, view)?;
        }
        if state.phase == Phase::Build {
            state.open = state.open_while_building();
            sample_secrets(&mut state, observation, chance);
        }
        Ok(state)
    }

    /// Redraws the contracts of later games, the cards of later rounds and the deals of later
    /// games.
    fn redeal(
        _config: &Config,
        _seats: SeatCount,
        setup: &Setup,
        _viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Setup {
        let mut setup = setup.clone();
        if let Some(contracts) = &mut setup.contracts {
            chance.shuffle(&mut contracts[1..]);
        }
        let [first, later @ ..] = &mut setup.deals[..] else {
            return setup;
        };
        chance.shuffle(&mut first.deck[OPEN_CARDS..]);
        for deal in later {
            deal.first_drafter = draw_seat(chance);
            chance.shuffle(&mut deal.deck);
        }
        setup
    }
}

impl State {
    /// Returns the bridge cards with these identifiers, at most `N`.
    pub(super) fn bridge_cards<const N: usize>(&self, ids: &[CardId]) -> ArrayVec<BridgeCard, N> {
        let cards = ids.iter().filter_map(|&id| match self.fixed.card(id) {
            Card::Bridge(card) => Some(card),
            Card::Monument => None,
        });
        cards.collect()
    }
}

impl Builder {
    /// Returns the seat's own view, or the public view without this phase's placements.
    fn view(&self, fixed: &Fixed, is_own: bool) -> SeatView {
        let visible = if is_own { self.placed.len() } else { 0 };
        let (placed, hidden) = self.placed.split_at(visible);
        let mut cards: ArrayVec<Card, CARDS_PER_DRAFT> =
            self.hand.iter().map(|&id| fixed.card(id)).collect();
        cards.extend(hidden.iter().filter_map(|placed| placed.piece.card()));
        cards.sort_unstable();
        let pillars = hidden.iter().filter(|placed| placed.piece == Piece::Pillar);
        SeatView {
            structure: self.pieces(fixed, hidden).collect(),
            pillars: self.pillars + pillars.count() as u8,
            cards,
            placed: placed.iter().copied().collect(),
            has_ended: is_own && self.has_ended,
        }
    }
}

fn random_deal(config: &Config, chance: &mut ChanceStream) -> Deal {
    Deal { first_drafter: draw_seat(chance), deck: draw_deck(config, chance) }
}

/// Creates a setup that leads to the observation. Past parts of the match get an arbitrary order,
/// since they are never read again.
fn sample_setup(config: &Config, observation: &Observation, chance: &mut ChanceStream) -> Setup {
    let game = usize::from(observation.game);
    let deals = (0..usize::from(config.games)).map(|number| {
        if number == game {
            sample_deal(config, observation, chance)
        } else {
            random_deal(config, chance)
        }
    });
    let deals = deals.collect();
    // The contracts that were seen come first, in order. The other contracts follow in random
    // order.
    let contracts = observation.contract.map(|current| {
        let earlier = observation.results[..game].iter();
        let earlier = earlier.filter_map(|result| result.contract);
        let mut contracts: ArrayVec<Contract, CONTRACTS> = earlier.chain([current]).collect();
        let mut unseen = ArrayVec::from(Contract::ALL);
        unseen.retain(|contract| !contracts.contains(contract));
        chance.shuffle(&mut unseen);
        contracts.extend(unseen.into_iter().take(contracts.remaining_capacity()));
        contracts.into_inner().unwrap_or(Contract::ALL)
    });
    Setup { contracts, deals }
}

/// Samples the deal of the current game. The cards that are neither on the table nor unseen are
/// first. The cards on the table follow. These can be the cards of the next round. The unseen cards
/// are last, in random order.
fn sample_deal(config: &Config, observation: &Observation, chance: &mut ChanceStream) -> Deal {
    let mut deck = *config.edition.cards();
    for card in observation.open.iter().chain(&observation.unseen) {
        // A card that the deck does not have is replaced with another card. An observation of the
        // state then reveals the difference.
        let place = deck.iter().position(|other| other == card);
        deck[place.unwrap_or(0)..].rotate_left(1);
    }
    chance.shuffle(&mut deck[BRIDGE_CARDS - observation.unseen.len()..]);
    let first = observation.first_drafter.index() + usize::from(observation.round);
    Deal { first_drafter: SEATS[first % PLAYERS], deck }
}

/// The number of extra pillars, high enough that every structure can close its runs.
const SPARE_PILLARS: u8 = u8::MAX - PILLARS;

/// Rebuilds a seat's state from a view of the seat. The public pieces are placed first, and then
/// the placements of this phase in their order. Each placement must follow the rules.
fn rebuild(
    fixed: &Fixed,
    edition: &Edition,
    number: usize,
    view: &SeatView,
) -> Result<Builder, FieldError> {
    let refused =
        |field: String, problem: String| FieldError::new(field, problem).at("seats", number);
    let mut builder = Builder::new();
    // The view does not show how many cells were needed when a piece was placed.
    builder.pillars += SPARE_PILLARS;
    let shown = view.structure.iter().copied().enumerate();
    let mut shown: ArrayVec<(usize, Placement), MAX_PIECES> =
        shown.filter(|(_, placement)| !view.placed.contains(placement)).collect();
    // In this order, from column 0 outwards, each piece has a neighbour.
    shown.sort_by_key(|(_, Placement { cell, .. })| (cell.level, cell.column.unsigned_abs()));
    for (place, placement) in shown {
        let card = placement.piece.card();
        let id = card.and_then(|card| edition.find(card));
        builder.hand = id.into_iter().collect();
        let placed = builder.place(fixed, placement);
        placed.map_err(|refusal| refused(format!("structure[{place}]"), refusal.to_string()))?;
        builder.placed.clear();
    }
    builder.pillars -= SPARE_PILLARS;
    if builder.structure.needed > 0 {
        let problem = "has a run with a monument that was not closed in its phase";
        return Err(refused("structure".into(), problem.into()));
    }
    let placed_cards = view.placed.iter().filter_map(|placed| placed.piece.card());
    let cards = view.cards.iter().copied().chain(placed_cards);
    builder.hand = cards.filter_map(|card| edition.find(card)).collect();
    builder.hand.sort_unstable();
    for (place, &placement) in view.placed.iter().enumerate() {
        let placed = builder.place(fixed, placement);
        placed.map_err(|refusal| refused(format!("placed[{place}]"), refusal.to_string()))?;
    }
    if view.has_ended {
        let ended = builder.end();
        ended.map_err(|refusal| refused("has_ended".into(), refusal.to_string()))?;
    }
    Ok(builder)
}

/// Samples the hidden placements of all seats except the viewer.
fn sample_secrets(state: &mut State, observation: &Observation, chance: &mut ChanceStream) {
    // The phase has not ended, so at least one seat has not ended. For a spectator, either seat is
    // possible.
    let still_building = match observation.viewer {
        Viewer::Seat(own) if state.seat(own).has_ended => None,
        Viewer::Seat(own) => Some(own),
        Viewer::Spectator => Some(draw_seat(chance)),
    };
    for (seat, builder) in SEATS.into_iter().zip(&mut state.seats) {
        if observation.viewer != Viewer::Seat(seat) {
            let may_have_ended = still_building.is_some_and(|other| other != seat);
            sample_secret_building(builder, &state.fixed, may_have_ended, chance);
        }
    }
}

/// Samples a seat's hidden placements in this phase. Plays the phase to its end with uniformly
/// random decisions, then keeps a uniformly random number of them. The decision to end is kept only
/// if the seat may have ended.
fn sample_secret_building(
    builder: &mut Builder,
    fixed: &Fixed,
    may_have_ended: bool,
    chance: &mut ChanceStream,
) {
    let mut list = Vec::new();
    let mut stages = vec![builder.clone()];
    let mut now = builder.clone();
    while !now.has_ended {
        now.list_building(fixed, &mut list);
        let decision = list[chance.below(list.len() as u32) as usize];
        let done = match decision {
            Decision::Place(placement) => now.place(fixed, placement),
            _ => now.end(),
        };
        debug_assert_eq!(done, Ok(()), "a listed decision is legal");
        stages.push(now.clone());
    }
    let stages_possible = stages.len() - usize::from(!may_have_ended);
    let stage = chance.below(stages_possible as u32) as usize;
    *builder = stages.swap_remove(stage);
}
