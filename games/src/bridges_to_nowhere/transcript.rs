//! One readable line for each event.

use std::fmt;

use super::event::Event;

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameStarted {
                game,
                contract: Some(contract),
            } => write!(f, "game {game} begins, for the contract {contract}"),
            Self::GameStarted {
                game,
                contract: None,
            } => write!(f, "game {game} begins, without a contract"),
            Self::RoundStarted {
                round,
                first_drafter,
                opened,
            } => {
                write!(
                    f,
                    "round {round} begins, seat {first_drafter} takes first from"
                )?;
                write_list(f, opened)
            }
            Self::Taken { seat, card } => write!(f, "seat {seat} takes {card}"),
            Self::DraftEnded { discarded } => {
                f.write_str("the draft ends, left over:")?;
                write_list(f, discarded)
            }
            Self::Placed { seat, placement } => write!(f, "seat {seat} had placed {placement}"),
            Self::BuildingEnded { seat, discarded } => {
                write!(f, "seat {seat} has ended, discards:")?;
                write_list(f, discarded)
            }
            Self::Scored { seat, score } => write!(
                f,
                "seat {seat} scores {}: numbers {}, tolls {}, monuments {}, symbols {}, contract {}",
                score.total(),
                score.numbers,
                score.tolls,
                score.monuments,
                score.symbols,
                score.contract
            ),
            Self::GameEnded {
                game,
                winner: Some(winner),
            } => write!(f, "game {game} ends, seat {winner} wins"),
            Self::GameEnded { game, winner: None } => write!(f, "game {game} ends in a tie"),
            Self::MatchEnded => f.write_str("the match ends"),
        }
    }
}

/// A blank, and the items with commas between them, or `none`.
fn write_list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    if items.is_empty() {
        return f.write_str(" none");
    }
    for (i, item) in items.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write!(f, "{comma} {item}")?;
    }
    Ok(())
}
