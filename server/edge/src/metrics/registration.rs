//! Creates a registry, and registers metrics in it.

use std::borrow::Cow;

use bridgemaster_store::NodeName;
use prometheus_client::{
    metrics::info::Info,
    registry::{Metric, Registry, Unit},
};

/// Bucket bounds for the length of one lag, in seconds. Delays below the first bound do not count
/// as lag.
pub(super) const LAG_BOUNDS: [f64; 8] = [0.01, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0];

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

/// Declares a set of metrics: for each its field and type, the function that registers it, its name
/// and help, and its initial value unless that is the default.
macro_rules! metrics {
    ($(#[$doc:meta])* struct $set:ident {
        $($field:ident: $metric:ty = $add:ident($name:literal, $help:literal $(, $initial:expr)?),)*
    }) => {
        $(#[$doc])*
        pub(super) struct $set {
            $(pub(super) $field: $metric,)*
        }

        impl $set {
            pub(super) fn register(registry: &mut Registry) -> Self {
                Self { $($field: $add(registry, $name, $help, initial!($($initial)?)),)* }
            }
        }
    };
}

macro_rules! initial {
    () => {
        Default::default()
    };
    ($initial:expr) => {
        $initial
    };
}

pub(super) use {initial, metrics};
