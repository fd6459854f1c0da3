//! The contract that every store fulfils. A new implementation is tested by one more line in
//! [`main`]. Without PostgreSQL its tests are ignored, with the reason.

#![allow(clippy::unwrap_used, missing_docs)]

mod flushes;
mod keys;
mod ladders;
mod matches;
#[path = "../postgres_server/mod.rs"]
mod postgres_server;
mod random_batches;
mod records;
mod refusals;
mod replays;
mod secrets;
#[path = "../workload/mod.rs"]
mod workload;

use std::{any::Any, pin::Pin, sync::Arc};

use bridgemaster_store::{
    DataDir, Durability, MemoryStore, NodeStatus, Nodes as _, PostgresStore, SqliteOptions,
    SqliteStore, Store, limits::LEASE_RENEWAL_INTERVAL,
};
use libtest_mimic::{Arguments, Completion, Trial};

use postgres_server::PostgresServer;

/// The store under test.
type Subject<'a> = &'a dyn Store;

/// An empty store, with a guard for its resources.
struct Fresh {
    store: Arc<dyn Store>,
    _guard: Box<dyn Any>,
}

/// A test that every store passes.
#[derive(Clone, Copy)]
struct Fact {
    name: &'static str,
    check: for<'a> fn(Subject<'a>) -> Pin<Box<dyn Future<Output = ()> + 'a>>,
}

/// Lists tests by their names.
macro_rules! facts {
    ($($room:ident::$fact:ident),* $(,)?) => {
        [$(Fact {
            name: concat!(stringify!($room), "::", stringify!($fact)),
            check: |store| Box::pin($room::$fact(store)),
        }),*]
    };
}

const FACTS: &[Fact] = &facts![
    matches::entries_are_read_in_order,
    matches::a_dropped_match_is_unknown_and_its_id_is_free,
    flushes::commits_are_stored_in_the_order_in_which_they_begin,
    flushes::a_refused_batch_changes_nothing_of_those_around_it,
    flushes::a_commit_is_stored_even_if_it_is_not_awaited,
    replays::a_forgotten_replay_is_reported_and_its_match_stays,
    replays::only_replays_of_finished_matches_are_forgotten,
    replays::stored_replays_are_listed_oldest_first,
    matches::a_match_dropped_and_opened_again_in_one_batch_has_a_new_journal,
    matches::finished_matches_come_newest_first_page_by_page,
    matches::the_list_is_ordered_by_id_whenever_matches_finish,
    matches::finished_matches_are_found_by_their_parties,
    matches::finished_matches_are_found_by_all_of_their_keys,
    matches::a_cursor_remains_valid_while_matches_finish_and_are_dropped,
    matches::pages_have_one_match_at_least_and_five_hundred_at_most,
    matches::an_empty_batch_changes_nothing,
    matches::values_of_any_bytes_and_empty_ones_are_preserved,
    matches::parts_of_exactly_the_limit_are_stored,
    matches::concurrent_commits_are_all_stored,
    matches::a_commit_that_is_not_awaited_is_stored_completely_or_not_at_all,
    matches::a_closed_store_reports_that_it_is_closed,
    refusals::a_refused_batch_names_its_first_invalid_write_and_changes_nothing,
    refusals::a_part_beyond_its_limit_is_refused,
    keys::keys_are_read_as_added,
    keys::an_id_belongs_to_one_key,
    keys::a_name_belongs_to_at_most_one_key_in_force,
    keys::the_same_key_may_be_added_again,
    keys::a_revoked_key_stays_revoked,
    keys::an_unknown_key_is_not_revoked,
    keys::the_version_of_the_keys_changes_with_every_change,
    keys::a_key_keeps_the_latest_recorded_use,
    keys::a_sound_key_is_not_removed,
    records::the_last_record_of_a_name_is_kept_until_it_is_removed,
    records::records_are_found_by_prefix,
    records::a_record_beyond_its_limits_is_refused_with_its_batch,
    ladders::a_ladder_is_read_as_it_was_last_written,
    ladders::a_ladder_is_opened_once_and_can_be_dropped,
    ladders::actions_of_a_ladder_are_kept_in_order_until_it_is_dropped,
    ladders::only_the_leader_changes_a_ladder,
    ladders::a_ladder_match_is_paired_once_and_ends_once,
    ladders::ladder_matches_are_read_in_pages,
    ladders::a_part_of_a_ladder_beyond_its_limit_is_refused,
    secrets::the_first_secret_of_a_name_is_kept,
    secrets::a_secret_beyond_its_limit_is_refused,
    secrets::intact_secrets_stay_when_damaged_ones_are_removed,
    random_batches::random_batches_match_a_simple_model,
    random_batches::random_invalid_batches_are_refused_with_the_index_of_the_first_write,
];

fn main() {
    let mut trials = Vec::new();
    conforms(&mut trials, "memory", || Box::pin(memory_store()));
    conforms(&mut trials, "sqlite_for_power", || Box::pin(sqlite_store(Durability::Disk)));
    conforms(&mut trials, "sqlite_for_process", || Box::pin(sqlite_store(Durability::Process)));
    conforms(&mut trials, "postgres_for_power", || Box::pin(postgres_store(Durability::Disk)));
    conforms(&mut trials, "postgres_for_process", || Box::pin(postgres_store(Durability::Process)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Creates an empty store, or returns the reason why this kind of store is not available here.
type Factory = fn() -> Pin<Box<dyn Future<Output = Result<Fresh, String>>>>;

/// Adds a trial for each fact, each with its own store.
fn conforms(trials: &mut Vec<Trial>, name: &str, fresh: Factory) {
    for fact in FACTS {
        let check = move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
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
        trials.push(Trial::ignorable_test(format!("{name}::{}", fact.name), check));
    }
}

async fn memory_store() -> Result<Fresh, String> {
    Ok(Fresh { store: Arc::new(MemoryStore::new()), _guard: Box::new(()) })
}

async fn sqlite_store(durability: Durability) -> Result<Fresh, String> {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let options = SqliteOptions { durability, ..SqliteOptions::default() };
    let store = SqliteStore::open(&dir, options).await.unwrap();
    Ok(Fresh { store: Arc::new(store), _guard: Box::new(folder) })
}

/// Creates a store in an empty database, or returns why there is no PostgreSQL.
async fn postgres_store(durability: Durability) -> Result<Fresh, String> {
    postgres_server::absent().map_or(Ok(()), Err)?;
    let url = PostgresServer::shared().fresh();
    let store = Arc::new(PostgresStore::open(&url, durability).await.unwrap());
    let renewed = Arc::clone(&store);
    tokio::spawn(async move {
        // Keeps the database until the test and its runtime end.
        while renewed.renew_lease(NodeStatus::default()).await.is_ok() {
            tokio::time::sleep(LEASE_RENEWAL_INTERVAL).await;
        }
    });
    Ok(Fresh { store, _guard: Box::new(()) })
}
