//! Rendering of an observation as text.

use std::fmt::{Display, Result, Write};

use super::BridgesToNowhere;
use super::components::{Card, Cell, Contract, LEVELS, Piece, ROUNDS, STYLES, Symbol};
use super::config::Config;
use super::observation::{Observation, Phase, SeatView};
use crate::events::listed;
use crate::show::write_lines;
use crate::{Progress, Show};

/// The width of a structure's column, in characters: the longest card, such as `fS15b`, and a
/// space.
const COLUMN_WIDTH: usize = 6;
/// The number of structure columns printed side by side, so that lines stay within 100 characters.
const COLUMNS_PER_STRIP: usize = 14;
/// The number of full card names per line. Three of the longest names fit into 100 characters.
const CARDS_PER_LINE: usize = 3;
/// The number of short card names per line.
const SHORT_CARDS_PER_LINE: usize = 12;
/// The letter of each symbol in short names, in order.
const SYMBOL_LETTERS: [char; Symbol::ALL.len()] = ['f', 'b', 'o'];
/// The letter of each style in short names, in order.
const STYLE_LETTERS: [char; STYLES] = ['S', 'T', 'C'];

impl Show for BridgesToNowhere {
    /// Writes the finished games, the phase, the table, then each seat.
    fn render(config: &Config, observation: &Observation, text: &mut impl Write) -> Result {
        for (game, result) in observation.results.iter().enumerate() {
            let [first, second] = result.scores.map(|score| score.total());
            let purpose = purpose(result.contract);
            write!(text, "game {game}{purpose}: {first} to {second}, ")?;
            match result.winner {
                Some(winner) => writeln!(text, "seat {winner} won")?,
                None => writeln!(text, "a tie")?,
            }
        }
        header(config, observation, text)?;
        table(observation, text)?;
        for (number, view) in observation.seats.iter().enumerate() {
            seat(number, view, text)?;
        }
        text.write_str(
            "cards: left symbol (f fish, b bird, o boat), style (S suspension, T truss, C cable),\n",
        )?;
        text.write_str("number or $ for a toll, right symbol; <M> monument, || pillar\n")
    }

    /// Returns the progress, counted in drafts and building phases. A match may end early. The game
    /// in an observation from outside may be later than the last game of the match.
    fn progress(observation: &Observation) -> Option<Progress> {
        let phases_per_game = 2 * u32::from(ROUNDS);
        let total = u32::from(observation.games) * phases_per_game;
        let before =
            u32::from(observation.game) * phases_per_game + 2 * u32::from(observation.round);
        let done = match observation.phase {
            Phase::Draft { .. } => before,
            Phase::Build => before + 1,
            Phase::Over => total,
        };
        Some(Progress { done: done.min(total), total, unit: "phases" })
    }
}

fn header(config: &Config, observation: &Observation, text: &mut impl Write) -> Result {
    let Observation { game, round, .. } = observation;
    let (last_game, last_round) = (observation.games.saturating_sub(1), ROUNDS - 1);
    let (to_win, purpose) = (config.contracts_to_win, purpose(observation.contract));
    write!(text, "game {game} (0 to {last_game}, {to_win} to win){purpose}, ")?;
    write!(text, "round {round} (0 to {last_round}): ")?;
    match observation.phase {
        Phase::Draft { seat } => writeln!(text, "seat {seat} takes a card"),
        Phase::Build => writeln!(text, "the seats build"),
        Phase::Over => writeln!(text, "the match is over"),
    }
}

/// Formats a game's contract.
fn purpose(contract: Option<Contract>) -> String {
    contract.map_or(String::new(), |contract| format!(" for {contract}"))
}

fn table(observation: &Observation, text: &mut impl Write) -> Result {
    let open = &observation.open;
    write_lines(text, "on the table  ", open, CARDS_PER_LINE, ", ")?;
    writeln!(text, "monuments on the table {}", observation.monuments)?;
    let unseen = observation.unseen.iter();
    let names = unseen.map(|&card| short(Piece::Card(Card::Bridge(card))));
    write_lines(text, "unseen  ", names, SHORT_CARDS_PER_LINE, " ")
}

fn seat(number: usize, view: &SeatView, text: &mut impl Write) -> Result {
    write!(text, "seat {number}  pillars {}", view.pillars)?;
    if view.has_ended {
        text.write_str(", has ended")?;
    }
    writeln!(text, "\n    cards {}", listed(&view.cards))?;
    let columns = view.structure.iter().map(|placed| placed.cell.column);
    let (Some(first), Some(last)) = (columns.clone().min(), columns.max()) else {
        return Ok(());
    };
    let columns: Vec<i8> = (first..=last).collect();
    for strip in columns.chunks(COLUMNS_PER_STRIP) {
        for level in (1..=LEVELS as u8).rev() {
            let pieces = strip.iter().map(|&column| {
                let cell = Cell { level, column };
                let piece = view.structure.iter().find(|placed| placed.cell == cell);
                piece.map_or(String::new(), |placed| short(placed.piece))
            });
            line(&format!("level {level}"), pieces, text)?;
        }
        line("column", strip.iter(), text)?;
    }
    Ok(())
}

fn line(name: &str, cells: impl Iterator<Item = impl Display>, text: &mut impl Write) -> Result {
    let mut line = format!("    {name}");
    for cell in cells {
        write!(line, "{:>COLUMN_WIDTH$}", cell.to_string())?;
    }
    writeln!(text, "{}", line.trim_end())
}

/// Formats a short name, such as `fS4b` for suspension, number 4, fish on the left, bird on the
/// right.
fn short(piece: Piece) -> String {
    let symbol = |symbol: Symbol| SYMBOL_LETTERS[symbol.index()];
    match piece {
        Piece::Pillar => "||".to_owned(),
        Piece::Card(Card::Monument) => "<M>".to_owned(),
        Piece::Card(Card::Bridge(card)) => {
            let style = STYLE_LETTERS[card.style.index()];
            let number = card.number.map(|number| number.to_string());
            let number = number.as_deref().unwrap_or("$");
            format!("{}{style}{number}{}", symbol(card.left), symbol(card.right))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bridges_to_nowhere::{BridgeCard, BridgesToNowhere, MAX_PIECES, Placement};
    use crate::{NoEvents, Rules, Sample, SeatCount, Seed, Viewer};

    fn start() -> Observation {
        let (config, seats) = (Config::default(), SeatCount::new(2).unwrap());
        let setup = BridgesToNowhere::draw_setup(&config, seats, &Seed::from(1)).unwrap();
        let state = BridgesToNowhere::start(&config, seats, &setup, &mut NoEvents).unwrap();
        BridgesToNowhere::observe(&state, Viewer::Spectator)
    }

    #[test]
    fn the_widest_structure_of_the_longest_cards_stays_within_100_columns() {
        let mut observation = start();
        let longest = Config::default().edition.cards()[7];
        assert_eq!(longest.to_string().len(), 25);
        let wide = |card: &mut BridgeCard| {
            *card = longest;
            card.number = Some(15);
        };
        observation.open.iter_mut().for_each(wide);
        observation.unseen.iter_mut().for_each(wide);
        let card = Card::Bridge(observation.open[0]);
        for view in &mut observation.seats {
            view.cards = [Card::Bridge(longest); 3].into();
            view.has_ended = true;
            view.structure = (0..MAX_PIECES as i8)
                .map(|place| Placement {
                    piece: Piece::Card(card),
                    cell: Cell { level: 1, column: 2 * place - 34 },
                })
                .collect();
        }
        let mut text = String::new();
        BridgesToNowhere::render(&Config::default(), &observation, &mut text).unwrap();
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{longest:?} columns in\n{text}");
        assert_eq!(text.matches("oS15b").count(), 18 + 2 * MAX_PIECES, "{text}");
        assert_eq!(text.matches("   -34").count(), 2, "{text}");
    }
}
