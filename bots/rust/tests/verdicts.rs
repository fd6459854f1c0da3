//! What the sequential test of contests says of the built-in bots, in matches without a server.

#![allow(clippy::unwrap_used, missing_docs)]

use bridgemaster_bots::greedy::{Rate, best_decision};
use bridgemaster_contest::{
    Bounds, Elo, ErrorRates, GroupScore, Hypotheses, SequentialTest, Verdict, beat_fraction,
};
use bridgemaster_games::{
    ChanceStream, NoEvents, Seat, SeatCount, Seed, Viewer, alhambra::Alhambra,
    bridges_to_nowhere::BridgesToNowhere, carcassonne::Carcassonne,
    old_london_bridge::OldLondonBridge, settle,
};

/// Streams of a match's seed: for the bots, and for chance after the setup.
const BOTS_STREAM: u64 = 1 << 32;
const CHANCE_STREAM: u64 = BOTS_STREAM + 1;

/// Share of wrong verdicts of each kind.
const RATE: f64 = 0.05;
/// Contests of equal bots.
const CONTESTS: u32 = 200;
/// How many of them may be accepted: `RATE` of them, and two standard errors of that number more.
/// A test that keeps to its rate is beyond that in 2.4 % of such tables.
const MOST_ACCEPTED: u32 = 16;

/// Who plays the seat of the candidate; all others are random.
#[derive(Clone, Copy)]
enum Candidate {
    Greedy,
    Random,
}

/// The share of opponents that the candidate finishes ahead of in one match.
fn played<G: Rate>(seats: SeatCount, seed: &Seed, candidate: Candidate, seat: Seat) -> f64 {
    let config = G::Config::default();
    let setup = G::draw_setup(&config, seats, seed).unwrap();
    let mut state = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    // A seat's luck is its own: rotated bots do not play the same match again.
    let mut of_bots = ChanceStream::new(seed, BOTS_STREAM + 2 + u64::from(seat.number()));
    let mut chance = ChanceStream::new(seed, CHANCE_STREAM);
    let mut legal = Vec::new();
    loop {
        settle::<G>(&mut state, &mut chance, &mut NoEvents);
        let Some(owing) = G::owing(&state).iter().next() else {
            break;
        };
        G::legal(&state, owing, &mut legal);
        let place = match candidate {
            _ if legal.len() == 1 => 0,
            Candidate::Greedy if owing == seat => {
                let observation = G::observe(&state, Viewer::Seat(seat));
                best_decision::<G>(&config, &observation, seat, &legal, &mut of_bots).unwrap()
            }
            _ => of_bots.below(u32::try_from(legal.len()).unwrap()) as usize,
        };
        G::apply(&mut state, owing, &legal[place], &mut NoEvents).unwrap();
    }
    let outcome = G::outcome(&state).unwrap();
    let places: Vec<u32> = outcome.seats.iter().map(|seat| seat.place.into()).collect();
    beat_fraction(&places, seat.index()).unwrap()
}

/// Plays groups, each of one seed with the candidate on every seat, until the verdict falls; gives
/// it and the number of groups.
fn contest<G: Rate>(seats: u8, upper: f64, candidate: Candidate, contest: u32) -> (Verdict, u32) {
    let seats = SeatCount::new(seats).unwrap();
    let bounds = Bounds::Elo {
        lower: Elo(0.0),
        upper: Elo(upper),
    };
    let rates = ErrorRates::new(RATE, RATE).unwrap();
    let asked = Hypotheses::new(bounds, rates, seats.get().into()).unwrap();
    let mut test = SequentialTest::new(asked);
    let mut groups = 0;
    while test.verdict() == Verdict::Undecided {
        let seed: Seed = format!("{contest}-{groups}").parse().unwrap();
        let fractions = seats
            .seats()
            .map(|seat| played::<G>(seats, &seed, candidate, seat));
        let fractions: Vec<f64> = fractions.collect();
        test.record(GroupScore::of_matches(&fractions).unwrap());
        groups += 1;
    }
    (test.verdict(), groups)
}

/// Greedy is accepted within ten groups by the bounds of a contest that names none.
#[track_caller]
fn is_accepted_soon<G: Rate>() {
    for seats in [*G::SEATS.start(), *G::SEATS.end()] {
        for number in 0..3 {
            let (verdict, groups) = contest::<G>(seats, 50.0, Candidate::Greedy, number);
            let told = format!("{} at {seats} seats: {verdict:?} after {groups}", G::NAME);
            assert!(verdict == Verdict::Accepted && groups <= 10, "{told}");
        }
    }
}

#[test]
fn greedy_is_accepted_over_random_within_ten_groups_in_old_london_bridge() {
    is_accepted_soon::<OldLondonBridge>();
}

#[test]
fn greedy_is_accepted_over_random_within_ten_groups_in_alhambra() {
    is_accepted_soon::<Alhambra>();
}

#[test]
fn greedy_is_accepted_over_random_within_ten_groups_in_bridges_to_nowhere() {
    is_accepted_soon::<BridgesToNowhere>();
}

#[test]
fn greedy_is_accepted_over_random_within_ten_groups_in_carcassonne() {
    is_accepted_soon::<Carcassonne>();
}

#[test]
fn random_is_accepted_over_random_in_no_more_of_200_contests_than_alpha_allows() {
    let verdicts =
        (0..CONTESTS).map(|number| contest::<OldLondonBridge>(2, 100.0, Candidate::Random, number));
    let accepted = verdicts.filter(|(verdict, _)| *verdict == Verdict::Accepted);
    let accepted = u32::try_from(accepted.count()).unwrap();
    assert!(accepted <= MOST_ACCEPTED, "{accepted} of {CONTESTS}");
    // None at all would be as suspicious: that happens in 0.004 % of such tables.
    assert!(accepted > 0);
}
