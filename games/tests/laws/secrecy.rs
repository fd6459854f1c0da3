//! Facts that observations and events must not reveal.

use bridgemaster_games::{ChanceStream, Game, Seat, Viewer};

use crate::random_match::{RandomMatch, Step, legal, play, some};

/// Otherwise other viewers could count secret decisions.
pub(crate) fn a_decision_without_an_event_is_visible_to_its_seat_only<G: Game>(
    random: &RandomMatch,
) {
    for_decisions::<G>(random, |step, seat, after, _| {
        for after in after.iter().filter(|after| after.events.is_empty()) {
            for viewer in others(random, seat) {
                let (before, after) =
                    (G::observe(step.state, viewer), G::observe(&after.state, viewer));
                assert_eq!(before, after, "a change without an event, seen by {viewer:?}");
            }
        }
    });
}

/// Other viewers learn only the events of a decision.
pub(crate) fn others_see_only_the_events_of_a_decision<G: Game>(random: &RandomMatch) {
    for_decisions::<G>(random, |_, seat, after, _| {
        for (first, second) in pairs(after) {
            if first.events == second.events {
                for viewer in others(random, seat) {
                    let sees = |after: &After<G>| G::observe(&after.state, viewer);
                    assert_eq!(
                        sees(first),
                        sees(second),
                        "{viewer:?} sees which decision was made without an event"
                    );
                }
            }
        }
    });
}

/// Where seats decide simultaneously, every fact of an event is visible in everybody's observation.
/// Facts of a decision that a seat makes alone may be visible for a moment only, such as a meeple
/// that scores and returns at once.
pub(crate) fn events_reveal_only_visible_facts<G: Game>(random: &RandomMatch) {
    for_decisions::<G>(random, |step, seat, after, _| {
        if G::seats_to_decide(step.state).len() < 2 {
            return;
        }
        for (first, second) in pairs(after).filter(|(one, other)| one.events != other.events) {
            for viewer in others(random, seat) {
                let sees = |after: &After<G>| G::observe(&after.state, viewer);
                assert_ne!(
                    sees(first),
                    sees(second),
                    "an event reveals a fact that {viewer:?} does not see: {:?} or {:?}",
                    first.events,
                    second.events
                );
            }
        }
    });
}

/// The result of a decision, before chance.
pub(crate) struct After<G: Game> {
    pub(crate) state: G::State,
    events: Vec<G::Event>,
}

fn after_decision<G: Game>(state: &G::State, seat: Seat, decision: &G::Decision) -> After<G> {
    let (mut state, mut events) = (state.clone(), Vec::new());
    G::apply(&mut state, seat, decision, &mut events).unwrap();
    After { state, events }
}

/// The number of decisions of one seat that are compared.
const MAX_COMPARED: usize = 6;

/// Calls `visit` with each position, each seat that owes a decision, and the results of some of its
/// decisions.
pub(crate) fn for_decisions<G: Game>(
    random: &RandomMatch,
    visit: impl Fn(&Step<'_, G>, Seat, &[After<G>], &mut ChanceStream),
) {
    play::<G>(random, |step, chance| {
        for seat in G::seats_to_decide(step.state).iter() {
            let list = legal::<G>(step.state, seat);
            let after: Vec<After<G>> = some(&list, MAX_COMPARED, chance)
                .map(|decision| after_decision::<G>(step.state, seat, decision))
                .collect();
            visit(step, seat, &after, chance);
        }
    });
}

pub(crate) fn pairs<T>(items: &[T]) -> impl Iterator<Item = (&T, &T)> {
    let later = |i| items[i + 1..].iter();
    (0..items.len()).flat_map(move |i| later(i).map(move |second| (&items[i], second)))
}

pub(crate) fn others(random: &RandomMatch, seat: Seat) -> impl Iterator<Item = Viewer> {
    random.viewers().filter(move |viewer| *viewer != Viewer::Seat(seat))
}
