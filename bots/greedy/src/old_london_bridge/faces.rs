//! The expected value of score-tile faces for a seat. Except for the named estimates, the figures
//! are from the rulebook.

use bridgemaster_games::{
    Seat,
    old_london_bridge::{Building, Face, Kind, SeatView},
};

use super::evaluation::SeatEvaluator;

/// The prizes for the first three places, in pounds.
const PRIZES: [f64; 3] = [5.0, 3.0, 1.0];
/// The probability that a track's leader also leads it at the end of a later round.
const KEEPS_LEAD: f64 = 0.6;
/// The fraction of a full set that one turn can add. A full set has one building of each kind.
const SET_PART_PER_TURN: f64 = 1.0 / 6.0;

impl SeatEvaluator<'_> {
    /// Returns the expected value of a face, in pounds.
    pub(super) fn face(&self, face: Face) -> f64 {
        let me = self.me;
        match face {
            Face::ChapelTrack => self.prize(|seat| seat.chapel_position.into()),
            Face::MostChapels => self.prize(|seat| count(seat, Kind::Chapel)),
            Face::ChapelLeader => self.leads(me.chapel_position, self.seen.chapel_order.first()),
            Face::AheadOfLast => {
                let positions = self.seen.seats.iter().map(|seat| seat.chapel_position);
                let last = positions.min().unwrap_or(0);
                self.at_the_end(f64::from(me.chapel_position - last))
            }
            Face::MoneyAgain => {
                let spaces = self.edition.chapel_money().iter();
                let passed = spaces.filter(|(space, _)| *space <= me.chapel_position);
                passed.map(|(_, pounds)| f64::from(*pounds)).sum::<f64>() + self.chapel_money()
            }
            Face::GateTrack => self.prize(|seat| seat.gate_position.into()),
            Face::MostGates => self.prize(|seat| count(seat, Kind::Gate)),
            Face::GateLeader => self.leads(me.gate_position, self.seen.gate_order.first()),
            Face::GateDistance => match me.gate_position {
                0..=3 => 0.0,
                4..=6 => 3.0,
                7..=9 => 5.0,
                10..=12 => 9.0,
                13.. => 12.0,
            },
            Face::TileTable => f64::from(me.tiles.iter().sum::<u8>().min(4)).powi(2),
            Face::HandSum => self.prize(hand_sum),
            Face::MostInns => self.prize(|seat| count(seat, Kind::Inn)),
            Face::HandSize => self.at_the_end(match me.hand.iter().sum::<u8>() {
                0..=2 => 0.0,
                3..=4 => 4.0,
                5..=7 => 7.0,
                8.. => 10.0,
            }),
            Face::CardSets => self.at_the_end(card_sets(me)),
            Face::MostBuildings => self.prize(|seat| seat.bridge.len() as i32),
            Face::LongestSeries => self.prize(longest_series),
            Face::LowNumbers => {
                let low = |building: &&Building| building.number.is_some_and(|number| number <= 30);
                2.0 * me.bridge.iter().filter(low).count() as f64
            }
            Face::FullSets => self.full_sets(),
            // These faces pay each round, depending on cards that can hardly be planned.
            Face::HighestCard | Face::LowestNumber => 0.0,
        }
    }

    /// Returns the prize for the seat's place by `measure`.
    fn prize(&self, measure: impl Fn(&SeatView) -> i32) -> f64 {
        let own = measure(self.me);
        if own == 0 {
            return 0.0;
        }
        let order = &self.seen.chapel_order;
        let rank = order.iter().position(|seat| *seat == self.seat).unwrap_or(0);
        let ahead = order.iter().enumerate().filter(|(other_rank, other)| {
            let theirs = measure(&self.seen.seats[other.index()]);
            theirs > own || (theirs == own && *other_rank < rank)
        });
        // The last place has no prize at any table.
        let prizes = &PRIZES[..self.seen.seats.len() - 1];
        self.at_the_end(prizes.get(ahead.count()).copied().unwrap_or(0.0))
    }

    /// Returns the value of a face that pays £1 to a track's leader at the end of each round. The
    /// payments in later rounds are estimated.
    fn leads(&self, position: u8, leader: Option<&Seat>) -> f64 {
        if position > 0 && leader == Some(&self.seat) {
            1.0 + KEEPS_LEAD * self.rounds_left
        } else {
            0.0
        }
    }

    /// Returns £10 for each full set of the six kinds. While enough turns are left, an incomplete
    /// set counts with the square of its completed fraction.
    fn full_sets(&self) -> f64 {
        let counts = Kind::ALL.iter().map(|kind| count(self.me, *kind));
        let sets = counts.clone().min().unwrap_or(0);
        let started = counts.filter(|count| *count > sets).count() as f64 / Kind::ALL.len() as f64;
        let time = (self.turns_left * SET_PART_PER_TURN).min(1.0);
        10.0 * (f64::from(sets) + started.powi(2) * time)
    }
}

fn count(seat: &SeatView, kind: Kind) -> i32 {
    seat.bridge.iter().filter(|building| building.kind == kind).count() as i32
}

fn hand_sum(seat: &SeatView) -> i32 {
    seat.hand.iter().zip(0..).map(|(count, value)| i32::from(*count) * value).sum()
}

/// Returns the payment for card sets. The sets 1+2, 1+2+3 and 1+2+3+4 pay £5, £10 and £15. So the
/// first two cards of a set pay £5 together, and each further card pays £5.
fn card_sets(seat: &SeatView) -> f64 {
    let of_two = seat.hand[1].min(seat.hand[2]);
    let of_three = of_two.min(seat.hand[3]);
    let of_four = of_three.min(seat.hand[4]);
    5.0 * f64::from(of_two + of_three + of_four)
}

fn longest_series(seat: &SeatView) -> i32 {
    let series = seat.bridge.split(|building| building.number.is_none());
    series.map(|buildings| buildings.len() as i32).max().unwrap_or(0)
}
