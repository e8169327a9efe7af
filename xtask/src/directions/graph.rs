//! Finds upward imports and cycles among the files of a crate.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::Path,
};

use super::{
    collect::collect,
    resolve::{Edge, edges},
    tree::{Read, Tree},
};

/// Checks one crate: its root file, such as `src/lib.rs`, and all files below it.
///
/// `layers` are the names of folders or files in the root's folder, from top to bottom. The root may
/// use every layer. No layer may use the root. Without layers, only cycles are problems.
///
/// # Errors
/// When a file is missing or is not Rust.
pub(super) fn check_files(
    root: &Path,
    layers: &[&str],
    read: Read<'_>,
) -> Result<Vec<String>, String> {
    let tree = collect(root, read)?;
    let edges = edges(&tree);
    let crate_files = CrateFiles {
        tree: &tree,
        edges: &edges,
    };
    let mut problems = if layers.is_empty() {
        Vec::new()
    } else {
        crate_files.upward_imports(layers)
    };
    problems.extend(crate_files.cycles());
    Ok(problems)
}

struct CrateFiles<'a> {
    tree: &'a Tree,
    edges: &'a [Edge],
}

impl CrateFiles<'_> {
    fn name(&self, file: usize) -> String {
        self.tree.files[file].path.display().to_string()
    }

    /// Returns the layer of a file: its first folder, or its own name. The root has none.
    fn layer(&self, file: usize) -> Option<String> {
        let root = self.tree.files[0].path.parent()?;
        if file == 0 {
            return None;
        }
        let path = self.tree.files[file].path.strip_prefix(root).ok()?;
        let first = Path::new(path.components().next()?.as_os_str());
        Some(first.file_stem()?.to_string_lossy().into_owned())
    }

    fn upward_imports(&self, layers: &[&str]) -> Vec<String> {
        let mut problems = Vec::new();
        let mut heights: Vec<(Option<String>, Option<usize>)> = Vec::new();
        for file in 0..self.tree.files.len() {
            let layer = self.layer(file);
            let height = match &layer {
                None => Some(0),
                Some(layer) => layers
                    .iter()
                    .position(|known| known == layer)
                    .map(|at| at + 1),
            };
            if let (Some(layer), None) = (&layer, height)
                && heights
                    .iter()
                    .all(|(known, _)| known.as_ref() != Some(layer))
            {
                let known = layers.join(", ");
                let file = self.name(file);
                problems.push(format!("{file}: {layer} is not one of the layers {known}"));
            }
            heights.push((layer, height));
        }
        let shown = |layer: &Option<String>| match layer {
            Some(layer) => format!("layer {layer}"),
            None => "the root of the crate".to_owned(),
        };
        for edge in self.edges {
            let ((from, low), (to, high)) = (&heights[edge.from], &heights[edge.to]);
            if matches!((low, high), (Some(low), Some(high)) if low > high) {
                problems.push(format!(
                    "{}:{}: upward import of {}, which {} defines: {} is below {}",
                    self.name(edge.from),
                    edge.line,
                    edge.path,
                    self.name(edge.to),
                    shown(from),
                    shown(to)
                ));
            }
        }
        problems
    }

    /// Returns the shortest cycle through each file that is part of one. Each cycle appears once.
    fn cycles(&self) -> Vec<String> {
        let mut next: BTreeMap<usize, Vec<&Edge>> = BTreeMap::new();
        for edge in self.edges {
            next.entry(edge.from).or_default().push(edge);
        }
        let mut seen = BTreeSet::new();
        let mut cycles = Vec::new();
        let mut files = 0;
        for file in 0..self.tree.files.len() {
            if let Some(cycle) = shortest_cycle(file, &next) {
                files += 1;
                let members: BTreeSet<_> = cycle.iter().map(|edge| edge.from).collect();
                if seen.insert(members) {
                    cycles.push(cycle);
                }
            }
        }
        cycles.sort_by_key(|cycle| cycle.len());
        let mut problems: Vec<_> = cycles.iter().map(|cycle| self.show(cycle)).collect();
        if problems.len() > 1 {
            let root = self.name(0);
            problems.push(format!(
                "{root}: {files} files of this crate are in import cycles"
            ));
        }
        problems
    }

    fn show(&self, cycle: &[&Edge]) -> String {
        let mut text = format!("import cycle of {} files:", cycle.len());
        for edge in cycle {
            let (from, to) = (self.name(edge.from), self.name(edge.to));
            text.push_str(&format!(
                "\n  {from}:{} uses {} of {to}",
                edge.line, edge.path
            ));
        }
        text
    }
}

/// Returns the shortest way from a file back to itself.
fn shortest_cycle<'e>(
    start: usize,
    next: &BTreeMap<usize, Vec<&'e Edge>>,
) -> Option<Vec<&'e Edge>> {
    let mut reached: BTreeMap<usize, &Edge> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for edge in next.get(&file).into_iter().flatten() {
            if reached.contains_key(&edge.to) {
                continue;
            }
            reached.insert(edge.to, edge);
            if edge.to != start {
                queue.push_back(edge.to);
                continue;
            }
            let mut cycle = vec![*edge];
            while cycle.last().is_some_and(|edge| edge.from != start) {
                let from = cycle.last()?.from;
                cycle.push(reached.get(&from)?);
            }
            cycle.reverse();
            return Some(cycle);
        }
    }
    None
}
