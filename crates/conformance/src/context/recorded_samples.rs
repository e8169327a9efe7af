//! The samples of recorded exchanges.

use std::sync::Arc;

use nodeproof_openapi::Spec;

use super::samples::Samples;
use crate::{
    api::Sample,
    discovery::Discovered,
    http::{Exchange, Node, unknown},
};

impl Samples {
    /// Creates the samples of a recorded run. Its search for samples is repeated, with the responses of the recorded exchanges.
    /// `kept` has blocks that only a sweep has read.
    pub(crate) fn of_run(
        node: Arc<Node>,
        spec: Arc<Spec>,
        mut found: Discovered,
        kept: &[Arc<Exchange>],
    ) -> Self {
        if !kept.is_empty() {
            let blocks = found.blocks.iter().map(|(_, exchange)| exchange);
            let read = blocks.chain(&found.wrong_blocks).chain(&found.without);
            let all: Vec<_> = read.chain(kept).map(Arc::clone).collect();
            found = found.with_blocks(all).without_wrong_blocks_beyond();
        }
        let mut samples = Self::new(node, spec, found);
        samples.is_recorded = true;
        samples
    }

    /// Creates the samples from responses that another program recorded. No request is sent for them.
    pub(crate) fn recorded(
        node: Arc<Node>,
        spec: Arc<Spec>,
        responses: &[(Sample, Arc<Exchange>)],
    ) -> Self {
        let of = |sample: Sample| {
            let all = responses.iter().filter(move |(of, _)| *of == sample);
            all.map(|(_, exchange)| Arc::clone(exchange))
        };
        let discovered = Discovered::default().with_blocks(of(Sample::Blocks));
        let mut samples = Self::new(node, spec, discovered);
        samples.is_recorded = true;
        samples.is_of_others = true;
        for sample in Sample::ALL {
            let found: Vec<_> = of(sample).collect();
            if sample != Sample::Blocks || found.is_empty() {
                let found = match found.is_empty() {
                    true => unknown("no success of this kind was recorded"),
                    false => Ok(found),
                };
                samples.responses[sample as usize] = found.into();
            }
        }
        samples
    }

    /// Whether the responses of a sample are known.
    pub(super) fn has(&self, sample: Sample) -> bool {
        self.responses[sample as usize].initialized()
    }
}
