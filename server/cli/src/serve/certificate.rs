//! The TLS files of a server: loading, reloading, and warnings about the certificate.

use std::{error::Error, io, sync::Arc, time::Duration};

use bridgemaster_server::{Tls, TlsError, TlsFiles, Validity};
use tokio::time::interval;
use tracing::{error, warn};

use crate::{
    failure::{misuse, with_causes},
    process::Hangups,
    quantities::{now_unix_ms, utc},
    serve::settings::Settings,
};

/// Interval at which the files are checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// Interval at which a certificate that clients refuse is reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// Loads the files; `None` without TLS.
pub(super) fn load(settings: &Settings) -> anyhow::Result<Option<Arc<Tls>>> {
    let (Some(cert), Some(key)) = (&settings.tls_cert, &settings.tls_key) else {
        return Ok(None);
    };
    let files = TlsFiles {
        cert: cert.clone(),
        key: key.clone(),
        client_ca: settings.tls_client_ca.clone(),
    };
    let tls = Tls::load(files).map_err(|error| misuse(with_causes(&error.into())))?;
    Ok(Some(Arc::new(tls)))
}

/// Reloads the files on SIGHUP, and within a minute after they change. Reports an invalid
/// certificate now and once a day. SIGHUP never ends the process, even without TLS.
pub(super) fn watch(tls: Option<Arc<Tls>>) -> io::Result<()> {
    tokio::spawn(reload_on_hangup(Hangups::new()?, tls.clone()));
    if let Some(tls) = tls {
        tokio::spawn(check_periodically(tls));
    }
    Ok(())
}

async fn reload_on_hangup(mut hangups: Hangups, tls: Option<Arc<Tls>>) {
    loop {
        hangups.next().await;
        match &tls {
            None => warn!("SIGHUP ignored: without TLS there are no files to reload"),
            Some(tls) => log_reload(tls, tls.reload()),
        }
    }
}

async fn check_periodically(tls: Arc<Tls>) {
    let (mut checks, mut reports) = (interval(CHECK_INTERVAL), interval(REPORT_INTERVAL));
    loop {
        tokio::select! {
            _ = checks.tick() => match tls.reload_if_changed() {
                Ok(false) => {}
                changed => log_reload(&tls, changed.map(drop)),
            },
            _ = reports.tick() => warn_if_refused(tls.validity()),
        }
    }
}

/// Logs the result of a reload as a warning, so that it appears at the default log level.
fn log_reload(tls: &Tls, reloaded: Result<(), TlsError>) {
    match reloaded {
        Ok(()) => {
            warn!("TLS files reloaded");
            warn_if_refused(tls.validity());
        }
        Err(error) => error!(
            error = &error as &dyn Error,
            "TLS files not reloaded; previous files stay in use"
        ),
    }
}

/// Warns of a certificate that clients refuse, because it has expired or is not yet valid.
fn warn_if_refused(Validity { from_unix_s, until_unix_s }: Validity) {
    const ADVICE: &str = "clients refuse it; replace the files, which are reloaded within a minute";
    let now = now_unix_ms() / 1_000;
    if now > until_unix_s {
        let until = utc(until_unix_s.saturating_mul(1_000));
        warn!(until, "the TLS certificate has expired: {ADVICE}");
    } else if now < from_unix_s {
        let from = utc(from_unix_s.saturating_mul(1_000));
        warn!(from, "the TLS certificate is not yet valid: {ADVICE}");
    }
}
