//! Processor time, and comparisons of two pieces of work.

use super::{BenchError, table::spread};
use crate::platform::thread_time;

/// Returns the processor time of a piece of work on this thread, in seconds.
pub(super) fn seconds(
    work: &mut impl FnMut() -> Result<(), BenchError>,
) -> Result<f64, BenchError> {
    let began = thread_time();
    work()?;
    Ok((thread_time() - began).as_secs_f64())
}

/// Two pieces of work, measured in turns so that a disturbance affects both.
pub(super) struct Pair {
    /// The cost of the first one, in seconds.
    pub(super) ours: Vec<f64>,
    /// The cost of the second one, in seconds.
    pub(super) bare: Vec<f64>,
    ratios: Vec<f64>,
}

impl Pair {
    /// Measures both `rounds` times, after one round that is not counted.
    pub(super) fn measure(
        rounds: u16,
        ours: impl FnMut() -> Result<(), BenchError>,
        bare: impl FnMut() -> Result<(), BenchError>,
    ) -> Result<Self, BenchError> {
        Self::in_batches(rounds, 1, ours, bare)
    }

    /// Does the same with that many turns in each round. A round's value is the median of its turns.
    ///
    /// A ratio compares two turns that follow each other. The speed of a shared machine changes from
    /// moment to moment by far more than the difference to measure.
    pub(super) fn in_batches(
        rounds: u16,
        turns: u16,
        mut ours: impl FnMut() -> Result<(), BenchError>,
        mut bare: impl FnMut() -> Result<(), BenchError>,
    ) -> Result<Self, BenchError> {
        ours()?;
        bare()?;
        let mut pair = Self {
            ours: Vec::new(),
            bare: Vec::new(),
            ratios: Vec::new(),
        };
        for round in 0..rounds {
            let (mut each_ours, mut each_bare) = (Vec::new(), Vec::new());
            for turn in 0..turns {
                // The second one finds warmer caches, so the order alternates too.
                if (round + turn) % 2 == 0 {
                    each_ours.push(seconds(&mut ours)?);
                    each_bare.push(seconds(&mut bare)?);
                } else {
                    each_bare.push(seconds(&mut bare)?);
                    each_ours.push(seconds(&mut ours)?);
                }
            }
            let both = each_ours.iter().zip(&each_bare);
            let ratios: Vec<f64> = both.map(|(ours, bare)| ours / bare).collect();
            pair.ours.push(median(&each_ours));
            pair.bare.push(median(&each_bare));
            pair.ratios.push(median(&ratios));
        }
        Ok(pair)
    }

    /// Returns the cost of ours relative to the bare one, for each round.
    pub(super) fn cost(&self) -> Vec<f64> {
        self.ratios.clone()
    }

    /// Returns the amount of our work done in the time of the bare one, for each round.
    pub(super) fn rate(&self) -> Vec<f64> {
        self.ratios.iter().map(|ratio| ratio.recip()).collect()
    }
}

fn median(values: &[f64]) -> f64 {
    spread(values).1
}
