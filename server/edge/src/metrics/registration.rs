//! Creates a registry, and registers metrics in it.

use std::borrow::Cow;

use bridgemaster_store::NodeName;
use prometheus_client::{
    metrics::info::Info,
    registry::{Metric, Registry, Unit},
};

/// Creates a server's registry. A node's name becomes a label of all series.
pub(super) fn registry(name: Option<&NodeName>) -> Registry {
    let mut registry = Registry::with_prefix_and_labels("bridgemaster", node_label(name));
    let version = vec![("version", crate::VERSION)];
    registry.register("build", "The server", Info::new(version));
    registry
}

/// Returns the label with the name of the node.
pub(super) fn node_label(
    name: Option<&NodeName>,
) -> impl Iterator<Item = (Cow<'static, str>, Cow<'static, str>)> {
    let label = name.map(|name| (Cow::from("node"), Cow::from(name.to_string())));
    label.into_iter()
}

pub(super) fn add<M: Metric + Clone>(
    registry: &mut Registry,
    name: &str,
    help: &str,
    metric: M,
) -> M {
    registry.register(name, help, metric.clone());
    metric
}

pub(super) fn add_seconds<M: Metric + Clone>(
    registry: &mut Registry,
    name: &str,
    help: &str,
    metric: M,
) -> M {
    registry.register_with_unit(name, help, Unit::Seconds, metric.clone());
    metric
}
