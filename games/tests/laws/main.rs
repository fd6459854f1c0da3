//! The laws of a game, tested on every game of the catalogue and, so that the traits depend on no
//! single game, on a toy game; and defects of the toy game, each of which a law finds.

#![allow(clippy::unwrap_used)]

mod digests;
mod editions;
mod goofspiel;
mod lists;
mod options;
mod others;
mod outcome;
mod planted;
mod random_match;
mod redeals;
mod sampling;
mod secrecy;

use bridgemaster_games::{GAME_IDS, SeatCount, for_each_game, with_game};
use digests::*;
use goofspiel::Goofspiel;
use lists::*;
use others::*;
use outcome::*;
use random_match::{RandomMatch, random_matches};
use redeals::*;
use sampling::*;
use secrecy::*;

/// Tests every law of a game on this number of random matches each.
macro_rules! laws {
    ($module:ident, $game:ty, $cases:literal) => {
        laws!($module, $game, $cases:
            listed_decisions_ascend_within_the_cap_and_apply,
            unlisted_decisions_are_refused_and_change_nothing,
            one_text_is_one_decision,
            observations_reveal_no_hidden_fact_and_are_complete,
            a_decision_without_an_event_is_visible_to_its_seat_only,
            others_see_only_the_events_of_a_decision,
            events_reveal_only_visible_facts,
            hidden_setup_facts_become_visible_only_with_an_event,
            the_seed_determines_the_hidden_setup_facts,
            sampled_states_are_valid,
            the_sampler_draws_every_secret,
            a_setup_of_another_match_is_refused_or_plays_to_an_end,
            an_observation_of_another_match_is_refused_or_plays_to_an_end,
            states_of_equal_digests_behave_alike,
            digests_cover_the_options,
            equal_decisions_give_equal_digests_and_events,
            a_match_ends_with_an_outcome_that_adds_up,
            texts_fit_a_terminal_and_progress_never_decreases
        );
    };
    ($module:ident, $game:ty, $cases:literal: $($law:ident),*) => {
        mod $module {
            $(
                #[test]
                fn $law() {
                    crate::random_matches::<$game>($cases).for_each(|random| {
                        crate::$law::<$game>(&random);
                    });
                }
            )*
        }
    };
}

macro_rules! laws_of_the_catalogue {
    ($($module:ident: $game:ident,)*) => {
        $(laws!($module, bridgemaster_games::$module::$game, 24);)*
    };
}
for_each_game!(laws_of_the_catalogue);
laws!(goofspiel_laws, crate::Goofspiel, 16);

#[test]
fn no_text_without_its_argument_is_a_decision() {
    for id in GAME_IDS {
        with_game!(*id, G => a_truncated_text_is_invalid_or_has_a_legal_form::<G>()).unwrap();
    }
    a_truncated_text_is_invalid_or_has_a_legal_form::<Goofspiel>();
}

#[test]
fn the_sampler_redraws_hidden_facts() {
    for id in GAME_IDS {
        let others = with_game!(*id, G => {
            let seats = G::SEATS.filter_map(SeatCount::new).next_back().unwrap().get().min(3);
            let sample = |seed| sample_every_position::<G>(&RandomMatch { seats, seed });
            (0..20).map(sample).sum::<usize>()
        });
        assert!(others > Some(1000), "{id}: {others:?}");
    }
}
