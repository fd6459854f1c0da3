//! Checks of an observation from outside: whether a match of a config could have shown it, as far
//! as the rules rely on it.

use arrayvec::ArrayVec;

use super::bridge::is_descending;
use super::components::{
    BONUS_STACKS, BUILDINGS, MARKERS_IN_BOX, MARKERS_PER_VALUE, OUTER_SPACES, TILE_KINDS, TileKind,
};
use super::config::Config;
use super::edition::Edition;
use super::observation::{Observation, Pawn, Phase, TurnStep, TurnView};
use super::setup::{SetupError, check_faces, check_seat_order, rounds};
use super::turn_check::{check_cards, check_turns};
use crate::setup_error::require;
use crate::{Seat, SeatCount, Viewer};

/// Most money that a seat may have, in pounds: far above what a match can earn, and far from the
/// ends of the integer.
const MAX_MONEY: i32 = 1_000_000;

/// Nothing, or what is wrong.
pub(super) type Checked = Result<(), SetupError>;

/// Checks all that does not need a state. Returns the number of seats.
pub(super) fn check_before_sampling(
    config: &Config,
    observation: &Observation,
) -> Result<SeatCount, SetupError> {
    let Some(seats) = SeatCount::new(observation.seats.len() as u8) else {
        return SetupError::field("seats", "is empty");
    };
    config.check(seats)?;
    if let Viewer::Seat(seat) = observation.viewer {
        let known = seats.contains(seat);
        require(
            known,
            || "viewer".into(),
            "is a seat that is not at the table",
        )?;
    }
    check_faces(&observation.faces, config)?;
    check_round(observation, seats)?;
    check_buildings(observation, &config.edition)?;
    check_tiles(observation, &config.edition)?;
    for seat in seats.seats() {
        check_seat(observation, seat, config)?;
    }
    check_turns(observation)?;
    check_cards(observation, seats)?;
    let order = |field, order: &[Seat], position: &dyn Fn(Seat) -> u8| {
        check_seat_order(field, order, seats)?;
        let falls = order
            .windows(2)
            .all(|pair| position(pair[0]) >= position(pair[1]));
        require(
            falls,
            || field.to_owned(),
            "does not follow the positions on the track",
        )
    };
    let view = |seat: Seat| &observation.seats[seat.index()];
    order("chapel_order", &observation.chapel_order, &|seat| {
        view(seat).chapel_position
    })?;
    order("gate_order", &observation.gate_order, &|seat| {
        view(seat).gate_position
    })?;
    let start = observation
        .gate_order
        .iter()
        .filter(|&&seat| view(seat).gate_position == 0);
    require(
        start.is_sorted(),
        || "gate_order".into(),
        "seats on the start must ascend",
    )?;
    Ok(seats)
}

fn check_round(observation: &Observation, seats: SeatCount) -> Checked {
    let Observation {
        rounds: all,
        round,
        marker,
        orientation,
        unseen_markers,
        ..
    } = observation;
    require(
        *all == rounds(seats),
        || "rounds".into(),
        "is not the number of this table",
    )?;
    require(round < all, || "round".into(), "is not below rounds")?;
    require(
        (1..=3).contains(marker),
        || "marker".into(),
        "is not in 1 to 3",
    )?;
    let space = usize::from(*orientation);
    require(
        space < OUTER_SPACES,
        || "orientation".into(),
        "is not in 0 to 5",
    )?;
    let field = || "unseen_markers".to_owned();
    let most = unseen_markers.iter().max().copied().unwrap_or(0);
    require(
        most <= MARKERS_PER_VALUE,
        field,
        "has more than five of a value",
    )?;
    let unseen: u8 = unseen_markers.iter().sum();
    let left = MARKERS_IN_BOX - 1 - usize::from(*round);
    require(
        usize::from(unseen) == left,
        field,
        "does not add up to 14 less the round",
    )?;
    let this = unseen_markers[usize::from(*marker) - 1];
    require(
        this < MARKERS_PER_VALUE,
        field,
        "includes this round's marker",
    )
}

/// No building is in two places.
fn check_buildings(observation: &Observation, edition: &Edition) -> Checked {
    let mut used = [0u8; BUILDINGS];
    let mut place = |building, field: &dyn Fn() -> String| {
        let Some(id) = edition.find(building) else {
            return SetupError::field(field(), format!("{building} is not in the edition"));
        };
        used[id.index()] += 1;
        if used[id.index()] > edition.copies(id) {
            return SetupError::field(field(), format!("{building} is there too often"));
        }
        Ok(())
    };
    for (i, (stack, &kind)) in observation.stacks.iter().zip(edition.ring()).enumerate() {
        let field = || format!("stacks[{i}]");
        require(
            stack.kind == kind,
            field,
            "is not of the kind that the ring has there",
        )?;
        let hidden = stack.top.is_some() || stack.unseen.is_empty();
        require(hidden, field, "has no top but buildings below it")?;
        for building in stack.top.iter().chain(&stack.unseen) {
            require(
                building.kind == kind,
                field,
                "has a building of another kind",
            )?;
            place(*building, &field)?;
        }
    }
    for (seat, view) in observation.seats.iter().enumerate() {
        for (slot, building) in view.bridge.iter().enumerate() {
            place(*building, &|| format!("seats[{seat}].bridge[{slot}]"))?;
        }
    }
    if let Phase::Turn(TurnView {
        step: TurnStep::Replace { building },
        ..
    }) = observation.phase
    {
        place(building, &|| "phase.building".into())?;
    }
    Ok(())
}

/// No bonus tile is in two places, and each stack has only its own.
fn check_tiles(observation: &Observation, edition: &Edition) -> Checked {
    let mut used = [0u16; TILE_KINDS];
    for (i, (stack, all)) in observation
        .bonus_stacks
        .iter()
        .zip(edition.bonus_stacks())
        .enumerate()
    {
        let field = || format!("bonus_stacks[{i}]");
        let hidden = stack.face_up.is_some() || stack.unseen.is_empty();
        require(hidden, field, "has no face-up tile but tiles below it")?;
        let mut own: ArrayVec<TileKind, TILE_KINDS> = all.iter().copied().collect();
        for tile in stack.face_up.iter().chain(&stack.unseen) {
            let place = own.iter().position(|other| other == tile);
            require(
                place.is_some(),
                field,
                "has a tile that is not in this stack",
            )?;
            place.map(|place| own.swap_remove(place));
            used[tile.index()] += 1;
        }
    }
    for (i, view) in observation.seats.iter().enumerate() {
        for tile in TileKind::ALL {
            let (held, fresh) = (view.tiles[tile.index()], view.fresh_tiles[tile.index()]);
            let field = || format!("seats[{i}].tiles.{tile}");
            require(
                fresh <= held,
                field,
                "is less than those taken in this round",
            )?;
            used[tile.index()] += u16::from(held);
            let there = usize::from(used[tile.index()]) <= BONUS_STACKS;
            require(there, field, "makes more than three of this kind")?;
        }
    }
    Ok(())
}

fn check_seat(observation: &Observation, seat: Seat, config: &Config) -> Checked {
    let view = &observation.seats[seat.index()];
    let field = |name: &str| format!("seats[{seat}].{name}");
    let money = (0..=MAX_MONEY).contains(&view.money);
    require(money, || field("money"), "is not in 0 to 1000000")?;
    let chapel = view.chapel_position <= config.edition.chapel_last_space();
    require(
        chapel,
        || field("chapel_position"),
        "is beyond the last space",
    )?;
    let gate = view.gate_position <= config.edition.gate_last_space();
    require(gate, || field("gate_position"), "is beyond the last space")?;
    let descends = is_descending(&view.bridge);
    require(
        descends,
        || field("bridge"),
        "has a series that does not descend",
    )?;
    let turns = turns_built(observation, seat);
    let few = view.bridge.len() <= turns;
    require(
        few,
        || field("bridge"),
        "has more buildings than the seat had turns",
    )?;
    let on_board = match view.pawn {
        Pawn::Outer(space) => usize::from(space) < OUTER_SPACES,
        Pawn::Off | Pawn::Centre => true,
    };
    require(
        on_board,
        || field("pawn"),
        "is on a space that is not in 0 to 5",
    )
}

/// Turns of a seat that may have added a building so far.
fn turns_built(observation: &Observation, seat: Seat) -> usize {
    let per_round = if observation.seats.len() == 2 { 2 } else { 1 };
    let before = usize::from(observation.round) * per_round;
    let this_round = match observation.phase {
        Phase::Over => per_round,
        Phase::Turn(view) => {
            let built = match view.step {
                TurnStep::Place | TurnStep::Replace { .. } => false,
                TurnStep::TakeTile { placed, .. } => placed,
                TurnStep::TakeCards { .. } | TurnStep::Finish => true,
            };
            let done = observation
                .turns
                .iter()
                .take(usize::from(view.turn) + usize::from(built));
            done.filter(|turn| turn.seat == seat).count()
        }
        _ => 0,
    };
    before + this_round
}
