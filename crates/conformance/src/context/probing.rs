//! The responses to probes. Each probe is sent once for all cases.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::samples::Samples;
use crate::{
    api::{PROBED_PATHS, Probe, ProbeData, controls, nobody, probes},
    http::{self, Exchange, InconclusiveReason, Request},
};

/// After this many probes in a row without a response, the rest is not sent: the node is gone.
const MAX_FAILED_IN_A_ROW: usize = 5;

/// All responses of an endpoint, or the reason why probing stopped.
type Outcome = Result<Arc<Probed>, InconclusiveReason>;
type Response = Result<Arc<Exchange>, InconclusiveReason>;

/// The responses to the probes of one endpoint.
pub(crate) struct Probed {
    /// The responses to plain requests about something that does not exist.
    pub(crate) controls: Vec<Arc<Exchange>>,
    /// The probes that were sent, with their responses.
    pub(crate) responses: Vec<(Probe, Response)>,
    /// Why the others were not sent.
    pub(crate) stopped: Option<String>,
}

impl Probed {
    /// Returns the response to the plain request of a probe: the one with the same other parameters.
    pub(crate) fn control_of(&self, probe: &Probe) -> Option<&Arc<Exchange>> {
        let others = |request: &Request| {
            let query = request.query.iter();
            let others = query.filter(|(name, _)| *name != probe.parameter);
            others.cloned().collect::<Vec<_>>()
        };
        let wanted = others(&probe.request);
        self.controls
            .iter()
            .find(|control| others(&control.request) == wanted)
    }
}

/// The responses to all probes, by path.
pub(crate) struct Probing {
    samples: Arc<Samples>,
    known: ProbeData,
    probed: [(&'static str, OnceCell<Outcome>); 5],
}

impl Probing {
    pub(crate) fn new(samples: Arc<Samples>) -> Self {
        let discovered = &samples.discovered;
        let first = |found: &[String], nonexistent: &str| {
            found
                .first()
                .cloned()
                .unwrap_or_else(|| nonexistent.to_owned())
        };
        let known = ProbeData {
            block: discovered.blocks.last().map_or(1, |(index, _)| *index),
            wallet: first(&discovered.wallets, &nobody()),
            token: first(&discovered.tokens, "TKN"),
            contract: samples.contract(),
            asset: discovered.assets.first().map(|(_, asset)| asset.clone()),
            call: samples.call_body(),
        };
        Self {
            samples,
            known,
            probed: PROBED_PATHS.map(|path| (path, OnceCell::new())),
        }
    }

    /// Returns the responses to the probes of an endpoint.
    pub(crate) async fn of(&self, path: &'static str) -> Outcome {
        let Some((_, cell)) = self.probed.iter().find(|(known, _)| *known == path) else {
            return Err(InconclusiveReason::Harness(format!("{path} is not probed")));
        };
        // Reports list only the probes that lead to a finding.
        let outcome = http::shared(cell.get_or_init(|| self.send(path))).await;
        if let Ok(probed) = outcome {
            let responses = probed.responses.iter().map(|(_, response)| response);
            responses
                .flatten()
                .for_each(|response| http::follow(response));
        }
        outcome.clone()
    }

    async fn send(&self, path: &'static str) -> Outcome {
        let mut probed = Probed {
            controls: Vec::new(),
            responses: Vec::new(),
            stopped: None,
        };
        for control in controls(path, &self.known) {
            probed.controls.push(self.response(&control).await??);
        }
        let mut failed_in_a_row = 0;
        let all = probes(path, &self.known);
        let number = all.len();
        for probe in all {
            let request = probe.request.clone().finding_nothing();
            let response = self.response(&request).await?;
            match &response {
                Err(InconclusiveReason::Transport(_)) => failed_in_a_row += 1,
                Err(InconclusiveReason::TooLarge(_)) | Ok(_) => failed_in_a_row = 0,
                Err(reason) => return Err(reason.clone()),
            }
            probed.responses.push((probe, response));
            if failed_in_a_row == MAX_FAILED_IN_A_ROW {
                let left = number - probed.responses.len();
                probed.stopped = Some(format!(
                    "{left} of {number} unusual values were not sent to {path}, because {MAX_FAILED_IN_A_ROW} in a \
                     row got no response"
                ));
                break;
            }
        }
        Ok(Arc::new(probed))
    }

    /// Returns the response to a request. Without one, repeats it alone, because a probe of another endpoint
    /// may have stopped the node.
    async fn response(&self, request: &Request) -> Result<Response, InconclusiveReason> {
        let response = self.samples.send_beside_others(request).await;
        if let Err(InconclusiveReason::Transport(_)) = &response {
            let again = self.samples.send_alone(None, request).await?;
            return Ok(again.map_err(InconclusiveReason::Transport));
        }
        Ok(response)
    }
}
