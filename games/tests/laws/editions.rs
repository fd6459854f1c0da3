//! Editions: two files that differ only where order has no meaning are one edition. It is sent in
//! its documented order, and a seed draws one setup from it.

use std::fmt::Debug;

use bridgemaster_games::{
    ChanceStream, GAME_IDS, Game, SeatCount, Seed, bridges_to_nowhere, carcassonne,
    old_london_bridge, with_game,
};

/// A game with edition data.
trait WithEdition: Game {
    type Parts: Clone + Debug + PartialEq;

    fn parts(config: &Self::Config) -> Self::Parts;

    fn config(parts: &Self::Parts) -> Self::Config;

    /// Shuffles each list that a file may write in any order.
    fn shuffle(parts: &mut Self::Parts, chance: &mut ChanceStream);

    /// True if each of these lists is in the order in which it is sent.
    fn is_in_order(parts: &Self::Parts) -> bool;
}

macro_rules! games_with_editions {
    ($($module:ident: $game:ident {
        shuffle: $shuffle:expr,
        is_in_order: $is_in_order:expr $(,)?
    })*) => {
        /// The games that the law covers.
        const GAMES: &[&str] = &[$(stringify!($module)),*];

        $(
            impl WithEdition for $module::$game {
                type Parts = $module::EditionParts;

                fn parts(config: &Self::Config) -> Self::Parts {
                    config.edition.parts().clone()
                }

                fn config(parts: &Self::Parts) -> Self::Config {
                    $module::Config {
                        edition: $module::Edition::new(parts).unwrap().into(),
                        ..Default::default()
                    }
                }

                fn shuffle(parts: &mut Self::Parts, chance: &mut ChanceStream) {
                    let shuffle: fn(&mut Self::Parts, &mut ChanceStream) = $shuffle;
                    shuffle(parts, chance);
                }

                fn is_in_order(parts: &Self::Parts) -> bool {
                    let is_in_order: fn(&Self::Parts) -> bool = $is_in_order;
                    is_in_order(parts)
                }
            }

            #[test]
            fn $module() {
                order_without_a_meaning_changes_nothing::<$module::$game>();
            }
        )*
    };
}

games_with_editions! {
    old_london_bridge: OldLondonBridge {
        shuffle: |parts, chance| {
            chance.shuffle(&mut parts.buildings);
            parts.bonus_stacks.iter_mut().for_each(|stack| chance.shuffle(stack));
        },
        is_in_order: |parts| {
            let buildings = &parts.buildings;
            buildings.is_sorted_by_key(|building| {
                let coat = building.coat.map(|coat| coat.index());
                (building.kind.index(), building.number.unwrap_or(0), coat)
            }) && parts.bonus_stacks.iter().all(|stack| stack.is_sorted_by_key(|tile| tile.index()))
        },
    }
    bridges_to_nowhere: BridgesToNowhere {
        shuffle: |parts, chance| chance.shuffle(&mut parts.cards),
        is_in_order: |parts| parts.cards.is_sorted_by_key(|card| {
            let symbols = (card.left.index(), card.right.index());
            (card.style.index(), card.number.unwrap_or(u8::MAX), symbols)
        }),
    }
    carcassonne: Carcassonne {
        shuffle: |parts, chance| for tile in &mut parts.tiles {
            chance.shuffle(&mut tile.cities);
            chance.shuffle(&mut tile.roads);
            chance.shuffle(&mut tile.fields);
        },
        is_in_order: |parts| parts.tiles.iter().all(|tile| {
            tile.cities.is_sorted_by_key(|city| city.edges[0].index())
                && tile.roads.is_sorted_by_key(|road| road.edges[0].index())
                && tile.fields.is_sorted_by_key(|field| field.half_edges[0].index())
        }),
    }
}

fn order_without_a_meaning_changes_nothing<G: WithEdition>() {
    let built_in = G::Config::default();
    let parts = G::parts(&built_in);
    assert!(G::is_in_order(&parts), "{parts:?}");
    for seed in (0..8).map(Seed::from) {
        let mut shuffled = parts.clone();
        G::shuffle(&mut shuffled, &mut ChanceStream::new(&seed, 0));
        assert!(!G::is_in_order(&shuffled), "{shuffled:?}");
        let config = G::config(&shuffled);
        assert_eq!(G::parts(&config), parts);
        for seats in G::SEATS.filter_map(SeatCount::new) {
            let setup = |config| G::draw_setup(config, seats, &seed);
            assert_eq!(setup(&config), setup(&built_in));
        }
    }
}

#[test]
fn the_edition_law_covers_every_game_with_an_edition() {
    let has_edition = |id: &&&str| {
        let options = with_game!(**id, G => G::options()).unwrap();
        options.iter().any(|option| option.name == "edition")
    };
    let with_edition: Vec<&str> = GAME_IDS.iter().filter(has_edition).copied().collect();
    assert_eq!(with_edition, GAMES);
}
