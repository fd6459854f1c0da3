//! Defects that are planted in the trivial game, and the law that finds each.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::random_match::RandomMatch;
use crate::rock_paper_scissors::{Toy, defect};

/// What the law says of the first of some random matches in which it finds something.
fn found(law: fn(&RandomMatch)) -> Option<String> {
    (0..20).find_map(|seed| {
        let random = RandomMatch { seats: 3, seed };
        let panic = catch_unwind(AssertUnwindSafe(|| law(&random))).err()?;
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
    })
}

macro_rules! finds {
    ($($test:ident: $law:ident finds $defect:ident, $says:literal;)*) => {$(
        #[test]
        fn $test() {
            assert_eq!(found(crate::$law::<Toy<{ defect::NONE }>>), None);
            let said = found(crate::$law::<Toy<{ defect::$defect }>>);
            let said = said.expect("the law finds nothing");
            assert!(said.contains($says), "{said}");
        }
    )*};
}

finds! {
    a_secret_shown_to_other_seats_is_found:
        others_see_of_a_decision_what_its_events_tell finds OTHERS_SEE_CHOICES,
        "sees which decision was made";
    an_event_that_tells_a_secret_is_found:
        events_tell_nothing_that_nobody_sees finds EVENT_TELLS_CHOICE, "an event tells";
    a_fact_of_the_setup_that_is_shown_early_is_found:
        what_the_setup_hides_shows_only_with_an_event finds PRIZE_SHOWN_EARLY,
        "sees what is hidden";
    a_fact_of_the_setup_that_is_told_early_is_found:
        what_the_setup_hides_shows_only_with_an_event finds EVENT_TELLS_PRIZE,
        "an event tells what nobody may see";
    a_digest_without_the_secrets_is_found:
        states_of_equal_digests_play_on_alike finds DIGEST_FORGETS_SECRETS, "equal digests";
    a_digest_without_the_past_is_found:
        states_of_equal_digests_play_on_alike finds DIGEST_FORGETS_PAST, "equal digests";
    a_digest_without_an_option_is_found:
        a_digest_knows_the_options finds DIGEST_FORGETS_OPTION, "equal digests";
    notation_that_reads_two_texts_as_one_decision_is_found:
        one_text_is_one_decision finds LOOSE_NOTATION, "two texts are one decision";
    a_silent_decision_that_others_see_is_found:
        a_decision_without_an_event_shows_to_its_seat_alone finds SILENT_CHOICE,
        "a change without an event";
    a_sampler_that_forgets_what_was_seen_is_found:
        an_observation_tells_no_hidden_fact_and_is_complete finds SAMPLER_FORGETS, "scores";
}
