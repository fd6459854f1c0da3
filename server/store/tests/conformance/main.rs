//! What every store does. A new implementation passes by one more line in [`main`]. Without
//! PostgreSQL the facts of its store are ignored, with the reason.

#![allow(clippy::unwrap_used, missing_docs)]

mod flushes;
mod keys;
mod ladders;
mod matches;
mod notes;
#[path = "../postgres_server/mod.rs"]
mod postgres_server;
mod random_batches;
mod refusals;
mod replays;
mod secrets;
#[path = "../workload/mod.rs"]
mod workload;

use std::{any::Any, pin::Pin, sync::Arc};

use bridgemaster_store::{
    DataDir, Durability, MemoryStore, NodeStanding, Nodes as _, PostgresStore, SqliteOptions,
    SqliteStore, Store, limits::LEASE_RENEWAL,
};
use libtest_mimic::{Arguments, Completion, Trial};

use postgres_server::PostgresServer;

/// What the facts are checked on.
type Subject<'a> = &'a dyn Store;

/// An empty store, with what must live as long as it does.
struct Fresh {
    store: Arc<dyn Store>,
    _kept: Box<dyn Any>,
}

/// Something that every store does.
#[derive(Clone, Copy)]
struct Fact {
    name: &'static str,
    check: for<'a> fn(Subject<'a>) -> Pin<Box<dyn Future<Output = ()> + 'a>>,
}

/// Facts by their names.
macro_rules! facts {
    ($($room:ident::$fact:ident),* $(,)?) => {
        [$(Fact {
            name: concat!(stringify!($room), "::", stringify!($fact)),
            check: |store| Box::pin($room::$fact(store)),
        }),*]
    };
}

const FACTS: &[Fact] = &facts![
    matches::an_opened_match_is_in_play_with_an_empty_journal,
    matches::entries_come_back_in_their_order,
    matches::matches_in_play_come_in_the_order_of_opening,
    matches::a_finished_match_leaves_its_summary_and_replay_and_nothing_else,
    matches::a_match_may_open_go_on_and_finish_in_one_batch,
    matches::an_entry_may_be_committed_together_with_the_end_of_its_match,
    matches::a_dropped_match_is_unknown_and_its_id_free,
    flushes::commits_are_stored_in_the_order_in_which_they_are_begun,
    flushes::a_refused_batch_changes_nothing_of_those_around_it,
    flushes::a_commit_is_stored_though_nobody_waits_for_it,
    replays::a_replay_that_is_kept_no_more_says_so_and_its_match_stays,
    replays::only_replays_of_finished_matches_are_forgotten,
    replays::kept_replays_come_from_the_first_that_finished_on,
    matches::a_match_dropped_and_opened_again_in_one_batch_has_a_new_journal,
    matches::a_match_of_another_journal_is_not_touched_by_an_end,
    matches::finished_matches_come_newest_first_page_by_page,
    matches::finished_matches_are_found_by_their_parties,
    matches::a_cursor_stays_true_while_matches_finish_and_are_dropped,
    matches::pages_have_one_match_at_least_and_five_hundred_at_most,
    matches::an_empty_batch_changes_nothing,
    matches::bytes_of_every_value_and_none_come_back,
    matches::parts_of_exactly_the_limit_are_stored,
    matches::commits_at_once_are_all_stored,
    matches::a_commit_that_nobody_waits_for_is_whole_or_absent,
    matches::a_closed_store_says_so,
    refusals::a_match_is_opened_once,
    refusals::a_finished_match_is_not_opened_again,
    refusals::entries_go_to_matches_in_play_only,
    refusals::a_gap_or_a_repetition_is_refused,
    refusals::a_match_finishes_once,
    refusals::what_is_unknown_is_not_dropped,
    refusals::a_part_beyond_its_limit_is_refused,
    refusals::a_refused_write_takes_its_whole_batch_with_it,
    refusals::a_batch_is_checked_against_its_own_writes,
    keys::keys_come_back_as_added,
    keys::an_id_belongs_to_one_key,
    keys::a_name_belongs_to_one_key_in_force,
    keys::the_same_key_may_be_added_again,
    keys::a_key_is_revoked_once_and_stays_so,
    keys::an_unknown_key_is_not_revoked,
    keys::a_mark_tells_of_every_change_of_the_keys,
    keys::a_key_keeps_the_latest_use_that_was_noted,
    keys::a_sound_key_is_not_removed,
    notes::the_last_note_of_a_name_is_kept_until_it_is_dropped,
    notes::notes_are_found_by_how_their_names_begin,
    notes::a_note_beyond_its_limits_is_refused_with_its_batch,
    ladders::a_ladder_comes_back_as_it_was_kept_last,
    ladders::a_ladder_is_opened_once_and_can_be_dropped,
    ladders::only_who_leads_a_ladder_changes_it,
    ladders::a_ladder_match_is_paired_once_and_ends_once,
    ladders::ladder_matches_come_page_by_page,
    ladders::a_part_of_a_ladder_beyond_its_limit_is_refused,
    secrets::the_first_secret_of_a_name_is_kept,
    secrets::a_secret_beyond_its_limit_is_refused,
    secrets::sound_secrets_stay_when_damaged_ones_are_removed,
    random_batches::random_batches_leave_what_a_plain_model_has,
    random_batches::random_misfits_are_refused_with_the_place_of_the_first,
];

fn main() {
    let mut trials = Vec::new();
    conforms(&mut trials, "memory", || Box::pin(memory_store()));
    conforms(&mut trials, "sqlite_for_power", || {
        Box::pin(sqlite_store(Durability::Power))
    });
    conforms(&mut trials, "sqlite_for_process", || {
        Box::pin(sqlite_store(Durability::Process))
    });
    conforms(&mut trials, "postgres_for_power", || {
        Box::pin(postgres_store(Durability::Power))
    });
    conforms(&mut trials, "postgres_for_process", || {
        Box::pin(postgres_store(Durability::Process))
    });
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Makes an empty store, or says why that cannot be made here.
type Factory = fn() -> Pin<Box<dyn Future<Output = Result<Fresh, String>>>>;

/// Checks a store against every fact, each in a test of its own on a store of its own.
fn conforms(trials: &mut Vec<Trial>, name: &str, fresh: Factory) {
    for fact in FACTS {
        let check = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                match fresh().await {
                    Ok(fresh) => {
                        (fact.check)(&*fresh.store).await;
                        Ok(Completion::Completed)
                    }
                    Err(absent) => Ok(Completion::ignored_with(absent)),
                }
            })
        };
        trials.push(Trial::ignorable_test(
            format!("{name}::{}", fact.name),
            check,
        ));
    }
}

async fn memory_store() -> Result<Fresh, String> {
    Ok(Fresh {
        store: Arc::new(MemoryStore::new()),
        _kept: Box::new(()),
    })
}

async fn sqlite_store(durability: Durability) -> Result<Fresh, String> {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let options = SqliteOptions {
        durability,
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(&dir, options).await.unwrap();
    Ok(Fresh {
        store: Arc::new(store),
        _kept: Box::new(folder),
    })
}

/// A store in a database of its own; or why there is no PostgreSQL.
async fn postgres_store(durability: Durability) -> Result<Fresh, String> {
    postgres_server::absent().map_or(Ok(()), Err)?;
    let url = PostgresServer::shared().fresh();
    let store = Arc::new(PostgresStore::open(&url, durability).await.unwrap());
    let renewed = Arc::clone(&store);
    tokio::spawn(async move {
        // Until its facts are checked, and the runtime ends.
        while renewed.renew_lease(NodeStanding::default()).await.is_ok() {
            tokio::time::sleep(LEASE_RENEWAL).await;
        }
    });
    Ok(Fresh {
        store,
        _kept: Box::new(()),
    })
}
