//! Command-line flags for a server's TLS files.

use std::{path::PathBuf, sync::Arc};

use bridgemaster_server::{Tls, TlsFiles};
use clap::Args;

use super::failure::misuse;

#[derive(Args)]
#[group(skip)]
pub(super) struct TlsFlags {
    /// PEM file with the certificate chain; enables TLS, reloaded on SIGHUP
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// PEM file with the private key of the certificate, reloaded on SIGHUP
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Require client certificates issued by a CA in this PEM file
    #[arg(long, value_name = "FILE")]
    tls_client_ca: Option<PathBuf>,
}

impl TlsFlags {
    /// Returns the flags with the given files as defaults.
    ///
    /// # Errors
    /// Misuse if a certificate or its key is missing.
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
            "TLS needs a certificate and its key; add {missing} FILE"
        )))
    }

    /// Returns whether the server uses TLS.
    pub(super) fn is_enabled(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Reads the files; `None` without TLS.
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

/// Reloads the files on SIGHUP. If the new files are invalid, logs the error and continues with the
/// previous files. SIGHUP then never ends the process, even without TLS.
#[cfg(unix)]
pub(super) fn reload_on_hangup(tls: Option<Arc<Tls>>) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    use tracing::{error, warn};

    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            // Results are logged as warnings, so that they are visible at the default log level.
            match tls.as_ref().map(|tls| tls.reload()) {
                None => warn!("SIGHUP ignored: without TLS there are no files to reload"),
                Some(Ok(())) => warn!("TLS files reloaded"),
                Some(Err(error)) => error!(
                    error = &error as &dyn std::error::Error,
                    "TLS files not reloaded; previous files stay in use"
                ),
            }
        }
    });
    Ok(())
}

/// Does nothing, since this system does not have this signal.
#[cfg(not(unix))]
pub(super) fn reload_on_hangup(_tls: Option<Arc<Tls>>) -> std::io::Result<()> {
    Ok(())
}
