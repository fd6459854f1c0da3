//! Connections to a cluster's other nodes, for `--forward`.

use std::sync::Arc;

use bridgemaster_sdk::{TlsOptions, endpoint};
use bridgemaster_server::NodeConnector;

use super::settings::Settings;
use crate::failure::misuse;

/// Returns the function that connects to other nodes; `None` if calls are not forwarded. If this
/// server uses TLS, these connections use TLS too, with the client TLS options from the
/// environment.
///
/// # Errors
/// The TLS files are invalid.
pub(super) fn connector(settings: &Settings) -> anyhow::Result<Option<NodeConnector>> {
    let Some(own) = settings.node.address.as_ref().filter(|_| settings.forward) else {
        return Ok(None);
    };
    let scheme = if settings.tls.is_enabled() {
        "https"
    } else {
        "http"
    };
    let tls = TlsOptions::from_env();
    let connector: NodeConnector = Arc::new(move |address| {
        let endpoint = endpoint(&format!("{scheme}://{address}"), &tls);
        endpoint.map_err(|error| error.to_string())
    });
    // Report invalid files at startup instead of at the first call.
    connector(own.as_str()).map_err(|problem| misuse(format!("--forward: {problem}")))?;
    Ok(Some(connector))
}
