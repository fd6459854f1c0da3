//! Defects in the toy game, and the law that finds each.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bridgemaster_games::{Game as _, Rules as _, Sample as _, Viewer};

use crate::goofspiel::{ALTERATIONS, Config, Goofspiel, Toy, defect};
use crate::random_match::{RandomMatch, play, play_to_end};

/// The panic message of the law for the first of some random matches in which it fails.
fn first_failure(law: fn(&RandomMatch)) -> Option<String> {
    (0..20).find_map(|seed| {
        let random = RandomMatch { seats: 3, seed };
        let panic = catch_unwind(AssertUnwindSafe(|| law(&random))).err()?;
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
    })
}

macro_rules! finds {
    ($($test:ident: $law:ident finds $($defect:ident)+, $expected:literal;)*) => {$(
        #[test]
        fn $test() {
            assert_eq!(first_failure(crate::$law::<Toy<{ defect::NONE }>>), None);
            $(
                let message = first_failure(crate::$law::<Toy<{ defect::$defect }>>);
                let message = message.expect(concat!("the law does not find ", stringify!($defect)));
                assert!(message.contains($expected), "{message}");
            )+
        }
    )*};
}

finds! {
    a_secret_visible_to_other_seats_is_found:
        others_see_only_the_events_of_a_decision finds OTHERS_SEE_BIDS,
        "sees which decision was made";
    an_event_that_reveals_a_secret_is_found:
        events_reveal_only_visible_facts finds EVENT_REVEALS_BID, "an event reveals";
    a_silent_decision_that_others_see_is_found:
        a_decision_without_an_event_is_visible_to_its_seat_only finds SILENT_BID,
        "a change without an event";
    a_setup_fact_visible_early_is_found:
        hidden_setup_facts_become_visible_only_with_an_event finds PRIZE_VISIBLE_EARLY,
        "sees a hidden fact";
    a_setup_fact_visible_early_from_round_3_is_found:
        hidden_setup_facts_become_visible_only_with_an_event finds PRIZE_VISIBLE_FROM_ROUND_3,
        "a hidden fact became visible";
    a_setup_fact_revealed_early_is_found:
        hidden_setup_facts_become_visible_only_with_an_event finds EVENT_REVEALS_NEXT_PRIZE, " contains ";
    an_event_with_a_wrong_fact_is_found:
        hidden_setup_facts_become_visible_only_with_an_event finds EVENT_REVEALS_WRONG_PRIZE,
        "but observations have";
    prizes_that_no_seed_shuffles_are_found:
        the_seed_determines_the_hidden_setup_facts finds PRIZES_NOT_SHUFFLED, "every seed draws";
    a_setup_that_is_not_checked_is_found:
        a_setup_of_another_match_is_refused_or_plays_to_an_end finds SETUP_UNCHECKED, "";
    a_digest_without_the_secrets_is_found:
        states_of_equal_digests_behave_alike finds DIGEST_OMITS_BIDS, "equal digests";
    a_digest_without_the_scores_is_found:
        states_of_equal_digests_behave_alike finds DIGEST_OMITS_SCORES, "equal digests";
    a_digest_without_revealed_prizes_is_found:
        states_of_equal_digests_behave_alike finds DIGEST_OMITS_OPEN_PRIZES, "equal digests";
    a_digest_without_an_option_is_found:
        digests_cover_the_options finds DIGEST_OMITS_OPTION, "equal digests";
    notation_that_reads_two_texts_as_one_decision_is_found:
        one_text_is_one_decision finds LOOSE_NOTATION, "two texts are one decision";
    a_list_in_another_order_is_found:
        listed_decisions_ascend_within_the_cap_and_apply
        finds LIST_DESCENDING LIST_ROTATED HAND_SWAP_REMOVED, "is not strictly ascending";
    a_sampler_that_omits_observed_facts_is_found:
        observations_reveal_no_hidden_fact_and_are_complete finds SAMPLER_OMITS_SCORES, "scores";
    a_sampler_that_omits_hidden_facts_is_found:
        sampled_states_are_valid finds SAMPLER_OMITS_PRIZE, "index out of bounds";
    a_sampler_that_draws_an_impossible_secret_is_found:
        sampled_states_are_valid finds SAMPLER_BIDS_ANY_CARD, "of a sampled state is refused: bids";
    a_sampler_that_always_draws_the_same_is_found:
        the_sampler_draws_every_secret
        finds SAMPLER_BIDS_LOWEST SAMPLER_KEEPS_LAST_PRIZE, "only one value";
}

/// The checks that a sampler needs: an altered observation is refused, or plays to an end.
/// `proto/tests/malformed` alters every field of every game.
fn altered_observations_are_refused_or_play_to_an_end<const DEFECT: u8>(random: &RandomMatch) {
    play::<Toy<DEFECT>>(random, |step, chance| {
        for viewer in random.viewers() {
            for alter in ALTERATIONS {
                let mut seen = Toy::<DEFECT>::observe(step.state, viewer);
                alter(&mut seen);
                if let Ok(state) = Toy::<DEFECT>::sample_state(step.config, &seen, chance) {
                    play_to_end::<Toy<DEFECT>>(state, chance);
                }
            }
        }
    });
}

#[test]
fn an_omitted_check_of_a_sampler_is_found() {
    macro_rules! skipped {
        ($($check:ident)*) => { $(
            let law = altered_observations_are_refused_or_play_to_an_end::<{ defect::$check }>;
            assert!(first_failure(law).is_some(), stringify!($check));
        )* };
    }
    assert_eq!(
        first_failure(altered_observations_are_refused_or_play_to_an_end::<{ defect::NONE }>),
        None
    );
    skipped! {
        OMITS_CHECK_OF_SCORES OMITS_CHECK_OF_ROUND OMITS_CHECK_OF_HANDS OMITS_CHECK_OF_OWN_BID
        OMITS_CHECK_OF_OWING OMITS_CHECK_OF_SEATS
    }
}

#[test]
fn the_template_refuses_each_altered_observation() {
    let random = RandomMatch { seats: 3, seed: 0 };
    play::<Goofspiel>(&random, |step, chance| {
        for alter in ALTERATIONS {
            let before = Goofspiel::observe(step.state, Viewer::Spectator);
            let mut seen = before.clone();
            alter(&mut seen);
            let sampled = Goofspiel::sample_state(step.config, &seen, chance);
            assert_eq!(sampled.is_ok(), seen == before, "{seen:?}");
        }
    });
}

#[test]
fn option_ranges_are_checked_in_configs_of_any_game() {
    let random = RandomMatch { seats: 3, seed: 0 };
    let mut config = Config::default();
    for cards in [0, 1, 6, 255] {
        config.cards = cards;
        let refusal = format!("cards: {cards} is out of range (2..=5)");
        let checked = Goofspiel::check_config(&config, random.seat_count()).unwrap_err();
        assert_eq!(checked.to_string(), refusal);
        let drawn = Goofspiel::draw_setup(&config, random.seat_count(), &random.seed());
        assert_eq!(drawn.unwrap_err().to_string(), refusal);
    }
}
