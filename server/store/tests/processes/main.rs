//! Tests that need a second process: a locked folder, and a user without permissions. This program
//! is its own second process.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod folders;
mod second;

use libtest_mimic::{Arguments, Trial};

/// Creates a trial with the name of its function.
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
    let mut trials = trials![folders::a_server_locks_its_folder_until_it_is_killed,];
    #[cfg(unix)]
    trials.extend(trials![
        folders::a_folder_without_write_permission_is_refused,
        folders::a_read_only_database_is_reported,
        folders::a_folder_of_another_user_that_is_open_to_all_is_refused,
    ]);
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
