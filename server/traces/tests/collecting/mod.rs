//! A collector that records spans. The tests of other crates include this module.

use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value},
    trace::v1::Span,
};
use prost::Message as _;
use tokio::{net::TcpListener, sync::watch};
use tokio_stream::wrappers::TcpListenerStream;
use tokio_util::task::AbortOnDropHandle;
use tonic::{
    Request, Response, Status,
    transport::{Server, ServerTlsConfig},
};

/// A span that the collector received.
#[derive(Clone, Debug)]
pub(crate) struct Collected {
    /// The resource attributes of the process that sent the span.
    pub(crate) source: Vec<KeyValue>,
    pub(crate) span: Span,
}

/// A running collector. Dropping this value stops it.
pub(crate) struct Collecting {
    pub(crate) address: String,
    collected: watch::Receiver<Vec<Collected>>,
    bytes: Arc<Mutex<Vec<u8>>>,
    _serving: AbortOnDropHandle<()>,
}

struct Service {
    collected: watch::Sender<Vec<Collected>>,
    bytes: Arc<Mutex<Vec<u8>>>,
    /// The response to the first call.
    refusal: Mutex<Option<Status>>,
}

/// Returns the value of an attribute, formatted as text.
pub(crate) fn attribute<'a>(attributes: &'a [KeyValue], name: &str) -> Option<String> {
    let mut named = attributes.iter().filter(|one| one.key == name);
    let one: &'a KeyValue = named.next()?;
    assert!(named.next().is_none(), "{name} occurs twice");
    Some(match one.value.clone()?.value? {
        any_value::Value::StringValue(text) => text,
        any_value::Value::IntValue(number) => number.to_string(),
        any_value::Value::BoolValue(flag) => flag.to_string(),
        other => panic!("{name}: {other:?}"),
    })
}

impl Collected {
    /// Returns the instance of the process that sent the span.
    pub(crate) fn instance(&self) -> String {
        attribute(&self.source, "service.instance.id").unwrap()
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        attribute(&self.span.attributes, name)
    }
}

#[tonic::async_trait]
impl TraceService for Service {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let (metadata, _, message) = request.into_parts();
        let mut bytes = self.bytes.lock().unwrap();
        bytes.extend(format!("{metadata:?}").bytes());
        bytes.extend(message.encode_to_vec());
        drop(bytes);
        self.collected.send_modify(|collected| {
            for of_source in message.resource_spans {
                let source = of_source.resource.unwrap().attributes;
                for span in of_source.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                    let source = source.clone();
                    collected.push(Collected { source, span });
                }
            }
        });
        match self.refusal.lock().unwrap().take() {
            Some(refusal) => Err(refusal),
            None => Ok(Response::new(ExportTraceServiceResponse::default())),
        }
    }
}

impl Collecting {
    pub(crate) async fn start() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    pub(crate) fn on(listener: TcpListener) -> Self {
        Self::serving(listener, None, None)
    }

    /// Starts a collector that refuses its first call with this status.
    pub(crate) async fn refusing(refusal: Status) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::serving(listener, None, Some(refusal))
    }

    /// Starts a collector with TLS.
    pub(crate) async fn encrypted(tls: ServerTlsConfig) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::serving(listener, Some(tls), None)
    }

    fn serving(
        listener: TcpListener,
        tls: Option<ServerTlsConfig>,
        refusal: Option<Status>,
    ) -> Self {
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = format!("{scheme}://{}", listener.local_addr().unwrap());
        let (sender, collected) = watch::channel(Vec::new());
        let bytes = Arc::<Mutex<Vec<u8>>>::default();
        let service = TraceServiceServer::new(Service {
            collected: sender,
            bytes: Arc::clone(&bytes),
            refusal: Mutex::new(refusal),
        });
        let serving = tokio::spawn(async move {
            let incoming = TcpListenerStream::new(listener);
            let mut server = Server::builder();
            if let Some(tls) = tls {
                server = server.tls_config(tls).unwrap();
            }
            let router = server.add_service(service);
            router.serve_with_incoming(incoming).await.unwrap();
        });
        Self { address, collected, bytes, _serving: AbortOnDropHandle::new(serving) }
    }

    /// Returns the spans received so far.
    pub(crate) fn spans(&self) -> Vec<Collected> {
        self.collected.borrow().clone()
    }

    /// Waits until `enough` accepts the received spans, and returns them.
    pub(crate) async fn until(&self, enough: impl Fn(&[Collected]) -> bool) -> Vec<Collected> {
        let mut collected = self.collected.clone();
        let enough = collected.wait_for(|collected| enough(collected));
        enough.await.unwrap().clone()
    }

    /// Returns all received bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }
}
