//! TLS: certificates that change at run time, and handshakes that stall.

use std::{path::PathBuf, sync::Arc, time::Duration};

use bridgemaster_sdk::{TlsOptions, endpoint};
use bridgemaster_server::{Limits, Server, ServerOptions, Tls, TlsError, TlsFiles};
#[cfg(target_os = "linux")]
use tokio::net::TcpSocket;
use tokio::{io::AsyncReadExt as _, net::TcpStream, time::timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::transport::Channel;

use crate::{
    caller::Caller,
    certificates::{Authority, Certified},
    streams::PATIENCE,
    test_server::with_limits,
};

struct TlsServer {
    url: String,
    tls: Arc<Tls>,
    _stop_at_end: DropGuard,
}

impl TlsServer {
    async fn open(own: &Certified, client_ca: Option<PathBuf>, limits: Limits) -> Self {
        let files = TlsFiles { cert: own.cert.clone(), key: own.key.clone(), client_ca };
        let tls = Arc::new(Tls::load(files).unwrap());
        let options = ServerOptions { tls: Some(Arc::clone(&tls)), ..with_limits(limits) };
        let free = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind(free, options).await.unwrap();
        let url = format!("https://{}", server.local_addr());
        let stop = CancellationToken::new();
        tokio::spawn(server.run(stop.clone()));
        Self { url, tls, _stop_at_end: stop.drop_guard() }
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("https://").unwrap()
    }

    async fn connect(&self, tls: &TlsOptions) -> Result<Channel, tonic::transport::Error> {
        endpoint(&self.url, tls).unwrap().connect().await
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn slow_pongs_over_tls_are_credited_no_more_than_the_network_round_trip() {
    let authority = Authority::new();
    let server = TlsServer::open(&authority.certify("server"), None, Limits::default()).await;
    let channel = server.connect(&trusting(&authority)).await.unwrap();
    crate::lag::slow_pongs::assert_uncredited(&Caller::over(channel)).await;
}

fn trusting(authority: &Authority) -> TlsOptions {
    TlsOptions { ca: Some(authority.ca()), ..TlsOptions::default() }
}

/// Makes a call that any client with a connection may make.
async fn ask(channel: Channel) -> Result<(), tonic::Status> {
    Caller::over(channel).list_games().await
}

/// Whether a client with these files gets a response.
async fn can_connect(server: &TlsServer, tls: &TlsOptions) -> bool {
    match server.connect(tls).await {
        // With TLS 1.3, a client is notified later that its certificate was rejected.
        Ok(channel) => ask(channel).await.is_ok(),
        Err(_) => false,
    }
}

#[tokio::test]
async fn new_handshakes_use_new_files_and_existing_connections_continue() {
    let (before, after) = (Authority::new(), Authority::new());
    let own = before.certify("server");
    let server = TlsServer::open(&own, None, Limits::default()).await;
    let old = server.connect(&trusting(&before)).await.unwrap();
    assert!(ask(old.clone()).await.is_ok());

    let new = after.certify("server");
    std::fs::copy(&new.cert, &own.cert).unwrap();
    std::fs::copy(&new.key, &own.key).unwrap();
    assert!(can_connect(&server, &trusting(&before)).await, "the files are not read yet");
    server.tls.reload().unwrap();
    assert!(can_connect(&server, &trusting(&after)).await);
    assert!(!can_connect(&server, &trusting(&before)).await);
    assert!(ask(old).await.is_ok());
}

#[tokio::test]
async fn unusable_new_files_are_reported_and_the_old_ones_stay_in_use() {
    let authority = Authority::new();
    let own = authority.certify("server");
    let server = TlsServer::open(&own, None, Limits::default()).await;
    let whole = std::fs::read(&own.cert).unwrap();

    std::fs::write(&own.cert, "no certificate at all").unwrap();
    let error = server.tls.reload_if_changed().unwrap_err();
    assert!(matches!(error, TlsError::NoCertificate { .. }), "{error}");
    assert!(matches!(server.tls.reload_if_changed(), Ok(false)), "each error is reported once");
    assert!(error.to_string().contains(own.cert.to_str().unwrap()));

    std::fs::write(&own.cert, &whole).unwrap();
    let key = std::fs::read(&own.key).unwrap();
    std::fs::copy(authority.certify("another").key, &own.key).unwrap();
    let error = server.tls.reload().unwrap_err();
    assert!(matches!(error, TlsError::OtherKey { .. }), "{error}");

    std::fs::remove_file(&own.key).unwrap();
    let error = server.tls.reload().unwrap_err();
    assert!(error.to_string().contains(own.key.to_str().unwrap()), "{error}");
    assert!(matches!(server.tls.reload_if_changed(), Ok(false)), "each error is reported once");
    std::fs::remove_file(&own.cert).unwrap();
    let error = server.tls.reload_if_changed().unwrap_err();
    assert!(error.to_string().contains(own.cert.to_str().unwrap()), "{error}");
    std::fs::write(&own.cert, &whole).unwrap();

    assert!(can_connect(&server, &trusting(&authority)).await);
    std::fs::write(&own.key, key).unwrap();
    assert!(server.tls.reload_if_changed().unwrap());
}

fn few_handshakes() -> Limits {
    Limits { tls_handshakes: 4, tls_handshake_time: PATIENCE, ..Limits::default() }
}

async fn assert_closed(connection: &mut TcpStream) {
    let end = timeout(PATIENCE, connection.read(&mut [0])).await.unwrap();
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
}

fn assert_open(connection: &TcpStream) {
    let said = connection.try_read(&mut [0]);
    assert_eq!(said.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn stalled_handshakes_are_evicted_for_new_ones() {
    let authority = Authority::new();
    let server = TlsServer::open(&authority.certify("server"), None, few_handshakes()).await;
    let mut stalled = Vec::new();
    for _ in 0..20 {
        stalled.push(TcpStream::connect(server.address()).await.unwrap());
    }
    assert!(can_connect(&server, &trusting(&authority)).await);
    assert_closed(&mut stalled[0]).await;
    assert_open(&stalled[19]);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn many_handshakes_of_one_address_evict_none_of_another() {
    let authority = Authority::new();
    let server = TlsServer::open(&authority.certify("server"), None, few_handshakes()).await;
    let honest = TcpStream::connect(server.address()).await.unwrap();
    let to = server.address().parse().unwrap();
    let mut stalled = Vec::new();
    for _ in 0..20 {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        stalled.push(socket.connect(to).await.unwrap());
    }
    for stalled in &mut stalled[..17] {
        assert_closed(stalled).await;
    }
    assert_open(&honest);
}

#[tokio::test]
async fn a_stalled_handshake_times_out() {
    let authority = Authority::new();
    let limits = Limits { tls_handshake_time: Duration::from_millis(30), ..Limits::default() };
    let server = TlsServer::open(&authority.certify("server"), None, limits).await;
    let mut stalled = TcpStream::connect(server.address()).await.unwrap();
    assert_closed(&mut stalled).await;
}
