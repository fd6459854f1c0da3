//! What a viewer may know, and drawing a state that it allows.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::OldLondonBridge;
use super::components::{
    BONUS_STACKS, BUILDINGS_PER_KIND, KINDS, MARKER_VALUES, MARKERS_IN_BOX, MARKERS_PER_VALUE,
    MAX_PLAYERS,
};
use super::config::Config;
use super::decision::Decision;
use super::edition_parts::building_order;
use super::observation::{BonusStackView, Observation, Phase, SeatView, StackView};
use super::observation_check::check;
use super::setup::{MAX_ROUNDS, Setup, rounds};
use super::state::{Fixed, State, secrets};
use super::turn_check::check_phase;
use crate::{ChanceStream, FieldError, Sample, SeatCount, Viewer};

impl Sample for OldLondonBridge {
    type Observation = Observation;

    fn observe(state: &State, viewer: Viewer) -> Observation {
        let fixed = &state.fixed;
        Observation {
            viewer,
            faces: fixed.faces,
            rounds: fixed.rounds,
            round: state.round,
            marker: fixed.markers[usize::from(state.round)],
            orientation: state.orientation,
            phase: state.phase,
            stacks: std::array::from_fn(|place| {
                let (stack, gone) = (&fixed.stacks[place], state.buildings_gone[place]);
                StackView {
                    kind: fixed.edition.ring()[place],
                    top: stack.get(usize::from(gone)).copied(),
                    unseen: below_top(stack, gone, &fixed.places_in_order[place]),
                }
            }),
            unseen_markers: state.unseen_markers(),
            supply: state.supply,
            bonus_stacks: std::array::from_fn(|place| {
                let (stack, gone) = (&fixed.bonus_stacks[place], state.tiles_gone[place]);
                BonusStackView {
                    face_up: stack.get(usize::from(gone)).copied(),
                    unseen: below_top(stack, gone, &fixed.tile_places_in_order[place]),
                }
            }),
            seats: state.seat_views(viewer),
            chapel_order: state.chapel_order.clone(),
            gate_order: state.gate_order.clone(),
            turns: state.turns.clone(),
        }
    }

    fn viewer(observation: &Observation) -> Viewer {
        observation.viewer
    }

    /// The order of buildings, markers and bonus tiles and the other seats' unrevealed choices are
    /// drawn uniformly.
    fn draw_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, FieldError> {
        let seats = check(config, observation)?;
        let mut state = assemble(config, seats, observation, chance)?;
        check_phase(&state)?;
        if observation.phase == Phase::ChooseCards {
            sample_choices(&mut state, observation, chance)?;
        }
        Ok(state)
    }

    /// Hidden is what lies below the top of each stack, and the markers of later rounds.
    fn redeal(
        _config: &Config,
        _seats: SeatCount,
        setup: &Setup,
        _viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Setup {
        let mut redealt = setup.clone();
        redealt
            .stacks
            .iter_mut()
            .for_each(|stack| chance.shuffle(&mut stack[1..]));
        redealt
            .bonus_stacks
            .iter_mut()
            .for_each(|stack| chance.shuffle(&mut stack[1..]));
        // The markers that are out of the game are hidden, too.
        let mut unseen = [MARKERS_PER_VALUE; MARKER_VALUES];
        unseen[usize::from(setup.markers[0]) - 1] -= 1;
        let unseen = (1..)
            .zip(unseen)
            .flat_map(|(value, count)| (0..count).map(move |_| value));
        let mut unseen: ArrayVec<u8, MARKERS_IN_BOX> = unseen.collect();
        chance.shuffle(&mut unseen);
        let later = redealt.markers[1..].iter_mut();
        later
            .zip(unseen)
            .for_each(|(marker, drawn)| *marker = drawn);
        redealt
    }
}

impl State {
    /// The public views of the seats; the viewer sees its own choice too.
    fn seat_views(&self, viewer: Viewer) -> ArrayVec<SeatView, MAX_PLAYERS> {
        let mut views = self.seats.clone();
        if let Viewer::Seat(seat) = viewer
            && let Some(view) = views.get_mut(seat.index())
        {
            view.played = view.played.or(self.chosen[seat.index()].seen_by(viewer));
        }
        views
    }
}

/// What lies below the top of a stack from which so many are gone, in the order of `places`.
fn below_top<T: Copy, const N: usize>(
    stack: &[T; N],
    gone: u8,
    places: &[u8; N],
) -> ArrayVec<T, N> {
    let (mut unseen, mut count) = (*stack, 0);
    for &place in places {
        // Written in any case, and kept or written over: without a branch for each.
        unseen[count] = stack[usize::from(place)];
        count += usize::from(place > gone);
    }
    let mut unseen = ArrayVec::from(unseen);
    unseen.truncate(count);
    unseen
}

fn assemble(
    config: &Config,
    seats: SeatCount,
    observation: &Observation,
    chance: &mut ChanceStream,
) -> Result<State, FieldError> {
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
    let fixed = Fixed {
        edition: Arc::clone(edition),
        seats,
        rounds: rounds(seats),
        faces: observation.faces,
        start_leaders: config.start_leaders,
        ring_place: Fixed::ring_places(edition),
        x_spaces: Fixed::x_spaces(edition),
        places_in_order: Fixed::places_in_order(&stacks, building_order),
        stacks_digested: Fixed::stacks_digested(&stacks),
        stacks,
        markers: sample_markers(observation, rounds(seats), chance)?,
        tile_places_in_order: Fixed::places_in_order(&bonus_stacks, |&tile| tile),
        bonus_stacks,
    };
    let mut views = observation.seats.clone();
    if observation.phase == Phase::ChooseCards {
        views.iter_mut().for_each(|view| view.played = None);
    }
    Ok(State {
        fixed: Arc::new(fixed),
        round: observation.round,
        orientation: observation.orientation,
        phase: observation.phase,
        buildings_gone,
        tiles_gone,
        supply: observation.supply,
        seats: views,
        chosen: secrets(),
        chapel_order: observation.chapel_order.clone(),
        gate_order: observation.gate_order.clone(),
        turns: observation.turns.clone(),
    })
}

/// The open item of a stack, and below it the others in random order.
fn top_and_shuffled<T: Copy, const N: usize>(
    top: Option<T>,
    unseen: &ArrayVec<T, N>,
    chance: &mut ChanceStream,
) -> ArrayVec<T, N> {
    let mut unseen = unseen.clone();
    chance.shuffle(&mut unseen);
    top.into_iter().chain(unseen).take(N).collect()
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
    rounds: u8,
    chance: &mut ChanceStream,
) -> Result<ArrayVec<u8, MAX_ROUNDS>, FieldError> {
    let mut markers: ArrayVec<u8, MARKERS_IN_BOX> = ArrayVec::new();
    let mut later = markers.clone();
    for (value, &unseen) in (1..).zip(&observation.unseen_markers) {
        let this = u8::from(value == observation.marker);
        let Some(seen) = MARKERS_PER_VALUE.checked_sub(unseen.saturating_add(this)) else {
            return FieldError::refuse(
                "unseen_markers",
                "with this round's has more than five of a value",
            );
        };
        markers.extend((0..seen).map(|_| value));
        later.extend((0..unseen).map(|_| value));
    }
    if markers.len() != usize::from(observation.round) {
        return FieldError::refuse("unseen_markers", "does not add up to 14 less the round");
    }
    markers.push(observation.marker);
    chance.shuffle(&mut later);
    Ok(markers
        .into_iter()
        .chain(later)
        .take(rounds.into())
        .collect())
}

/// Sets the viewer's own choice and draws those of the other seats that have chosen.
fn sample_choices(
    state: &mut State,
    observation: &Observation,
    chance: &mut ChanceStream,
) -> Result<(), FieldError> {
    let mut plays = Vec::new();
    for (seat, view) in state.fixed.seats.seats().zip(&observation.seats) {
        if !view.has_chosen {
            continue;
        }
        let field = || format!("seats[{seat}].played");
        let choice = match view.played {
            Some(cards) => cards,
            None => {
                plays.clear();
                state.list_plays(seat, &mut plays);
                let place = chance.below(plays.len().max(1) as u32) as usize;
                let Some(Decision::PlayCards(cards)) = plays.get(place) else {
                    return FieldError::refuse(field(), "the hand has no cards to play");
                };
                *cards
            }
        };
        if let Err(refusal) = state.check_cards(seat, choice) {
            return FieldError::refuse(field(), refusal.to_string());
        }
        state.chosen[seat.index()].choose(choice);
    }
    Ok(())
}
