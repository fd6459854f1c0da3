//! The expected value of a seat's position, in pounds at the end of the match. These weights earned
//! the most in several thousand matches against random bots.

use bridgemaster_games::{
    Seat,
    old_london_bridge::{
        BRIDGE_SLOTS, CARD_VALUES, Coat, Edition, Face, LAST_SPACE_MONEY, MAX_HOUSE_NUMBER,
        Observation, SeatView, TILE_KINDS,
    },
};

/// A coat of arms' value for each later turn, in pounds. The first entry is for the colour with the
/// most coats on the bridge, the second for the next colour, and so on. A seat builds where it is
/// strong, so the first value is the highest.
const COAT_PER_TURN: [f64; 4] = [0.65, 0.40, 0.24, 0.10];
/// The number of spaces that one marker advances in a turn, on average over all turns.
const SPACES_PER_TURN: f64 = 1.4;
/// The value of a bonus space on the gate track, in pounds.
const BONUS_SPACE: f64 = 1.5;
/// The value of each kind of bonus tile that will be used, in pounds: share, free_centre, x_space,
/// recall, chapel_plus_2, gate_plus_2, plus_one, take_a_2.
const TILE: [f64; TILE_KINDS] = [1.6, 1.6, 1.8, 1.5, 2.6, 2.6, 1.3, 1.3];
/// The value of a bonus tile that is not used, in pounds.
const UNUSED_TILE: f64 = 1.0;
/// The value of a card in hand regardless of its number, in pounds.
const CARD: f64 = 0.4;
/// The value per unit of a card's number, in pounds.
const CARD_POINT: f64 = 0.3;
/// The number of cards that are useful beyond one for each turn, because they give a choice.
const SPARE_CARDS: f64 = 2.0;
/// The number of house numbers that each new building uses up, on average.
const NUMBERS_PER_BUILDING: f64 = 5.0;
/// The number of parks that a seat builds per turn if no number fits.
const PARKS_PER_TURN: f64 = 0.28;
/// The value, in pounds, of a turn whose building replaces another building, so that a coat is
/// lost.
const REPLACEMENT: f64 = -0.3;
/// The cost of 0 to 5 empty slots, in pounds. More empty slots cost the same as 5.
const EMPTY_SLOTS: [f64; 6] = [0.0, 1.0, 4.0, 7.0, 10.0, 14.0];
/// The weight that points scored at the end of the match have at its start. The weight rises to 1.
const EARLY_SCORE: f64 = 0.3;

/// Returns the expected value of the position that `seat` has, in pounds.
pub fn evaluate(edition: &Edition, seen: &Observation, seat: Seat) -> f64 {
    let evaluator = SeatEvaluator::new(edition, seen, seat);
    let faces: f64 = seen.faces.iter().map(|face| evaluator.face(*face)).sum();
    f64::from(evaluator.me.money)
        + evaluator.coats()
        + evaluator.chapel_track()
        + evaluator.gate_track()
        + evaluator.hand()
        + evaluator.tiles()
        + evaluator.bridge()
        + faces
}

/// A seat's expectations for the rest of the match.
pub(super) struct SeatEvaluator<'a> {
    pub(super) edition: &'a Edition,
    pub(super) seen: &'a Observation,
    pub(super) seat: Seat,
    pub(super) me: &'a SeatView,
    /// The number of rounds after the current one.
    pub(super) rounds_left: f64,
    /// The number of turns that the seat has in the rounds after the current one.
    pub(super) turns_left: f64,
}

impl<'a> SeatEvaluator<'a> {
    fn new(edition: &'a Edition, seen: &'a Observation, seat: Seat) -> Self {
        let turns_per_round = if seen.seats.len() == 2 { 2.0 } else { 1.0 };
        let rounds_left = f64::from(seen.rounds - 1 - seen.round);
        Self {
            edition,
            seen,
            seat,
            me: &seen.seats[seat.index()],
            rounds_left,
            turns_left: rounds_left * turns_per_round,
        }
    }

    /// Returns the value of coats of arms, which make later buildings stronger.
    fn coats(&self) -> f64 {
        let mut counts = [0f64; Coat::ALL.len()];
        for building in &self.me.bridge {
            match building.coat {
                Some(coat) => counts[coat.index()] += 1.0,
                None => counts.iter_mut().for_each(|count| *count += 1.0),
            }
        }
        counts.sort_unstable_by(|a, b| b.total_cmp(a));
        let per_turn: f64 =
            counts.iter().zip(COAT_PER_TURN).map(|(count, pounds)| count * pounds).sum();
        per_turn * self.turns_left
    }

    /// Returns the value of the money spaces that are still ahead on the chapel track.
    pub(super) fn chapel_money(&self) -> f64 {
        let spaces = self.edition.chapel_money().iter();
        let at = self.me.chapel_position;
        spaces.map(|&(space, pounds)| self.reach(at, space) * f64::from(pounds)).sum()
    }

    fn chapel_track(&self) -> f64 {
        let last = self.edition.chapel_last_space();
        let arriving = f64::from(LAST_SPACE_MONEY);
        self.chapel_money() + self.reach(self.me.chapel_position, last) * arriving
    }

    fn gate_track(&self) -> f64 {
        let at = self.me.gate_position;
        let spaces = self.edition.gate_bonus().iter();
        let bonuses: f64 = spaces.map(|&space| self.reach(at, space)).sum();
        let arriving = f64::from(LAST_SPACE_MONEY);
        bonuses * BONUS_SPACE + self.reach(at, self.edition.gate_last_space()) * arriving
    }

    /// Returns the probability that a marker reaches a space ahead. The probability falls linearly
    /// with the distance, and is 0 at twice the average advance.
    fn reach(&self, position: u8, space: u8) -> f64 {
        let furthest = 2.0 * SPACES_PER_TURN * self.turns_left;
        if space <= position || furthest == 0.0 {
            return 0.0;
        }
        (1.0 - f64::from(space - position) / furthest).max(0.0)
    }

    /// Returns the value of the cards in hand, which decide the order of play. Each turn uses up
    /// one card. After the last turn, only faces pay for cards.
    fn hand(&self) -> f64 {
        let cards = (1..CARD_VALUES).map(|value| (value as f64, f64::from(self.me.hand[value])));
        let count: f64 = cards.clone().map(|(_, count)| count).sum();
        let value: f64 = cards.map(|(value, count)| count * (CARD + CARD_POINT * value)).sum();
        let useful = count.min(self.turns_left + SPARE_CARDS) / count.max(1.0);
        value * useful * self.turns_left / (self.turns_left + 1.0)
    }

    /// Returns the value of bonus tiles, used or unused.
    fn tiles(&self) -> f64 {
        let unused = if self.seen.faces.contains(&Face::TileTable) { 0.0 } else { UNUSED_TILE };
        let usable = (self.turns_left / 2.0).min(1.0);
        let kinds = self.me.tiles.iter().zip(TILE);
        kinds.map(|(count, used)| f64::from(*count) * (unused + (used - unused) * usable)).sum()
    }

    /// Returns the value of the bridge. Empty slots cost money, and a low last house number limits
    /// the buildings that can fill them.
    fn bridge(&self) -> f64 {
        let empty = (BRIDGE_SLOTS - self.me.bridge.len()) as f64;
        let last_number = self.me.bridge.last().and_then(|building| building.number);
        let numbers_left = f64::from(last_number.unwrap_or(MAX_HOUSE_NUMBER));
        let fitting = numbers_left / NUMBERS_PER_BUILDING + PARKS_PER_TURN * self.turns_left;
        let built = self.turns_left.min(empty).min(fitting);
        (self.turns_left - built) * REPLACEMENT - empty_slots_cost(empty - built)
    }

    /// Returns the weighted value of pounds that are scored at the end and can still change.
    pub(super) fn at_the_end(&self, pounds: f64) -> f64 {
        let played = 1.0 - self.rounds_left / f64::from(self.seen.rounds);
        pounds * (EARLY_SCORE + (1.0 - EARLY_SCORE) * played)
    }
}

/// Returns the cost of empty slots, in pounds, interpolated for fractions of a slot.
fn empty_slots_cost(empty: f64) -> f64 {
    let last = EMPTY_SLOTS.len() - 1;
    let whole = (empty as usize).min(last);
    let next = (whole + 1).min(last);
    EMPTY_SLOTS[whole] + (EMPTY_SLOTS[next] - EMPTY_SLOTS[whole]) * empty.fract()
}
