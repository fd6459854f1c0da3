//! The address of the server, and TLS connections to it from separate loopback addresses.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bridgemaster_proto::v1::match_service_client::MatchServiceClient;
use bridgemaster_sdk::{TlsOptions, endpoint};
use tokio::{
    net::{TcpSocket, TcpStream},
    time::timeout,
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, ClientConnection, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};
use tonic::transport::Channel;

/// Longest time to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A server with TLS, and its metrics port.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) server: SocketAddr,
    pub(crate) metrics: SocketAddr,
    /// CA of the server.
    ca: PathBuf,
    tls: Arc<ClientConfig>,
}

impl Target {
    pub(crate) fn new(server: SocketAddr, metrics: SocketAddr, ca: &Path) -> Self {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(ca).unwrap() {
            roots.add(certificate.unwrap()).unwrap();
        }
        let mut tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        tls.alpn_protocols = vec![b"h2".to_vec()];
        Self { server, metrics, ca: ca.to_owned(), tls: Arc::new(tls) }
    }

    /// Returns the target as arguments of another process.
    pub(crate) fn to_words(&self) -> [String; 3] {
        let ca = self.ca.display().to_string();
        [self.server.to_string(), self.metrics.to_string(), ca]
    }

    /// Parses the output of [`Target::to_words`]; `None` if it is something else.
    pub(crate) fn from_words([server, metrics, ca]: [&str; 3]) -> Option<Self> {
        let (server, metrics) = (server.parse().ok()?, metrics.parse().ok()?);
        Some(Self::new(server, metrics, Path::new(ca)))
    }

    /// Opens a gRPC channel from a loopback address.
    pub(crate) fn channel_from(&self, from: u8) -> Channel {
        let tls = TlsOptions { ca: Some(self.ca.clone()), ..TlsOptions::default() };
        let endpoint = endpoint(&format!("https://{}", self.server), &tls).unwrap();
        let from = Ipv4Addr::new(127, 0, 0, from);
        endpoint.local_address(Some(from.into())).connect_lazy()
    }

    pub(crate) fn matches_from(&self, from: u8) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel_from(from))
    }

    /// Opens a connection without TLS, to the server or its metrics port. On Linux, all addresses
    /// in 127.0.0.0/8 are loopback addresses.
    pub(crate) async fn tcp(&self, from: u8, to: SocketAddr) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::new(127, 0, 0, from), 0).into())?;
        let stream = timeout(CONNECT_TIMEOUT, socket.connect(to)).await??;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Opens a connection with TLS.
    pub(crate) async fn tls(&self, from: u8) -> io::Result<TlsStream<TcpStream>> {
        let tcp = self.tcp(from, self.server).await?;
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        timeout(CONNECT_TIMEOUT, connector.connect(self.name(), tcp)).await?
    }

    /// Returns the first bytes of a handshake.
    pub(crate) fn client_hello(&self) -> Vec<u8> {
        let mut hello = Vec::new();
        let mut client = ClientConnection::new(Arc::clone(&self.tls), self.name()).unwrap();
        client.write_tls(&mut hello).unwrap();
        hello
    }

    fn name(&self) -> ServerName<'static> {
        self.server.ip().into()
    }
}
