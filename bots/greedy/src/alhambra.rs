//! Alhambra: looks ahead to the end of the bot's own turn. A decision is rated by how much it
//! changes the expected points from the remaining scorings and the value of the money. For an exact
//! purchase, the best decision that can follow it is added. Payments are rated by the money that is
//! left, so that the expensive part is computed once per building. Nothing depends on hidden facts.
//! These weights won the most matches over several hundred seeds.

mod categories;
mod money;

use bridgemaster_games::{
    ChanceStream, Sample as _, Seat, Viewer,
    alhambra::{Alhambra, CURRENCIES, Config, Currency, Decision, Observation},
};
use categories::Categories;
use money::MoneyEvaluator;

use super::{DecisionPoint, Rate};

impl Rate for Alhambra {
    const RATES_HIDDEN_FACTS: bool = false;

    fn rate(point: &DecisionPoint<'_, Self>, _chance: &mut ChanceStream, ratings: &mut [f64]) {
        let DecisionPoint { config, state, seat, decisions } = *point;
        let seen = Self::observe(state, Viewer::Seat(seat));
        let turn = Turn::new(config, &seen, seat);
        let values: Vec<f64> = decisions.iter().map(|d| turn.value(d)).collect();
        let best = Best::from_values(decisions, &values);
        for ((decision, value), rating) in decisions.iter().zip(values).zip(ratings) {
            *rating += value + best.after(decision, &seen);
        }
    }

    fn samples(_decisions: &[Decision]) -> u32 {
        1
    }
}

/// Returns a seat's expected points from the remaining scorings, plus the value of its money in
/// points.
pub fn expected_points(config: &Config, seen: &Observation, seat: Seat) -> f64 {
    let of_buildings = Categories::new(config, seen, seat).expected_points();
    of_buildings + MoneyEvaluator::new(seen, seat, [0.0; CURRENCIES]).hand_value()
}

/// The seat's situation at a decision during its turn.
struct Turn {
    money: MoneyEvaluator,
    /// The points that each slot's building adds: first if the seat keeps it, then if the dummy
    /// gets it.
    gains: [[f64; 2]; CURRENCIES],
}

impl Turn {
    fn new(config: &Config, seen: &Observation, seat: Seat) -> Self {
        let categories = Categories::new(config, seen, seat);
        let gains = seen.yard.map(|building| {
            building.map_or([0.0; 2], |building| {
                let category = building.category();
                [false, true].map(|give| categories.gain(category, give))
            })
        });
        Self {
            money: MoneyEvaluator::new(seen, seat, gains.map(|[keep, give]| keep.max(give))),
            gains,
        }
    }

    /// Returns the value of a decision without the decisions that follow it.
    fn value(&self, decision: &Decision) -> f64 {
        match decision {
            Decision::Take(cards) => self.money.take_gain(*cards),
            Decision::Buy(purchase) => {
                let gain = self.gains[purchase.slot.index()][usize::from(purchase.give)];
                gain - self.money.payment_loss(purchase)
            }
            Decision::Pass => 0.0,
        }
    }
}

/// The best value among all takes, and the best value among all purchases from each slot.
struct Best {
    take: f64,
    buy: [f64; CURRENCIES],
}

impl Best {
    fn from_values(decisions: &[Decision], values: &[f64]) -> Self {
        // If nothing else is legal, the seat passes, which changes nothing.
        let mut best = Self { take: 0.0, buy: [0.0; CURRENCIES] };
        for (decision, value) in decisions.iter().zip(values) {
            let entry = match decision {
                Decision::Take(_) => &mut best.take,
                Decision::Buy(purchase) => &mut best.buy[purchase.slot.index()],
                Decision::Pass => continue,
            };
            *entry = entry.max(*value);
        }
        best
    }

    /// Returns the value of the rest of the turn after a decision. This is the best value among all
    /// decisions except purchases from the same slot.
    fn after(&self, decision: &Decision, seen: &Observation) -> f64 {
        let Decision::Buy(purchase) = decision else {
            return 0.0;
        };
        let price = seen.yard[purchase.slot.index()].map(|building| building.price());
        if price != Some(purchase.payment.total()) {
            return 0.0;
        }
        let others = Currency::ALL.into_iter().filter(|slot| *slot != purchase.slot);
        let buys = others.map(|slot| self.buy[slot.index()]);
        buys.fold(self.take, f64::max)
    }
}
