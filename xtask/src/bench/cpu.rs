//! Processor time, and two pieces of work held against one another.

use std::time::Duration;

use super::BenchError;

/// The processor time that this thread has used.
#[cfg(unix)]
pub(super) fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanos)
}

/// Where no processor time is told, the time that passes.
#[cfg(not(unix))]
pub(super) fn thread_time() -> Duration {
    use std::{sync::OnceLock, time::Instant};
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed()
}

/// The processor time of a piece of work on this thread, in seconds.
pub(super) fn seconds(
    work: &mut impl FnMut() -> Result<(), BenchError>,
) -> Result<f64, BenchError> {
    let began = thread_time();
    work()?;
    Ok((thread_time() - began).as_secs_f64())
}

/// Two pieces of work, measured in turns so that what disturbs the one disturbs the other.
pub(super) struct Pair {
    /// What the first one cost, in seconds.
    pub(super) ours: Vec<f64>,
    /// What the second one cost.
    pub(super) bare: Vec<f64>,
}

impl Pair {
    /// Measures both `rounds` times, after one round that is not counted.
    pub(super) fn measure(
        rounds: u16,
        mut ours: impl FnMut() -> Result<(), BenchError>,
        mut bare: impl FnMut() -> Result<(), BenchError>,
    ) -> Result<Self, BenchError> {
        ours()?;
        bare()?;
        let mut pair = Self {
            ours: Vec::new(),
            bare: Vec::new(),
        };
        for round in 0..rounds {
            // Whoever comes second finds warmer caches, so they take turns.
            if round % 2 == 0 {
                pair.ours.push(seconds(&mut ours)?);
                pair.bare.push(seconds(&mut bare)?);
            } else {
                pair.bare.push(seconds(&mut bare)?);
                pair.ours.push(seconds(&mut ours)?);
            }
        }
        Ok(pair)
    }

    /// What ours costs of what the bare one costs, round by round.
    pub(super) fn cost(&self) -> Vec<f64> {
        let both = self.ours.iter().zip(&self.bare);
        both.map(|(ours, bare)| ours / bare).collect()
    }

    /// How much ours gets done in the time that the bare one takes.
    pub(super) fn rate(&self) -> Vec<f64> {
        let both = self.ours.iter().zip(&self.bare);
        both.map(|(ours, bare)| bare / ours).collect()
    }
}
