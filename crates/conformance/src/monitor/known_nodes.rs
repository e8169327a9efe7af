//! What is known about the monitored nodes. Their runs, their probes and the comparison share it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::metrics::{Measured, NodeLabel};
use crate::{nodes::Side, run::ExaminedNode};

/// What is known about the monitored nodes.
#[derive(Default)]
pub(super) struct KnownNodes {
    nodes: Mutex<BTreeMap<NodeLabel, Known>>,
}

#[derive(Default)]
struct Known {
    /// What the last completed run found.
    examined: Option<ExaminedNode>,
    /// The latest block, if the last probe found it.
    height: Option<u64>,
    lags: bool,
    /// The duration of that probe.
    probe_time: Duration,
    /// Whether it has other blocks than most nodes.
    differs: bool,
}

impl Known {
    /// Returns the node with new connections. Idle ones must not stay open until the next request.
    fn side(&self, label: &NodeLabel) -> Option<Side> {
        let examined = self.examined.as_ref()?.renewed().ok()?;
        let side = Side::new(label.node.clone(), Arc::new(examined));
        if let Some(height) = self.height {
            side.set_height(height);
        }
        Some(side)
    }
}

/// The nodes that a node is compared with.
pub(super) enum Others {
    Known {
        /// The highest height of their last probes.
        highest: u64,
        /// The fastest of those that do not lag. Its height can be read again at once.
        fastest: Side,
    },
    /// No height is known.
    Unknown,
    None,
}

/// A node with a known height.
pub(super) struct NodeWithHeight {
    pub(super) label: NodeLabel,
    pub(super) side: Side,
    pub(super) height: u64,
}

impl KnownNodes {
    pub(super) fn add(&self, label: NodeLabel) {
        self.nodes().entry(label).or_default();
    }

    pub(super) fn remove(&self, label: &NodeLabel) {
        self.nodes().remove(label);
    }

    /// Records what a completed run found.
    pub(super) fn ran(&self, label: &NodeLabel, examined: Option<&ExaminedNode>) {
        if let Some(known) = self.nodes().get_mut(label)
            && let Some(Ok(renewed)) = examined.map(ExaminedNode::renewed)
        {
            known.examined = Some(renewed);
        }
    }

    /// Records the height that a probe found.
    pub(super) fn probed(&self, label: &NodeLabel, measured: Option<Measured>, time: Duration) {
        if let Some(known) = self.nodes().get_mut(label) {
            known.height = measured.map(|measured| measured.height);
            known.lags = measured.is_some_and(|measured| measured.lag != Some(0));
            known.probe_time = time;
        }
    }

    pub(super) fn differs(&self, label: &NodeLabel, differs: bool) {
        if let Some(known) = self.nodes().get_mut(label) {
            known.differs = differs;
        }
    }

    /// Returns a node, if a run against it was completed.
    pub(super) fn side(&self, label: &NodeLabel) -> Option<Side> {
        self.nodes().get(label)?.side(label)
    }

    /// Returns the nodes that a node is compared with. One on another chain is not among them.
    pub(super) fn others(&self, label: &NodeLabel) -> Others {
        let nodes = self.nodes();
        let others = nodes.iter().filter(|(other, _)| *other != label);
        let usable = others.filter(|(_, known)| known.height.is_some() && !known.differs);
        let usable: Vec<_> = usable.collect();
        let highest = usable.iter().filter_map(|(_, known)| known.height).max();
        let order = |(_, known): &&(_, &Known)| (known.lags, known.probe_time);
        let fastest = usable.iter().min_by_key(order);
        match (
            highest,
            fastest.and_then(|(label, known)| known.side(label)),
        ) {
            (Some(highest), Some(fastest)) => Others::Known { highest, fastest },
            _ if nodes.len() > 1 => Others::Unknown,
            _ => Others::None,
        }
    }

    /// Returns the number of monitored nodes, and those with a known height.
    pub(super) fn with_height(&self) -> (usize, Vec<NodeWithHeight>) {
        let nodes = self.nodes();
        let known = nodes.iter().filter_map(|(label, known)| {
            Some(NodeWithHeight {
                label: label.clone(),
                side: known.side(label)?,
                height: known.height?,
            })
        });
        (nodes.len(), known.collect())
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<NodeLabel, Known>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
