//! Listing and applying decisions allocate nothing once the list has its capacity.

#![allow(clippy::unwrap_used)]

use bridgemaster_games::{
    ChanceStream, GAME_IDS, Game, NoEvents, SeatCount, Seed, resolve_chance, with_game,
};

/// Plays whole matches from clones of started states; returns the number of allocations.
fn allocations<G: Game>() -> u64 {
    let mut list = Vec::with_capacity(G::LEGAL_CAP);
    let mut total = 0;
    for seats in G::SEATS.filter_map(SeatCount::new) {
        for seed in (0..30).map(Seed::from) {
            let config = G::Config::default();
            let setup = G::draw_setup(&config, seats, &seed).unwrap();
            let mut start = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
            let mut chance = ChanceStream::new(&seed, 1_000_000);
            resolve_chance::<G>(&mut start, &mut chance, &mut NoEvents);
            let counted = allocation_counter::measure(|| {
                let mut state = start.clone();
                while let Some(seat) = G::seats_to_decide(&state).iter().next() {
                    G::legal(&state, seat, &mut list);
                    let choice = &list[chance.below(list.len() as u32) as usize];
                    G::apply(&mut state, seat, choice, &mut NoEvents).unwrap();
                    resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
                }
            });
            total += counted.count_total;
        }
    }
    total
}

#[test]
fn a_playout_with_a_warm_list_allocates_nothing() {
    for id in GAME_IDS {
        assert_eq!(with_game!(*id, G => allocations::<G>()), Some(0), "{id}");
    }
}

#[test]
fn the_counter_counts_an_allocation() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1u8; 64])));
    assert_eq!(counted.count_total, 1);
}
