//! What a seat has now and may expect, in pounds at the end of the match. The weights are those
//! that earned most in some thousand matches against random bots.

use bridgemaster_games::{
    Seat,
    old_london_bridge::{
        BRIDGE_SLOTS, CARD_VALUES, Coat, Edition, Face, LAST_SPACE_MONEY, MAX_HOUSE_NUMBER,
        Observation, SeatView, TILE_KINDS,
    },
};

/// What a coat of arms brings in a later turn, in pounds: in the colour that the bridge has most
/// of, in the next, and so on. A seat builds where it is strong, so the first counts most.
const COAT_A_TURN: [f64; 4] = [0.65, 0.40, 0.24, 0.10];
/// Spaces that one marker advances in a turn, on average over all turns.
const SPACES_A_TURN: f64 = 1.4;
/// A bonus space of the gate track, in pounds.
const BONUS_SPACE: f64 = 1.5;
/// A bonus tile that will be used, in pounds: share, free_centre, x_space, recall, chapel_plus_2,
/// gate_plus_2, plus_one, take_a_2.
const TILE: [f64; TILE_KINDS] = [1.6, 1.6, 1.8, 1.5, 2.6, 2.6, 1.3, 1.3];
/// A bonus tile that is not used, in pounds.
const UNUSED_TILE: f64 = 1.0;
/// A card in hand without regard to its value, in pounds.
const CARD: f64 = 0.4;
/// Each point of a card's value, in pounds.
const CARD_POINT: f64 = 0.3;
/// Cards that are useful beyond one for each turn: to have a choice.
const SPARE_CARDS: f64 = 2.0;
/// House numbers that a building uses up of those below the last one.
const NUMBERS_A_BUILDING: f64 = 5.0;
/// Parks that a seat builds in a turn where no number fits.
const PARKS_A_TURN: f64 = 0.28;
/// A turn whose building replaces another and so loses its coat, in pounds.
const REPLACEMENT: f64 = -0.3;
/// What 0 to 5 empty slots cost, in pounds; more cost no more.
const EMPTY_SLOTS: [f64; 6] = [0.0, 1.0, 4.0, 7.0, 10.0, 14.0];
/// How much of what is scored only at the end counts at the start; all of it does at the end.
const EARLY_SCORE: f64 = 0.3;

/// What `seat` has and may expect, in pounds.
pub fn evaluate(edition: &Edition, seen: &Observation, seat: Seat) -> f64 {
    let outlook = Outlook::new(edition, seen, seat);
    let faces: f64 = seen.faces.iter().map(|face| outlook.face(*face)).sum();
    f64::from(outlook.me.money)
        + outlook.coats()
        + outlook.chapel_track()
        + outlook.gate_track()
        + outlook.hand()
        + outlook.tiles()
        + outlook.bridge()
        + faces
}

/// What a seat may expect.
pub(super) struct Outlook<'a> {
    pub(super) edition: &'a Edition,
    pub(super) seen: &'a Observation,
    pub(super) seat: Seat,
    pub(super) me: &'a SeatView,
    /// Rounds after the one in play.
    pub(super) rounds_left: f64,
    /// Turns that the seat has in them.
    pub(super) turns_left: f64,
}

impl<'a> Outlook<'a> {
    fn new(edition: &'a Edition, seen: &'a Observation, seat: Seat) -> Self {
        let turns_a_round = if seen.seats.len() == 2 { 2.0 } else { 1.0 };
        let rounds_left = f64::from(seen.rounds - 1 - seen.round);
        Self {
            edition,
            seen,
            seat,
            me: &seen.seats[seat.index()],
            rounds_left,
            turns_left: rounds_left * turns_a_round,
        }
    }

    /// Coats of arms make later buildings stronger.
    fn coats(&self) -> f64 {
        let mut counts = [0f64; Coat::ALL.len()];
        for building in &self.me.bridge {
            match building.coat {
                Some(coat) => counts[coat.index()] += 1.0,
                None => counts.iter_mut().for_each(|count| *count += 1.0),
            }
        }
        counts.sort_unstable_by(|a, b| b.total_cmp(a));
        let a_turn: f64 = counts
            .iter()
            .zip(COAT_A_TURN)
            .map(|(count, pounds)| count * pounds)
            .sum();
        a_turn * self.turns_left
    }

    /// Money spaces of the chapel track that are still ahead.
    pub(super) fn chapel_money(&self) -> f64 {
        let spaces = self.edition.chapel_money().iter();
        let at = self.me.chapel_position;
        spaces
            .map(|&(space, pounds)| self.reach(at, space) * f64::from(pounds))
            .sum()
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

    /// The chance that a marker still gets to a space ahead: falls evenly to 0 at twice the
    /// distance that it advances on average.
    fn reach(&self, position: u8, space: u8) -> f64 {
        let furthest = 2.0 * SPACES_A_TURN * self.turns_left;
        if space <= position || furthest == 0.0 {
            return 0.0;
        }
        (1.0 - f64::from(space - position) / furthest).max(0.0)
    }

    /// Cards decide who chooses first. Each turn uses one up; after the last turn only faces and
    /// not this pay for them.
    fn hand(&self) -> f64 {
        let cards = (1..CARD_VALUES).map(|value| (value as f64, f64::from(self.me.hand[value])));
        let count: f64 = cards.clone().map(|(_, count)| count).sum();
        let worth: f64 = cards
            .map(|(value, count)| count * (CARD + CARD_POINT * value))
            .sum();
        let useful = count.min(self.turns_left + SPARE_CARDS) / count.max(1.0);
        worth * useful * self.turns_left / (self.turns_left + 1.0)
    }

    /// Bonus tiles to use or to keep.
    fn tiles(&self) -> f64 {
        let kept = if self.seen.faces.contains(&Face::TileTable) {
            0.0
        } else {
            UNUSED_TILE
        };
        let usable = (self.turns_left / 2.0).min(1.0);
        let kinds = self.me.tiles.iter().zip(TILE);
        kinds
            .map(|(count, used)| f64::from(*count) * (kept + (used - kept) * usable))
            .sum()
    }

    /// Slots that stay empty cost money, and a low last house number leaves no room to fill them.
    fn bridge(&self) -> f64 {
        let empty = (BRIDGE_SLOTS - self.me.bridge.len()) as f64;
        let last_number = self.me.bridge.last().and_then(|building| building.number);
        let room = f64::from(last_number.unwrap_or(MAX_HOUSE_NUMBER));
        let fitting = room / NUMBERS_A_BUILDING + PARKS_A_TURN * self.turns_left;
        let built = self.turns_left.min(empty).min(fitting);
        (self.turns_left - built) * REPLACEMENT - empty_slots_cost(empty - built)
    }

    /// What the end of the match will pay for something that may change until then.
    pub(super) fn at_the_end(&self, pounds: f64) -> f64 {
        let played = 1.0 - self.rounds_left / f64::from(self.seen.rounds);
        pounds * (EARLY_SCORE + (1.0 - EARLY_SCORE) * played)
    }
}

/// What empty slots cost, in pounds, parts of a slot included.
fn empty_slots_cost(empty: f64) -> f64 {
    let last = EMPTY_SLOTS.len() - 1;
    let whole = (empty as usize).min(last);
    let next = (whole + 1).min(last);
    EMPTY_SLOTS[whole] + (EMPTY_SLOTS[next] - EMPTY_SLOTS[whole]) * empty.fract()
}
