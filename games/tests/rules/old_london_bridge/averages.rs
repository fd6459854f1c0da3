//! The length of random matches: the figures of the rules page.

use bridgemaster_games::old_london_bridge::{Config, OldLondonBridge};
use bridgemaster_games::{ChanceStream, Game, NoEvents, Rules, SeatCount, Seed};

/// Averages of uniform random matches: (decisions, decisions with a real choice, longest list).
fn averages(seats: u8) -> (f64, f64, usize) {
    const MATCHES: u64 = 1500;
    let count = SeatCount::new(seats).unwrap();
    let config = Config::default();
    let (mut all, mut real, mut longest) = (0u32, 0u32, 0);
    let mut list = Vec::new();
    for seed in 0..MATCHES {
        let seed = Seed::from(seed);
        let mut chance = ChanceStream::new(&seed, 1000);
        let setup = OldLondonBridge::draw_setup(&config, count, &seed).unwrap();
        let mut events = NoEvents;
        let mut state = OldLondonBridge::start(&config, count, &setup, &mut events).unwrap();
        while let Some(seat) = OldLondonBridge::seats_to_decide(&state).iter().next() {
            OldLondonBridge::legal(&state, seat, &mut list);
            all += 1;
            real += u32::from(list.len() > 1);
            longest = longest.max(list.len());
            let decision = &list[chance.below(list.len() as u32) as usize];
            OldLondonBridge::apply(&mut state, seat, decision, &mut events).unwrap();
        }
    }
    (f64::from(all) / MATCHES as f64, f64::from(real) / MATCHES as f64, longest)
}

#[test]
fn uniform_random_matches_have_the_expected_number_of_decisions() {
    for (seats, decisions, choices) in [(2, 77.0, 49.0), (3, 134.0, 87.0), (4, 179.0, 116.0)] {
        let (all, real, longest) = averages(seats);
        assert!((all - decisions).abs() < 1.5, "{seats} seats: {all} decisions");
        assert!((real - choices).abs() < 1.5, "{seats} seats: {real} real choices");
        // 26 is an inn of strength 6: random play reaches it, and sometimes a stronger one.
        let cap = OldLondonBridge::LEGAL_CAP;
        assert!((26..=cap).contains(&longest), "{seats} seats: {longest} in the longest list");
    }
}
