//! Whose spans they are.

use crate::SpanId;

/// Whose spans they are.
#[derive(Clone, Debug)]
pub struct Source {
    /// What kind of program: `service.name`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Which of the programs of its kind: `service.instance.id`.
    pub instance: String,
}

impl Source {
    /// A server of this version. Where servers have names, its name is its instance; else each start
    /// is one of its own.
    pub fn server(version: &str, node: Option<&str>) -> Self {
        let drawn = || format!("{:016x}", u64::from_be_bytes(SpanId::draw().0));
        Self {
            name: "bridgemaster".to_owned(),
            version: version.to_owned(),
            instance: node.map_or_else(drawn, str::to_owned),
        }
    }
}
