//! What takes a second process: a writer that is killed, a server that holds its folder, a user
//! who may not write. This program is its own second process.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod folders;
mod kills;
mod second;
#[path = "../workload/mod.rs"]
mod workload;

use libtest_mimic::{Arguments, Trial};

/// A test by its name.
macro_rules! trials {
    ($($room:ident::$fact:ident),* $(,)?) => {
        vec![$(Trial::test(concat!(stringify!($room), "::", stringify!($fact)), || {
            $room::$fact();
            Ok(())
        })),*]
    };
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(second::MARK) {
        let words: Vec<String> = arguments.collect();
        return second::run(&words);
    }
    let mut trials = trials![
        kills::a_killed_writer_leaves_every_acknowledged_batch_whole_when_commits_survive_power,
        kills::a_killed_writer_leaves_every_acknowledged_batch_whole_when_they_survive_its_end,
        kills::a_torn_log_loses_whole_batches_from_its_end_only,
        folders::a_server_holds_its_folder_against_other_processes_until_it_is_killed,
    ];
    #[cfg(unix)]
    trials.extend(trials![
        folders::a_folder_that_may_not_be_written_is_refused,
        folders::a_database_that_may_only_be_read_is_told,
        folders::a_folder_of_another_user_that_is_open_to_all_is_refused,
    ]);
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
