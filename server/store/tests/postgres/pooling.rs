//! Connection poolers between the store and PostgreSQL.

use std::time::Duration;

use bridgemaster_store::{Durability, KeyStore as _, PostgresStore, Store as _, StoreError};
use tokio::{task::yield_now, time::timeout};

use crate::{
    fence::{append, finish, id, key, open, store},
    pooler::Pooler,
    postgres_server::PostgresServer,
};

/// The application names of the sessions that a node can terminate.
const TAGGED: &str = "bridgemaster %";

pub(crate) async fn a_node_runs_over_a_pooler_in_session_mode() {
    let server = PostgresServer::start();
    let ignoring = "pool_mode = session\nignore_startup_parameters = options, extra_float_digits";
    for (port, settings) in [(6432, "pool_mode = session"), (6433, ignoring)] {
        let pooler = Pooler::start(&server, port, settings);
        let direct = server.fresh();
        let subject = store(&pooler.url(&direct)).await;
        subject.commit(vec![open("a"), open("b")]).await.unwrap();
        subject.commit(vec![append("a", 0), finish("b")]).await.unwrap();
        subject.add_key(key("north")).await.unwrap();
        let found = subject.open_match(&id("a")).await.unwrap().unwrap();
        assert_eq!(found.journal.len(), 1);
        assert!(subject.finished_match(&id("b")).await.unwrap().is_some());
        assert_eq!(subject.keys().await.unwrap().len(), 1);
        let sessions = |names: &str| {
            server.run(&format!(
                "SELECT count(*) FROM pg_stat_activity
                 WHERE usename = 'tester' AND pid <> pg_backend_pid()
                     AND application_name LIKE '{names}'"
            ))
        };
        assert_ne!(sessions(TAGGED), "0");
        subject.close().await.unwrap();
        // Before another client gets a session, the pooler removes the tag and the lock of the
        // node.
        let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
        let reset = timeout(Duration::from_secs(20), async {
            while sessions(TAGGED) != "0" || server.run(locks) != "0" {
                yield_now().await;
            }
        });
        reset.await.expect("a session is still tagged");
        assert_ne!(sessions("%"), "0");
        // The pooler has not ignored the schema in the address.
        let subject = store(&direct).await;
        assert_eq!(subject.open_match_ids().await.unwrap(), [id("a")]);
        subject.close().await.unwrap();
    }
}

pub(crate) async fn a_pooler_that_shares_sessions_is_refused() {
    let server = PostgresServer::start();
    for (port, settings) in [
        (6432, "pool_mode = transaction"),
        (6433, "pool_mode = transaction\nserver_round_robin = 1\nmin_pool_size = 2"),
        (6434, "pool_mode = statement"),
    ] {
        let pooler = Pooler::start(&server, port, settings);
        let opened = PostgresStore::open(&pooler.url(&server.fresh()), Durability::Disk).await;
        let error = opened.unwrap_err();
        assert!(matches!(error, StoreError::SharedSessions { .. }), "{error:?}");
        assert!(error.to_string().contains("transaction mode"), "{error}");
    }
}
