//! What categories of buildings may bring, in points.

use bridgemaster_games::{
    Seat,
    alhambra::{
        CATEGORIES, Category, Config, MAX_OWNERS, Observation, PAID_PLACES, Phase, PlaceRange,
        SCORINGS, Scoring, WithoutBuildings,
    },
};

/// Buildings that leave the pile for each money card drawn: seats take about as much money as
/// buildings cost.
const BUILDINGS_A_CARD: f64 = 0.6;
/// How uncertain the order of two owners is, in buildings, when no more of the category come.
const LEAST_SPREAD: f64 = 0.15;
/// How much each building of the category that comes before a scoring adds to that.
const SPREAD_A_BUILDING: f64 = 0.35;

/// The owners' buildings and the scorings to come.
pub(super) struct Categories<'a> {
    config: &'a Config,
    seat: Seat,
    seats: usize,
    /// Buildings of each owner, the seats and then the dummy, by category.
    counts: [[f64; MAX_OWNERS]; CATEGORIES],
    owners: usize,
    /// The part of the unseen buildings that comes before each scoring; `None` once held.
    coming: [Option<f64>; SCORINGS],
    /// Buildings of each category that nobody has yet.
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
            yard.filter(|building| building.category() == category)
                .count()
        };
        let unowned = Category::ALL.map(|category| {
            let unseen = seen.unseen_buildings.count_of(category);
            f64::from(unseen) + open(category) as f64
        });
        let unseen = seen.unseen_buildings.len().max(1) as f64;
        let before = |range: PlaceRange| {
            let cards = f64::from(range.first + range.last) / 2.0;
            (cards * BUILDINGS_A_CARD / unseen).min(1.0)
        };
        let [a, b] = seen.scoring_cards.map(|range| range.map(before));
        let c = (seen.phase != Phase::Over).then_some(1.0);
        Self {
            config,
            seat,
            seats: seen.seats.len(),
            counts,
            owners,
            coming: [a, b, c],
            unowned,
        }
    }

    /// What one more building of a category brings to the seat, kept or given to the dummy.
    pub(super) fn gain(&self, category: Category, give: bool) -> f64 {
        let before = self.counts[category.index()];
        let mut after = before;
        let owner = if give { self.seats } else { self.seat.index() };
        if let Some(count) = after[..self.owners].get_mut(owner) {
            *count += 1.0;
        }
        self.value(category, &after) - self.value(category, &before)
    }

    /// Points that the seat may expect of all scorings to come.
    pub(super) fn expected_of_all(&self) -> f64 {
        let owner = self.seat.index();
        let of_category = |category: Category| {
            let counts = &self.counts[category.index()];
            let scorings = self.scorings_to_come(category);
            scorings.map(|(places, spread)| self.expected(owner, counts, places, spread))
        };
        Category::ALL.into_iter().flat_map(of_category).sum()
    }

    /// What a category may bring to the seat in all scorings to come, less what it may bring to
    /// the others on average.
    fn value(&self, category: Category, counts: &[f64; MAX_OWNERS]) -> f64 {
        self.scorings_to_come(category)
            .map(|(places, spread)| {
                let points = |owner| self.expected(owner, counts, places, spread);
                let own = points(self.seat.index());
                let all: f64 = (0..self.seats).map(points).sum();
                own - (all - own) / (self.seats - 1) as f64
            })
            .sum()
    }

    /// The points of places in each scoring to come, and how uncertain the order of two owners is.
    fn scorings_to_come(
        &self,
        category: Category,
    ) -> impl Iterator<Item = ([u8; PAID_PLACES], f64)> {
        let scorings = Scoring::ALL.into_iter().zip(self.coming);
        let unowned = self.unowned[category.index()];
        scorings.filter_map(move |(scoring, coming)| {
            let spread = LEAST_SPREAD + SPREAD_A_BUILDING * coming? * unowned;
            Some((scoring.place_points(category), spread))
        })
    }

    /// Points that an owner may expect of a category: each other owner will be ahead with a
    /// chance that falls with the distance between them.
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

/// The points of a place, or of between two places, with so many owners ahead.
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
