//! Thousands of random matches, recounted from their setup, decisions and shuffles by the naive
//! rules: after every decision both agree, events and legal lists included.

use std::collections::BTreeMap;

use bridgemaster_games::alhambra::{
    Alhambra, Config, Decision, DummyPlaces, Event, Observation, WithoutBuildings,
};
use bridgemaster_games::{ChanceStream, Game, LegalList, Rules, Sample, Seed, Viewer};
use proptest::prelude::*;

use crate::alhambra::naive::NaiveMatch;
use crate::play::{seat, seats};

/// The policy of a seat. Uniform choices mostly buy, so that hands stay small and piles last; the
/// others reach full hands, short rows, passes and many shuffles.
#[derive(Clone, Copy, Debug)]
enum Manner {
    Uniform,
    /// Buys only in one of this number of turns, if there is anything to take.
    Hoards(u32),
    /// Chooses one of the first purchases.
    Thrifty,
}

/// Rare situations, and how often they occurred.
type Seen = BTreeMap<&'static str, u32>;

fn note_rare_events(events: &[Event], yard_is_full: bool, unseen: usize, seen: &mut Seen) {
    let mut note = |what| *seen.entry(what).or_default() += 1;
    for event in events {
        match event {
            Event::MoneyShuffled { .. } => note("shuffle"),
            Event::Passed { .. } => note("pass"),
            Event::Bought { purchase, .. } if purchase.give => note("building given to the dummy"),
            Event::BuildingAllotted { seat: Some(_), .. } => note("building of the yard allotted"),
            Event::BuildingAllotted { seat: None, .. } => note("building of the yard tied for"),
            Event::TurnStarted { .. } if unseen == 0 && yard_is_full => {
                note("pile empty and yard full");
            }
            _ => {}
        }
    }
}

/// The number of card subsets that the naive rules list in reasonable time.
const MAX_CHOICES: usize = 1500;

fn play(count: u8, config: Config, seed: u64, manner: Manner) -> Seen {
    let seed = Seed::from(seed);
    let setup = Alhambra::draw_setup(&config, seats(count), &seed).unwrap();
    let mut events = Vec::new();
    let mut state = Alhambra::start(&config, seats(count), &setup, &mut events).unwrap();
    let mut naive = NaiveMatch::new(&config, usize::from(count), &setup);
    let mut chance = ChanceStream::new(&seed, 1_000_000);
    let (mut seen, mut shuffles) = (Seen::default(), 0);
    let mut list = Vec::new();
    loop {
        let view = Alhambra::observe(&state, Viewer::Spectator);
        naive.check(&view);
        for viewer in seats(count).seats().map(Viewer::Seat) {
            let seen = Alhambra::observe(&state, viewer);
            assert_eq!(seen.viewer, viewer);
            let viewer = Viewer::Spectator;
            assert_eq!(Observation { viewer, ..seen }, view, "all hands are open");
        }
        assert_eq!(events, naive.events);
        let yard_is_full = !view.yard.contains(&None);
        note_rare_events(&events, yard_is_full, view.unseen_buildings.len(), &mut seen);
        events.clear();
        naive.events.clear();
        if let Some(stream) = Alhambra::chance_due(&state) {
            assert_eq!((stream, u64::from(view.shuffles)), (16 + shuffles, shuffles));
            shuffles += 1;
            let mut chance = ChanceStream::new(&seed, stream);
            let shuffle = Alhambra::draw_chance(&state, &mut chance).unwrap();
            Alhambra::apply_chance(&mut state, &shuffle, &mut events).unwrap();
            naive.shuffled(&shuffle);
            continue;
        }
        let Some(number) = naive.seat_to_decide() else {
            break;
        };
        let listed = Alhambra::legal(&state, seat(number as u8), &mut list);
        if naive.choices() <= MAX_CHOICES {
            let mut all = naive.legal();
            let is_cut = all.len() > Alhambra::LEGAL_CAP;
            all.truncate(Alhambra::LEGAL_CAP);
            assert_eq!(list, all);
            assert_eq!(listed == LegalList::Cut, is_cut);
        }
        let rare = [
            ("list cut", listed == LegalList::Cut),
            ("row short", view.row.len() < 4),
            ("two exact purchases", view.turn_purchases.len() > 1),
        ];
        for (what, is_there) in rare {
            *seen.entry(what).or_default() += u32::from(is_there);
        }
        let is_take = |decision: &&Decision| matches!(decision, Decision::Take(_));
        let takes = list.iter().filter(is_take).count();
        let among = match manner {
            Manner::Hoards(turns) if takes > 0 && chance.below(turns) > 0 => 0..takes,
            Manner::Thrifty if takes < list.len() => takes..list.len().min(takes + 3),
            _ => 0..list.len(),
        };
        let choice = among.start + chance.below(among.len() as u32) as usize;
        let decision = list[choice];
        Alhambra::apply(&mut state, seat(number as u8), &decision, &mut events).unwrap();
        naive.decide(&decision);
    }
    let outcome = Alhambra::outcome(&state).unwrap();
    let result: Vec<(i32, u8)> = outcome.seats.iter().map(|s| (s.score, s.place)).collect();
    assert_eq!(result, naive.result());
    seen
}

fn any_config() -> impl Strategy<Value = Config> {
    let without = [WithoutBuildings::NoPlace, WithoutBuildings::Place];
    let dummy = [DummyPlaces::All, DummyPlaces::FirstOnly];
    (any::<bool>(), any::<bool>()).prop_map(move |(first, second)| Config {
        without_buildings: without[usize::from(first)],
        dummy_places: dummy[usize::from(second)],
    })
}

fn any_manner() -> impl Strategy<Value = Manner> {
    prop_oneof![Just(Manner::Uniform), (2..30u32).prop_map(Manner::Hoards), Just(Manner::Thrifty),]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_rules_and_the_naive_rules_agree_after_every_decision(
        count in 2..=6u8,
        config in any_config(),
        seed in any::<u64>(),
        manner in any_manner(),
    ) {
        play(count, config, seed, manner);
    }
}

#[test]
fn the_recounted_matches_reach_the_rare_turns() {
    let mut all = Seen::default();
    let manners = [Manner::Uniform, Manner::Thrifty, Manner::Hoards(6), Manner::Hoards(1000)];
    for (seed, manner) in (0..40).zip(manners.into_iter().cycle()) {
        let seen = play(2 + (seed / 4 % 5) as u8, Config::default(), seed, manner);
        for (what, count) in seen {
            *all.entry(what).or_default() += count;
        }
    }
    assert!(all.len() == 9 && all.values().all(|&count| count > 2), "{all:?}");
}
