//! How the other servers of a cluster are reached, for `--forward`.

use std::sync::Arc;

use bridgemaster_sdk::{TlsOptions, endpoint};
use bridgemaster_server::Dial;

use super::settings::Settings;
use crate::failure::misuse;

/// How they are reached, if calls are passed on: with TLS if this server has it, as every client
/// reaches a server.
///
/// # Errors
/// When the files of TLS cannot be used.
pub(super) fn dial(settings: &Settings) -> anyhow::Result<Option<Dial>> {
    let Some(own) = settings.node.address.as_ref().filter(|_| settings.forward) else {
        return Ok(None);
    };
    let scheme = if settings.tls.is_given() {
        "https"
    } else {
        "http"
    };
    let tls = TlsOptions::from_env();
    let dial: Dial = Arc::new(move |address| {
        let reached = endpoint(&format!("{scheme}://{address}"), &tls);
        reached.map_err(|error| error.to_string())
    });
    // What is wrong with the files is told now, and not with the first call.
    dial(own.as_str()).map_err(|problem| misuse(format!("--forward: {problem}")))?;
    Ok(Some(dial))
}
