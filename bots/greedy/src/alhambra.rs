//! Alhambra: looks to the end of its own turn. A decision is worth what it changes: points that
//! categories may bring in the scorings to come, and money. An exact purchase is worth what the
//! seat can still do after it, too. A payment is rated by the money that is left, so that the
//! costly part is done once for each building. Nothing of this depends on what is hidden. The
//! weights are those that won most in matches of some hundred seeds against other weights.

mod categories;
mod purse;

use bridgemaster_games::{
    ChanceStream, Sample as _, Seat, Viewer,
    alhambra::{Alhambra, CURRENCIES, Config, Currency, Decision, Observation, State},
};
use categories::Categories;
use purse::Purse;

use super::Rate;

impl Rate for Alhambra {
    const RATES_HIDDEN_FACTS: bool = false;

    fn rate(
        config: &Config,
        state: &State,
        seat: Seat,
        decisions: &[Decision],
        _chance: &mut ChanceStream,
        ratings: &mut [f64],
    ) {
        let seen = Self::observe(state, Viewer::Seat(seat));
        let turn = Turn::new(config, &seen, seat);
        let values: Vec<f64> = decisions.iter().map(|d| turn.value(d)).collect();
        let best = Best::of(decisions, &values);
        for ((decision, value), rating) in decisions.iter().zip(values).zip(ratings) {
            *rating += value + best.after(decision, &seen);
        }
    }

    fn samples(_decisions: &[Decision]) -> u32 {
        1
    }
}

/// What a seat may expect of the scorings to come and of its money, in points.
pub fn worth(config: &Config, seen: &Observation, seat: Seat) -> f64 {
    let of_buildings = Categories::new(config, seen, seat).expected_of_all();
    of_buildings + Purse::new(seen, seat, [0.0; CURRENCIES]).worth_of_hand()
}

/// What the seat has at a decision of its turn.
struct Turn {
    purse: Purse,
    /// Points that the building of each slot brings, kept or given to the dummy.
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
            purse: Purse::new(seen, seat, gains.map(|[keep, give]| keep.max(give))),
            gains,
        }
    }

    /// What a decision changes by itself.
    fn value(&self, decision: &Decision) -> f64 {
        match decision {
            Decision::Take(cards) => self.purse.gain_of_taking(*cards),
            Decision::Buy(purchase) => {
                let gain = self.gains[purchase.slot.index()][usize::from(purchase.give)];
                gain - self.purse.loss_of_paying(purchase)
            }
            Decision::Pass => 0.0,
        }
    }
}

/// The best values of takes and of purchases of each slot.
struct Best {
    take: f64,
    buy: [f64; CURRENCIES],
}

impl Best {
    fn of(decisions: &[Decision], values: &[f64]) -> Self {
        // Without anything else to do a seat passes, which changes nothing.
        let mut best = Self {
            take: 0.0,
            buy: [0.0; CURRENCIES],
        };
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

    /// What the seat can still do in its turn after a decision: the best of all but a purchase
    /// from the same slot.
    fn after(&self, decision: &Decision, seen: &Observation) -> f64 {
        let Decision::Buy(purchase) = decision else {
            return 0.0;
        };
        let price = seen.yard[purchase.slot.index()].map(|building| building.price());
        if price != Some(purchase.payment.total()) {
            return 0.0;
        }
        let others = Currency::ALL
            .into_iter()
            .filter(|slot| *slot != purchase.slot);
        let buys = others.map(|slot| self.buy[slot.index()]);
        buys.fold(self.take, f64::max)
    }
}
