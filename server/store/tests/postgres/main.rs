//! What only the store in PostgreSQL does: two servers with one database, and a database that goes
//! away and comes back. Without PostgreSQL these tests are ignored, with the reason.

#![allow(clippy::unwrap_used, missing_docs)]

mod fence;
#[path = "../postgres_server/mod.rs"]
mod postgres_server;
mod refusing;
mod reopening;
mod restarts;

use libtest_mimic::{Arguments, Completion, Trial};

/// A test by its name.
macro_rules! trials {
    ($($room:ident::$fact:ident),* $(,)?) => {
        vec![$(Trial::ignorable_test(
            concat!(stringify!($room), "::", stringify!($fact)),
            || match postgres_server::absent() {
                Some(absent) => Ok(Completion::ignored_with(absent)),
                None => {
                    let runtime = tokio::runtime::Builder::new_multi_thread()
                        .worker_threads(2)
                        .enable_all()
                        .build()
                        .unwrap();
                    runtime.block_on($room::$fact());
                    Ok(Completion::Completed)
                }
            },
        )),*]
    };
}

fn main() {
    let trials = trials![
        fence::a_server_that_was_taken_over_stores_nothing_more,
        fence::no_change_of_a_server_that_was_taken_over_is_stored,
        fence::a_server_that_takes_over_has_all_that_was_committed_before,
        fence::a_server_waits_for_the_transaction_of_the_one_before,
        refusing::what_is_no_database_is_told_as_that,
        refusing::tables_of_another_program_are_left_alone,
        refusing::a_newer_and_another_schema_are_refused,
        reopening::all_is_there_when_the_store_is_opened_again,
        reopening::a_damaged_value_is_told_and_others_are_sound,
        reopening::keys_are_changed_beside_a_server,
        reopening::text_of_any_characters_comes_back,
        restarts::commits_go_on_when_the_database_comes_back,
        restarts::a_commit_whose_answer_was_lost_is_stored_once,
        restarts::a_database_without_the_newest_commits_is_refused,
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
