//! The laws of a game, held against every game of the catalogue and, to keep the seam honest,
//! against a trivial one of the tests; and defects planted there, each of which a law finds.

#![allow(clippy::unwrap_used)]

mod course;
mod lists;
mod options;
mod planted;
mod random_match;
mod rock_paper_scissors;
mod secrecy;

use bridgemaster_games::{GAME_IDS, SeatCount, for_each_game, with_game};
use course::*;
use lists::*;
use random_match::{RandomMatch, random_matches};
use rock_paper_scissors::RockPaperScissors;
use secrecy::*;

/// Holds a game to every law, with so many random matches each.
macro_rules! laws {
    ($module:ident, $game:ty, $cases:literal) => {
        laws!($module, $game, $cases:
            listed_decisions_are_distinct_within_the_cap_and_apply,
            unlisted_decisions_are_refused_and_change_nothing,
            one_text_is_one_decision,
            an_observation_tells_no_hidden_fact_and_is_complete,
            a_decision_without_an_event_shows_to_its_seat_alone,
            others_see_of_a_decision_what_its_events_tell,
            events_tell_nothing_that_nobody_sees,
            what_the_setup_hides_shows_only_with_an_event,
            states_of_equal_digests_play_on_alike,
            a_digest_knows_the_options,
            equal_decisions_give_equal_digests_and_events,
            a_match_ends_with_an_outcome_that_adds_up,
            texts_for_people_are_lines_of_a_terminal_and_progress_never_goes_back
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
laws!(rock_paper_scissors_laws, crate::RockPaperScissors, 16);

#[test]
fn the_sampler_draws_hidden_facts_anew() {
    for id in GAME_IDS {
        let others = with_game!(*id, G => {
            let seats = G::SEATS.filter_map(SeatCount::new).next_back().unwrap().get().min(3);
            let sample = |seed| sample_everywhere::<G>(&RandomMatch { seats, seed });
            (0..20).map(sample).sum::<usize>()
        });
        assert!(others > Some(1000), "{id}: {others:?}");
    }
}
