//! Creation of observations, and sampling of states that are consistent with an observation.

use arrayvec::ArrayVec;

use super::OldLondonBridge;
use super::components::{MARKERS_IN_BOX, MARKERS_PER_VALUE, TileKind};
use super::config::Config;
use super::decision::Decision;
use super::observation::{BonusStackView, Observation, Phase, StackView};
use super::observation_check::{check, check_phase};
use super::setup::{MAX_ROUNDS, Setup, markers_in_box, rounds};
use super::state::{Fixed, State, no_choices};
use crate::{ChanceStream, FieldError, Sample, SeatCount, Viewer, field_error::require};

impl Sample for OldLondonBridge {
    type Observation = Observation;

    fn observe(state: &State, viewer: Viewer) -> Observation {
        let fixed = &state.fixed;
        let mut seats = state.seats.clone();
        for (view, chosen) in seats.iter_mut().zip(&state.chosen) {
            view.played = view.played.or(chosen.seen_by(viewer));
        }
        Observation {
            viewer,
            faces: fixed.faces,
            rounds: rounds(fixed.seats),
            round: state.round,
            marker: fixed.markers[usize::from(state.round)],
            orientation: state.orientation,
            phase: state.phase,
            stacks: std::array::from_fn(|place| {
                let (stack, gone) = (&fixed.stacks[place], state.buildings_gone[place]);
                StackView {
                    kind: fixed.edition.ring()[place],
                    top: stack.top(gone),
                    unseen: stack.below_top(gone),
                }
            }),
            unseen_markers: state.unseen_markers(),
            supply: state.supply,
            bonus_stacks: std::array::from_fn(|place| {
                let (stack, gone) = (&fixed.bonus_stacks[place], state.tiles_gone[place]);
                BonusStackView { face_up: stack.top(gone), unseen: stack.below_top(gone) }
            }),
            seats,
            chapel_order: state.chapel_order.clone(),
            gate_order: state.gate_order.clone(),
            turns: state.turns.clone(),
        }
    }

    fn viewer(observation: &Observation) -> Viewer {
        observation.viewer
    }

    /// Draws the order of buildings, markers and bonus tiles, and the unrevealed choices of other
    /// seats, uniformly.
    fn draw_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, FieldError> {
        let seats = check(config, observation)?;
        let gone = config.edition.buildings()[0];
        let views = observation.stacks.each_ref();
        let stacks = views.map(|view| draw_stack(view.top, &view.unseen, gone, chance));
        let gone = TileKind::Share;
        let views = observation.bonus_stacks.each_ref();
        let bonus_stacks = views.map(|view| draw_stack(view.face_up, &view.unseen, gone, chance));
        let mut state = State {
            fixed: Fixed::new(
                config,
                seats,
                observation.faces,
                stacks.map(|(stack, _)| stack),
                draw_markers(observation, rounds(seats), chance)?,
                bonus_stacks.map(|(stack, _)| stack),
            ),
            round: observation.round,
            orientation: observation.orientation,
            phase: observation.phase,
            buildings_gone: stacks.map(|(_, gone)| gone),
            tiles_gone: bonus_stacks.map(|(_, gone)| gone),
            supply: observation.supply,
            seats: observation.seats.clone(),
            chosen: no_choices(),
            chapel_order: observation.chapel_order.clone(),
            gate_order: observation.gate_order.clone(),
            turns: observation.turns.clone(),
        };
        check_phase(&state)?;
        if observation.phase == Phase::ChooseCards {
            draw_choices(&mut state, chance)?;
        }
        Ok(state)
    }

    /// Redraws the order below the top of each stack, and the markers of later rounds.
    fn redeal(
        _config: &Config,
        _seats: SeatCount,
        setup: &Setup,
        _viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Setup {
        let mut redealt = setup.clone();
        for stack in &mut redealt.stacks {
            chance.shuffle(&mut stack[1..]);
        }
        for stack in &mut redealt.bonus_stacks {
            chance.shuffle(&mut stack[1..]);
        }
        // The markers that are out of the game are hidden too. Such markers come after the markers
        // of all rounds.
        let mut markers = ArrayVec::from(markers_in_box());
        for (place, marker) in setup.markers.iter().enumerate() {
            if let Some(found) = markers[place..].iter().position(|other| other == marker) {
                markers.swap(place, place + found);
            }
        }
        chance.shuffle(&mut markers[1..]);
        let all = redealt.markers.len();
        redealt.markers.copy_from_slice(&markers[..all]);
        redealt
    }
}

/// Samples a stack: its top item, followed by its unseen items in random order. Returns the number
/// of items that were taken from the stack. Taken items are never read again, so `gone` fills their
/// places.
fn draw_stack<T: Copy, const N: usize>(
    top: Option<T>,
    unseen: &ArrayVec<T, N>,
    gone: T,
    chance: &mut ChanceStream,
) -> ([T; N], u8) {
    let mut unseen = unseen.clone();
    chance.shuffle(&mut unseen);
    let left: ArrayVec<T, N> = top.into_iter().chain(unseen).take(N).collect();
    let (mut stack, first) = ([gone; N], N - left.len());
    stack[first..].copy_from_slice(&left);
    (stack, first as u8)
}

/// Samples the markers of all rounds. The markers of earlier rounds are in any order. The marker of
/// this round follows. The markers of later rounds are drawn from the unseen markers.
fn draw_markers(
    observation: &Observation,
    rounds: u8,
    chance: &mut ChanceStream,
) -> Result<ArrayVec<u8, MAX_ROUNDS>, FieldError> {
    let mut markers: ArrayVec<u8, MARKERS_IN_BOX> = ArrayVec::new();
    let mut later = markers.clone();
    for (value, &unseen) in (1..).zip(&observation.unseen_markers) {
        let others = MARKERS_PER_VALUE - u8::from(value == observation.marker);
        let unseen = unseen.min(others);
        markers.extend((unseen..others).map(|_| value));
        later.extend((0..unseen).map(|_| value));
    }
    let adds_up = markers.len() == usize::from(observation.round);
    let problem = "must add up to 14 minus the round";
    require("unseen_markers", adds_up, problem)?;
    markers.push(observation.marker);
    chance.shuffle(&mut later);
    let all = markers.into_iter().chain(later);
    Ok(all.take(rounds.into()).collect())
}

/// Hides the viewer's own choice again, and samples the choices of the other seats that have
/// chosen.
fn draw_choices(state: &mut State, chance: &mut ChanceStream) -> Result<(), FieldError> {
    let mut plays = Vec::new();
    for seat in state.fixed.seats.seats() {
        let view = state.seat_mut(seat);
        let own_choice = view.played.take();
        if !view.has_chosen {
            continue;
        }
        // A hand always contains the seat's own cards of value 0, so the seat can always play
        // cards.
        let choice = own_choice.map(Decision::PlayCards).unwrap_or_else(|| {
            plays.clear();
            state.list_plays(seat, &mut plays);
            plays[chance.below(plays.len() as u32) as usize]
        });
        if let Decision::PlayCards(cards) = choice {
            let checked = state.check_cards(seat, cards);
            checked.or_else(|refusal| {
                FieldError::refuse(format!("seats[{seat}].played"), refusal.to_string())
            })?;
            state.chosen[seat.index()].choose(cards);
        }
    }
    Ok(())
}
