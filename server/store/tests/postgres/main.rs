//! What only the store in PostgreSQL does: two servers with one database, and a database that goes
//! away and comes back. Without PostgreSQL these tests are ignored, with the reason.

#![allow(clippy::unwrap_used, missing_docs)]

mod fence;
mod flushes;
mod nodes;
#[path = "../postgres_server/mod.rs"]
mod postgres_server;
mod refusing;
mod releasing;
mod reopening;
mod restarts;
mod transfer;
#[path = "../workload/mod.rs"]
mod workload;
#[macro_use]
#[path = "../postgres_server/trials.rs"]
mod trials;

use libtest_mimic::Arguments;

fn main() {
    let trials = trials![
        fence::a_server_that_was_taken_over_stores_nothing_more,
        fence::no_change_of_a_server_that_was_taken_over_is_stored,
        fence::a_server_that_takes_over_has_all_that_was_committed_before,
        fence::a_server_waits_for_the_transaction_of_the_one_before,
        flushes::commits_are_made_while_an_earlier_one_is_flushed,
        flushes::a_batch_that_others_act_on_at_once_waits_for_its_flush,
        flushes::acknowledged_commits_survive_a_crash_and_all_others_follow_once,
        flushes::what_a_crash_has_lost_is_put_back_before_anything_else,
        flushes::a_server_that_was_taken_over_acknowledges_nothing_that_was_not_flushed,
        flushes::a_server_flushes_what_it_has_committed_before_it_ends,
        flushes::what_one_node_shows_of_matches_of_another_is_flushed,
        nodes::nodes_write_side_by_side_each_its_own_matches,
        nodes::matches_of_a_node_without_a_lease_go_on_at_another,
        nodes::a_node_that_was_taken_over_harms_nothing,
        nodes::nothing_is_stored_without_a_lease_until_it_is_renewed,
        nodes::nothing_is_stored_by_a_commit_that_waited_longer_than_its_lease,
        nodes::survivors_share_what_a_node_leaves,
        nodes::what_a_node_commits_while_others_take_from_it_moves_with_its_matches,
        nodes::a_node_is_read_again_when_a_server_has_opened_it_since,
        nodes::a_node_that_commits_right_now_is_left_alone,
        nodes::one_node_leads_and_takes_alone_what_is_led,
        nodes::a_match_that_cannot_be_read_stays_where_it_is,
        nodes::a_node_that_ends_leaves_its_matches_at_once,
        nodes::nobody_is_sent_to_a_node_that_withdraws_until_its_name_is_used_again,
        nodes::a_renewal_that_is_late_gives_a_node_that_has_ended_no_lease,
        nodes::every_node_knows_where_a_match_is,
        nodes::each_node_is_told_of_the_matches_in_play_of_the_others,
        nodes::what_is_told_and_cannot_be_read_harms_no_other,
        refusing::what_is_no_database_is_told_as_that,
        refusing::tables_of_another_program_are_left_alone,
        refusing::a_newer_and_another_schema_are_refused,
        releasing::a_released_match_goes_on_at_another_node_beside_those_of_its_own,
        releasing::what_a_node_stores_no_more_of_its_own_matches_is_kept_for_released_ones,
        releasing::nodes_share_what_is_released_and_each_match_goes_to_one,
        releasing::what_is_released_and_not_taken_is_left_with_the_rest,
        releasing::what_belongs_to_the_lead_goes_to_who_leads_by_then,
        releasing::a_node_that_starts_again_has_what_it_released_and_nobody_took,
        releasing::nothing_released_is_taken_while_its_node_is_taken_over,
        releasing::a_released_match_that_cannot_be_read_stays_where_it_is,
        reopening::all_is_there_when_the_store_is_opened_again,
        reopening::a_damaged_value_is_told_and_others_are_sound,
        reopening::keys_are_changed_beside_a_server,
        reopening::text_of_any_characters_comes_back,
        restarts::commits_go_on_when_the_database_comes_back,
        restarts::a_commit_whose_answer_was_lost_is_stored_once,
        restarts::a_database_without_the_newest_commits_is_refused,
        transfer::a_store_goes_to_postgresql_and_back_whole,
        transfer::matches_of_every_node_go_to_one_folder_and_back,
        transfer::a_copy_goes_only_where_nothing_is,
        transfer::a_damaged_store_is_not_copied,
        transfer::every_column_is_copied,
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
