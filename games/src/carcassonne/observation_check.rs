//! Checks of an observation from outside: whether a match of a config could have shown it, as far
//! as the rules rely on it.

use super::components::{Cell, MAX_PLAYERS, MEEPLES, Rotation, Segment, TILE_KINDS, TileKind};
use super::config::Config;
use super::decision::Placement;
use super::map::{Feature, Map};
use super::meeples::Standing;
use super::observation::{Crossing, LaidTile, MAX_POINTS, Meeple, Observation, Phase};
use super::setup::{SetupError, drawn_counts};
use super::state::State;
use crate::setup_error::require;
use crate::{SeatCount, Viewer};

/// Nothing, or what is wrong.
type Checked = Result<(), SetupError>;

/// Checks who is at the table, and what seats have. Returns the number of seats.
pub(super) fn check_table(
    config: &Config,
    observation: &Observation,
) -> Result<SeatCount, SetupError> {
    let Some(seats) = SeatCount::new(observation.seats.len() as u8) else {
        return SetupError::field("seats", "is empty");
    };
    config.check(seats)?;
    let absent = "is a seat that is not at the table";
    if let Viewer::Seat(seat) = observation.viewer {
        require(seats.contains(seat), || "viewer".into(), absent)?;
    }
    require(seats.contains(observation.turn), || "turn".into(), absent)?;
    for (i, view) in observation.seats.iter().enumerate() {
        let points = view.points;
        for (name, points) in [
            ("roads", points.roads),
            ("cities", points.cities),
            ("monasteries", points.monasteries),
        ] {
            if points > MAX_POINTS {
                let problem = format!("{points} is not in 0 to {MAX_POINTS}");
                return SetupError::field(format!("seats[{i}].points.{name}"), problem);
            }
        }
    }
    for (i, meeple) in observation.meeples.iter().enumerate() {
        let known = seats.contains(meeple.seat);
        require(known, || format!("meeples[{i}].seat"), absent)?;
    }
    for (i, crossing) in crossings(observation).iter().enumerate() {
        let known = seats.contains(crossing.seat);
        require(known, || format!("phase.crossings[{i}].seat"), absent)?;
        let number = (1..=MEEPLES).contains(&crossing.meeples);
        let field = || format!("phase.crossings[{i}].meeples");
        require(number, field, "is not in 1 to 7")?;
    }
    check_supply(observation)?;
    Ok(seats)
}

fn crossings(observation: &Observation) -> &[Crossing] {
    match &observation.phase {
        Phase::Drawbridge { crossings } => crossings,
        _ => &[],
    }
}

/// Each seat has seven meeples in all.
fn check_supply(observation: &Observation) -> Checked {
    let mut all = [0u16; MAX_PLAYERS];
    for meeple in &observation.meeples {
        all[meeple.seat.index()] += 1;
    }
    for crossing in crossings(observation) {
        all[crossing.seat.index()] += u16::from(crossing.meeples);
    }
    for (i, view) in observation.seats.iter().enumerate() {
        let seven = all[i] + u16::from(view.supply) == u16::from(MEEPLES);
        let field = || format!("seats[{i}].supply");
        require(
            seven,
            field,
            "does not make seven meeples of the seat in all",
        )?;
    }
    Ok(())
}

/// Checks that no tile is missing or there too often.
pub(super) fn check_counts(config: &Config, observation: &Observation) -> Checked {
    let mut found = observation.unseen.map(u16::from);
    let mut count = |tile: TileKind| found[tile.index()] += 1;
    let laid = observation.tiles.iter().map(|laid| laid.tile);
    laid.for_each(&mut count);
    observation.removed.iter().copied().for_each(&mut count);
    if let Phase::PlaceTile { tile } = observation.phase {
        count(tile);
    }
    let mut all: [u8; TILE_KINDS] = drawn_counts(config);
    all[TileKind::START.index()] += 1;
    for tile in TileKind::all() {
        let (found, all) = (found[tile.index()], all[tile.index()]);
        if found != u16::from(all) {
            let problem = format!("the observation has {found} tiles of kind {tile}, not {all}");
            return SetupError::field(format!("unseen[{}]", tile.index()), problem);
        }
    }
    Ok(())
}

/// Lays the tiles, each of which must have fitted in its turn. The counts must have been checked.
pub(super) fn lay_tiles(config: &Config, observation: &Observation) -> Result<Map, SetupError> {
    let start = LaidTile {
        tile: TileKind::START,
        placement: Placement {
            cell: Cell::default(),
            rotation: Rotation::default(),
        },
    };
    let first = observation.tiles.first() == Some(&start);
    require(first, || "tiles[0]".into(), "is not the start tile")?;
    let mut map = Map::new(&config.edition);
    for (i, laid) in observation.tiles.iter().enumerate().skip(1) {
        let LaidTile { tile, placement } = *laid;
        let shape = config.edition.shape(tile);
        let open = map.frontier().at(placement.cell);
        let fits = open.is_some_and(|open| shape.fitting(open.demand).contains(placement.rotation));
        let problem = "does not fit where it lies, or lies in a rotation that looks like a smaller";
        require(fits, || format!("tiles[{i}]"), problem)?;
        map.lay(&config.edition, tile, placement);
    }
    Ok(map)
}

/// Puts the meeples onto the map, each of which must be able to stand there.
pub(super) fn check_meeples(config: &Config, observation: &Observation, map: &mut Map) -> Checked {
    for (i, meeple) in observation.meeples.iter().enumerate() {
        let field = |name: &str| format!("meeples[{i}].{name}");
        let Meeple {
            seat,
            cell,
            segment,
        } = *meeple;
        let mut tiles = map.tiles().iter();
        let Some(tile) = tiles.position(|laid| laid.placement.cell == cell) else {
            return SetupError::field(field("cell"), "has no tile");
        };
        let tile = tile as u8;
        let Some(feature) = map.feature(&config.edition, tile, segment) else {
            return SetupError::field(field("segment"), format!("the tile has no {segment}"));
        };
        let fields = config.fields || !matches!(feature, Feature::Field(_));
        let problem = "is a field, and this match has no meeples on fields";
        require(fields, || field("segment"), problem)?;
        let others = map.meeples.iter();
        let shared = others
            .filter(|other| (other.tile, other.segment) == (tile, segment))
            .count();
        let free = shared == 0 || has_gate(config, map, tile, segment);
        let problem = "has two meeples, and no drawbridge leads there";
        require(free, || field("segment"), problem)?;
        let early = observation.phase == Phase::PlaceMeeple && tile == map.last();
        let problem = "is of the tile on which a meeple is still to be placed";
        require(!early, || field("cell"), problem)?;
        let waits = observation.phase == Phase::PlaceMeeple;
        let scored = map.is_complete(feature) && !(waits && completed_last(config, map, feature));
        let problem = "belongs to a completed feature, which has been scored";
        require(!scored, || field("segment"), problem)?;
        let standing = Standing {
            tile,
            segment,
            seat,
        };
        let ordered = map.meeples.last().is_none_or(|before| *before <= standing);
        let problem = "comes before the meeple before it: by tile, segment, seat";
        require(ordered, || format!("meeples[{i}]"), problem)?;
        map.add_meeple(&config.edition, standing);
    }
    Ok(())
}

/// Whether a drawbridge of its own tile leads to a segment.
fn has_gate(config: &Config, map: &Map, tile: u8, segment: Segment) -> bool {
    let gates = &config.edition.shape(map.tile(tile).tile).gates;
    let place = map.lying(&config.edition, tile).place_of(segment);
    matches!(segment, Segment::City(_)) && gates.iter().any(|gate| Some(gate.city) == place)
}

/// Whether the tile laid last completed a feature that is complete.
fn completed_last(config: &Config, map: &Map, feature: Feature) -> bool {
    let last = map.last();
    match feature {
        Feature::Monastery(place) => {
            let cell = map.tile(last).placement.cell;
            map.monasteries[usize::from(place)].cell.is_near(cell)
        }
        _ => map
            .features_of(&config.edition, last)
            .any(|(_, other)| other == feature),
    }
}

/// Checks what is going on against the rest of the state.
pub(super) fn check_phase(state: &State) -> Checked {
    match &state.phase {
        Phase::PlaceTile { tile } => {
            let fits = state.fits_somewhere(*tile);
            require(fits, || "phase.tile".into(), "fits nowhere")
        }
        Phase::PlaceMeeple => {
            let laid = state.map.tiles().len() > 1;
            let problem = "only the start tile lies, which takes no meeple";
            require(laid, || "phase".into(), problem)
        }
        Phase::Drawbridge { crossings } => {
            let some = !crossings.is_empty();
            require(some, || "phase.crossings".into(), "is empty")?;
            let ascending = crossings.is_sorted_by(|a, b| a.road < b.road);
            let problem = "does not ascend by road";
            require(ascending, || "phase.crossings".into(), problem)?;
            for (i, crossing) in crossings.iter().enumerate() {
                check_crossing(state, i, crossing)?;
            }
            Ok(())
        }
        Phase::Over => {
            let drawn = state.undrawn().is_empty();
            let problem = "is over, and there are tiles to draw";
            require(drawn, || "phase".into(), problem)
        }
    }
}

fn check_crossing(state: &State, i: usize, crossing: &Crossing) -> Checked {
    let field = || format!("phase.crossings[{i}].road");
    let (edition, last) = (&state.table.edition, state.map.last());
    let named = Segment::Road(crossing.road);
    let mut features = state.map.features_of(edition, last);
    let road = features.find_map(|(segment, feature)| match feature {
        Feature::Road(root) if segment == named => Some(root),
        _ => None,
    });
    let Some(road) = road else {
        return SetupError::field(field(), "is not the first edge of a road of the last tile");
    };
    let complete = state.map.road(road).is_complete();
    require(complete, field, "is not a completed road")?;
    let down = state.map.down(road).next().is_some();
    require(down, field, "has no drawbridge that is down")
}
