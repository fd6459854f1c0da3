//! Rendering of an observation as text.

use std::fmt::{Result, Write};

use super::Carcassonne;
use super::components::{Cell, EDGES, Edge, HalfEdge, Segment, Terrain, TileKind};
use super::config::Config;
use super::observation::{LaidTile, Observation, Phase};
use super::tile::{RotatedTile, Shape};
use crate::{Progress, Show, show::write_lines};

/// The number of tiles in one row of a map block. With the row's y and a space after each tile, a
/// line has 99 columns.
const TILES_PER_BLOCK: i32 = 24;
/// The number of a seat's meeples listed per line. Three of the longest entries fit into 100
/// columns.
const MEEPLES_PER_LINE: usize = 3;
/// The number of tile kinds listed per line. Sixteen of the longest entries fit into 100 columns.
const KINDS_PER_LINE: usize = 16;

impl Show for Carcassonne {
    /// Writes the phase, the seats, the map, then the undrawn tiles.
    fn render(config: &Config, observation: &Observation, text: &mut impl Write) -> Result {
        header(observation, text)?;
        for number in 0..observation.seats.len() {
            seat(observation, number, text)?;
        }
        map(config, observation, text)?;
        unseen(observation, text)
    }

    fn progress(observation: &Observation) -> Option<Progress> {
        Some(drawn(observation))
    }
}

/// Returns the progress, counted in tiles that were placed or removed.
fn drawn(observation: &Observation) -> Progress {
    let done = observation.tiles.iter().skip(1).count() + observation.removed.len();
    let drawn = usize::from(matches!(observation.phase, Phase::PlaceTile { .. }));
    let unseen = observation.unseen.iter();
    let unseen: u32 = unseen.map(|&count| u32::from(count)).sum();
    Progress { done: done as u32, total: (done + drawn) as u32 + unseen, unit: "tiles" }
}

fn header(observation: &Observation, text: &mut impl Write) -> Result {
    let Progress { done, total, .. } = drawn(observation);
    write!(text, "tile {done} of {total}: ")?;
    let turn = observation.turn;
    match &observation.phase {
        Phase::PlaceTile { tile } => writeln!(text, "seat {turn} lays {tile}"),
        Phase::PlaceMeeple => {
            write!(text, "seat {turn} may place a meeple")?;
            if let Some(LaidTile { tile, placement }) = observation.tiles.last() {
                write!(text, " on {tile} at {}", placement.cell.at())?;
            }
            writeln!(text)
        }
        Phase::Drawbridge { crossings } => {
            for (i, crossing) in crossings.iter().enumerate() {
                let next = if i == 0 { "" } else { "    then " };
                let (seat, road) = (crossing.seat, crossing.road);
                let meeples = crossing.meeples;
                writeln!(
                    text,
                    "{next}seat {seat} at the drawbridge with {meeples} of road {road}"
                )?;
            }
            writeln!(text, "    in the turn of seat {turn}")
        }
        Phase::Over => writeln!(text, "the match is over"),
    }
}

fn seat(observation: &Observation, number: usize, text: &mut impl Write) -> Result {
    let view = &observation.seats[number];
    let points = view.points;
    writeln!(
        text,
        "seat {number}  {} points (roads {}, cities {}, monasteries {})  supply {}",
        points.sum(),
        points.roads,
        points.cities,
        points.monasteries,
        view.supply
    )?;
    let meeples = observation.meeples.iter();
    let own = meeples.filter(|meeple| meeple.seat.index() == number);
    let names = own.map(|meeple| format!("{} of {}", meeple.segment, meeple.cell.at()));
    write_lines(text, "    ", names, MEEPLES_PER_LINE, ", ")
}

/// Writes the map in blocks of columns. Each block is as wide as a line allows.
fn map(config: &Config, observation: &Observation, text: &mut impl Write) -> Result {
    let ends = |along: fn(Cell) -> i8| {
        let cells = observation.tiles.iter().map(|laid| laid.placement.cell);
        let places = cells.map(|cell| i32::from(along(cell)));
        Some((places.clone().min()?, places.max()?))
    };
    let (Some((west, east)), Some((north, south))) = (ends(|cell| cell.x), ends(|cell| cell.y))
    else {
        return Ok(());
    };
    for first in (west..=east).step_by(TILES_PER_BLOCK as usize) {
        let columns = first..=east.min(first + TILES_PER_BLOCK - 1);
        let mut line = "    ".to_owned();
        for x in columns.clone() {
            write!(line, "{x:>3} ")?;
        }
        writeln!(text, "{}", line.trim_end())?;
        for y in north..=south {
            row(config, observation, columns.clone(), y, text)?;
        }
    }
    Ok(())
}

/// The number of lines per tile, and of characters per line.
const SIDE: usize = 3;

fn row(
    config: &Config,
    observation: &Observation,
    columns: impl Iterator<Item = i32>,
    y: i32,
    text: &mut impl Write,
) -> Result {
    let mut lines = [format!("{y:>3} "), "    ".to_owned(), "    ".to_owned()];
    for x in columns {
        let here = |cell: Cell| (i32::from(cell.x), i32::from(cell.y)) == (x, y);
        let mut tiles = observation.tiles.iter();
        let laid = tiles.find(|laid| here(laid.placement.cell));
        let mut picture = [[' '; SIDE]; SIDE];
        if let Some(LaidTile { tile, placement }) = laid {
            let shape = config.edition.shape(*tile);
            picture = draw(shape, shape.rotated(placement.rotation));
        }
        let meeples = observation.meeples.iter();
        for meeple in meeples.filter(|meeple| here(meeple.cell)) {
            let (line, column) = spot(meeple.segment);
            picture[line][column] = char::from(b'0' + meeple.seat.number());
        }
        for (line, drawn) in lines.iter_mut().zip(picture) {
            line.extend(drawn);
            line.push(' ');
        }
    }
    lines.iter().try_for_each(|line| writeln!(text, "{}", line.trim_end()))
}

/// Draws a tile in characters: `#` city, `-` and `|` road, `+` its middle, `=` drawbridges, `M`
/// monastery, `.` field.
fn draw(shape: &Shape, rotated: &RotatedTile) -> [[char; SIDE]; SIDE] {
    let mut picture = [['.'; SIDE]; SIDE];
    let wide = rotated.cities.iter().any(|&(edges, _)| edges > 1);
    picture[1][1] = match () {
        () if shape.monastery => 'M',
        () if !rotated.gates.is_empty() => '=',
        () if wide => '#',
        () if !rotated.road_edges.is_empty() => '+',
        () => '.',
    };
    for edge in Edge::ALL {
        let of = |edge: Edge| (rotated.terrain[edge.index()], rotated.through[edge.index()]);
        let next = Edge::ALL[(edge.index() + 1) % EDGES];
        let (line, column) = spot(Segment::Road(edge));
        picture[line][column] = match (of(edge).0, edge) {
            (Terrain::Field, _) => '.',
            (Terrain::Road, Edge::North | Edge::South) => '|',
            (Terrain::Road, Edge::East | Edge::West) => '-',
            (Terrain::City, _) => '#',
        };
        if of(edge).0 == Terrain::City && of(edge) == of(next) {
            let (line, column) = spot(Segment::Field(next.halves()[0]));
            picture[line][column] = '#';
        }
    }
    picture
}

/// Returns a segment's line and column in the drawing of its tile. A field is drawn in the corner
/// at its half-edge.
const fn spot(segment: Segment) -> (usize, usize) {
    match segment {
        Segment::Monastery => (1, 1),
        Segment::Road(edge) | Segment::City(edge) => match edge {
            Edge::North => (0, 1),
            Edge::East => (1, 2),
            Edge::South => (2, 1),
            Edge::West => (1, 0),
        },
        Segment::Field(half) => match half {
            HalfEdge::WestRight | HalfEdge::NorthLeft => (0, 0),
            HalfEdge::NorthRight | HalfEdge::EastLeft => (0, 2),
            HalfEdge::EastRight | HalfEdge::SouthLeft => (2, 2),
            HalfEdge::SouthRight | HalfEdge::WestLeft => (2, 0),
        },
    }
}

fn unseen(observation: &Observation, text: &mut impl Write) -> Result {
    let counts = TileKind::all().zip(observation.unseen);
    let counts = counts.filter(|&(_, count)| count > 0);
    let kinds = counts.map(|(tile, count)| format!("{count}x{tile}"));
    list("to come", kinds, text)?;
    let removed = observation.removed.iter();
    list("removed", removed.map(ToString::to_string), text)
}

fn list(title: &str, items: impl Iterator<Item = String>, text: &mut impl Write) -> Result {
    let items: Vec<String> = items.collect();
    for (i, line) in items.chunks(KINDS_PER_LINE).enumerate() {
        let title = if i == 0 { title } else { "" };
        writeln!(text, "{title:<8} {}", line.join(" "))?;
    }
    Ok(())
}
