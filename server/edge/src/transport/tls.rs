//! TLS: the server's certificate, and the verification of client certificates.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::RwLock;
use thiserror::Error;
use tokio_rustls::rustls::{
    self, RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject as _},
    server::{VerifierBuilderError, WebPkiClientVerifier},
};

use super::ClientKind;

/// The ALPN protocols (RFC 7301): only HTTP/2 for programs, since gRPC clients require it; HTTP/2
/// and HTTP/1.1 for browsers.
const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// The paths of a server's PEM files.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The server's certificate, followed by its intermediate certificates.
    pub cert: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
    /// The certificates of the authorities that issue client certificates. If set, clients without
    /// a certificate from one of these authorities cannot connect.
    pub client_ca: Option<PathBuf>,
}

/// An error in TLS files. The error contains no keys or certificates.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read or parsed.
    #[error("cannot read {}", path.display())]
    File {
        /// The path to the file.
        path: PathBuf,
        /// The error from the file system or the parser.
        source: pem::Error,
    },
    /// A file contains no certificate.
    #[error("{} contains no PEM certificate", path.display())]
    NoCertificate {
        /// The path to the file.
        path: PathBuf,
    },
    /// The certificate and the key do not match, or rustls rejects one of them.
    #[error("cannot use the certificate {} with the key {}", cert.display(), key.display())]
    Pair {
        /// The path to the certificate.
        cert: PathBuf,
        /// The path to the key.
        key: PathBuf,
        /// The error that rustls returned.
        source: rustls::Error,
    },
    /// The client CA's certificates are invalid.
    #[error("cannot use the client CA {}: {detail}", path.display())]
    ClientCa {
        /// The path to the file.
        path: PathBuf,
        /// The reason, as reported by rustls.
        detail: String,
    },
}

/// A server's TLS configuration. The configuration can be reloaded from its files while the server
/// runs.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    configs: RwLock<TlsConfigs>,
}

/// The configurations for both kinds of clients, from one set of files.
#[derive(Clone, Debug)]
struct TlsConfigs {
    programs: Arc<ServerConfig>,
    browsers: Arc<ServerConfig>,
}

impl Tls {
    /// Loads the files.
    ///
    /// # Errors
    /// [`TlsError`] names the file that is invalid.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let configs = RwLock::new(read(&files)?);
        Ok(Self { files, configs })
    }

    /// Reloads the files. New handshakes use the reloaded files; existing connections are not
    /// affected.
    ///
    /// # Errors
    /// [`TlsError`] names the file that is invalid; the previous configuration stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let configs = read(&self.files)?;
        *self.configs.write() = configs;
        Ok(())
    }

    pub(super) fn current(&self, client_kind: ClientKind) -> Arc<ServerConfig> {
        let configs = self.configs.read();
        Arc::clone(match client_kind {
            ClientKind::Programs => &configs.programs,
            ClientKind::Browsers => &configs.browsers,
        })
    }
}

fn read(files: &TlsFiles) -> Result<TlsConfigs, TlsError> {
    let pair = |source| TlsError::Pair { cert: files.cert.clone(), key: files.key.clone(), source };
    let chain = certificates(&files.cert)?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|source| TlsError::File { path: files.key.clone(), source })?;
    // The provider is named explicitly, since rustls cannot choose one if a process has two.
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(pair)?;
    let builder = match &files.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let unusable = |detail: String| TlsError::ClientCa { path: path.clone(), detail };
            let mut roots = RootCertStore::empty();
            for certificate in certificates(path)? {
                let added = roots.add(certificate);
                added.map_err(|error| unusable(error.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider)
                .build()
                .map_err(|error: VerifierBuilderError| unusable(error.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(pair)?;
    config.alpn_protocols = vec![HTTP2.to_vec()];
    let mut browsers = config.clone();
    browsers.alpn_protocols.push(HTTP1.to_vec());
    Ok(TlsConfigs { programs: Arc::new(config), browsers: Arc::new(browsers) })
}

/// Reads the certificates in a PEM file. The file must contain at least one certificate.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unreadable = |source| TlsError::File { path: path.to_owned(), source };
    let read = CertificateDer::pem_file_iter(path).map_err(unreadable)?;
    let certificates: Vec<_> = read.collect::<Result<_, _>>().map_err(unreadable)?;
    if certificates.is_empty() {
        let path = path.to_owned();
        return Err(TlsError::NoCertificate { path });
    }
    Ok(certificates)
}
