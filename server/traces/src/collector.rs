//! The collector to which spans are sent.

use std::{error::Error, str::FromStr, time::Duration};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_client::TraceServiceClient;
use percent_encoding::percent_decode_str;
use tonic::{
    Request, Status,
    metadata::{AsciiMetadataKey, AsciiMetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::{Channel, ClientTlsConfig, Endpoint},
};

/// Environment variable with the headers that are sent to the collector, such as
/// `authorization=Bearer%20TOKEN,tenant=a`: names and percent-encoded values.
pub const HEADERS_VARIABLE: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// Timeout for connection attempts and for responses; the same as in OpenTelemetry's own exporters.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The address of a collector that accepts OTLP over gRPC.
#[derive(Clone, Debug)]
pub struct Collector {
    endpoint: Endpoint,
    headers: Headers,
}

/// The headers of each call, which can be secrets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers(Vec<(AsciiMetadataKey, AsciiMetadataValue)>);

impl Interceptor for Headers {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for (name, value) in &self.0 {
            request.metadata_mut().insert(name.clone(), value.clone());
        }
        Ok(request)
    }
}

/// An invalid list of headers. The error does not repeat the list, which can contain secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{HEADERS_VARIABLE}: entry {entry} is not a header; write NAME=VALUE, separated by commas, with \
     percent-encoded values"
)]
pub struct InvalidHeaders {
    /// The number of the invalid entry, from 1.
    pub entry: usize,
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

/// A client that adds the headers to each call.
pub(crate) type CollectorClient = TraceServiceClient<InterceptedService<Channel, Headers>>;

impl FromStr for Collector {
    type Err = InvalidCollectorAddress;

    /// Parses a URL. With `https`, the collector's certificate is verified against the system's
    /// trust store.
    fn from_str(address: &str) -> Result<Self, Self::Err> {
        let wrong = || InvalidCollectorAddress::Url { address: address.to_owned() };
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
            return Ok(Self { endpoint, headers: Headers::default() });
        }
        let encrypted = endpoint.tls_config(ClientTlsConfig::new().with_native_roots());
        let endpoint = encrypted.map_err(|error| InvalidCollectorAddress::Tls {
            address: address.to_owned(),
            detail: with_sources(&error),
        })?;
        Ok(Self { endpoint, headers: Headers::default() })
    }
}

impl Collector {
    /// Creates a client. Its connection is established on first use, and reestablished after it is
    /// lost.
    pub(crate) fn client(&self) -> CollectorClient {
        TraceServiceClient::with_interceptor(self.endpoint.connect_lazy(), self.headers.clone())
    }

    /// Adds the headers of [`HEADERS_VARIABLE`] to each call.
    ///
    /// # Errors
    /// Returns an error if an entry is not of the form NAME=VALUE.
    pub fn with_headers(mut self, text: &str) -> Result<Self, InvalidHeaders> {
        let entries = text.split(',').zip(1..);
        for (entry, number) in entries.filter(|(entry, _)| !entry.trim().is_empty()) {
            let header = parse_header(entry).ok_or(InvalidHeaders { entry: number })?;
            self.headers.0.push(header);
        }
        Ok(self)
    }

    /// The URL of the collector.
    pub fn address(&self) -> String {
        self.endpoint.uri().to_string()
    }
}

fn parse_header(entry: &str) -> Option<(AsciiMetadataKey, AsciiMetadataValue)> {
    let (name, value) = entry.split_once('=')?;
    let name = name.trim().to_ascii_lowercase().parse().ok()?;
    let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
    let mut value: AsciiMetadataValue = value.parse().ok()?;
    // Hides the value in debug output.
    value.set_sensitive(true);
    Some((name, value))
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

    #[tokio::test]
    async fn an_invalid_header_is_refused_without_repeating_its_value() {
        let collector: Collector = "http://127.0.0.1:4317".parse().unwrap();
        assert!(collector.clone().with_headers(" a = b, , c=").is_ok());
        for wrong in ["a=b,hush", "a=b,hu sh=1", "a=b,x=hush%0a"] {
            let refused = collector.clone().with_headers(wrong).unwrap_err();
            assert_eq!(refused, InvalidHeaders { entry: 2 });
            assert!(!refused.to_string().contains("hush"), "{refused}");
        }
        let secret = collector.with_headers("a=hush").unwrap();
        assert!(!format!("{secret:?}").contains("hush"), "{secret:?}");
    }
}
