//! Events of a match, in the order in which they happen. Every event is public.

use std::fmt;

use super::building::{Building, Buildings};
use super::components::{CATEGORIES, Category, Currency, Scoring};
use super::decision::Purchase;
use super::decision::falling;
use super::money::{Money, MoneyCard};
use super::row_cards::RowCards;
use crate::Seat;
use crate::events::{events, joined, listed};

/// An owner of buildings, which scores points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A seat of the match.
    Seat(Seat),
    /// The third owner at a table of two.
    Dummy,
}

events! {
    /// An event of a match.
    #[derive(Copy, Eq)]
    Event {
        /// A seat drew its money at the start.
        HandDealt { seat: Seat, money: Money }
            = "seat {seat} is dealt {}, worth {}" (listed(money.cards()), money.total()),
        /// The dummy drew buildings, at the start or after scoring A or B. There are none if the
        /// pile is empty.
        DummyDrew { buildings: Buildings }
            = "the dummy draws {}" (joined(buildings.iter(), ", ", "nothing")),
        /// A building was laid into a slot of the yard.
        BuildingLaid { slot: Currency, building: Building }
            = "{building} is laid into the {slot} slot",
        MoneyOpened { card: MoneyCard } = "{card} comes into the open row",
        TurnStarted { seat: Seat } = "turn of seat {seat}",
        /// A seat took money, which ends its turn.
        MoneyTaken { seat: Seat, cards: RowCards } = "seat {seat} takes {}" (listed(cards.cards())),
        /// A seat bought a building. The turn continues if the payment is exactly the price, and
        /// ends otherwise.
        Bought { seat: Seat, building: Building, purchase: Purchase }
            = "seat {seat} buys {building} for {}" (bought(*building, purchase)),
        /// A seat could do nothing, and its turn ended.
        Passed { seat: Seat } = "seat {seat} can do nothing and passes",
        /// The discard was shuffled into a new pile of `cards` money cards.
        MoneyShuffled { cards: u8 } = "the discard of {cards} is shuffled into a new pile",
        YardShort = "the yard cannot be filled: the match ends",
        /// At the end of the match, a building left in the yard was allotted to the seat with the
        /// most money of the slot's currency. The seat is `None` if no seat has any, or if several
        /// tie; the building then stays in the yard.
        BuildingAllotted { slot: Currency, building: Building, seat: Option<Seat> }
            = "{building} of the {slot} slot goes to {}" (match seat {
                Some(seat) => format!("seat {seat}"),
                None => "nobody".to_owned(),
            }),
        /// An owner scored points, by category.
        Scored { scoring: Scoring, owner: Owner, points: [u8; CATEGORIES] }
            = "scoring {scoring}: {owner} gets {}" (scored(points)),
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seat(seat) => write!(f, "seat {seat}"),
            Self::Dummy => f.write_str("the dummy"),
        }
    }
}

fn bought(building: Building, purchase: &Purchase) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        write!(f, "{}{}", purchase.slot, falling(purchase.payment))?;
        if purchase.give {
            f.write_str(" and gives it to the dummy")?;
        }
        match purchase.payment.total() - building.price() {
            0 => f.write_str(", exactly"),
            over => write!(f, ", {over} too much"),
        }
    })
}

/// Formats the total, and the categories with points.
fn scored(points: &[u8; CATEGORIES]) -> String {
    let total: u32 = points.iter().map(|&n| u32::from(n)).sum();
    let all = Category::ALL.into_iter().zip(points);
    let paid = all.filter(|(_, points)| **points > 0);
    let paid = paid.map(|(category, points)| format!("{category} {points}"));
    match total {
        0 => "0".to_owned(),
        _ => format!("{total}: {}", listed(paid)),
    }
}
