//! Metrics of the process, with the names that all Prometheus clients use.

use std::fmt;

use bridgemaster_store::NodeName;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric as _},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
    registry::Registry,
};

use super::registration::node_label;
use crate::cpu_time::cpu_time;

/// Returns the metrics of this process. Only Linux reports them.
pub(super) fn registry(name: Option<&NodeName>) -> Registry {
    let mut registry = Registry::with_labels(node_label(name));
    registry.register_collector(Box::new(ProcessCollector));
    registry
}

/// Reads the statistics of this process at each scrape.
#[derive(Debug)]
struct ProcessCollector;

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let memory = "Memory of the process in RAM, in bytes";
        let files = "Open file descriptors of the process";
        for (name, help, value) in [
            ("process_resident_memory_bytes", memory, resident_bytes()),
            ("process_open_fds", files, open_files()),
        ] {
            if let Some(gauge) = value.map(ConstGauge::new) {
                gauge.encode(encoder.encode_descriptor(
                    name,
                    help,
                    None,
                    gauge.metric_type(),
                )?)?;
            }
        }
        if let Some(time) = cpu_time() {
            let cpu = ConstCounter::new(time.as_secs_f64());
            let (name, help) = ("process_cpu_seconds", "CPU time of the process, in seconds");
            cpu.encode(encoder.encode_descriptor(name, help, None, cpu.metric_type())?)?;
        }
        Ok(())
    }
}

fn resident_bytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

fn open_files() -> Option<i64> {
    let files = std::fs::read_dir("/proc/self/fd").ok()?.count();
    // The folder itself is open meanwhile.
    i64::try_from(files.saturating_sub(1)).ok()
}
