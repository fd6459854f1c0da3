//! The expected value of score-tile faces for a seat. Except for the named estimates, the figures
//! are from the rulebook.

use bridgemaster_games::{
    Seat,
    old_london_bridge::{Face, Kind},
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
        let own_points = f64::from(me.own_points(face));
        match face {
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
            Face::GateLeader => self.leads(me.gate_position, self.seen.gate_order.first()),
            Face::GateDistance | Face::TileTable | Face::LowNumbers => own_points,
            Face::HandSize | Face::CardSets => self.at_the_end(own_points),
            Face::FullSets => self.full_sets(),
            // Faces that pay each round depend on cards that can hardly be planned. Their measure
            // is 0.
            _ => self.at_the_end(self.prize(face)),
        }
    }

    /// Returns the prize for the seat's place by a face's measure.
    fn prize(&self, face: Face) -> f64 {
        let own = self.me.prize_measure(face);
        if own == 0 {
            return 0.0;
        }
        let order = &self.seen.chapel_order;
        let rank = order.iter().position(|seat| *seat == self.seat).unwrap_or(0);
        let ahead = order.iter().enumerate().filter(|(other_rank, other)| {
            let theirs = self.seen.seats[other.index()].prize_measure(face);
            theirs > own || (theirs == own && *other_rank < rank)
        });
        // The last place has no prize at any table.
        let prizes = &PRIZES[..self.seen.seats.len() - 1];
        prizes.get(ahead.count()).copied().unwrap_or(0.0)
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
        let counts = Kind::ALL.iter().map(|kind| self.me.count(*kind));
        let sets = counts.clone().min().unwrap_or(0);
        let started = counts.filter(|count| *count > sets).count() as f64 / Kind::ALL.len() as f64;
        let time = (self.turns_left * SET_PART_PER_TURN).min(1.0);
        10.0 * (f64::from(sets) + started.powi(2) * time)
    }
}
