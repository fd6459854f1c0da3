//! The collector to which spans are sent.

use std::{error::Error, str::FromStr, time::Duration};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_client::TraceServiceClient;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

/// Timeout for connection attempts and for responses; the same as in OpenTelemetry's own exporters.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The address of a collector that accepts OTLP over gRPC.
#[derive(Clone, Debug)]
pub struct Collector {
    endpoint: Endpoint,
}

/// An invalid collector address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCollectorAddress {
    /// The text is not a URL of the required form.
    #[error(
        "{address:?} is not a collector address; use http://HOST:PORT, or https://HOST:PORT for \
         TLS (collectors accept OTLP over gRPC on port 4317)"
    )]
    Url {
        /// The address that was rejected.
        address: String,
    },
    /// TLS cannot be set up.
    #[error("{address}: {detail}")]
    Tls {
        /// The address of the collector.
        address: String,
        /// Description of the error.
        detail: String,
    },
}

impl FromStr for Collector {
    type Err = InvalidCollectorAddress;

    /// Parses a URL. With `https`, the collector's certificate is verified against the system's
    /// trust store.
    fn from_str(address: &str) -> Result<Self, Self::Err> {
        let wrong = || InvalidCollectorAddress::Url {
            address: address.to_owned(),
        };
        let endpoint = Endpoint::from_shared(address.to_owned()).map_err(|_| wrong())?;
        let uri = endpoint.uri();
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let has_port = uri.port_u16().is_some_and(|port| port > 0);
        let has_user = uri.authority().is_some_and(|at| at.as_str().contains('@'));
        let is_encrypted = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong()),
        };
        if !is_bare || !has_port || has_user {
            return Err(wrong());
        }
        let endpoint = endpoint.connect_timeout(TIMEOUT).timeout(TIMEOUT);
        if !is_encrypted {
            return Ok(Self { endpoint });
        }
        let encrypted = endpoint.tls_config(ClientTlsConfig::new().with_native_roots());
        let endpoint = encrypted.map_err(|error| InvalidCollectorAddress::Tls {
            address: address.to_owned(),
            detail: with_sources(&error),
        })?;
        Ok(Self { endpoint })
    }
}

impl Collector {
    /// Creates a client. Its connection is established on first use, and reestablished after it is
    /// lost.
    pub(crate) fn client(&self) -> TraceServiceClient<Channel> {
        TraceServiceClient::new(self.endpoint.connect_lazy())
    }

    /// The URL of the collector.
    pub fn address(&self) -> String {
        self.endpoint.uri().to_string()
    }
}

/// Formats an error with its sources.
fn with_sources(error: &(dyn Error + 'static)) -> String {
    let sources = std::iter::successors(Some(error), |error| (*error).source());
    let texts: Vec<String> = sources.map(ToString::to_string).collect();
    texts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_is_a_url_with_a_port_and_nothing_else() {
        for right in ["http://127.0.0.1:4317", "https://collector.example:4317/"] {
            assert!(right.parse::<Collector>().is_ok(), "{right}");
        }
        for wrong in [
            "",
            "127.0.0.1:4317",
            "collector",
            "grpc://collector:4317",
            "http://collector",
            "http://collector:0",
            "http://collector:4317/v1/traces",
            "http://collector:4317?x=1",
            "http://user:secret@collector:4317",
        ] {
            let refused = wrong.parse::<Collector>().unwrap_err().to_string();
            assert!(refused.contains("http://HOST:PORT"), "{wrong}: {refused}");
        }
    }
}
