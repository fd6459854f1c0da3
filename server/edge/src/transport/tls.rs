//! TLS: the server's certificate, and the verification of client certificates.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::{Mutex, RwLock};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use tokio_rustls::rustls::{
    self, RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject as _},
    server::{VerifierBuilderError, WebPkiClientVerifier},
};
use x509_parser::prelude::{FromDer as _, X509Certificate};

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
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The path to the file.
        path: PathBuf,
        /// The error from the file system.
        source: io::Error,
    },
    /// A file is not valid PEM.
    #[error("{} is not a valid PEM file", path.display())]
    Pem {
        /// The path to the file.
        path: PathBuf,
        /// The error from the parser.
        source: pem::Error,
    },
    /// A file contains no certificate.
    #[error("{} contains no PEM certificate (`BEGIN CERTIFICATE`)", path.display())]
    NoCertificate {
        /// The path to the file.
        path: PathBuf,
    },
    /// A file contains no key, or an encrypted key.
    #[error(
        "{} contains no unencrypted PEM key (`BEGIN PRIVATE KEY`); `openssl pkey` decrypts a key",
        path.display()
    )]
    NoKey {
        /// The path to the file.
        path: PathBuf,
    },
    /// The certificate cannot be decoded.
    #[error("the first certificate in {} is not valid X.509: {detail}", path.display())]
    InvalidCertificate {
        /// The path to the file.
        path: PathBuf,
        /// The error from the parser.
        detail: String,
    },
    /// The key belongs to another certificate.
    #[error(
        "the key {} does not belong to the first certificate in {}; the server's certificate comes \
         first, and intermediate certificates follow",
        key.display(), cert.display()
    )]
    OtherKey {
        /// The path to the certificate.
        cert: PathBuf,
        /// The path to the key.
        key: PathBuf,
    },
    /// rustls rejects the certificate or the key.
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

/// The time in which a certificate is valid, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first valid second.
    pub from_unix_s: i64,
    /// The last valid second.
    pub until_unix_s: i64,
}

/// A server's TLS configuration. The configuration can be reloaded from its files while the server
/// runs.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    loaded: RwLock<Loaded>,
    /// Locked during a reload, so that a slow reload does not replace newer files.
    last_read: Mutex<LastRead>,
}

/// The outcome of the last attempt to read the files.
#[derive(Debug)]
struct LastRead {
    /// The checksum of the content that was read last, whether it could be used or not.
    checksum: Checksum,
    /// The error if the files could not be read.
    error: Option<String>,
}

/// The configurations for both kinds of clients, from one set of files.
#[derive(Clone, Debug)]
struct Loaded {
    programs: Arc<ServerConfig>,
    browsers: Arc<ServerConfig>,
    validity: Validity,
}

impl Tls {
    /// Loads the files.
    ///
    /// # Errors
    /// Returns a [`TlsError`] that names the invalid file.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let content = Content::read(&files)?;
        let loaded = RwLock::new(content.load(&files)?);
        let last_read = LastRead { checksum: content.checksum(), error: None };
        Ok(Self { files, loaded, last_read: Mutex::new(last_read) })
    }

    /// Reloads the files. New handshakes use the reloaded files; existing connections are not
    /// affected.
    ///
    /// # Errors
    /// Returns a [`TlsError`] that names the invalid file; the previous configuration stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let mut last = self.last_read.lock();
        match Content::read(&self.files) {
            Ok(content) => self.replace(&mut last, &content),
            Err(error) => {
                last.error = Some(format!("{error:?}"));
                Err(error)
            }
        }
    }

    /// Like [`reload`](Self::reload), if a file has changed since it was read last. Returns whether
    /// the files were reloaded.
    ///
    /// # Errors
    /// Returns the errors of [`reload`](Self::reload). Invalid content, or a file that cannot be
    /// read, is an error only once.
    pub fn reload_if_changed(&self) -> Result<bool, TlsError> {
        let mut last = self.last_read.lock();
        let content = match Content::read(&self.files) {
            Ok(content) => content,
            Err(error) => {
                let description = format!("{error:?}");
                if last.error.as_ref() == Some(&description) {
                    return Ok(false);
                }
                last.error = Some(description);
                return Err(error);
            }
        };
        if last.checksum == content.checksum() {
            last.error = None;
            return Ok(false);
        }
        self.replace(&mut last, &content).map(|()| true)
    }

    /// Replaces the configuration by one from this content.
    fn replace(&self, last: &mut LastRead, content: &Content) -> Result<(), TlsError> {
        *last = LastRead { checksum: content.checksum(), error: None };
        // Created before the lock is acquired, since handshakes wait for the lock.
        let loaded = content.load(&self.files)?;
        *self.loaded.write() = loaded;
        Ok(())
    }

    /// The time in which the server's certificate is valid.
    pub fn validity(&self) -> Validity {
        self.loaded.read().validity
    }

    pub(super) fn current(&self, client_kind: ClientKind) -> Arc<ServerConfig> {
        let loaded = self.loaded.read();
        Arc::clone(match client_kind {
            ClientKind::Programs => &loaded.programs,
            ClientKind::Browsers => &loaded.browsers,
        })
    }
}

/// The checksum of all files.
type Checksum = [u8; 32];

/// The content of the files.
struct Content {
    cert: Vec<u8>,
    key: Vec<u8>,
    client_ca: Option<Vec<u8>>,
}

impl Content {
    fn read(files: &TlsFiles) -> Result<Self, TlsError> {
        let read = |path: &PathBuf| {
            fs::read(path).map_err(|source| TlsError::Read { path: path.clone(), source })
        };
        Ok(Self {
            cert: read(&files.cert)?,
            key: read(&files.key)?,
            client_ca: files.client_ca.as_ref().map(read).transpose()?,
        })
    }

    fn checksum(&self) -> Checksum {
        let parts = [Some(&self.cert), Some(&self.key), self.client_ca.as_ref()];
        let mut hash = Sha256::new();
        for part in parts.into_iter().flatten() {
            hash.update(Sha256::digest(part));
        }
        hash.finalize().into()
    }

    fn load(&self, files: &TlsFiles) -> Result<Loaded, TlsError> {
        let chain = certificates(&files.cert, &self.cert)?;
        let validity = validity(&files.cert, &chain[0])?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|error| match error {
            pem::Error::NoItemsFound => TlsError::NoKey { path: files.key.clone() },
            source => TlsError::Pem { path: files.key.clone(), source },
        })?;
        let pair = |source| {
            let (cert, key) = (files.cert.clone(), files.key.clone());
            match source {
                rustls::Error::InconsistentKeys(_) => TlsError::OtherKey { cert, key },
                source => TlsError::Pair { cert, key, source },
            }
        };
        // The provider is named explicitly, since rustls cannot choose one if a process has two.
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(pair)?;
        let builder = match files.client_ca.as_ref().zip(self.client_ca.as_ref()) {
            None => builder.with_no_client_auth(),
            Some((path, content)) => {
                let unusable = |detail: String| TlsError::ClientCa { path: path.clone(), detail };
                let mut roots = RootCertStore::empty();
                for certificate in certificates(path, content)? {
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
        Ok(Loaded { programs: Arc::new(config), browsers: Arc::new(browsers), validity })
    }
}

/// Parses the certificates in a PEM file. The file must contain at least one certificate.
fn certificates(path: &Path, content: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates = CertificateDer::pem_slice_iter(content).collect::<Result<Vec<_>, _>>();
    match certificates {
        Ok(certificates) if certificates.is_empty() => {
            Err(TlsError::NoCertificate { path: path.to_owned() })
        }
        certificates => {
            certificates.map_err(|source| TlsError::Pem { path: path.to_owned(), source })
        }
    }
}

fn validity(path: &Path, certificate: &CertificateDer<'_>) -> Result<Validity, TlsError> {
    let parsed = X509Certificate::from_der(certificate);
    let (_, parsed) = parsed.map_err(|error| TlsError::InvalidCertificate {
        path: path.to_owned(),
        detail: error.to_string(),
    })?;
    let validity = parsed.validity();
    Ok(Validity {
        from_unix_s: validity.not_before.timestamp(),
        until_unix_s: validity.not_after.timestamp(),
    })
}
