//! A seat's structure: bit boards of its levels, and its runs.

use super::board::Barred;
use super::board::{Board, Boards, Spot, bits, spots};
use super::components::{Cell, LEVELS, MAX_PIECES, MAX_STRUCTURE_CARDS};
use super::edition::CardId;
use super::run::{Run, Traits};

/// The maximum distance between two neighbours on the ground, in columns. A gap of one column may
/// remain.
const REACH: u32 = 2;

const _: () =
    assert!((MAX_PIECES - 1) * REACH as usize + 1 + 2 * REACH as usize <= Board::BITS as usize);

/// The structure of one seat.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub(super) cards: Boards,
    pub(super) pillars: Boards,
    /// The empty cells at both ends of each run with a monument.
    open_ends: Boards,
    /// The number of cells that must be filled to close every run with a monument (N7).
    pub(super) needed: u8,
    /// The leftmost ground column with a piece; 0 if there is no piece.
    leftmost: i8,
    /// The placed cards, in the order of placement.
    ids: [CardId; MAX_STRUCTURE_CARDS],
    /// The run that contains each placed card. Only the entries for the two cards at a run's ends
    /// are up to date.
    runs: [Run; MAX_STRUCTURE_CARDS],
    placed_cards: u8,
    /// For each spot with a card, the card's index in `ids`.
    card_at: [[u8; Board::BITS as usize]; LEVELS],
    /// The empty cells where a card would break a run.
    barred: Barred,
}

impl Structure {
    /// The structure without any piece.
    pub(super) const EMPTY: Self = Self {
        cards: [0; LEVELS],
        pillars: [0; LEVELS],
        open_ends: [0; LEVELS],
        needed: 0,
        leftmost: 0,
        ids: [CardId::MONUMENT; MAX_STRUCTURE_CARDS],
        runs: [Run::EMPTY; MAX_STRUCTURE_CARDS],
        placed_cards: 0,
        card_at: [[0; Board::BITS as usize]; LEVELS],
        barred: Barred::NOTHING,
    };

    /// Returns `true` if the structure has no piece.
    pub(super) fn is_empty(&self) -> bool {
        self.cards[0] | self.pillars[0] == 0
    }

    /// Returns `true` if the boards can represent a column. For other columns, the bit would stand
    /// for a different column.
    pub(super) fn reaches(&self, column: i8) -> bool {
        let first = self.leftmost - REACH as i8;
        (0..Board::BITS as i8).contains(&(column - first))
    }

    /// Returns the cells that have a piece.
    pub(super) fn taken(&self) -> Boards {
        std::array::from_fn(|level| self.cards[level] | self.pillars[level])
    }

    /// Returns the empty cells that can hold a piece, ignoring the rules for runs and monuments.
    pub(super) fn places(&self) -> Boards {
        let [ground, middle, top] = self.taken();
        let near = match ground {
            0 => 1,
            _ => (1..=REACH).fold(0, |near, columns| {
                near | ground.rotate_left(columns) | ground.rotate_right(columns)
            }),
        };
        [near & !ground, ground & !middle, middle & !top]
    }

    /// Returns the cells of a board on one level, by column. The board must be a subset of the
    /// occupied and available cells.
    pub(super) fn cells(&self, level: usize, board: Board) -> impl Iterator<Item = Cell> + use<> {
        let first = self.leftmost - REACH as i8;
        let from_first = board.rotate_right(first as u32 % Board::BITS);
        bits(from_first).map(move |bit| Cell { level: level as u8 + 1, column: first + bit as i8 })
    }

    /// Returns the identifier of the card at a spot, which must have a card.
    pub(super) fn card(&self, spot: Spot) -> CardId {
        self.ids[self.card_number(spot)]
    }

    fn card_number(&self, spot: Spot) -> usize {
        usize::from(self.card_at[spot.level][spot.bit as usize])
    }

    /// Returns the run that ends at a spot, or the empty run if the spot has no card.
    pub(super) fn run(&self, spot: Spot) -> &Run {
        if spot.is_on(&self.cards) { &self.runs[self.card_number(spot)] } else { &Run::EMPTY }
    }

    /// Returns the runs beside an empty spot.
    pub(super) fn neighbours(&self, spot: Spot) -> (&Run, &Run) {
        (self.run(spot.left(1)), self.run(spot.right(1)))
    }

    /// Returns the cells of `places` where a card leaves every run legal (N5).
    pub(super) fn fitting(&self, places: &Boards, card: Traits) -> Boards {
        std::array::from_fn(|level| places[level] & !self.barred.cells_barred_to(level, card))
    }

    /// Returns `true` if a card at an empty spot leaves every run legal (N5).
    pub(super) fn fits(&self, spot: Spot, card: Traits) -> bool {
        self.barred.cells_barred_to(spot.level, card) & spot.board() == 0
    }

    /// Returns the cells of `fitting` where a card leaves at most `pillars` needed cells (N7).
    pub(super) fn closable(&self, fitting: Boards, card: Traits, pillars: u8) -> Boards {
        // A card that is not a monument adds nothing to the needed cells, except at an open end.
        let suspects: Boards = match card.is_monument {
            true => fitting,
            false if self.needed == 0 => return fitting,
            false => std::array::from_fn(|level| fitting[level] & self.open_ends[level]),
        };
        let needed = self.needed_cells();
        let mut closable = fitting;
        for (level, &suspects) in suspects.iter().enumerate() {
            // A run has two ends, and each may need the cells below it too.
            if self.needed + 2 * (level as u8 + 1) <= pillars {
                continue;
            }
            for spot in spots(level, suspects) {
                if self.count_needed(&needed, spot, card) > pillars {
                    closable[level] &= !spot.board();
                }
            }
        }
        closable
    }

    /// Returns the cells of `places` where a pillar can be placed. Afterwards, there must not be
    /// more needed cells than remaining pillars (N7).
    pub(super) fn places_of_pillar(&self, places: Boards, pillars: u8) -> Boards {
        if pillars == 0 {
            [0; LEVELS]
        } else if self.needed < pillars {
            places
        } else {
            let needed = self.needed_cells();
            std::array::from_fn(|level| places[level] & needed[level])
        }
    }

    /// Returns the number of needed cells after a pillar is placed at a spot.
    pub(super) fn needed_after_pillar(&self, spot: Spot) -> u8 {
        self.needed - u8::from(spot.is_on(&self.needed_cells()))
    }

    /// Returns the number of needed cells after a card is placed at a spot.
    pub(super) fn needed_after_card(&self, spot: Spot, card: Traits) -> u8 {
        if self.needed == 0 && !card.is_monument {
            return 0;
        }
        self.count_needed(&self.needed_cells(), spot, card)
    }

    /// Returns the number of needed cells after a card is placed at a spot. `needed` has the needed
    /// cells before the card. The spot itself is then filled, and the ends of its run are added if
    /// the run has a monument.
    fn count_needed(&self, needed: &Boards, spot: Spot, card: Traits) -> u8 {
        let rest = self.needed - u8::from(spot.is_on(needed));
        if !card.is_monument && !spot.is_on(&self.open_ends) {
            return rest;
        }
        let taken = self.taken();
        let more = self.ends_with(spot).map(|end| -> u8 {
            let column = (0..=spot.level).map(|level| Spot { level, ..end });
            let to_fill = column.map(|cell| !cell.is_on(&taken) & !cell.is_on(needed));
            to_fill.map(u8::from).sum()
        });
        rest + more[0] + more[1]
    }

    /// Returns the spots at both ends of the run that is joined by placing a card at a spot.
    fn ends_with(&self, spot: Spot) -> [Spot; 2] {
        let (left, right) = self.neighbours(spot);
        [spot.left(u32::from(left.length) + 1), spot.right(u32::from(right.length) + 1)]
    }

    /// Places a card at a cell where it is legal.
    pub(super) fn place_card(&mut self, cell: Cell, id: CardId, card: Traits) {
        let spot = Spot::of(cell);
        let (left, right) = self.neighbours(spot);
        let [left_end, right_end] = self.ends_with(spot);
        let run = left.join(card, right);
        debug_assert!(run.is_some(), "a card is placed where it fits");
        let run = run.unwrap_or(Run::EMPTY);
        let number = usize::from(self.placed_cards);
        // If the new run has a monument, its ends replace the spot.
        let open_ends = &mut self.open_ends[spot.level];
        if card.is_monument || *open_ends & spot.board() != 0 {
            *open_ends |= (left_end.board() | right_end.board()) & !self.pillars[spot.level];
        }
        *open_ends &= !spot.board();
        self.ids[number] = id;
        self.card_at[spot.level][spot.bit as usize] = self.placed_cards;
        self.placed_cards += 1;
        self.cards[spot.level] |= spot.board();
        for last in [left_end.right(1), right_end.left(1)] {
            self.runs[self.card_number(last)] = run;
        }
        self.bar_beside(left_end);
        self.bar_beside(right_end);
        self.grow(cell);
    }

    /// Bars a spot to the cards that do not fit the runs beside it.
    fn bar_beside(&mut self, spot: Spot) {
        let (left, right) = self.neighbours(spot);
        let (styles, numbers) = left.allowed_between(right);
        self.barred.bar_others(spot, styles, numbers);
    }

    /// Places a pillar at a cell where it is legal.
    pub(super) fn place_pillar(&mut self, cell: Cell) {
        let spot = Spot::of(cell);
        self.open_ends[spot.level] &= !spot.board();
        self.pillars[spot.level] |= spot.board();
        self.grow(cell);
    }

    fn grow(&mut self, cell: Cell) {
        self.leftmost = self.leftmost.min(cell.column);
        let needed = || self.needed_cells().map(Board::count_ones);
        self.needed = match self.open_ends {
            [0, 0, 0] => 0,
            _ => needed().iter().sum::<u32>() as u8,
        };
    }

    /// Returns the empty cells at open ends and below them.
    fn needed_cells(&self) -> Boards {
        let ([ground, middle, top], taken) = (self.open_ends, self.taken());
        [(ground | middle | top) & !taken[0], (middle | top) & !taken[1], top]
    }
}
