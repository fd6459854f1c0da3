//! Scoring, and the result of a match.

use super::components::{CATEGORIES, Category, MAX_OWNERS, PAID_PLACES, SCORINGS, Scoring};
use super::config::{DummyPlaces, WithoutBuildings};
use super::event::Event;
use super::observation::{Phase, Points};
use super::state::State;
use crate::{EventSink, Outcome, ScoreLine};

/// Names the score lines of one scoring, one for each category.
macro_rules! lines {
    ($scoring:literal) => {
        [
            concat!($scoring, "_pavilion"),
            concat!($scoring, "_seraglio"),
            concat!($scoring, "_arcades"),
            concat!($scoring, "_chambers"),
            concat!($scoring, "_garden"),
            concat!($scoring, "_tower"),
        ]
    };
}

/// The names of the score lines, by scoring and category.
const LINES: [[&str; CATEGORIES]; SCORINGS] = [lines!("a"), lines!("b"), lines!("c")];

/// Returns the sum of an owner's points.
pub(super) fn sum(points: &Points) -> i32 {
    points.as_flattened().iter().map(|&n| i32::from(n)).sum()
}

/// Returns one category's points, by owner. `counts` has the number of buildings for each owner
/// that takes a place. Owners with equal counts divide the points of the places that they share,
/// rounded down.
fn category_points(
    counts: &[Option<u8>; MAX_OWNERS],
    places: [u8; PAID_PLACES],
) -> [u8; MAX_OWNERS] {
    let points = |own: u8| {
        let (mut ahead, mut tied) = (0, 0);
        for other in counts.iter().flatten() {
            ahead += usize::from(*other > own);
            tied += usize::from(*other == own);
        }
        let held = places.iter().skip(ahead).take(tied);
        held.sum::<u8>() / tied as u8
    };
    counts.map(|own| own.map_or(0, points))
}

impl State {
    /// Scores every category for every owner.
    pub(super) fn score(&mut self, scoring: Scoring, events: &mut impl EventSink<Event>) {
        for category in Category::ALL {
            let counts = self.placed_counts(category);
            let points = category_points(&counts, scoring.place_points(category));
            for (owner, points) in self.points.iter_mut().zip(points) {
                owner[scoring.index()][category.index()] = points;
            }
        }
        for (owner, points) in self.owners().zip(&self.points) {
            events.push(Event::Scored { scoring, owner, points: points[scoring.index()] });
        }
    }

    /// Returns each owner's number of buildings in a category. Only owners that take a place are
    /// listed.
    fn placed_counts(&self, category: Category) -> [Option<u8>; MAX_OWNERS] {
        let mut counts = [None; MAX_OWNERS];
        let owners = self.owner_count();
        for (count, buildings) in counts.iter_mut().zip(&self.buildings).take(owners) {
            let own = buildings.count_of(category);
            let placed = own > 0 || self.config.without_buildings == WithoutBuildings::Place;
            *count = placed.then_some(own);
        }
        if self.has_dummy() && self.config.dummy_places == DummyPlaces::FirstOnly {
            let most = counts.iter().max().copied().flatten();
            let dummy = &mut counts[self.dummy_index()];
            *dummy = dummy.filter(|_| *dummy == most);
        }
        counts
    }

    /// Returns the result, once the match has ended. Seats with equal points share a place; the
    /// dummy has none.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        if self.phase != Phase::Over {
            return None;
        }
        let seats = &self.points[..usize::from(self.seats.get())];
        Some(Outcome::ranked(seats.iter().map(|points| {
            let lines = LINES.as_flattened().iter().zip(points.as_flattened());
            let lines = lines.map(|(category, &points)| ScoreLine::new(category, points));
            (sum(points), lines.collect())
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of a category by owner, from its numbers of buildings.
    fn points<const N: usize>(scoring: Scoring, category: Category, counts: [u8; N]) -> [u8; N] {
        let mut placed = [None; MAX_OWNERS];
        for (place, count) in placed.iter_mut().zip(counts) {
            *place = (count > 0).then_some(count);
        }
        let all = category_points(&placed, scoring.place_points(category));
        std::array::from_fn(|owner| all[owner])
    }

    #[test]
    fn categories_pay_as_in_the_printed_examples() {
        use Category::{Chambers, Garden, Pavilion, Tower};
        use Scoring::{A, B, C};
        assert_eq!(points(A, Chambers, [2, 1, 0]), [4, 0, 0]);
        assert_eq!(points(B, Tower, [1, 3, 2]), [0, 13, 6]);
        // Two tied first share 19, two tied third and three tied second share theirs.
        assert_eq!(points(B, Tower, [4, 4, 2]), [9, 9, 0]);
        assert_eq!(points(C, Garden, [3, 2, 3, 2]), [16, 2, 16, 2]);
        assert_eq!(points(C, Garden, [2, 5, 2, 2]), [5, 20, 5, 5]);
        assert_eq!(points(A, Pavilion, [1, 1]), [0, 0]);
    }
}
