//! Several server processes with one PostgreSQL database. One is killed, suspended or drained
//! while bots play, and every match ends as if undisturbed. `.ci/cluster-storm` kills and suspends
//! three nodes at once. A server that cannot renew its lease
//! refuses all calls. Without PostgreSQL these tests are ignored, with the reason.

#![cfg(unix)]
#![allow(clippy::unwrap_used, missing_docs)]

#[allow(dead_code)] // Not every target needs all of it.
#[path = "../../../traces/tests/collecting/mod.rs"]
mod collecting;
mod contests;
mod counted_play;
mod forwarding;
mod forwarding_lag;
#[path = "../kit/mod.rs"]
mod kit;
mod lapsing;
mod listing;
mod nodes;
mod one_server;
mod placing;
#[path = "../../../store/tests/postgres_server/mod.rs"]
mod postgres_server;
mod spans;
mod taking_over;
#[macro_use]
#[path = "../../../store/tests/postgres_server/trials.rs"]
mod trials;

use libtest_mimic::Arguments;

/// For any number of cores.
const TRIALS_AT_ONCE: usize = 6;

fn main() {
    let trials = trials![
        taking_over::a_server_that_drains_leaves_its_matches_to_others,
        taking_over::a_bot_whose_server_drains_comes_back_once,
        taking_over::a_server_that_lost_the_lead_while_it_was_away_leaves_what_belongs_to_it,
        taking_over::a_crash_ends_a_lease_early_and_a_terminated_session_does_not,
        lapsing::a_server_that_cannot_renew_its_lease_answers_nobody_until_it_can,
        nodes::the_nodes_are_shown_as_a_table_and_for_programs,
        nodes::a_wrong_address_is_reported_and_a_node_that_ended_is_removed,
        nodes::what_spans_matches_is_kept_by_one_server_and_then_by_another,
        nodes::what_a_cluster_cannot_do_is_refused,
        one_server::has_the_matches_of_a_killed_server_and_belongs_to_the_newest,
        listing::every_server_lists_the_matches_in_play_of_all,
        listing::what_becomes_of_a_match_is_listed_at_every_server,
        listing::a_list_of_another_server_shows_what_its_caller_may_see,
        placing::a_new_match_is_made_where_room_is,
        placing::a_busy_server_has_a_new_match_made_where_plenty_of_room_is,
        contests::a_queue_of_a_contest_is_at_the_leader_whichever_server_is_named,
        forwarding::bots_that_know_one_server_play_the_matches_of_another,
        forwarding::bots_that_know_one_server_go_on_when_that_of_their_matches_is_killed,
        forwarding::bots_go_on_when_the_server_of_their_matches_drains,
        forwarding::callers_and_spectators_are_answered_at_any_server,
        forwarding::nobody_gains_by_saying_that_his_call_was_passed_on,
        forwarding_lag::bots_behind_a_server_that_stood_still_are_not_late,
        forwarding_lag::bots_behind_a_server_that_is_killed_wait_for_its_successor,
        forwarding_lag::bots_behind_a_server_that_drains_wait_for_its_successor,
        forwarding_lag::a_decision_by_call_through_a_server_that_stood_still_is_not_late,
        forwarding_lag::an_offer_through_a_server_that_stood_still_is_not_missed,
        forwarding_lag::nobody_but_a_server_sends_beats,
        spans::the_spans_of_all_servers_of_a_match_are_one_trace,
        contests::a_contest_goes_on_when_its_server_is_killed,
    ];
    let mut arguments = Arguments::from_args();
    // Most of the time, the tests wait for leases to expire.
    arguments.test_threads.get_or_insert(TRIALS_AT_ONCE);
    libtest_mimic::run(&arguments, trials).exit();
}
