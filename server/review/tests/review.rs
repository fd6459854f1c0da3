//! Reviews of matches between greedy bots, with planted mistakes.

#![allow(clippy::unwrap_used, missing_docs)]

use bridgemaster_games::{
    ChanceStream, FieldError, NoEvents, Seat, SeatCount, Seed, Viewer, alhambra::Alhambra,
    old_london_bridge::OldLondonBridge, resolve_chance,
};
use bridgemaster_greedy::{DecisionPoint, Rate, best_decision};
use bridgemaster_proto::{games::WireGame, v1::DecidedBy};
use bridgemaster_replay::{ReplayedDecision, ReplayedMatch, ReplayedStep};
use bridgemaster_review::{Question, Review, Settings, review};

const BOT_STREAM: u64 = 1 << 40;
const CHANCE_STREAM: u64 = BOT_STREAM + 1;

/// A bot that decides for a seat, as an index in the legal list.
type Bot<'a, G> = dyn FnMut(&ReplayedPoint<'_, G>, &mut ChanceStream) -> usize + 'a;

/// A decision to be made, and its number in the match.
struct ReplayedPoint<'a, G: WireGame> {
    number: usize,
    seat: Seat,
    state: &'a G::State,
    decisions: &'a [G::Decision],
}

impl<G: WireGame + Rate> ReplayedPoint<'_, G> {
    fn greedy(&self, chance: &mut ChanceStream) -> usize {
        let seen = G::observe(self.state, Viewer::Seat(self.seat));
        best_decision::<G>(&G::Config::default(), &seen, self.seat, self.decisions, chance).unwrap()
    }

    /// The decision that greedy rates lowest.
    fn worst(&self, chance: &mut ChanceStream) -> usize {
        let config = &G::Config::default();
        let (state, seat, decisions) = (self.state, self.seat, self.decisions);
        let mut ratings = vec![0.0; decisions.len()];
        G::rate(&DecisionPoint { config, state, seat, decisions }, chance, &mut ratings);
        let negated: Vec<f64> = ratings.iter().map(|rating| -rating).collect();
        bridgemaster_greedy::best_rated(&negated)
    }
}

fn play<G: WireGame + Rate>(seats: u8, seed: u64, bot: &mut Bot<'_, G>) -> ReplayedMatch<G> {
    let (config, seats) = (G::Config::default(), SeatCount::new(seats).unwrap());
    let seed = Seed::from(seed);
    let [mut bots, mut chance] =
        [BOT_STREAM, CHANCE_STREAM].map(|stream| ChanceStream::new(&seed, stream));
    let setup = G::draw_setup(&config, seats, &seed).unwrap();
    let start = G::start(&config, seats, &setup, &mut NoEvents).unwrap();
    let (mut state, mut steps, mut decisions) = (start.clone(), Vec::new(), Vec::new());
    loop {
        if G::chance_due(&state).is_some() {
            resolve_chance::<G>(&mut state, &mut chance, &mut NoEvents);
            steps.push(ReplayedStep { decision: None, state: state.clone() });
        }
        let Some(seat) = G::seats_to_decide(&state).iter().next() else {
            return ReplayedMatch { config, seats, start, steps };
        };
        G::legal(&state, seat, &mut decisions);
        let number = steps.iter().filter(|step| step.decision.is_some()).count();
        let point = ReplayedPoint { number, seat, state: &state, decisions: &decisions };
        let decision = decisions[bot(&point, &mut bots)].clone();
        G::apply(&mut state, seat, &decision, &mut NoEvents).unwrap();
        let decided_by = DecidedBy::Bot;
        let decision = Some(ReplayedDecision { seat, decision, decided_by });
        steps.push(ReplayedStep { decision, state: state.clone() });
    }
}

fn settings(seed: u64) -> Settings {
    let seed = Seed::from(seed);
    Settings { seed, states: 24, costliest: 5, costliest_states: 200, threads: 2 }
}

fn greedy_judge<G: Rate>(
    asked: &Question<'_, G>,
    chance: &mut ChanceStream,
) -> Result<usize, FieldError> {
    best_decision::<G>(asked.config, asked.observation, asked.seat, asked.decisions, chance)
}

fn reviewed_seat<G: WireGame + Rate>(
    replayed: &ReplayedMatch<G>,
    seat: u8,
    settings: &Settings,
) -> Review {
    review(replayed, Seat::new(seat).unwrap(), &greedy_judge::<G>, settings).unwrap()
}

fn reviewed<G: WireGame + Rate>(replayed: &ReplayedMatch<G>, settings: &Settings) -> Review {
    reviewed_seat(replayed, 0, settings)
}

fn accounts_match_the_outcome<G: WireGame + Rate>(seats: u8) {
    let replayed = play::<G>(seats, 3, &mut |point, chance| match point.number % 3 {
        0 => chance.below(point.decisions.len() as u32) as usize,
        _ => point.greedy(chance),
    });
    let review = reviewed(&replayed, &settings(1));
    let outcome = G::outcome(&replayed.steps.last().unwrap().state).unwrap();
    let mut sums = [0; 2];
    for (account, seat) in review.seats.iter().zip(&outcome.seats) {
        let all: i32 = outcome.seats.iter().map(|seat| seat.score).sum();
        let lead = i64::from(i32::from(seats) * seat.score - all);
        let unit = account.points.unit;
        assert_eq!(account.points.result * i64::from(seats - 1), lead * unit);
        sums[0] += account.points.luck;
        sums[1] += account.first_place.luck;
    }
    assert_eq!(sums, [0, 0], "one seat's luck is bad luck of the others");
    assert!(review.seats.iter().any(|account| account.points.own < 0), "{:?}", review.seats);
}

#[test]
fn accounts_have_the_results_of_the_match_and_luck_without_a_sum() {
    accounts_match_the_outcome::<Alhambra>(2);
    accounts_match_the_outcome::<Alhambra>(5);
    accounts_match_the_outcome::<OldLondonBridge>(3);
}

#[test]
fn accounts_depend_on_neither_the_refined_decisions_nor_the_reviewed_seat() {
    let replayed = play::<Alhambra>(3, 6, &mut |point, chance| match point.seat.index() {
        0 => chance.below(point.decisions.len() as u32) as usize,
        _ => point.greedy(chance),
    });
    let review = reviewed(&replayed, &settings(1));
    assert_eq!(review.decisions.iter().filter(|one| one.is_refined).count(), 5);
    assert!(review.seats[0].points.own_error > 0.0, "{:?}", review.seats);
    for seat in 0..3 {
        let other = reviewed_seat(&replayed, seat, &Settings { costliest: 0, ..settings(1) });
        assert_eq!(other.seats, review.seats);
        assert!(other.decisions.iter().all(|one| !one.is_refined && one.states == 24));
    }
}

#[test]
fn decisions_of_the_house_are_not_among_the_costliest() {
    let mut replayed = play::<OldLondonBridge>(2, 7, &mut |point, chance| {
        chance.below(point.decisions.len() as u32) as usize
    });
    for decision in replayed.steps.iter_mut().filter_map(|step| step.decision.as_mut()) {
        decision.decided_by = DecidedBy::House;
    }
    let review = reviewed(&replayed, &settings(1));
    assert!(review.decisions.iter().all(|one| one.is_by_house && !one.is_refined));
    assert!(review.decisions.iter().any(|one| one.loss > 0.0));
}

#[test]
fn a_judge_that_chooses_no_listed_decision_is_an_error() {
    let replayed = play::<OldLondonBridge>(2, 4, &mut |_, _| 0);
    let judge = |asked: &Question<'_, OldLondonBridge>, _: &mut ChanceStream| {
        Ok::<_, FieldError>(asked.decisions.len())
    };
    let reviewed = review(&replayed, Seat::new(0).unwrap(), &judge, &settings(1));
    let error = reviewed.unwrap_err().to_string();
    assert!(error.starts_with("the judge's choice") && error.contains("out of range"), "{error}");
}

#[test]
fn a_review_depends_on_its_seed_but_not_on_threads() {
    let replayed = play::<OldLondonBridge>(2, 4, &mut |point, chance| point.greedy(chance));
    let [one, many] = [1, 7].map(|threads| Settings { threads, ..settings(1) });
    let review = reviewed(&replayed, &one);
    assert_eq!(review, reviewed(&replayed, &many));
    assert_ne!(review, reviewed(&replayed, &settings(2)));
    assert!(review.decisions.iter().any(|one| one.is_refined && one.states == 200));
}

#[test]
fn decisions_that_equal_the_judges_choice_lose_nothing() {
    let replayed = play::<Alhambra>(2, 5, &mut |point, chance| point.greedy(chance));
    let review = reviewed(&replayed, &settings(1));
    assert!(review.decisions.len() > 20, "{}", review.decisions.len());
    assert!(review.decisions.iter().all(|one| one.loss == 0.0 && one.decision == one.best));
    assert!(review.decisions.iter().all(|one| (0.0..=1.0).contains(&one.win_chance)));
    assert!(review.seats.iter().all(|account| account.points.own == 0));
}

/// Plants a blunder into a match of greedy bots. Returns its rank among the losses; `None` if it
/// costs less than two points.
fn planted<G: WireGame + Rate>(seed: u64) -> Option<usize> {
    let at = 4 + seed as usize * 5 % 31;
    let mut planted = None;
    let replayed = play::<G>(2, seed, &mut |point, chance| {
        let is_choice = point.seat.index() == 0 && point.decisions.len() > 1;
        if point.number >= at && is_choice && planted.is_none() {
            planted = Some(point.number);
            return point.worst(chance);
        }
        point.greedy(chance)
    });
    let loss_of = |review: &Review| {
        let mut decisions = review.decisions.iter();
        decisions.find(|one| Some(one.at) == planted).unwrap().loss
    };
    // All different decisions are compared in many other states.
    let exact =
        Settings { states: 8, costliest: 50, costliest_states: 300, ..settings(seed + 100) };
    if loss_of(&reviewed(&replayed, &exact)) < 2.0 {
        return None;
    }
    let review = reviewed(&replayed, &settings(seed));
    let loss = loss_of(&review);
    Some(review.decisions.iter().filter(|one| one.loss > loss).count())
}

fn assert_found<G: WireGame + Rate>(matches: u64) {
    let ranks: Vec<usize> = (0..matches).filter_map(planted::<G>).collect();
    assert!(!ranks.is_empty());
    assert!(ranks.iter().all(|rank| *rank < 3), "{}: {ranks:?}", G::ID);
}

#[test]
fn planted_blunders_of_two_points_are_among_the_three_costliest_decisions() {
    assert_found::<Alhambra>(6);
    assert_found::<OldLondonBridge>(5);
}
