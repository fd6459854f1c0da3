//! Thousands of random matches, recounted from their setup, decisions and shuffles by the naive
//! rules: after every decision both agree, events and legal lists included.

use bridgemaster_games::alhambra::{Alhambra, Config, Decision, DummyPlaces, WithoutBuildings};
use bridgemaster_games::{ChanceStream, Game, LegalList, Rules, Sample, Seed, Viewer};
use proptest::prelude::*;

use crate::naive::NaiveMatch;
use crate::position::{seat, seats};

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

/// Situations that occurred in a match.
#[derive(Debug, Default)]
struct Seen {
    shuffles: u64,
    passes: u64,
    cuts: u64,
    given: u64,
    short_rows: u64,
    exact_turns: u64,
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
    let mut seen = Seen::default();
    let mut list = Vec::new();
    loop {
        let view = Alhambra::observe(&state, Viewer::Spectator);
        naive.check(&view);
        assert_eq!(events, naive.events);
        events.clear();
        naive.events.clear();
        if let Some(stream) = Alhambra::chance_due(&state) {
            assert_eq!(stream, 16 + seen.shuffles);
            seen.shuffles += 1;
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
        seen.cuts += u64::from(listed == LegalList::Cut);
        seen.short_rows += u64::from(view.row.len() < 4);
        seen.exact_turns += u64::from(view.turn_purchases.len() > 1);
        let is_take = |decision: &&Decision| matches!(decision, Decision::Take(_));
        let takes = list.iter().filter(is_take).count();
        let among = match manner {
            Manner::Hoards(turns) if takes > 0 && chance.below(turns) > 0 => 0..takes,
            Manner::Thrifty if takes < list.len() => takes..list.len().min(takes + 3),
            _ => 0..list.len(),
        };
        let choice = among.start + chance.below(among.len() as u32) as usize;
        let decision = list[choice];
        seen.passes += u64::from(decision == Decision::Pass);
        seen.given += u64::from(matches!(decision, Decision::Buy(purchase) if purchase.give));
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
    prop_oneof![
        Just(Manner::Uniform),
        (2..30u32).prop_map(Manner::Hoards),
        Just(Manner::Thrifty),
    ]
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
    let manners = [
        Manner::Uniform,
        Manner::Thrifty,
        Manner::Hoards(6),
        Manner::Hoards(1000),
    ];
    for (seed, manner) in (0..40).zip(manners.into_iter().cycle()) {
        let seen = play(2 + (seed / 4 % 5) as u8, Config::default(), seed, manner);
        all.shuffles += seen.shuffles;
        all.passes += seen.passes;
        all.cuts += seen.cuts;
        all.given += seen.given;
        all.short_rows += seen.short_rows;
        all.exact_turns += seen.exact_turns;
    }
    let Seen {
        shuffles,
        passes,
        cuts,
        given,
        short_rows,
        exact_turns,
    } = all;
    let counts = [shuffles, passes, cuts, given, short_rows, exact_turns];
    assert!(counts.iter().all(|&count| count > 2), "{all:?}");
}
