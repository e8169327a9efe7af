//! What the operating system knows about this process, under the names that every exporter uses.

use std::fmt;

use metrics_process::collector::collect;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
    registry::Unit,
};

/// The metrics of this process. Metrics that the system does not report are left out.
#[derive(Debug)]
pub(super) struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let known = collect();
        let mut add = |name, help, unit: Option<Unit>, metric: &dyn EncodeMetric| {
            let kind = metric.metric_type();
            metric.encode(encoder.encode_descriptor(name, help, unit.as_ref(), kind)?)
        };
        if let Some(seconds) = known.cpu_seconds_total {
            let help = "Processor time of the monitor";
            let seconds = ConstCounter::new(seconds);
            add("process_cpu", help, Some(Unit::Seconds), &seconds)?;
        }
        for (name, help, unit, value) in [
            (
                "process_start_time",
                "Start of the monitor, in seconds since the Unix epoch",
                Some(Unit::Seconds),
                known.start_time_seconds,
            ),
            (
                "process_resident_memory",
                "Resident memory of the monitor",
                Some(Unit::Bytes),
                known.resident_memory_bytes,
            ),
            (
                "process_open_fds",
                "Open file handles of the monitor",
                None,
                known.open_fds,
            ),
        ] {
            if let Some(value) = value {
                add(name, help, unit, &ConstGauge::new(value))?;
            }
        }
        Ok(())
    }
}
