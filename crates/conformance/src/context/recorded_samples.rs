//! Samples as a list of responses: those that a run examined, and those of a recorded run.

use std::sync::Arc;

use nodeproof_openapi::Spec;

use super::samples::Samples;
use crate::{
    api::Sample,
    discovery::Discovered,
    http::{Exchange, InconclusiveReason, Node},
};

impl Samples {
    /// Creates the samples from recorded responses. No request is sent for them.
    pub(crate) fn recorded(
        node: Arc<Node>,
        spec: Arc<Spec>,
        responses: &[(Sample, Arc<Exchange>)],
    ) -> Self {
        let of = |sample: Sample| {
            let all = responses.iter().filter(move |(of, _)| *of == sample);
            all.map(|(_, exchange)| Arc::clone(exchange))
        };
        let discovered = Discovered::recorded(of(Sample::Blocks));
        let mut samples = Self::new(node, spec, discovered);
        samples.is_recorded = true;
        for sample in Sample::ALL {
            let found: Vec<_> = of(sample).collect();
            if sample != Sample::Blocks || found.is_empty() {
                let none = "no response of this kind was recorded";
                let none = InconclusiveReason::NoSample(none.to_owned());
                let found = if found.is_empty() {
                    Err(none)
                } else {
                    Ok(found)
                };
                samples.responses[sample as usize] = found.into();
            }
        }
        samples
    }

    /// Returns the responses of all samples that the run requested, without submissions.
    pub(crate) fn of_samples(&self) -> Vec<(Sample, Arc<Exchange>)> {
        let discovered = &self.discovered;
        let blocks = discovered.blocks.iter().map(|(_, exchange)| exchange);
        let blocks = blocks
            .chain(&discovered.wrong_blocks)
            .chain(&discovered.without)
            .chain(&discovered.first_response);
        let blocks = blocks.map(|exchange| (Sample::Blocks, Arc::clone(exchange)));
        let others = Sample::ALL
            .into_iter()
            .filter(|sample| *sample != Sample::Blocks);
        let others = others.flat_map(|sample| {
            let responses = self.responses[sample as usize].get();
            let responses = responses.into_iter().flatten().flatten();
            responses.map(move |exchange| (sample, Arc::clone(exchange)))
        });
        blocks.chain(others).collect()
    }
}
