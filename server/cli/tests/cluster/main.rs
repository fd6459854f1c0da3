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
#[path = "../../../store/tests/postgres/pooler.rs"]
mod pooler;
#[path = "../../../store/tests/postgres_server/mod.rs"]
mod postgres_server;
mod spans;
mod taking_over;
#[macro_use]
#[path = "../../../store/tests/postgres_server/trials.rs"]
mod trials;

use libtest_mimic::Arguments;

/// This number does not depend on the number of cores.
const TRIALS_AT_ONCE: usize = 6;

fn main() {
    let trials = trials![
        taking_over::a_draining_server_releases_its_matches_to_others,
        taking_over::a_bot_whose_server_drains_reconnects_once,
        taking_over::a_server_that_lost_the_lead_while_suspended_does_not_act_as_leader,
        taking_over::a_crash_ends_a_lease_early_and_a_terminated_session_does_not,
        lapsing::a_server_that_cannot_renew_its_lease_refuses_all_calls_until_it_can,
        nodes::the_nodes_are_shown_as_a_table_and_for_programs,
        nodes::a_wrong_address_is_reported_and_a_node_that_ended_is_removed,
        nodes::data_beyond_a_match_is_kept_by_one_server_and_then_by_another,
        nodes::flags_that_a_cluster_does_not_support_are_refused,
        one_server::a_database_without_a_node_name_belongs_to_the_newest_server,
        listing::every_server_lists_the_matches_in_play_of_all,
        listing::every_server_lists_the_current_state_of_a_match,
        listing::a_list_of_another_server_shows_only_visible_matches,
        placing::a_new_match_is_created_on_a_server_with_free_slots,
        placing::a_busy_server_creates_a_new_match_on_a_server_with_free_slots,
        contests::a_queue_of_a_contest_is_at_the_leader_whichever_server_is_named,
        forwarding::bots_that_know_one_server_play_the_matches_of_another,
        forwarding::bots_that_know_one_server_continue_when_the_server_of_their_matches_is_killed,
        forwarding::bots_continue_when_the_server_of_their_matches_drains,
        forwarding::any_server_answers_callers_and_spectators,
        forwarding::forged_metadata_of_forwarded_calls_has_no_effect,
        forwarding_lag::bots_behind_a_suspended_server_are_not_late,
        forwarding_lag::bots_behind_a_server_that_is_killed_wait_for_its_successor,
        forwarding_lag::bots_behind_a_server_that_drains_wait_for_its_successor,
        forwarding_lag::a_decision_by_call_through_a_suspended_server_is_not_late,
        forwarding_lag::an_offer_through_a_suspended_server_is_not_missed,
        forwarding_lag::nobody_but_a_server_sends_beats,
        spans::the_spans_of_all_servers_of_a_match_are_one_trace,
        contests::a_contest_continues_when_its_server_is_killed,
    ];
    let trials = trials.into_iter().chain(trials![
        pooler::absent;
        taking_over::a_crash_behind_a_pooler_ends_a_lease_early
    ]);
    let mut arguments = Arguments::from_args();
    // Most of the time, the tests wait for leases to expire.
    arguments.test_threads.get_or_insert(TRIALS_AT_ONCE);
    libtest_mimic::run(&arguments, trials.collect()).exit();
}
