//! One readable line for each event.

use std::fmt;

use super::components::Category;
use super::event::{Event, Owner};
use super::notation::write_falling;

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seat(seat) => write!(f, "seat {seat}"),
            Self::Dummy => f.write_str("the dummy"),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HandDealt { seat, money } => {
                write!(f, "seat {seat} is dealt")?;
                write_all(f, money.cards())?;
                write!(f, ", worth {}", money.total())
            }
            Self::DummyDrew { buildings } if buildings.is_empty() => {
                f.write_str("the dummy draws nothing")
            }
            Self::DummyDrew { buildings } => {
                f.write_str("the dummy draws")?;
                write_all(f, buildings.iter())
            }
            Self::BuildingLaid { slot, building } => {
                write!(f, "{building} is laid into the {slot} slot")
            }
            Self::MoneyOpened { card } => write!(f, "{card} comes into the open row"),
            Self::TurnStarted { seat } => write!(f, "turn of seat {seat}"),
            Self::MoneyTaken { seat, cards } => {
                write!(f, "seat {seat} takes")?;
                write_all(f, cards.cards())
            }
            Self::Bought {
                seat,
                building,
                purchase,
            } => {
                write!(f, "seat {seat} buys {building} for {}", purchase.slot)?;
                write_falling(f, purchase.payment)?;
                if purchase.give {
                    f.write_str(" and gives it to the dummy")?;
                }
                let over = purchase.payment.total() - building.price();
                match over {
                    0 => f.write_str(", exactly"),
                    _ => write!(f, ", {over} too much"),
                }
            }
            Self::Passed { seat } => write!(f, "seat {seat} can do nothing and passes"),
            Self::MoneyShuffled { cards } => {
                write!(f, "the discard of {cards} is shuffled into a new pile")
            }
            Self::YardShort => f.write_str("the yard cannot be filled: the match ends"),
            Self::BuildingAllotted {
                slot,
                building,
                seat: Some(seat),
            } => write!(f, "{building} of the {slot} slot goes to seat {seat}"),
            Self::BuildingAllotted { slot, building, .. } => {
                write!(f, "{building} of the {slot} slot goes to nobody")
            }
            Self::Scored {
                scoring,
                owner,
                points,
            } => {
                let total: u32 = points.iter().map(|&n| u32::from(n)).sum();
                write!(f, "scoring {scoring}: {owner} gets {total}")?;
                let lines = Category::ALL.into_iter().zip(points);
                let mut paid = lines.filter(|(_, points)| **points > 0);
                if let Some((category, points)) = paid.next() {
                    write!(f, ": {category} {points}")?;
                }
                paid.try_for_each(|(category, points)| write!(f, ", {category} {points}"))
            }
        }
    }
}

/// ` a, b, c`.
fn write_all<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    items: impl Iterator<Item = T>,
) -> fmt::Result {
    for (i, item) in items.enumerate() {
        write!(f, "{} {item}", if i == 0 { "" } else { "," })?;
    }
    Ok(())
}
