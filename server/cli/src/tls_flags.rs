//! The TLS of a server on the command line.

use std::{path::PathBuf, sync::Arc};

use bridgemaster_server::{Tls, TlsFiles};
use clap::Args;

use super::failure::misuse;

#[derive(Args)]
#[group(skip)]
pub(super) struct TlsFlags {
    /// Encrypt connections: PEM file with the server's certificate chain; reloaded on SIGHUP
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// PEM file with the private key of the certificate; reloaded on SIGHUP
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Require client certificates issued by the authorities in this PEM file
    #[arg(long, value_name = "FILE")]
    tls_client_ca: Option<PathBuf>,
}

impl TlsFlags {
    /// These flags, with the given files as defaults.
    pub(super) fn or(
        self,
        cert: Option<PathBuf>,
        key: Option<PathBuf>,
        client_ca: Option<PathBuf>,
    ) -> anyhow::Result<Self> {
        let files = Self {
            tls_cert: self.tls_cert.or(cert),
            tls_key: self.tls_key.or(key),
            tls_client_ca: self.tls_client_ca.or(client_ca),
        };
        let missing = match (&files.tls_cert, &files.tls_key) {
            (Some(_), Some(_)) => return Ok(files),
            (None, None) if files.tls_client_ca.is_none() => return Ok(files),
            (Some(_), None) => "--tls-key",
            (None, _) => "--tls-cert",
        };
        Err(misuse(format!(
            "TLS needs a certificate and its key: {missing} FILE is missing"
        )))
    }

    /// Whether connections are to be encrypted.
    pub(super) fn is_given(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Reads the files, if connections are to be encrypted.
    pub(super) fn load(&self) -> anyhow::Result<Option<Arc<Tls>>> {
        let (Some(cert), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        let files = TlsFiles {
            cert: cert.clone(),
            key: key.clone(),
            client_ca: self.tls_client_ca.clone(),
        };
        let tls = Tls::load(files).map_err(|error| misuse(error.to_string()))?;
        Ok(Some(Arc::new(tls)))
    }
}

/// Reloads the files on SIGHUP, which then no longer ends the process, with TLS or without. Files
/// that cannot be used are logged, and the old ones stay in use.
#[cfg(unix)]
pub(super) fn reload_on_hangup(tls: Option<Arc<Tls>>) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    use tracing::{error, warn};

    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            // Warnings, since they are to be seen at every level of logging.
            match tls.as_ref().map(|tls| tls.reload()) {
                None => warn!("SIGHUP is ignored: without TLS there are no files to read again"),
                Some(Ok(())) => warn!("the TLS files are read again"),
                Some(Err(error)) => error!(
                    error = &error as &dyn std::error::Error,
                    "the TLS files stay as they were"
                ),
            }
        }
    });
    Ok(())
}

/// Does nothing: there is no such signal.
#[cfg(not(unix))]
pub(super) fn reload_on_hangup(_tls: Option<Arc<Tls>>) -> std::io::Result<()> {
    Ok(())
}
