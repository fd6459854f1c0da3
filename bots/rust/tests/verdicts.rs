//! Verdicts of the sequential test of contests on the built-in bots, in matches without a server.

#![allow(clippy::unwrap_used, missing_docs)]

use bridgemaster_bots::greedy::{Rate, best_decision};
use bridgemaster_contest::{
    Bounds, ErrorRates, GroupScore, Hypotheses, SequentialTest, Verdict, beat_fraction,
};
use bridgemaster_games::{
    ChanceStream, NoEvents, Seat, SeatCount, Seed, Viewer, for_each_game,
    old_london_bridge::OldLondonBridge, resolve_chance,
};

/// Streams of a match's seed for the bots, and for chance after the setup.
const BOTS_STREAM: u64 = 1 << 32;
const CHANCE_STREAM: u64 = BOTS_STREAM + 1;

/// The error rate of each kind of wrong verdict.
const RATE: f64 = 0.05;
/// The number of contests of equal bots.
const CONTESTS: u32 = 200;
/// The maximum number of contests in which a candidate of equal strength is accepted: `RATE` of
/// them, plus two standard errors. A correct test exceeds this number with a probability of 2.4 %.
const MAX_ACCEPTED: u32 = 16;

/// The bot on the candidate's seat; all others are random.
#[derive(Clone, Copy)]
enum Candidate {
    Greedy,
    Random,
}

/// Returns the share of opponents that the candidate finishes ahead of in one match.
fn played<G: Rate>(seats: SeatCount, seed: &Seed, candidate: Candidate, seat: Seat) -> f64 {
    let config = G::Config::default();
    let setup = G::draw_setup(&config, seats, seed).unwrap();
    let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    // Each seat has its own stream, so rotated bots do not play the same match again.
    let mut of_bots = ChanceStream::new(seed, BOTS_STREAM + 2 + u64::from(seat.number()));
    let mut chance = ChanceStream::new(seed, CHANCE_STREAM);
    let mut legal = Vec::new();
    loop {
        resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(decider) = G::seats_to_decide(&state).iter().next() else {
            break;
        };
        G::legal(&state, decider, &mut legal);
        let place = match candidate {
            _ if legal.len() == 1 => 0,
            Candidate::Greedy if decider == seat => {
                let observation = G::observe(&state, Viewer::Seat(seat));
                best_decision::<G>(&config, &observation, seat, &legal, &mut of_bots).unwrap()
            }
            _ => of_bots.below(u32::try_from(legal.len()).unwrap()) as usize,
        };
        G::apply(&mut state, decider, &legal[place], &mut NoEvents).unwrap();
    }
    let outcome = G::outcome(&state).unwrap();
    let places: Vec<u32> = outcome.seats.iter().map(|seat| seat.place.into()).collect();
    beat_fraction(&places, seat.index()).unwrap()
}

/// Plays groups until there is a verdict. A group is one seed, which is played with the candidate
/// on every seat. Returns the verdict and the number of groups.
fn contest<G: Rate>(seats: u8, upper: f64, candidate: Candidate, contest: u32) -> (Verdict, u32) {
    let seats = SeatCount::new(seats).unwrap();
    let bounds = Bounds::Elo([0.0, upper]);
    let rates = ErrorRates::new(RATE, RATE).unwrap();
    let hypotheses = Hypotheses::new(bounds, rates, seats.get().into()).unwrap();
    let mut test = SequentialTest::new(hypotheses);
    let mut groups = 0;
    while test.verdict() == Verdict::Undecided {
        let seed: Seed = format!("{contest}-{groups}").parse().unwrap();
        let fractions = seats.seats().map(|seat| played::<G>(seats, &seed, candidate, seat));
        let fractions: Vec<f64> = fractions.collect();
        test.record(GroupScore::from_matches(&fractions).unwrap());
        groups += 1;
    }
    (test.verdict(), groups)
}

/// Checks that greedy is accepted within ten groups with the default bounds of a contest.
#[track_caller]
fn check_accepted_soon<G: Rate>() {
    for seats in [*G::SEATS.start(), *G::SEATS.end()] {
        for number in 0..3 {
            let (verdict, groups) = contest::<G>(seats, 50.0, Candidate::Greedy, number);
            let message = format!("{} at {seats} seats: {verdict:?} after {groups}", G::NAME);
            assert!(verdict == Verdict::Accepted && groups <= 10, "{message}");
        }
    }
}

macro_rules! accepted_soon {
    ($($module:ident: $game:ident,)*) => {
        mod greedy_is_accepted_over_random_within_ten_groups {
            $(#[test]
            fn $module() {
                super::check_accepted_soon::<bridgemaster_games::$module::$game>();
            })*
        }
    };
}
for_each_game!(accepted_soon);

#[test]
fn random_is_accepted_over_random_in_no_more_of_200_contests_than_alpha_allows() {
    let verdicts =
        (0..CONTESTS).map(|number| contest::<OldLondonBridge>(2, 100.0, Candidate::Random, number));
    let accepted = verdicts.filter(|(verdict, _)| *verdict == Verdict::Accepted);
    let accepted = u32::try_from(accepted.count()).unwrap();
    assert!(accepted <= MAX_ACCEPTED, "{accepted} of {CONTESTS}");
    // No accepted contest at all would be suspicious too: its probability is 0.004 %.
    assert!(accepted > 0);
}
