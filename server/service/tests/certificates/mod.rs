//! Certificates of the test's own making.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

/// One who certifies, with a folder for the files.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: TempDir,
}

/// The files of a certificate and its private key.
pub(crate) struct Certified {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        // A name of its own: by the names alone, OpenSSL would take what it certifies for
        // self-signed.
        params
            .distinguished_name
            .push(DnType::CommonName, "authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let own = params.self_signed(&key).unwrap();
        std::fs::write(folder.path().join("ca.pem"), own.pem()).unwrap();
        Self {
            issuer: Issuer::new(params, key),
            folder,
        }
    }

    /// The file for those who trust this authority.
    pub(crate) fn ca(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// A certificate for a server on loopback, or for a client.
    pub(crate) fn certify(&self, name: &str) -> Certified {
        let names = ["127.0.0.1", "localhost"].map(str::to_owned);
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap();
        let file = |kind| self.folder.path().join(format!("{name}.{kind}.pem"));
        let certified = Certified {
            cert: file("cert"),
            key: file("key"),
        };
        std::fs::write(&certified.cert, cert.pem()).unwrap();
        std::fs::write(&certified.key, key.serialize_pem()).unwrap();
        certified
    }
}
