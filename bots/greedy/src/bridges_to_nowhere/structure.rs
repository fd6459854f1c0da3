//! Analysis of a structure: the filled columns, the runs, and each run's score as a complete
//! segment.

use bridgemaster_games::bridges_to_nowhere::{
    Card, LEVELS, MAX_COLUMN, PAIR_POINTS, Piece, Placement, Style, Symbol,
};

/// The columns of one level as a bit mask. Bit 0 is the column to the left of the leftmost column.
pub(super) type Columns = u128;

const _: () = assert!(2 * MAX_COLUMN as u32 + 3 <= Columns::BITS);

fn bit(column: i8) -> Columns {
    1 << (column + MAX_COLUMN + 1)
}

/// A structure's filled columns by level, from the ground up.
#[derive(Clone, Copy)]
pub(super) struct Filled {
    pub(super) cards: [Columns; LEVELS],
    pub(super) pillars: [Columns; LEVELS],
}

impl Filled {
    pub(super) fn new(structure: &[Placement]) -> Self {
        let mut filled = Self { cards: [0; LEVELS], pillars: [0; LEVELS] };
        for Placement { piece, cell } in structure {
            let level = usize::from(cell.level) - 1;
            match piece {
                Piece::Card(_) => filled.cards[level] |= bit(cell.column),
                Piece::Pillar => filled.pillars[level] |= bit(cell.column),
            }
        }
        filled
    }

    /// Returns the filled columns of a level, counted from 0.
    pub(super) fn level(&self, level: usize) -> Columns {
        self.cards[level] | self.pillars[level]
    }
}

/// A maximal row of adjacent cards on one level, from left to right.
pub(super) struct Run<'a>(&'a [Placement]);

/// Returns a structure's runs. The structure's pieces must be sorted by level and column.
pub(super) fn runs(structure: &[Placement]) -> impl Iterator<Item = Run<'_>> {
    let is_card = |placement: &Placement| placement.piece != Piece::Pillar;
    let adjoin = move |left: &Placement, right: &Placement| {
        is_card(left)
            && is_card(right)
            && left.cell.level == right.cell.level
            && left.cell.column + 1 == right.cell.column
    };
    let rows = structure.chunk_by(adjoin);
    rows.filter(move |row| is_card(&row[0])).map(Run)
}

/// A run as a complete segment.
#[derive(Clone, Copy, Default)]
pub(super) struct Segment {
    /// The level, from 0.
    pub(super) level: usize,
    /// The number of cards in the segment.
    pub(super) length: u8,
    /// The style of the bridge cards; `None` if the segment has only monuments.
    pub(super) style: Option<Style>,
    /// The points without contracts.
    pub(super) points: u16,
    /// The number of pairs of each symbol.
    pub(super) pairs: [u8; Symbol::ALL.len()],
}

impl Run<'_> {
    /// The level, from 0.
    fn level(&self) -> usize {
        usize::from(self.0[0].cell.level) - 1
    }

    fn length(&self) -> usize {
        self.0.len()
    }

    /// Returns the cells that pillars must fill to make the run a segment: the empty cells beside
    /// the run, and the empty cells below those.
    pub(super) fn missing(&self, filled: &Filled) -> [Columns; LEVELS] {
        let (first, last) = (self.0[0].cell.column, self.0[self.length() - 1].cell.column);
        let beside = (bit(first) >> 1 | bit(last) << 1) & !filled.pillars[self.level()];
        let mut missing = [0; LEVELS];
        for (level, missing) in missing.iter_mut().enumerate().take(self.level() + 1) {
            *missing = beside & !filled.level(level);
        }
        missing
    }

    /// Returns the segment that the run becomes once it is complete.
    pub(super) fn as_segment(&self) -> Segment {
        let factor = self.level() as u16 + 1;
        let mut segment =
            Segment { level: self.level(), length: self.length() as u8, ..Segment::default() };
        let number = |place: usize| match self.0.get(place).map(|placed| placed.piece) {
            Some(Piece::Card(Card::Bridge(card))) => card.number.map_or(0, u16::from),
            _ => 0,
        };
        let mut symbol_before = None;
        for (place, placed) in self.0.iter().enumerate() {
            let Piece::Card(Card::Bridge(card)) = placed.piece else {
                // A monument scores the numbers beside it. To the left of the first card,
                // `wrapping_sub` yields an index without a card.
                segment.points += (number(place.wrapping_sub(1)) + number(place + 1)) * factor;
                symbol_before = None;
                continue;
            };
            segment.style = Some(card.style);
            let at_an_end = place == 0 || place + 1 == self.length();
            segment.points += match card.number {
                Some(number) => u16::from(number) * factor,
                None if at_an_end => self.length() as u16 * factor,
                None => 0,
            };
            if symbol_before == Some(card.left) {
                segment.points += PAIR_POINTS;
                segment.pairs[card.left.index()] += 1;
            }
            symbol_before = Some(card.right);
        }
        segment
    }
}
