//! The laws of [`Game`], held against every game: those of the catalogue and, to keep the seam
//! honest, a trivial one of the tests.

#![allow(clippy::unwrap_used)]

/// Holds a game to every law, with so many random matches each.
macro_rules! laws {
    ($game:ident, $cases:literal) => {
        laws!($game, $cases:
            listed_decisions_are_distinct_within_the_cap_and_apply,
            unlisted_decisions_are_refused_and_change_nothing,
            notation_parses_back_exactly,
            an_observation_tells_no_hidden_fact_and_is_complete,
            equal_decisions_give_equal_digests_and_events,
            a_match_ends_with_an_outcome_that_adds_up,
            what_everybody_sees_changes_only_with_an_event,
            texts_for_people_are_lines_of_a_terminal_and_progress_never_goes_back
        );
    };
    ($game:ident, $cases:literal: $($law:ident),*) => {
        proptest::proptest! {
            #![proptest_config(proptest::prelude::ProptestConfig {
                cases: $cases,
                failure_persistence: None,
                ..proptest::prelude::ProptestConfig::default()
            })]
            $(
                #[test]
                fn $law(random in crate::random_match::<$game>()) {
                    crate::$law::<$game>(&random);
                }
            )*
        }
    };
}

mod alhambra;
mod bridges_to_nowhere;
mod carcassonne;
mod old_london_bridge;
mod rock_paper_scissors;

use std::collections::HashSet;

use bridgemaster_games::alhambra::Alhambra;
use bridgemaster_games::bridges_to_nowhere::BridgesToNowhere;
use bridgemaster_games::carcassonne::Carcassonne;
use bridgemaster_games::old_london_bridge::OldLondonBridge;
use bridgemaster_games::{
    ChanceStream, GAME_IDS, Game, LegalList, NoEvents, Seat, SeatCount, Seed, Viewer, settle,
};
use proptest::prelude::*;
use rock_paper_scissors::RockPaperScissors;

/// What the laws need besides the game itself.
trait Lawful: Game {
    /// Some config.
    fn any_config(chance: &mut ChanceStream) -> Self::Config;
    /// Some decision, legal or not.
    fn any_decision(chance: &mut ChanceStream) -> Self::Decision;
}

/// A random match: everything in it follows from two numbers.
#[derive(Clone, Debug)]
struct RandomMatch {
    seats: u8,
    seed: u64,
}

fn random_match<G: Lawful>() -> impl Strategy<Value = RandomMatch> {
    (G::SEATS, any::<u64>()).prop_map(|(seats, seed)| RandomMatch { seats, seed })
}

/// Enough for a uniform random match of any game here.
const MOST_DECISIONS: usize = 2000;

/// A settled position of a random match.
struct Step<'a, G: Game> {
    config: &'a G::Config,
    state: &'a G::State,
    /// What happened since the last one.
    events: &'a [G::Event],
}

/// Plays a match with uniform random decisions and shows each position to `visit`, the last one
/// too. Returns the number of decisions.
fn play<G: Lawful>(
    random: &RandomMatch,
    mut visit: impl FnMut(&Step<'_, G>, &mut ChanceStream),
) -> usize {
    let seed = Seed::from(random.seed);
    let mut chance = ChanceStream::new(&seed, 1_000_000);
    let config = G::any_config(&mut chance);
    let seats = SeatCount::new(random.seats).unwrap();
    let setup = G::draw_setup(&config, seats, &seed).unwrap();
    let mut events = Vec::new();
    let mut state = G::start(&config, seats, &setup, &mut events).unwrap();
    let mut list = Vec::new();
    for decisions in 0..MOST_DECISIONS {
        settle_by_law::<G>(&mut state, &seed, &mut events);
        let step = Step {
            config: &config,
            state: &state,
            events: &events,
        };
        visit(&step, &mut chance);
        events.clear();
        let owing: Vec<Seat> = G::owing(&state).iter().collect();
        if owing.is_empty() {
            return decisions;
        }
        let seat = owing[chance.below(owing.len() as u32) as usize];
        G::legal(&state, seat, &mut list);
        let decision = &list[chance.below(list.len() as u32) as usize];
        G::apply(&mut state, seat, decision, &mut events).unwrap();
    }
    panic!("the match did not end within {MOST_DECISIONS} decisions");
}

/// Applies every chance result that is due, as a referee does.
fn settle_by_law<G: Game>(state: &mut G::State, seed: &Seed, events: &mut Vec<G::Event>) {
    let mut streams = HashSet::new();
    while let Some(stream) = G::chance_due(state) {
        assert!(stream < 1 << 32 && streams.insert(stream), "{stream}");
        assert!(G::owing(state).is_empty(), "a seat owes a decision");
        assert_eq!(G::outcome(state), None);
        let draw = || G::draw_chance(state, &mut ChanceStream::new(seed, stream));
        let drawn = draw().unwrap();
        assert_eq!(draw().as_ref(), Some(&drawn));
        assert!(!drawn.to_string().contains('\n'));
        let mut searched = state.clone();
        settle::<G>(
            &mut searched,
            &mut ChanceStream::new(seed, 0),
            &mut NoEvents,
        );
        assert_eq!(G::chance_due(&searched), None);
        G::apply_chance(state, &drawn, events).unwrap();
    }
    assert_eq!(G::draw_chance(state, &mut ChanceStream::new(seed, 0)), None);
}

fn seats_of(random: &RandomMatch) -> impl Iterator<Item = Seat> {
    SeatCount::new(random.seats).unwrap().seats()
}

fn viewers(random: &RandomMatch) -> impl Iterator<Item = Viewer> {
    seats_of(random)
        .map(Viewer::Seat)
        .chain([Viewer::Spectator])
}

fn legal<G: Game>(state: &G::State, seat: Seat) -> Vec<G::Decision> {
    let mut list = Vec::new();
    G::legal(state, seat, &mut list);
    list
}

/// Decisions of one list that are tried.
const MOST_APPLIED: usize = 128;

fn listed_decisions_are_distinct_within_the_cap_and_apply<G: Lawful>(random: &RandomMatch) {
    play::<G>(random, |step, chance| {
        let state = step.state;
        let owing = G::owing(state);
        for seat in seats_of(random) {
            let mut list = Vec::new();
            let listed = G::legal(state, seat, &mut list);
            assert_eq!(list.is_empty(), !owing.contains(seat), "seat {seat}");
            match listed {
                LegalList::Complete => assert!(list.len() <= G::LEGAL_CAP),
                LegalList::Cut => assert_eq!(list.len(), G::LEGAL_CAP),
            }
            let distinct: HashSet<String> = list.iter().map(ToString::to_string).collect();
            assert_eq!(distinct.len(), list.len(), "{list:?}");
            // All of a short list, some of a long one.
            for place in 0..list.len().min(MOST_APPLIED) {
                let decision = match list.len() {
                    ..=MOST_APPLIED => &list[place],
                    long => &list[chance.below(long as u32) as usize],
                };
                let after = G::apply(&mut state.clone(), seat, decision, &mut NoEvents);
                assert_eq!(after, Ok(()), "{decision}");
            }
        }
    });
}

fn unlisted_decisions_are_refused_and_change_nothing<G: Lawful>(random: &RandomMatch) {
    play::<G>(random, |step, chance| {
        let state = step.state;
        for seat in seats_of(random) {
            let mut list = Vec::new();
            let listed = G::legal(state, seat, &mut list);
            for _ in 0..12 {
                let decision = G::any_decision(chance);
                let mut after = state.clone();
                let mut events = Vec::new();
                let applied = G::apply(&mut after, seat, &decision, &mut events);
                // Only beyond a list that was cut is an unlisted decision legal.
                let is_listed = list.contains(&decision);
                let may_be_legal = is_listed || listed == LegalList::Cut;
                assert!(!is_listed || applied.is_ok(), "{decision}: {applied:?}");
                assert!(may_be_legal || applied.is_err(), "{decision} is not listed");
                if let Err(refusal) = applied {
                    assert!(events.is_empty());
                    assert!(
                        refusal.to_string().contains(": "),
                        "{refusal} names no field"
                    );
                    assert_eq!(G::digest(&after), G::digest(state));
                    assert_eq!(legal::<G>(&after, seat), list);
                    for viewer in viewers(random) {
                        assert_eq!(G::observe(&after, viewer), G::observe(state, viewer));
                    }
                }
            }
        }
    });
}

fn notation_parses_back_exactly<G: Lawful>(random: &RandomMatch) {
    play::<G>(random, |step, chance| {
        let listed = seats_of(random).flat_map(|seat| legal::<G>(step.state, seat));
        for decision in listed.chain([G::any_decision(chance)]) {
            let text = decision.to_string();
            let parsed = text.parse::<G::Decision>();
            assert_eq!(parsed.ok().as_ref(), Some(&decision), "{text:?}");
            for altered in [format!("{text} "), format!(" {text}"), format!("{text}x")] {
                assert!(altered.parse::<G::Decision>().is_err(), "{altered:?}");
            }
        }
    });
}

/// The sampler draws hidden facts anew, so an observation that held one of them would differ.
fn an_observation_tells_no_hidden_fact_and_is_complete<G: Lawful>(random: &RandomMatch) {
    sample_everywhere::<G>(random);
}

/// Samples every position for every viewer and returns how often other hidden facts came out.
fn sample_everywhere<G: Lawful>(random: &RandomMatch) -> usize {
    let mut others = 0;
    play::<G>(random, |step, chance| {
        let state = step.state;
        for viewer in viewers(random) {
            let observation = G::observe(state, viewer);
            let sampled = G::sample_state(step.config, &observation, chance).unwrap();
            assert_eq!(G::observe(&sampled, viewer), observation);
            let (owing, sampled_owing) = (G::owing(state), G::owing(&sampled));
            // Who else still owes a secret decision may be secret, too.
            assert_eq!(sampled_owing.is_empty(), owing.is_empty());
            if let Viewer::Seat(seat) = viewer {
                assert_eq!(sampled_owing.contains(seat), owing.contains(seat));
                assert_eq!(legal::<G>(&sampled, seat), legal::<G>(state, seat));
            }
            others += usize::from(G::digest(&sampled) != G::digest(state));
        }
    });
    others
}

#[test]
fn the_sampler_draws_hidden_facts_anew() {
    let others = |seats: u8, sample: fn(&RandomMatch) -> usize| -> usize {
        (0..20)
            .map(|seed| sample(&RandomMatch { seats, seed }))
            .sum()
    };
    assert!(others(3, sample_everywhere::<Alhambra>) > 1000);
    assert!(others(2, sample_everywhere::<BridgesToNowhere>) > 1000);
    assert!(others(3, sample_everywhere::<Carcassonne>) > 1000);
    assert!(others(3, sample_everywhere::<OldLondonBridge>) > 1000);
    assert!(others(3, sample_everywhere::<RockPaperScissors>) > 20);
}

fn equal_decisions_give_equal_digests_and_events<G: Lawful>(random: &RandomMatch) {
    let trace = || {
        let (mut digests, mut events) = (Vec::new(), Vec::new());
        play::<G>(random, |step, _| {
            digests.push(G::digest(step.state));
            events.push(step.events.to_vec());
        });
        (digests, events)
    };
    let (first, events) = trace();
    assert_eq!((first.clone(), events), trace());
    let distinct: HashSet<_> = first.iter().collect();
    assert_eq!(
        distinct.len(),
        first.len(),
        "two positions of one match have one digest"
    );
}

fn a_match_ends_with_an_outcome_that_adds_up<G: Lawful>(random: &RandomMatch) {
    play::<G>(random, |step, _| {
        let state = step.state;
        let Some(outcome) = G::outcome(state) else {
            assert!(
                !G::owing(state).is_empty(),
                "the match is over without an outcome"
            );
            return;
        };
        assert!(G::owing(state).is_empty(), "an outcome before the end");
        assert_eq!(outcome.seats.len(), usize::from(random.seats));
        let categories = |i: usize| {
            outcome.seats[i]
                .breakdown
                .iter()
                .map(|line| line.category)
                .collect()
        };
        let first: Vec<&str> = categories(0);
        for (i, seat) in outcome.seats.iter().enumerate() {
            assert_eq!(
                seat.breakdown.iter().map(|line| line.points).sum::<i32>(),
                seat.score
            );
            assert_eq!(categories(i), first);
            let better = outcome
                .seats
                .iter()
                .filter(|other| other.place < seat.place);
            assert_eq!(better.clone().count() + 1, usize::from(seat.place));
            assert!(better.clone().all(|other| other.score >= seat.score));
        }
    });
}

/// So that nobody can count secret decisions by what spectators are told.
fn what_everybody_sees_changes_only_with_an_event<G: Lawful>(random: &RandomMatch) {
    let mut before = None;
    play::<G>(random, |step, _| {
        let seen = G::observe(step.state, Viewer::Spectator);
        if let Some(before) = &before
            && step.events.is_empty()
        {
            assert_eq!(before, &seen, "a change without an event");
        }
        before = Some(seen);
    });
}

/// The widest line of a text for people.
const COLUMNS: usize = 100;

fn texts_for_people_are_lines_of_a_terminal_and_progress_never_goes_back<G: Lawful>(
    random: &RandomMatch,
) {
    let mut done = 0;
    play::<G>(random, |step, _| {
        for event in step.events {
            let text = event.to_string();
            assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
        }
        for viewer in viewers(random) {
            let observation = G::observe(step.state, viewer);
            let mut text = String::new();
            G::render(step.config, &observation, &mut text).unwrap();
            assert!(text.ends_with('\n'));
            if G::OPTIONS.is_empty() && G::progress(&observation).is_none() {
                continue; // the trivial game renders by default
            }
            let widest = text.lines().max_by_key(|line| line.chars().count());
            assert!(
                widest.is_some_and(|line| line.chars().count() <= COLUMNS),
                "{widest:?}"
            );
        }
        if let Some(progress) = G::progress(&G::observe(step.state, Viewer::Spectator)) {
            assert!(
                (done..=progress.total).contains(&progress.done),
                "{progress:?}"
            );
            done = progress.done;
        }
    });
}

#[test]
fn every_game_of_the_catalogue_is_held_to_the_laws() {
    let held = [
        OldLondonBridge::ID,
        Alhambra::ID,
        BridgesToNowhere::ID,
        Carcassonne::ID,
    ];
    assert_eq!(GAME_IDS, held);
}
