//! Rendering of an observation as text.

use std::fmt::{Result, Write};

use super::OldLondonBridge;
use super::components::{Area, CARD_VALUES, OUTER_SPACES, TILE_KINDS, TileKind};
use super::config::Config;
use super::observation::{Observation, Pawn, Phase, SeatView, TurnStep};
use crate::events::{joined, listed};
use crate::show::write_lines;
use crate::{Progress, Seat, Show};

/// The number of a bridge's buildings listed per line. Three of the longest entries fit into 100
/// columns.
const BUILDINGS_PER_LINE: usize = 3;
/// The number of a seat's bonus tiles listed per line. Five of the longest entries fit into 100
/// columns.
const TILES_PER_LINE: usize = 5;

impl Show for OldLondonBridge {
    /// Writes the round and phase, the rondel, the common parts, and then each seat.
    fn render(config: &Config, observation: &Observation, text: &mut impl Write) -> Result {
        header(observation, text)?;
        rondel(config, observation, text)?;
        table(config, observation, text)?;
        for (number, view) in observation.seats.iter().enumerate() {
            seat(number, view, text)?;
        }
        Ok(())
    }

    /// Returns the progress, counted in turns. A match may end early.
    fn progress(observation: &Observation) -> Option<Progress> {
        let seats = observation.seats.len() as u32;
        let turns_per_round = if seats == 2 { 2 * seats } else { seats };
        let total = u32::from(observation.rounds) * turns_per_round;
        let before = u32::from(observation.round) * turns_per_round;
        let done = match observation.phase {
            Phase::Over => total,
            Phase::Turn(view) => before + u32::from(view.turn),
            Phase::TakeA2 { .. } | Phase::ChooseCards | Phase::RaiseCards { .. } => before,
        };
        // The round of an observation from outside can exceed the number of rounds in the match.
        Some(Progress { done: done.min(total), total, unit: "turns" })
    }
}

fn header(observation: &Observation, text: &mut impl Write) -> Result {
    let (round, last) = (observation.round, observation.rounds.saturating_sub(1));
    let marker = observation.marker;
    write!(text, "round {round} (0 to {last}), marker {marker}: ")?;
    match observation.phase {
        Phase::TakeA2 { seat } => writeln!(text, "seat {seat} may use take_a_2"),
        Phase::ChooseCards => {
            let waiting = observation.seats.iter().enumerate();
            let waiting = waiting.filter(|(_, view)| !view.has_chosen);
            let seats = listed(waiting.map(|(number, _)| number));
            writeln!(text, "cards are chosen, waiting for seat {seats}")
        }
        Phase::RaiseCards { seat } => writeln!(text, "seat {seat} may raise its cards"),
        Phase::Turn(view) => {
            write!(text, "turn {}", view.turn)?;
            if let Some(turn) = observation.turns.get(usize::from(view.turn)) {
                write!(text, ", seat {}", turn.seat)?;
            }
            match view.step {
                TurnStep::Place => writeln!(text, " places its pawn"),
                TurnStep::Replace { building } => {
                    writeln!(text, " chooses what {building} replaces")
                }
                TurnStep::TakeTile { owed, .. } => {
                    writeln!(text, " takes a bonus tile, {owed} to take")
                }
                TurnStep::TakeCards { strength } => {
                    writeln!(text, " takes cards worth at most {strength}")
                }
                TurnStep::Finish => writeln!(text, " may use tiles or ends its turn"),
            }
        }
        Phase::Over => writeln!(text, "the match is over"),
    }
}

/// Writes the outer spaces clockwise from X, each with the stack that it faces, then the centre.
fn rondel(config: &Config, observation: &Observation, text: &mut impl Write) -> Result {
    for (space, income) in config.edition.rondel().iter().enumerate() {
        let facing = (space + usize::from(observation.orientation)) % OUTER_SPACES;
        let stack = &observation.stacks[facing];
        let income = income.map_or("X".to_owned(), |pounds| format!("£{pounds}"));
        let top = match stack.top {
            Some(building) => format!("{building}, {} below", stack.unseen.len()),
            None => format!("{} is empty", stack.kind),
        };
        write!(text, "  {income:<7}{top}")?;
        pawns(observation, Pawn::Outer(space as u8), text)?;
        writeln!(text)?;
    }
    write!(text, "  centre")?;
    pawns(observation, Pawn::Centre, text)?;
    writeln!(text)
}

fn pawns(observation: &Observation, spot: Pawn, text: &mut impl Write) -> Result {
    for (number, view) in observation.seats.iter().enumerate() {
        if view.pawn == spot {
            write!(text, "  [seat {number}]")?;
        }
    }
    Ok(())
}

fn table(config: &Config, observation: &Observation, text: &mut impl Write) -> Result {
    text.write_str("faces")?;
    for (area, face) in Area::ALL.iter().zip(observation.faces) {
        write!(text, "  {area}: {face}")?;
    }
    text.write_str("\nbonus stacks")?;
    for (number, stack) in observation.bonus_stacks.iter().enumerate() {
        match stack.face_up {
            Some(tile) => write!(text, "  {number}: {tile}, {} below", stack.unseen.len())?,
            None => write!(text, "  {number}: empty")?,
        }
    }
    write!(text, "\nsupply {}", cards(&observation.supply))?;
    let [ones, twos, threes] = observation.unseen_markers;
    writeln!(text, "  unseen markers {ones}x1 {twos}x2 {threes}x3")?;
    let (edition, seats) = (&config.edition, &observation.seats);
    let chapel = (&observation.chapel_order[..], edition.chapel_last_space());
    track("chapel", chapel, seats, |view| view.chapel_position, text)?;
    let gate = (&observation.gate_order[..], edition.gate_last_space());
    track("gate", gate, seats, |view| view.gate_position, text)?;
    if !observation.turns.is_empty() {
        text.write_str("order of play")?;
        for turn in &observation.turns {
            write!(text, "  {turn}")?;
        }
        writeln!(text)?;
    }
    Ok(())
}

/// Writes the seats with their spaces, the leader first.
fn track(
    name: &str,
    (order, last): (&[Seat], u8),
    seats: &[SeatView],
    position: fn(&SeatView) -> u8,
    text: &mut impl Write,
) -> Result {
    write!(text, "{name} track (last space {last})")?;
    for seat in order {
        if let Some(view) = seats.get(seat.index()) {
            write!(text, "  seat {seat} on {}", position(view))?;
        }
    }
    writeln!(text)
}

fn seat(number: usize, view: &SeatView, text: &mut impl Write) -> Result {
    let (money, hand) = (view.money, cards(&view.hand));
    write!(text, "seat {number}  £{money}  hand {hand}")?;
    if let Some(played) = view.played {
        write!(text, "  played {played}")?;
    }
    writeln!(text)?;
    tiles(&view.tiles, &view.fresh_tiles, text)?;
    write_lines(text, "    ", &view.bridge, BUILDINGS_PER_LINE, " | ")
}

/// Writes the unused tiles. Tiles taken in this round, which cannot be used yet, are in brackets.
fn tiles(held: &[u8; TILE_KINDS], fresh: &[u8; TILE_KINDS], text: &mut impl Write) -> Result {
    let mut names: Vec<String> = Vec::new();
    for kind in TileKind::ALL {
        let (held, fresh) = (held[kind.index()], fresh[kind.index()]);
        names.extend((fresh..held).map(|_| kind.to_string()));
        names.extend((0..fresh).map(|_| format!("({kind})")));
    }
    write_lines(text, "    tiles ", names, TILES_PER_LINE, " ")
}

/// Formats cards, such as `1x0 2x3` for one card of value 0 and two of value 3. Writes `none` if
/// there are no cards.
fn cards(counts: &[u8; CARD_VALUES]) -> String {
    let held = counts.iter().enumerate().filter(|&(_, &count)| count > 0);
    let held = held.map(|(value, count)| format!("{count}x{value}"));
    joined(held, " ", "none")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::old_london_bridge::{CARDS, Kind, OldLondonBridge};
    use crate::{NoEvents, Rules, Sample, SeatCount, Seed, Viewer};

    #[test]
    fn the_widest_bridges_and_many_tiles_stay_within_100_columns() {
        let (config, seats) = (Config::default(), SeatCount::new(4).unwrap());
        let setup = OldLondonBridge::draw_setup(&config, seats, &Seed::from(1)).unwrap();
        let state = OldLondonBridge::start(&config, seats, &setup, &mut NoEvents).unwrap();
        let mut observation = OldLondonBridge::observe(&state, Viewer::Spectator);
        let widest = config.edition.buildings_of(Kind::Haberdashery);
        for view in &mut observation.seats {
            view.money = 1000;
            view.hand = CARDS;
            view.bridge = widest.iter().rev().copied().collect();
            view.tiles = [3; TILE_KINDS];
            view.fresh_tiles = [2; TILE_KINDS];
        }
        let mut text = String::new();
        OldLondonBridge::render(&config, &observation, &mut text).unwrap();
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{longest:?} columns in\n{text}");
        let tiles = text.lines().filter(|line| line.starts_with("    tiles"));
        let tiles: Vec<&str> = tiles.flat_map(str::split_whitespace).collect();
        for kind in TileKind::ALL {
            let shown = |name: String| tiles.iter().filter(|tile| **tile == name).count();
            assert_eq!(shown(kind.to_string()), 4, "{kind}");
            assert_eq!(shown(format!("({kind})")), 8, "{kind}");
        }
    }
}
