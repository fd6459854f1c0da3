//! Whole matches: digests, the outcome, and texts for people.

use std::collections::HashSet;

use bridgemaster_games::{Game, Viewer};

use crate::random_match::{RandomMatch, play};

pub(crate) fn equal_decisions_give_equal_digests_and_events<G: Game>(random: &RandomMatch) {
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
    assert_eq!(distinct.len(), first.len(), "two positions of one match have one digest");
}

pub(crate) fn a_match_ends_with_an_outcome_that_adds_up<G: Game>(random: &RandomMatch) {
    play::<G>(random, |step, _| {
        let state = step.state;
        let Some(outcome) = G::outcome(state) else {
            let seats_to_decide = G::seats_to_decide(state);
            assert!(!seats_to_decide.is_empty(), "the match is over without an outcome");
            return;
        };
        assert!(G::seats_to_decide(state).is_empty(), "an outcome before the end");
        assert_eq!(outcome.seats.len(), usize::from(random.seats));
        let categories = |i: usize| {
            let lines = outcome.seats[i].breakdown.iter();
            lines.map(|line| line.category).collect()
        };
        let first: Vec<&str> = categories(0);
        for (i, seat) in outcome.seats.iter().enumerate() {
            let sum: i32 = seat.breakdown.iter().map(|line| line.points).sum();
            assert_eq!(sum, seat.score);
            assert_eq!(categories(i), first);
            let seats = outcome.seats.iter();
            let better = seats.filter(|other| other.place < seat.place);
            assert_eq!(better.clone().count() + 1, usize::from(seat.place));
            assert!(better.clone().all(|other| other.score >= seat.score));
        }
    });
}

/// The maximum width of a text line for people.
const COLUMNS: usize = 100;

pub(crate) fn texts_fit_a_terminal_and_progress_never_decreases<G: Game>(random: &RandomMatch) {
    let (mut done, mut total) = (0, None);
    play::<G>(random, |step, _| {
        for event in step.events {
            let text = event.to_string();
            assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
        }
        for viewer in random.viewers() {
            let observation = G::observe(step.state, viewer);
            let mut text = String::new();
            G::render(step.config, &observation, &mut text).unwrap();
            assert!(text.ends_with('\n'));
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(COLUMNS), "{text}");
        }
        if let Some(progress) = G::progress(&G::observe(step.state, Viewer::Spectator)) {
            let reached = (done..=progress.total).contains(&progress.done);
            assert!(reached, "{progress:?}");
            let constant = *total.get_or_insert(progress.total);
            assert_eq!(progress.total, constant, "the total of a match never changes");
            let is_over = G::outcome(step.state).is_some();
            assert!(!is_over || progress.done == progress.total, "{progress:?}");
            done = progress.done;
        }
    });
}
