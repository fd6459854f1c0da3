//! What happens in a match, in the order in which it happens. Every event is public.

use super::building::{Building, Buildings};
use super::components::{CATEGORIES, Currency, Scoring};
use super::decision::Purchase;
use super::money::{Money, MoneyCard, RowCards};
use crate::Seat;

/// Who owns buildings and scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A seat.
    Seat(Seat),
    /// The third owner at a table of two.
    Dummy,
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A seat drew its money at the start.
    HandDealt {
        /// The seat.
        seat: Seat,
        /// Its cards.
        money: Money,
    },
    /// The dummy drew buildings: at the start, and after scorings A and B.
    DummyDrew {
        /// The buildings; none when the pile is empty.
        buildings: Buildings,
    },
    /// A building was laid into a slot of the yard.
    BuildingLaid {
        /// The slot.
        slot: Currency,
        /// The building.
        building: Building,
    },
    /// A money card came into the open row.
    MoneyOpened {
        /// The card.
        card: MoneyCard,
    },
    /// A turn began.
    TurnStarted {
        /// Whose turn.
        seat: Seat,
    },
    /// A seat took money, which ends its turn.
    MoneyTaken {
        /// The seat.
        seat: Seat,
        /// The cards.
        cards: RowCards,
    },
    /// A seat bought a building. The turn goes on if the payment is its price, and else ends.
    Bought {
        /// The seat.
        seat: Seat,
        /// The building.
        building: Building,
        /// Slot, payment, and whether the dummy got it.
        purchase: Purchase,
    },
    /// A seat could do nothing, and its turn ended.
    Passed {
        /// The seat.
        seat: Seat,
    },
    /// The discard was shuffled into a new pile of money cards.
    MoneyShuffled {
        /// The number of cards.
        cards: u8,
    },
    /// The yard cannot be filled: the match ends.
    YardShort,
    /// A building left in the yard was allotted at the end of the match.
    BuildingAllotted {
        /// The slot.
        slot: Currency,
        /// The building.
        building: Building,
        /// The seat with the most money of the slot's currency; `None` when no seat has, or
        /// several have, the most: then it stays.
        seat: Option<Seat>,
    },
    /// An owner got points.
    Scored {
        /// The scoring.
        scoring: Scoring,
        /// The owner.
        owner: Owner,
        /// Points by category.
        points: [u8; CATEGORIES],
    },
}
