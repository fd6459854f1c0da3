//! Expected points from the building categories.

use bridgemaster_games::{
    Seat,
    alhambra::{
        CATEGORIES, Category, Config, MAX_OWNERS, Observation, PAID_PLACES, Phase, PlaceRange,
        SCORINGS, Scoring, WithoutBuildings,
    },
};

/// The number of buildings drawn from the pile per money card drawn. Seats take about as much money
/// as the buildings cost.
const BUILDINGS_PER_CARD: f64 = 0.6;
/// The uncertainty about which of two owners has more buildings in a category, if no further
/// building in the category will be drawn. Measured in buildings.
const MIN_SPREAD: f64 = 0.15;
/// The addition to `MIN_SPREAD` for each building in the category that will be drawn before the
/// scoring.
const SPREAD_PER_BUILDING: f64 = 0.35;

/// The owners' buildings and the remaining scorings.
pub(super) struct Categories<'a> {
    config: &'a Config,
    seat: Seat,
    seats: usize,
    /// Each owner's number of buildings, by category. The owners are the seats and then the dummy.
    counts: [[f64; MAX_OWNERS]; CATEGORIES],
    owners: usize,
    /// The fraction of the unseen buildings that will be drawn before each scoring; `None` once the
    /// scoring has been held.
    coming: [Option<f64>; SCORINGS],
    /// The number of buildings in each category that have no owner.
    unowned: [f64; CATEGORIES],
}

impl<'a> Categories<'a> {
    pub(super) fn new(config: &'a Config, seen: &Observation, seat: Seat) -> Self {
        let seats = seen.seats.iter().map(|seat| seat.buildings);
        let dummy = seen.dummy.iter().map(|dummy| dummy.buildings);
        let mut counts = [[0.0; MAX_OWNERS]; CATEGORIES];
        let mut owners = 0;
        for owned in seats.chain(dummy) {
            for (category, counts) in Category::ALL.into_iter().zip(&mut counts) {
                counts[owners] = owned.count_of(category).into();
            }
            owners += 1;
        }
        let open = |category| {
            let yard = seen.yard.iter().flatten();
            yard.filter(|building| building.category() == category).count()
        };
        let unowned = Category::ALL.map(|category| {
            let unseen = seen.unseen_buildings.count_of(category);
            f64::from(unseen) + open(category) as f64
        });
        let unseen = seen.unseen_buildings.len().max(1) as f64;
        let before = |range: PlaceRange| {
            let cards = f64::from(range.first + range.last) / 2.0;
            (cards * BUILDINGS_PER_CARD / unseen).min(1.0)
        };
        let [a, b] = seen.scoring_cards.map(|range| range.map(before));
        let c = (seen.phase != Phase::Over).then_some(1.0);
        Self { config, seat, seats: seen.seats.len(), counts, owners, coming: [a, b, c], unowned }
    }

    /// Returns the seat's gain from one more building in a category. If `give` is true, the dummy
    /// gets the building; otherwise, the seat keeps it.
    pub(super) fn gain(&self, category: Category, give: bool) -> f64 {
        let before = self.counts[category.index()];
        let mut after = before;
        let owner = if give { self.seats } else { self.seat.index() };
        if let Some(count) = after[..self.owners].get_mut(owner) {
            *count += 1.0;
        }
        self.value(category, &after) - self.value(category, &before)
    }

    /// Returns the points that the seat can expect from all remaining scorings.
    pub(super) fn expected_points(&self) -> f64 {
        let owner = self.seat.index();
        let of_category = |category: Category| {
            let counts = &self.counts[category.index()];
            let scorings = self.remaining_scorings(category);
            scorings.map(|(places, spread)| self.expected(owner, counts, places, spread))
        };
        Category::ALL.into_iter().flat_map(of_category).sum()
    }

    /// Returns the seat's expected points in a category over all remaining scorings, minus the
    /// other seats' average.
    fn value(&self, category: Category, counts: &[f64; MAX_OWNERS]) -> f64 {
        self.remaining_scorings(category)
            .map(|(places, spread)| {
                let points = |owner| self.expected(owner, counts, places, spread);
                let own = points(self.seat.index());
                let all: f64 = (0..self.seats).map(points).sum();
                own - (all - own) / (self.seats - 1) as f64
            })
            .sum()
    }

    /// Returns the points for each place in each remaining scoring, and the uncertainty about the
    /// order of two owners.
    fn remaining_scorings(
        &self,
        category: Category,
    ) -> impl Iterator<Item = ([u8; PAID_PLACES], f64)> {
        let scorings = Scoring::ALL.into_iter().zip(self.coming);
        let unowned = self.unowned[category.index()];
        scorings.filter_map(move |(scoring, coming)| {
            let spread = MIN_SPREAD + SPREAD_PER_BUILDING * coming? * unowned;
            Some((scoring.place_points(category), spread))
        })
    }

    /// Returns an owner's expected points in a category. The further another owner is behind, the
    /// less it counts as being ahead.
    fn expected(
        &self,
        owner: usize,
        counts: &[f64; MAX_OWNERS],
        places: [u8; PAID_PLACES],
        spread: f64,
    ) -> f64 {
        let counts = &counts[..self.owners];
        let own = counts[owner];
        let takes_place =
            |count: f64| count > 0.0 || self.config.without_buildings == WithoutBuildings::Place;
        if !takes_place(own) {
            return 0.0;
        }
        let others = counts.iter().enumerate().filter(|(i, _)| *i != owner);
        let ahead: f64 = others
            .filter(|(_, count)| takes_place(**count))
            .map(|(_, count)| 1.0 / (1.0 + ((own - count) / spread).exp()))
            .sum();
        points_behind(ahead, places)
    }
}

/// Returns an owner's points if `ahead` owners are ahead of it, interpolated between two places.
fn points_behind(ahead: f64, places: [u8; PAID_PLACES]) -> f64 {
    let place = ahead as usize;
    let points = |place: usize| places.get(place).copied().map_or(0.0, f64::from);
    points(place) + (points(place + 1) - points(place)) * ahead.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_that_share_a_place_expect_the_mean_of_its_points() {
        let places = Scoring::C.place_points(Category::Garden);
        assert_eq!(points_behind(0.0, places), 20.0);
        assert_eq!(points_behind(0.5, places), 16.0);
        assert_eq!(points_behind(2.5, places), 2.5);
        assert_eq!(points_behind(5.0, places), 0.0);
    }
}
