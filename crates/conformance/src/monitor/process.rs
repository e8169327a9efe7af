//! What the operating system knows about this process, under the names that every exporter uses.

use std::{
    fmt, fs,
    time::{SystemTime, UNIX_EPOCH},
};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{counter::ConstCounter, gauge::ConstGauge},
    registry::Unit,
};

use crate::platform::processor_time;

/// The metrics of this process. What the system does not tell is left out.
#[derive(Debug)]
pub(super) struct Process {
    /// The start in seconds since the Unix epoch.
    started: f64,
}

impl Process {
    pub(super) fn started_now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            started: since.unwrap_or_default().as_secs_f64(),
        }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut add = |name: &str, help: &str, unit: Option<Unit>, metric: &dyn EncodeOne| {
            metric.encode_one(&mut encoder, name, help, unit.as_ref())
        };
        let started = ConstGauge::new(self.started);
        let help = "Start of the monitor, in seconds since the Unix epoch";
        add("process_start_time", help, Some(Unit::Seconds), &started)?;
        if let Some(seconds) = processor_time() {
            let help = "Processor time of the monitor";
            add(
                "process_cpu",
                help,
                Some(Unit::Seconds),
                &ConstCounter::new(seconds),
            )?;
        }
        if let Some(bytes) = resident_memory() {
            let help = "Resident memory of the monitor";
            add(
                "process_resident_memory",
                help,
                Some(Unit::Bytes),
                &ConstGauge::new(bytes),
            )?;
        }
        if let Some(files) = open_files() {
            add(
                "process_open_fds",
                "Open file handles of the monitor",
                None,
                &ConstGauge::new(files),
            )?;
        }
        Ok(())
    }
}

/// A metric with one value.
trait EncodeOne {
    fn encode_one(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
    ) -> fmt::Result;
}

impl<M: EncodeMetric> EncodeOne for M {
    fn encode_one(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
    ) -> fmt::Result {
        self.encode(encoder.encode_descriptor(name, help, unit, self.metric_type())?)
    }
}

/// Returns the resident memory in bytes, on Linux.
fn resident_memory() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns the number of open file handles, on Linux.
fn open_files() -> Option<i64> {
    // Reading the folder takes a handle of its own.
    let handles = fs::read_dir("/proc/self/fd").ok()?.count().checked_sub(1)?;
    i64::try_from(handles).ok()
}
