//! Addresses with several hosts.

use std::{net::SocketAddr, path::PathBuf};

use bridgemaster_store::{Durability, PostgresStore, Store as _, StoreError};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, UnixStream},
    task::{AbortHandle, JoinSet},
};

use crate::{
    fence::{append, id, open, store},
    postgres_server::PostgresServer,
};

/// A port that forwards connections to the socket of a server until it is closed.
struct Port {
    at: SocketAddr,
    forwarding: AbortHandle,
}

impl Port {
    async fn open(host: &str, server: &PostgresServer) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let at = listener.local_addr().unwrap();
        let socket: PathBuf = server.folder().join(".s.PGSQL.5432");
        let forwarding = tokio::spawn(async move {
            // The connections end with this task.
            let mut connections = JoinSet::new();
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                let socket = socket.clone();
                connections.spawn(async move {
                    let mut database = UnixStream::connect(socket).await.unwrap();
                    copy_bidirectional(&mut client, &mut database).await
                });
            }
        });
        let forwarding = forwarding.abort_handle();
        Self { at, forwarding }
    }
}

/// Returns the address of the same schema over other hosts.
fn over(hosts: &str, direct: &str) -> String {
    let schema = direct.rsplit('=').next().unwrap();
    format!("postgres://tester@{hosts}/postgres?options[search_path]={schema}")
}

pub(crate) async fn a_host_that_accepts_no_writes_is_skipped() {
    let server = PostgresServer::shared();
    let read_only_server = PostgresServer::start_with("-c default_transaction_read_only=on");
    let read_only = Port::open("127.0.0.1", &read_only_server).await.at;
    let mut standby_server = PostgresServer::start();
    standby_server.run("COPY (SELECT 1) TO PROGRAM 'cat > standby.signal'");
    standby_server.stop();
    standby_server.restart();
    let standby = Port::open("127.0.0.1", &standby_server).await.at;
    let primary = Port::open("::1", server).await.at;
    let direct = server.fresh();
    let hosts = format!("127.0.0.1:1,{standby},{read_only},{primary}");
    let subject = store(&over(&hosts, &direct)).await;
    subject.commit(vec![open("a")]).await.unwrap();
    assert_eq!(subject.finished(None, 1).await.unwrap().matches, []);

    let refused = |hosts: String| {
        let url = over(&hosts, &direct);
        async move { PostgresStore::open(&url, Durability::Disk).await.unwrap_err() }
    };
    let error = refused(read_only.to_string()).await;
    assert!(matches!(error, StoreError::ReadOnlySetting { .. }), "{error:?}");
    let error = refused(standby.to_string()).await;
    assert!(matches!(error, StoreError::ReadOnlyStandby { .. }), "{error:?}");
    let error = refused(format!("[::1]:1,{standby}")).await.to_string();
    for part in ["[::1]:1: ", "refused", &format!("{standby} is a read-only standby")] {
        assert!(error.contains(part), "{error}");
    }
}

pub(crate) async fn a_node_continues_at_another_host() {
    let server = PostgresServer::shared();
    let first = Port::open("127.0.0.1", server).await;
    let second = Port::open("127.0.0.1", server).await;
    let url = over(&format!("{},{}", first.at, second.at), &server.fresh());
    let subject = store(&url).await;
    subject.commit(vec![open("a")]).await.unwrap();
    assert_eq!(subject.finished(None, 1).await.unwrap().matches, []);
    first.forwarding.abort();
    subject.commit(vec![append("a", 0)]).await.unwrap();
    let found = subject.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.journal.len(), 1);
}
