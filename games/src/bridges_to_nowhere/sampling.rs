//! What a viewer may know, and drawing a state that it allows.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::BridgesToNowhere;
use super::components::{
    BRIDGE_CARDS, BridgeCard, CARDS_A_DRAFT, CONTRACTS, Card, Contract, LEVELS, MAX_PIECES,
    OPEN_CARDS, PLAYERS, Piece, Placement,
};
use super::config::Config;
use super::decision::Decision;
use super::edition::{CardId, Edition};
use super::illegal::Illegal;
use super::observation::{Observation, Phase, SeatView};
use super::observation_check::check;
use super::setup::{Deal, Setup, draw_deck, draw_seat, seat};
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
            unseen: state.bridge_cards(&state.deal().unseen(state.round)),
            seats: std::array::from_fn(|number| {
                let builder = &state.seats[number];
                match viewer == Viewer::Seat(seat(number as u8)) {
                    true => builder.own_view(&state.fixed),
                    false => builder.shown_view(&state.fixed),
                }
            }),
        }
    }

    fn viewer(observation: &Observation) -> Viewer {
        observation.viewer
    }

    /// The order of unseen cards and contracts and the deals of later games are drawn uniformly;
    /// what another seat has built in secret as `sample_secret_building` says.
    fn draw_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, FieldError> {
        check(config, observation)?;
        let setup = sample_setup(config, observation, chance);
        let open = observation.open.iter();
        let mut state = State {
            fixed: Arc::new(Fixed::new(config, &setup)),
            results: observation.results.clone(),
            game: observation.game,
            round: observation.round,
            phase: observation.phase,
            open: open.filter_map(|&card| config.edition.find(card)).collect(),
            monuments: observation.monuments,
            seats: [Builder::new(), Builder::new()],
        };
        for (number, view) in observation.seats.iter().enumerate() {
            state.seats[number] = rebuild(&state.fixed, &config.edition, number, view)?;
        }
        if state.phase == Phase::Build {
            sample_secrets(&mut state, observation, chance);
        }
        Ok(state)
    }

    /// Hidden are the contracts of later games, the cards of later rounds and the deals of later
    /// games.
    fn redeal(
        config: &Config,
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
            *deal = Deal {
                first_drafter: draw_seat(chance),
                deck: draw_deck(config, chance),
            };
        }
        setup
    }
}

impl State {
    /// The bridge cards of some identifiers, at most `N`.
    pub(super) fn bridge_cards<const N: usize>(&self, ids: &[CardId]) -> ArrayVec<BridgeCard, N> {
        let cards = ids.iter().filter_map(|&id| match self.fixed.card(id) {
            Card::Bridge(card) => Some(card),
            Card::Monument => None,
        });
        cards.collect()
    }
}

impl Builder {
    /// What the seat itself knows.
    fn own_view(&self, fixed: &Fixed) -> SeatView {
        SeatView {
            structure: self.pieces(fixed, [0; LEVELS]).collect(),
            pillars: self.pillars,
            cards: self.hand.iter().map(|&id| fixed.card(id)).collect(),
            placed: self
                .placed
                .iter()
                .map(|placed| placed.placement(fixed))
                .collect(),
            has_ended: self.has_ended,
        }
    }

    /// What everybody was last shown: what this phase has placed is not there yet.
    fn shown_view(&self, fixed: &Fixed) -> SeatView {
        let placed_cards = self.placed.iter().filter_map(|placed| placed.card);
        let pillars = self.placed.iter().filter(|placed| placed.card.is_none());
        let mut cards: ArrayVec<CardId, CARDS_A_DRAFT> = self.hand.clone();
        cards.extend(placed_cards);
        cards.sort_unstable();
        SeatView {
            structure: self.pieces(fixed, self.placed_boards()).collect(),
            pillars: self.pillars + pillars.count() as u8,
            cards: cards.iter().map(|&id| fixed.card(id)).collect(),
            placed: ArrayVec::new(),
            has_ended: false,
        }
    }
}

/// A setup that leads to what was observed. Of what is over it has any order: nothing looks there
/// any more.
fn sample_setup(config: &Config, observation: &Observation, chance: &mut ChanceStream) -> Setup {
    let game = usize::from(observation.game);
    let deals = (0..usize::from(config.games)).map(|number| match number == game {
        true => sample_deal(config, observation, chance),
        false => Deal {
            first_drafter: draw_seat(chance),
            deck: draw_deck(config, chance),
        },
    });
    let deals = deals.collect();
    let contracts = observation.contract.map(|current| {
        let earlier = observation.results.iter().take(game.min(CONTRACTS - 1));
        let earlier = earlier.filter_map(|result| result.contract);
        sample_contracts(earlier.chain([current]).collect(), chance)
    });
    Setup { contracts, deals }
}

/// The contracts that were seen, in order, and then the others in random order.
fn sample_contracts(
    mut contracts: ArrayVec<Contract, CONTRACTS>,
    chance: &mut ChanceStream,
) -> [Contract; CONTRACTS] {
    let all = Contract::ALL;
    let unseen = all.iter().filter(|contract| !contracts.contains(contract));
    let mut unseen: ArrayVec<Contract, CONTRACTS> = unseen.copied().collect();
    chance.shuffle(&mut unseen);
    contracts.extend(unseen.into_iter().take(contracts.remaining_capacity()));
    contracts.into_inner().unwrap_or(all)
}

/// The deal of the game in play: first what is not unseen, then the unseen cards in random order.
fn sample_deal(config: &Config, observation: &Observation, chance: &mut ChanceStream) -> Deal {
    let mut unseen = observation.unseen.clone();
    let mut deck: ArrayVec<BridgeCard, BRIDGE_CARDS> = ArrayVec::new();
    for &card in config.edition.cards() {
        match unseen.iter().position(|&other| other == card) {
            Some(place) => drop(unseen.swap_remove(place)),
            None => deck.push(card),
        }
    }
    let mut unseen = observation.unseen.clone();
    chance.shuffle(&mut unseen);
    deck.extend(unseen.into_iter().take(deck.remaining_capacity()));
    let parity = (observation.first_drafter.number() + observation.round) % PLAYERS as u8;
    Deal {
        first_drafter: seat(parity),
        deck: deck.into_inner().unwrap_or(*config.edition.cards()),
    }
}

/// What a seat has, built anew from a view of it: first what everybody has seen, each piece placed
/// by the rules, then the placements of this phase in their order.
fn rebuild(
    fixed: &Fixed,
    edition: &Edition,
    number: usize,
    view: &SeatView,
) -> Result<Builder, FieldError> {
    let field = |name: String| format!("seats[{number}].{name}");
    let mut builder = Builder::new();
    let mut shown: ArrayVec<(usize, Placement), MAX_PIECES> =
        view.structure.iter().copied().enumerate().collect();
    shown.retain(|(_, placement)| !view.placed.contains(placement));
    // Outwards from column 0 each piece finds its neighbour.
    shown.sort_by_key(|(_, Placement { cell, .. })| (cell.level, cell.column.unsigned_abs()));
    for (place, placement) in shown {
        rebuild_piece(&mut builder, fixed, edition, placement)
            .or_else(|problem| FieldError::refuse(field(format!("structure[{place}]")), problem))?;
    }
    if builder.structure.needed > 0 {
        let problem = "has a run with a monument that was not closed in its phase";
        return FieldError::refuse(field("structure".into()), problem);
    }
    let placed_cards = view.placed.iter().filter_map(|placed| match placed.piece {
        Piece::Card(card) => Some(card),
        Piece::Pillar => None,
    });
    let cards = view.cards.iter().copied().chain(placed_cards);
    builder.hand = cards.filter_map(|card| identify(edition, card)).collect();
    builder.hand.sort_unstable();
    for (place, &placement) in view.placed.iter().enumerate() {
        builder.place(fixed, placement).or_else(|refusal| {
            FieldError::refuse(field(format!("placed[{place}]")), refusal.to_string())
        })?;
    }
    if view.has_ended {
        builder.end().or_else(|refusal| {
            FieldError::refuse(field("has_ended".into()), refusal.to_string())
        })?;
    }
    Ok(builder)
}

/// Adds a piece that was shown. What was needed to close monuments when it was placed is not
/// known any more.
fn rebuild_piece(
    builder: &mut Builder,
    fixed: &Fixed,
    edition: &Edition,
    placement: Placement,
) -> Result<(), String> {
    let Placement { piece, cell } = placement;
    let add = |builder: &mut Builder| -> Result<(), Illegal> {
        builder.check_cell(cell)?;
        match piece {
            Piece::Pillar => {
                builder.pillars = builder
                    .pillars
                    .checked_sub(1)
                    .ok_or(Illegal::NoPillarLeft)?;
                builder.structure.place_pillar(cell);
            }
            Piece::Card(card) => {
                let id = identify(edition, card).ok_or(Illegal::NotInHand(card))?;
                builder.check_run(fixed, id, cell)?;
                builder.structure.place_card(cell, id, fixed.traits(id));
            }
        }
        Ok(())
    };
    add(builder).map_err(|refusal| refusal.to_string())
}

fn identify(edition: &Edition, card: Card) -> Option<CardId> {
    match card {
        Card::Bridge(card) => edition.find(card),
        Card::Monument => Some(CardId::MONUMENT),
    }
}

/// Draws what the seats other than the viewer have built in this phase.
fn sample_secrets(state: &mut State, observation: &Observation, chance: &mut ChanceStream) {
    // The phase goes on, so at least one seat has not ended. Of two that a spectator sees, either
    // is that seat.
    let still_building = match observation.viewer {
        Viewer::Seat(own) if state.seat(own).has_ended => None,
        Viewer::Seat(own) => Some(own.index()),
        Viewer::Spectator => Some(chance.below(PLAYERS as u32) as usize),
    };
    let fixed = Arc::clone(&state.fixed);
    for (number, builder) in state.seats.iter_mut().enumerate() {
        if observation.viewer != Viewer::Seat(seat(number as u8)) {
            let may_have_ended = still_building.is_some_and(|other| other != number);
            sample_secret_building(builder, &fixed, may_have_ended, chance);
        }
    }
}

/// Draws what a seat has built in secret since it was last shown: a phase played to its end, each
/// decision uniform among the legal ones, and of it the first decisions, any number with equal
/// chance. The end itself is among them only when the seat may have ended.
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
