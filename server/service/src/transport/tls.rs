//! The certificate that the server shows, and whose certificates it asks for.

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

use super::peers::Peers;

/// The application protocols that are spoken (RFC 7301): with programs HTTP/2 alone, since clients of
/// gRPC insist on it; with browsers what they prefer.
const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// PEM files of a server's TLS.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The server's certificate, and then the ones that lead to a root.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// Certificates of those who certify clients. With it, a client without a certificate of
    /// theirs gets no connection.
    pub client_ca: Option<PathBuf>,
}

/// Why TLS files cannot be used. Keys and certificates are not repeated.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read, or has not what it should.
    #[error("{} cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// A file has no certificate.
    #[error("{} has no certificate in PEM form", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// Certificate and key do not belong together, or one of them is not of use.
    #[error("{} and {} cannot be used", cert.display(), key.display())]
    Pair {
        /// The certificate.
        cert: PathBuf,
        /// The key.
        key: PathBuf,
        /// What is wrong.
        source: rustls::Error,
    },
    /// The certificates of the client CA are not of use.
    #[error("{} cannot be used: {detail}", path.display())]
    ClientCa {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
}

/// A server's TLS. Its files can be read again while the server runs.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    configs: RwLock<Configs>,
}

/// One set of files, for those who connect.
#[derive(Clone, Debug)]
struct Configs {
    programs: Arc<ServerConfig>,
    browsers: Arc<ServerConfig>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// [`TlsError`] names the file that cannot be used.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let configs = RwLock::new(read(&files)?);
        Ok(Self { files, configs })
    }

    /// Reads the files again. Handshakes from now on use what they have; connections that there
    /// are go on.
    ///
    /// # Errors
    /// [`TlsError`] names the file that cannot be used; all stays as it was then.
    pub fn reload(&self) -> Result<(), TlsError> {
        let configs = read(&self.files)?;
        *self.configs.write() = configs;
        Ok(())
    }

    pub(super) fn current(&self, peers: Peers) -> Arc<ServerConfig> {
        let configs = self.configs.read();
        Arc::clone(match peers {
            Peers::Programs => &configs.programs,
            Peers::Browsers => &configs.browsers,
        })
    }
}

fn read(files: &TlsFiles) -> Result<Configs, TlsError> {
    let pair = |source| TlsError::Pair {
        cert: files.cert.clone(),
        key: files.key.clone(),
        source,
    };
    let chain = certificates(&files.cert)?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|source| TlsError::File {
        path: files.key.clone(),
        source,
    })?;
    // Named here: with two providers in a process, rustls would not know which to take.
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(pair)?;
    let builder = match &files.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let unusable = |detail: String| TlsError::ClientCa {
                path: path.clone(),
                detail,
            };
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
    Ok(Configs {
        programs: Arc::new(config),
        browsers: Arc::new(browsers),
    })
}

/// The certificates of a PEM file, of which there must be one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unreadable = |source| TlsError::File {
        path: path.to_owned(),
        source,
    };
    let read = CertificateDer::pem_file_iter(path).map_err(unreadable)?;
    let certificates: Vec<_> = read.collect::<Result<_, _>>().map_err(unreadable)?;
    if certificates.is_empty() {
        let path = path.to_owned();
        return Err(TlsError::NoCertificate { path });
    }
    Ok(certificates)
}
