//! What the laws need of Alhambra.

use bridgemaster_games::ChanceStream;
use bridgemaster_games::alhambra::{
    Alhambra, Config, Currency, Decision, DummyPlaces, MAX_COPIES, MoneyCard, Purchase, ROW_CARDS,
    RowCards, VALUES, ValueCounts, WithoutBuildings,
};

use crate::Lawful;

impl Lawful for Alhambra {
    fn any_config(chance: &mut ChanceStream) -> Config {
        let without = [WithoutBuildings::NoPlace, WithoutBuildings::Place];
        let dummy = [DummyPlaces::All, DummyPlaces::FirstOnly];
        Config {
            without_buildings: without[chance.below(2) as usize],
            dummy_places: dummy[chance.below(2) as usize],
        }
    }

    fn any_decision(chance: &mut ChanceStream) -> Decision {
        let mut number = |bound: usize| chance.below(bound as u32) as usize;
        let slot = Currency::ALL[number(Currency::ALL.len())];
        match number(12) {
            0 => Decision::Pass,
            1..4 => {
                let len = number(ROW_CARDS + 1);
                let cards = (0..len).filter_map(|_| {
                    let currency = Currency::ALL[number(Currency::ALL.len())];
                    MoneyCard::new(currency, 1 + number(VALUES) as u8)
                });
                Decision::Take(RowCards::of(cards).unwrap())
            }
            _ => {
                let mut counts = [0; VALUES];
                for _ in 0..number(4) {
                    let count = &mut counts[number(VALUES)];
                    *count = MAX_COPIES.min(*count + 1);
                }
                Decision::Buy(Purchase {
                    slot,
                    payment: ValueCounts::new(counts).unwrap(),
                    give: number(4) == 0,
                })
            }
        }
    }
}

laws!(Alhambra, 64);
