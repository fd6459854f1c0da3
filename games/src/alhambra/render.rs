//! Rendering of an observation as text.

use std::fmt::{Result, Write};

use super::Alhambra;
use super::building::Buildings;
use super::components::{BUILDINGS, Category, Currency};
use super::config::Config;
use super::event::Owner;
use super::money::Money;
use super::observation::{Observation, Phase, PlaceRange, Points};
use super::scoring;
use crate::{Progress, Seat, Show, events::joined};

/// The maximum width of a line.
const COLUMNS: usize = 100;

impl Show for Alhambra {
    /// Writes the table: the phase, the yard, the money, then each owner.
    fn render(_config: &Config, observation: &Observation, text: &mut impl Write) -> Result {
        match observation.phase {
            Phase::Turn { seat } => write!(text, "turn of seat {seat}")?,
            Phase::Shuffle { .. } => text.write_str("the discard is to be shuffled")?,
            Phase::Over => text.write_str("the match is over")?,
        }
        for (i, entry) in observation.turn_purchases.iter().enumerate() {
            let before = if i == 0 { ", which has bought " } else { ", " };
            write!(text, "{before}{}", entry.building)?;
        }
        writeln!(text)?;
        for (slot, building) in Currency::ALL.into_iter().zip(observation.yard) {
            let building = building.map_or("-".to_owned(), |building| building.to_string());
            writeln!(text, "  {slot:<8}{building}")?;
        }
        let row = joined(observation.row.cards(), " ", "empty");
        let buildings = observation.unseen_buildings.len();
        write!(text, "open row: {row}; buildings left: {buildings}")?;
        write!(text, "; money left: {}", observation.unseen_money.len())?;
        writeln!(text, ", discarded: {}", observation.discard.len())?;
        for (name, range) in ["A", "B"].into_iter().zip(observation.scoring_cards) {
            if let Some(PlaceRange { first, last }) = range {
                writeln!(text, "scoring card {name} lies under {first} to {last} money cards")?;
            }
        }
        for (seat, view) in (0..).map_while(Seat::new).zip(&observation.seats) {
            owner(Owner::Seat(seat), view.buildings, &view.points, text)?;
            money(&view.hand, text)?;
        }
        if let Some(view) = observation.dummy {
            owner(Owner::Dummy, view.buildings, &view.points, text)?;
        }
        Ok(())
    }

    /// Returns the progress, counted in buildings that have left the pile and the yard. Once the
    /// match has ended, all buildings count, because the remaining buildings are out of the game.
    /// An observation from outside may have more buildings than the box.
    fn progress(observation: &Observation) -> Option<Progress> {
        let open = observation.yard.iter().flatten().count();
        let total = BUILDINGS as u32;
        let done = match observation.phase {
            Phase::Over => total,
            _ => total.saturating_sub((observation.unseen_buildings.len() + open) as u32),
        };
        Some(Progress { done, total, unit: "buildings" })
    }
}

fn owner(owner: Owner, buildings: Buildings, points: &Points, text: &mut impl Write) -> Result {
    write!(text, "{owner}: points {}", scoring::sum(points))?;
    for category in Category::ALL {
        match buildings.count_of(category) {
            0 => {}
            count => write!(text, ", {category} {count}")?,
        }
    }
    writeln!(text)
}

/// Writes the money of a hand by currency, wrapped at [`COLUMNS`].
fn money(hand: &Money, text: &mut impl Write) -> Result {
    let mut line = format!("  money {} in {} cards:", hand.total(), hand.len());
    let currencies = Currency::ALL.into_iter().zip(hand.0);
    let held = currencies.filter(|(_, cards)| !cards.is_empty());
    for (i, (currency, cards)) in held.enumerate() {
        let part = format!(" {currency} {}", joined(cards.values(), " ", "none"));
        if i > 0 {
            line.push(',');
        }
        if line.len() + part.len() >= COLUMNS {
            writeln!(text, "{line}")?;
            line = "   ".to_owned();
        }
        line.push_str(&part);
    }
    writeln!(text, "{line}")
}
