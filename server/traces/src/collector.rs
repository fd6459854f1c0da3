//! Where spans are sent.

use std::{error::Error, str::FromStr, time::Duration};

use tonic::{
    Status,
    client::Grpc,
    codegen::http::uri::PathAndQuery,
    transport::{Channel, ClientTlsConfig, Endpoint},
};
use tonic_prost::ProstCodec;

use crate::messages::{ExportTraceServiceRequest, ExportTraceServiceResponse};

/// The call of OTLP that takes spans.
const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
/// Longest time for a connection, and longest for an answer: what OpenTelemetry's own exporters wait.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Where spans are sent: a collector that takes OTLP over gRPC.
#[derive(Clone, Debug)]
pub struct Collector {
    endpoint: Endpoint,
}

/// An address that no collector can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCollector {
    /// It is no such URL.
    #[error(
        "{address:?} is no address of a collector: it is http://HOST:PORT, or with TLS \
         https://HOST:PORT; collectors take OTLP over gRPC at the port 4317"
    )]
    Url {
        /// What was given.
        address: String,
    },
    /// TLS cannot be used.
    #[error("{address}: {detail}")]
    Tls {
        /// What was given.
        address: String,
        /// What is wrong.
        detail: String,
    },
}

impl FromStr for Collector {
    type Err = InvalidCollector;

    /// With `https` the collector's certificate is checked against those that the system trusts.
    fn from_str(address: &str) -> Result<Self, Self::Err> {
        let wrong = || InvalidCollector::Url {
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
        let endpoint = match is_encrypted {
            false => endpoint,
            true => endpoint
                .tls_config(ClientTlsConfig::new().with_native_roots())
                .map_err(|error| InvalidCollector::Tls {
                    address: address.to_owned(),
                    detail: with_sources(&error),
                })?,
        };
        Ok(Self { endpoint })
    }
}

impl Collector {
    /// A connection, which is made when something is sent, and again when it is lost.
    pub(crate) fn connect(&self) -> Connection {
        Connection {
            grpc: Grpc::new(self.endpoint.connect_lazy()),
        }
    }

    /// Its address.
    pub fn address(&self) -> String {
        self.endpoint.uri().to_string()
    }
}

/// A connection to a collector.
pub(crate) struct Connection {
    grpc: Grpc<Channel>,
}

impl Connection {
    /// Sends spans.
    ///
    /// # Errors
    /// When the collector has not taken them.
    pub(crate) async fn export(
        &mut self,
        spans: ExportTraceServiceRequest,
    ) -> Result<ExportTraceServiceResponse, Status> {
        let unavailable = |error| Status::unavailable(with_sources(&error));
        self.grpc.ready().await.map_err(unavailable)?;
        let codec: ProstCodec<_, ExportTraceServiceResponse> = ProstCodec::default();
        let path = PathAndQuery::from_static(EXPORT);
        let request = tonic::Request::new(spans);
        let answered = self.grpc.unary(request, path, codec).await?;
        Ok(answered.into_inner())
    }
}

/// An error with its causes.
fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
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
