//! Describes the process that emits the spans.

use crate::SpanId;

/// The process that emits the spans. OpenTelemetry calls its properties resource attributes.
#[derive(Clone, Debug)]
pub struct Source {
    /// The `service.name` attribute.
    pub name: String,
    /// The `service.version` attribute.
    pub version: String,
    /// The `service.instance.id` attribute.
    pub instance: String,
}

impl Source {
    /// Describes a server with this version. `instance` is the node's name or, without a node, a
    /// random identifier that differs for each start.
    pub fn server(version: &str, node: Option<&str>) -> Self {
        let drawn = || format!("{:016x}", u64::from_be_bytes(SpanId::generate().0));
        Self {
            name: "bridgemaster".to_owned(),
            version: version.to_owned(),
            instance: node.map_or_else(drawn, str::to_owned),
        }
    }
}
