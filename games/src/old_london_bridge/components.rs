//! The pieces in the box: kinds, coats of arms, cards, tiles and score-tile faces.

use crate::named::named;

/// Building slots of a bridge.
pub const BRIDGE_SLOTS: usize = 12;
/// Kinds of building, and stacks round the rondel.
pub const KINDS: usize = 6;
/// Buildings of one kind.
pub const BUILDINGS_PER_KIND: usize = 12;
/// Buildings in the box.
pub const BUILDINGS: usize = KINDS * BUILDINGS_PER_KIND;
/// Outer spaces of the rondel.
pub const OUTER_SPACES: usize = 6;
/// Stacks of bonus tiles.
pub const BONUS_STACKS: usize = 3;
/// Kinds of bonus tile; each lies once in each stack (E5).
pub const TILE_KINDS: usize = 8;
/// Card values, 0 included.
pub const CARD_VALUES: usize = 5;
/// Cards of each value in the box, by value.
pub const CARDS: [u8; CARD_VALUES] = [4, 15, 15, 11, 10];
/// Round markers of each value (1, 2, 3) in the box.
pub const MARKERS_PER_VALUE: u8 = 5;
/// Values of round markers: 1, 2 and 3.
pub const MARKER_VALUES: usize = 3;
/// Round markers in the box.
pub const MARKERS_IN_BOX: usize = MARKER_VALUES * MARKERS_PER_VALUE as usize;
/// Most seats of this game.
pub const MAX_PLAYERS: usize = 4;
/// Money of each seat at the start, in pounds.
pub const STARTING_MONEY: i32 = 5;
/// Price of the centre of the rondel, in pounds.
pub const CENTRE_PRICE: i32 = 2;
/// Paid on arriving at the last space of either track, in pounds.
pub const LAST_SPACE_MONEY: i32 = 10;

named! {
    /// A kind of building; one stack each.
    Kind {
        /// Advances on the chapel track.
        Chapel = "chapel",
        /// Advances on the gate track.
        Gate = "gate",
        /// Takes character cards.
        Inn = "inn",
        /// Earns money.
        Haberdashery = "haberdashery",
        /// Carries all four coats of arms; no action.
        Guildhall = "guildhall",
        /// Starts a new series; no house number, no action.
        Park = "park",
    }
}

named! {
    /// A coat of arms.
    Coat {
        Blue = "blue",
        Orange = "orange",
        Grey = "grey",
        Green = "green",
    }
}

named! {
    /// What a bonus tile does.
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
    /// One of the four areas that a score tile stands for.
    Area {
        /// The chapel track.
        Chapel = "chapel",
        /// The gate track.
        Gate = "gate",
        /// The inn: cards in hand.
        Inn = "inn",
        /// The bridge.
        Bridge = "bridge",
    }
}

named! {
    /// What an area of the board pays: its base face or one of its four expansion faces.
    Face {
        /// Base: furthest on the chapel track.
        ChapelTrack = "chapel_track",
        /// Most chapels.
        MostChapels = "most_chapels",
        /// £1 to the chapel leader at the end of each round; at position 0 as the config says.
        ChapelLeader = "chapel_leader",
        /// £1 for each space ahead of the last seat.
        AheadOfLast = "ahead_of_last",
        /// All money spaces passed pay again.
        MoneyAgain = "money_again",
        /// Base: furthest on the gate track.
        GateTrack = "gate_track",
        /// Most gates.
        MostGates = "most_gates",
        /// £1 to the gate leader at the end of each round; at position 0 as the config says.
        GateLeader = "gate_leader",
        /// Money by the distance on the gate track.
        GateDistance = "gate_distance",
        /// Unused bonus tiles pay 0, 1, 4, 9, 16 instead of £1 each.
        TileTable = "tile_table",
        /// Base: highest sum of card values in hand.
        HandSum = "hand_sum",
        /// Most inns.
        MostInns = "most_inns",
        /// £2 to the highest card at each reveal.
        HighestCard = "highest_card",
        /// Money by the number of cards in hand.
        HandSize = "hand_size",
        /// Sets of cards from 1 upwards.
        CardSets = "card_sets",
        /// Base: most buildings.
        MostBuildings = "most_buildings",
        /// Longest series.
        LongestSeries = "longest_series",
        /// £2 to the lowest house number built in each round.
        LowestNumber = "lowest_number",
        /// £2 for each building numbered 30 or less.
        LowNumbers = "low_numbers",
        /// £10 for each full set of the six kinds.
        FullSets = "full_sets",
    }
}

/// Faces of one area: the base face and four expansion faces.
pub const FACES_PER_AREA: usize = 5;

impl Area {
    /// The faces of this area, the base face first.
    pub fn faces(self) -> &'static [Face] {
        &Face::ALL[self.index() * FACES_PER_AREA..][..FACES_PER_AREA]
    }

    /// The face printed on the board.
    pub fn base_face(self) -> Face {
        self.faces()[0]
    }
}

impl Face {
    /// The area this face belongs to.
    pub fn area(self) -> Area {
        Area::ALL[self.index() / FACES_PER_AREA]
    }
}

/// One building tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Building {
    /// Its kind.
    pub kind: Kind,
    /// House number 1 to 60; `None` for a park.
    pub number: Option<u8>,
    /// Its coat of arms; `None` for a guildhall, which carries all four.
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
