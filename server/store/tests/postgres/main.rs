//! Tests of the store in PostgreSQL beyond the contract: several servers with one database, and
//! outages of the database. Without PostgreSQL they are ignored, with the reason.

#![allow(clippy::unwrap_used, missing_docs)]

#[cfg(unix)]
mod connecting;
mod crashes;
mod fence;
mod flushes;
#[cfg(unix)]
mod held;
mod nodes;
mod passwords;
#[cfg(unix)]
mod pooler;
#[cfg(unix)]
mod pooling;
#[path = "../postgres_server/mod.rs"]
mod postgres_server;
#[cfg(unix)]
mod proxy;
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
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut trials = trials![
        crashes::matches_of_a_crashed_node_continue_on_another_within_seconds,
        crashes::terminated_sessions_end_no_lease_of_a_live_node,
        crashes::a_restart_of_the_database_ends_no_lease,
        crashes::a_node_that_reconnects_late_keeps_its_matches_until_they_are_taken_over,
        fence::a_server_that_was_taken_over_stores_nothing_more,
        fence::no_change_of_a_server_that_was_taken_over_is_stored,
        fence::a_takeover_includes_all_earlier_commits,
        fence::a_server_waits_for_the_transaction_of_the_one_before,
        flushes::commits_continue_while_an_earlier_one_is_flushed,
        flushes::a_batch_with_immediate_effects_waits_for_its_flush,
        flushes::acknowledged_commits_survive_a_crash_and_all_others_are_stored_once,
        flushes::lost_commits_are_restored_before_anything_else,
        flushes::a_server_that_was_taken_over_acknowledges_no_unflushed_commits,
        flushes::a_server_flushes_its_commits_before_it_shuts_down,
        flushes::reads_of_matches_of_another_node_are_flushed,
        nodes::nodes_write_their_own_matches_concurrently,
        nodes::matches_of_a_node_without_a_lease_continue_on_another,
        nodes::a_node_that_was_taken_over_changes_nothing,
        nodes::commits_without_a_lease_wait_for_its_renewal,
        nodes::a_commit_that_outwaits_its_lease_is_not_stored,
        nodes::survivors_share_the_orphans_of_a_node,
        nodes::commits_during_a_takeover_move_with_their_matches,
        nodes::a_node_is_read_again_when_a_server_has_opened_it_since,
        nodes::a_node_that_is_committing_is_skipped,
        nodes::one_node_leads_and_alone_takes_leader_only_matches,
        nodes::an_unreadable_match_is_not_taken_over,
        nodes::a_node_that_shuts_down_releases_its_matches_at_once,
        nodes::a_late_renewal_does_not_renew_a_released_lease,
        nodes::every_node_can_locate_a_match,
        nodes::only_a_node_that_has_ended_can_be_removed,
        nodes::a_node_that_is_removed_while_its_server_starts_is_created_again,
        nodes::the_figures_of_the_database_are_read,
        passwords::a_refused_login_is_reported_with_its_cause,
        passwords::a_node_continues_after_its_password_was_changed,
        refusing::an_unreachable_database_is_reported,
        refusing::tables_of_another_program_are_not_changed,
        refusing::a_schema_of_another_version_is_refused,
        releasing::a_released_match_continues_on_another_node,
        releasing::batches_are_kept_for_released_matches,
        releasing::nodes_share_released_matches_and_each_goes_to_one,
        releasing::released_matches_remain_available_after_a_shutdown,
        releasing::leader_only_matches_go_to_the_current_leader,
        releasing::a_restarted_node_reclaims_its_released_matches,
        releasing::released_matches_are_not_taken_during_a_takeover_of_their_node,
        releasing::an_unreadable_released_match_is_not_taken_over,
        reopening::everything_is_stored_when_the_database_is_reopened,
        reopening::matches_finish_after_those_of_a_restored_backup,
        reopening::a_damaged_value_is_reported_and_others_are_intact,
        reopening::keys_can_be_changed_beside_a_server,
        reopening::a_missing_store_id_is_reported_even_if_there_are_only_keys,
        reopening::text_of_any_characters_is_preserved,
        restarts::commits_continue_after_an_outage_of_the_database,
        restarts::a_commit_whose_answer_was_lost_is_stored_once,
        restarts::a_key_that_is_already_stored_waits_for_the_standby,
        restarts::a_database_without_the_newest_commits_is_refused,
        transfer::a_store_is_copied_completely_to_postgresql_and_back,
        transfer::matches_of_every_node_are_copied_to_one_folder_and_back,
        transfer::a_copy_requires_an_empty_target,
        transfer::a_damaged_store_is_not_copied,
        transfer::a_missing_secret_is_not_replaced,
        transfer::rows_that_several_nodes_write_and_delete_are_counted,
        transfer::every_column_is_copied,
    ];
    #[cfg(unix)]
    trials.extend(trials![
        held::no_message_of_a_commit_blocks_another_node,
        held::no_message_of_another_transaction_blocks_the_matches_of_a_node,
        held::a_locked_key_table_does_not_delay_the_shutdown_of_a_node,
        held::reads_in_ascending_order_skip_no_match_that_is_committed_late,
        held::the_session_of_an_interrupted_renewal_is_terminated,
        held::retries_leave_no_sessions_and_never_delay_renewals,
        connecting::a_host_that_accepts_no_writes_is_skipped,
        connecting::a_node_continues_at_another_host,
    ]);
    #[cfg(unix)]
    trials.extend(trials![
        pooler::absent;
        pooling::a_node_runs_over_a_pooler_in_session_mode,
        pooling::a_pooler_that_shares_sessions_is_refused,
    ]);
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
