//! Drawing a state that an observation allows.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::components::{
    BONUS_STACKS, BUILDINGS_PER_KIND, KINDS, MARKERS_IN_BOX, MARKERS_PER_VALUE, MAX_PLAYERS,
};
use super::config::Config;
use super::decision::Decision;
use super::observation::{Observation, Phase};
use super::observation_check::check_before_sampling;
use super::setup::{MAX_ROUNDS, SetupError};
use super::state::{State, Table};
use super::turn_check::check_phase;
use crate::{ChanceStream, SeatCount, Viewer};

/// Draws a state that `observation` allows, the hidden facts uniformly: the order of buildings,
/// markers and bonus tiles, and the other seats' unrevealed choices.
pub(super) fn sample(
    config: &Config,
    observation: &Observation,
    chance: &mut ChanceStream,
) -> Result<State, SetupError> {
    let seats = check_before_sampling(config, observation)?;
    let mut state = assemble(config, seats, observation, chance);
    check_phase(&state)?;
    sample_choices(&mut state, observation, chance)?;
    // What the checks do not name, such as the order of a list, shows here.
    if state.observe(observation.viewer) != *observation {
        return SetupError::field("observation", "is not in the documented form");
    }
    Ok(state)
}

fn assemble(
    config: &Config,
    seats: SeatCount,
    observation: &Observation,
    chance: &mut ChanceStream,
) -> State {
    let edition = &config.edition;
    let mut stacks = [[edition.buildings()[0]; BUILDINGS_PER_KIND]; KINDS];
    let mut buildings_gone = [0; KINDS];
    for (place, view) in observation.stacks.iter().enumerate() {
        let rest = top_and_shuffled(view.top, &view.unseen, chance);
        let all = edition.buildings_of(view.kind);
        buildings_gone[place] = fill_stack(&mut stacks[place], all, &rest);
    }
    let mut bonus_stacks = *edition.bonus_stacks();
    let mut tiles_gone = [0; BONUS_STACKS];
    for (place, view) in observation.bonus_stacks.iter().enumerate() {
        let rest = top_and_shuffled(view.face_up, &view.unseen, chance);
        let all = edition.bonus_stacks()[place];
        tiles_gone[place] = fill_stack(&mut bonus_stacks[place], &all, &rest);
    }
    let table = Table {
        edition: Arc::clone(edition),
        seats,
        rounds: observation.rounds,
        faces: observation.faces,
        start_leaders: config.start_leaders,
        ring_place: Table::ring_places(edition),
        places_in_order: Table::places_in_order(&stacks),
        stacks,
        markers: sample_markers(observation, chance),
        bonus_stacks,
    };
    let mut views = observation.seats.clone();
    if observation.phase == Phase::ChooseCards {
        views.iter_mut().for_each(|view| view.played = None);
    }
    State {
        table: Arc::new(table),
        round: observation.round,
        orientation: observation.orientation,
        phase: observation.phase,
        buildings_gone,
        tiles_gone,
        supply: observation.supply,
        seats: views,
        chosen: [None; MAX_PLAYERS],
        chapel_order: observation.chapel_order.clone(),
        gate_order: observation.gate_order.clone(),
        turns: observation.turns.clone(),
    }
}

/// The open item of a stack, and below it the others in random order.
fn top_and_shuffled<T: Copy, const N: usize>(
    top: Option<T>,
    unseen: &ArrayVec<T, N>,
    chance: &mut ChanceStream,
) -> ArrayVec<T, N> {
    let mut unseen = unseen.clone();
    chance.shuffle(&mut unseen);
    top.into_iter().chain(unseen).collect()
}

/// Fills a stack with the items of `all` that are gone and then those of `rest`; returns how many
/// are gone. `rest` must be a part of `all`.
fn fill_stack<T: Copy + PartialEq, const N: usize>(
    stack: &mut [T; N],
    all: &[T],
    rest: &ArrayVec<T, N>,
) -> u8 {
    let gone = N - rest.len();
    let mut unmatched = rest.clone();
    let mut filled = 0;
    for &item in all {
        match unmatched.iter().position(|other| *other == item) {
            Some(place) => drop(unmatched.swap_remove(place)),
            None => {
                stack[filled] = item;
                filled += 1;
            }
        }
    }
    stack[gone..].copy_from_slice(rest);
    gone as u8
}

/// Markers of all rounds: those of earlier rounds in any order, this round's, and later ones
/// drawn from what is unseen.
fn sample_markers(
    observation: &Observation,
    chance: &mut ChanceStream,
) -> ArrayVec<u8, MAX_ROUNDS> {
    let mut markers = ArrayVec::new();
    let mut later: ArrayVec<u8, MARKERS_IN_BOX> = ArrayVec::new();
    for (value, &unseen) in (1..).zip(&observation.unseen_markers) {
        let seen = MARKERS_PER_VALUE - unseen - u8::from(value == observation.marker);
        markers.extend((0..seen).map(|_| value));
        later.extend((0..unseen).map(|_| value));
    }
    markers.push(observation.marker);
    chance.shuffle(&mut later);
    let rounds_left = usize::from(observation.rounds) - markers.len();
    markers.extend(later.into_iter().take(rounds_left));
    markers
}

/// Sets the viewer's own choice and draws those of the other seats that have chosen.
fn sample_choices(
    state: &mut State,
    observation: &Observation,
    chance: &mut ChanceStream,
) -> Result<(), SetupError> {
    if observation.phase != Phase::ChooseCards {
        return Ok(());
    }
    let mut plays = Vec::new();
    for seat in state.table.seats.seats() {
        let view = &observation.seats[seat.index()];
        let own = observation.viewer == Viewer::Seat(seat);
        state.chosen[seat.index()] = match view.played {
            None if !view.has_chosen => None,
            None if !own => {
                state.list_plays(seat, &mut plays);
                let draw = chance.below(plays.len() as u32) as usize;
                match plays.drain(..).nth(draw) {
                    Some(Decision::PlayCards(cards)) => Some(cards),
                    _ => None,
                }
            }
            Some(cards) if own && view.has_chosen => match state.check_cards(seat, cards) {
                Ok(()) => Some(cards),
                Err(refusal) => {
                    let field = format!("seats[{seat}].played");
                    return SetupError::field(field, refusal.to_string());
                }
            },
            _ => {
                let problem = "is known exactly for the viewer's own choice before the reveal";
                return SetupError::field(format!("seats[{seat}].played"), problem);
            }
        };
    }
    Ok(())
}
