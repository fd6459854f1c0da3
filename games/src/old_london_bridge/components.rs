//! Components: kinds, coats of arms, cards, tiles and score-tile faces.

use serde::Deserialize;

use crate::named::named;

/// The number of building slots on a bridge.
pub const BRIDGE_SLOTS: usize = 12;
/// The number of building kinds, and of stacks around the rondel.
pub const KINDS: usize = 6;
/// The number of buildings of one kind.
pub const BUILDINGS_PER_KIND: usize = 12;
/// The number of buildings in the box.
pub const BUILDINGS: usize = KINDS * BUILDINGS_PER_KIND;
/// The number of outer spaces on the rondel.
pub const OUTER_SPACES: usize = 6;
/// The number of bonus tile stacks.
pub const BONUS_STACKS: usize = 3;
/// The number of bonus tile kinds. Each stack has one tile of each kind (E5).
pub const TILE_KINDS: usize = 8;
/// The number of card values, 0 included.
pub const CARD_VALUES: usize = 5;
/// The number of cards of each value in the box.
pub const CARDS: [u8; CARD_VALUES] = [4, 15, 15, 11, 10];
/// The number of round markers of each value (1, 2, 3) in the box.
pub const MARKERS_PER_VALUE: u8 = 5;
/// The number of different round marker values: 1, 2 and 3.
pub const MARKER_VALUES: usize = 3;
/// The number of round markers in the box.
pub const MARKERS_IN_BOX: usize = MARKER_VALUES * MARKERS_PER_VALUE as usize;
/// The maximum number of seats.
pub const MAX_PLAYERS: usize = 4;
/// Each seat's initial money, in pounds.
pub const STARTING_MONEY: i32 = 5;
/// The price for the rondel's centre, in pounds.
pub const CENTRE_PRICE: i32 = 2;
/// The money that a seat gets when it arrives at the last space of either track, in pounds.
pub const LAST_SPACE_MONEY: i32 = 10;

named! {
    /// A kind of building; there is one stack of each.
    Kind {
        /// Advances on the chapel track.
        Chapel = "chapel",
        /// Advances on the gate track.
        Gate = "gate",
        /// Takes character cards from the supply.
        Inn = "inn",
        /// Earns money, one pound per strength.
        Haberdashery = "haberdashery",
        /// Has all four coats of arms, but no action.
        Guildhall = "guildhall",
        /// Starts a new series. Has no house number and no action.
        Park = "park",
    }
}

named! {
    /// A coat of arms. A building has one coat of arms, all four, or none.
    Coat {
        Blue = "blue",
        Orange = "orange",
        Grey = "grey",
        Green = "green",
    }
}

named! {
    /// A kind of bonus tile.
    TileKind {
        /// Enter a space although other seats' pawns are there.
        Share = "share",
        /// Enter the centre without paying.
        FreeCentre = "free_centre",
        /// Enter the X space.
        XSpace = "x_space",
        /// Take back the card played for this turn.
        Recall = "recall",
        /// Advance two spaces on the chapel track.
        ChapelPlus2 = "chapel_plus_2",
        /// Advance two spaces on the gate track.
        GatePlus2 = "gate_plus_2",
        /// Raise a played card by one.
        PlusOne = "plus_one",
        /// Take a "2" from the supply before choosing cards.
        TakeA2 = "take_a_2",
    }
}

named! {
    /// An area of the board, each of which has a score tile.
    Area {
        /// The chapel track, which pays by position or by chapels.
        Chapel = "chapel",
        /// The gate track, which pays by position or by gates.
        Gate = "gate",
        /// The inn, which pays for cards in hand.
        Inn = "inn",
        /// The bridge, which pays for the buildings of a seat.
        Bridge = "bridge",
    }
}

named! {
    /// A scoring face for an area of the board: the base face or one of four expansion faces.
    Face {
        /// Base face: prizes for the order on the chapel track.
        ChapelTrack = "chapel_track",
        /// Prizes for the most chapels.
        MostChapels = "most_chapels",
        /// £1 to the chapel leader at the end of each round. [`StartLeaders`](super::StartLeaders)
        /// determines whether a leader at position 0 gets it.
        ChapelLeader = "chapel_leader",
        /// £1 for each space by which the marker is ahead of the last seat's.
        AheadOfLast = "ahead_of_last",
        /// All money spaces that the marker has passed pay again.
        MoneyAgain = "money_again",
        /// Base face: prizes for the order on the gate track.
        GateTrack = "gate_track",
        /// Prizes for the most gates.
        MostGates = "most_gates",
        /// £1 to the gate leader at the end of each round. [`StartLeaders`](super::StartLeaders)
        /// determines whether a leader at position 0 gets it.
        GateLeader = "gate_leader",
        /// Pays money by the distance on the gate track.
        GateDistance = "gate_distance",
        /// Unused bonus tiles pay 0, 1, 4, 9, 16 instead of £1 each.
        TileTable = "tile_table",
        /// Base face: prizes for the highest sums of card values in hand.
        HandSum = "hand_sum",
        /// Prizes for the most inns.
        MostInns = "most_inns",
        /// £2 for the highest card at each reveal.
        HighestCard = "highest_card",
        /// Pays money by the number of cards in hand.
        HandSize = "hand_size",
        /// Sets of cards from 1 upwards.
        CardSets = "card_sets",
        /// Base face: prizes for the most buildings.
        MostBuildings = "most_buildings",
        /// Prizes for the longest series.
        LongestSeries = "longest_series",
        /// £2 for the lowest house number built in each round.
        LowestNumber = "lowest_number",
        /// £2 for each building numbered 30 or less.
        LowNumbers = "low_numbers",
        /// £10 for each full set of the six kinds.
        FullSets = "full_sets",
    }
}

/// The number of faces for one area: the base face and four expansion faces.
pub const FACES_PER_AREA: usize = 5;

impl Area {
    /// Returns the faces of this area, the base face first.
    pub fn faces(self) -> &'static [Face] {
        &Face::ALL[self.index() * FACES_PER_AREA..][..FACES_PER_AREA]
    }

    /// Returns the face printed on the board.
    pub fn base_face(self) -> Face {
        self.faces()[0]
    }
}

impl Face {
    /// Returns the area this face belongs to.
    pub fn area(self) -> Area {
        Area::ALL[self.index() / FACES_PER_AREA]
    }
}

/// A building tile. Equal tiles are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Building {
    /// The kind, which decides its action.
    pub kind: Kind,
    /// House number, 1 to 60; `None` for a park.
    pub number: Option<u8>,
    /// The coat of arms; `None` for a guildhall, which has all four.
    pub coat: Option<Coat>,
}

impl std::fmt::Display for Building {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind.fmt(f)?;
        if let Some(number) = self.number {
            write!(f, " {number}")?;
        }
        write!(f, " ({})", self.coat.map_or("all coats", Coat::name))
    }
}
