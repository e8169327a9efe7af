//! This workspace, unchanged and with injected violations.

use std::{fs, path::Path};

use super::super::{
    check,
    collect::collect,
    graph::check_files,
    metadata::Metadata,
    resolve::{Edge, edges},
    rules::LAYERS,
    task::{DirectionsArgs, roots},
};

#[test]
fn this_workspace_keeps_its_directions() {
    assert_eq!(
        check(&DirectionsArgs::default()).unwrap(),
        Vec::<String>::new()
    );
}

/// Adds an import against the direction of a real one, in a copy of each crate.
#[test]
fn an_injected_cycle_in_a_real_crate_is_found() {
    let metadata = Metadata::read().unwrap();
    let mut injected = 0;
    for root in metadata
        .members()
        .flat_map(|package| roots(&metadata, package))
    {
        let read = |path: &Path| fs::read_to_string(metadata.workspace_root.join(path)).ok();
        let tree = collect(&root, &read).unwrap();
        let folder = root.parent().unwrap();
        let edges = edges(&tree);
        // Files in one folder can name each other's modules. A file that is included by its path from
        // another folder has no name below the root.
        let are_siblings = |edge: &Edge| {
            let [from, to] = [edge.from, edge.to].map(|file| tree.files[file].path.as_path());
            from.parent() == to.parent() && !from.iter().any(|part| part == "..")
        };
        let Some(edge) = edges
            .iter()
            .find(|edge| edge.from != 0 && edge.to != 0 && are_siblings(edge))
        else {
            continue;
        };
        let (from, to) = (&tree.files[edge.from].path, &tree.files[edge.to].path);
        let module = from.strip_prefix(folder).unwrap().with_extension("");
        let module: Vec<_> = module.iter().map(|part| part.to_str().unwrap()).collect();
        let module = module.strip_suffix(&["mod"]).unwrap_or(&module).join("::");
        let broken = |path: &Path| {
            let mut text = read(path)?;
            if path == to {
                text.push_str(&format!(
                    "\nfn injected() {{ crate::{module}::injected_item() }}\n"
                ));
            }
            Some(text)
        };
        let found = check_files(&root, &[], &broken).unwrap();
        let (from, to) = (from.display(), to.display());
        assert!(
            found
                .iter()
                .any(|problem| problem.contains(&format!("of {from}"))
                    && problem.contains(&format!("of {to}"))
                    && problem.starts_with("import cycle")),
            "{from} and {to}: {found:?}"
        );
        injected += 1;
    }
    assert!(injected > 0, "no crate with an import could be broken");
}

#[test]
fn an_injected_upward_import_in_a_real_crate_is_found() {
    let metadata = Metadata::read().unwrap();
    for (name, layers) in LAYERS {
        let package = metadata
            .members()
            .find(|package| package.name == *name)
            .unwrap();
        let root = roots(&metadata, package).remove(0);
        let [top, .., bottom] = layers else {
            continue;
        };
        let below = root.parent().unwrap().join(bottom);
        let broken = |path: &Path| {
            let mut text = fs::read_to_string(metadata.workspace_root.join(path)).ok()?;
            if path == below.join("mod.rs") || path == below.with_extension("rs") {
                text.push_str(&format!(
                    "\nfn injected() {{ crate::{top}::injected_item() }}\n"
                ));
            }
            Some(text)
        };
        let found = check_files(&root, layers, &broken).unwrap();
        assert!(
            found
                .iter()
                .any(|problem| problem.contains("upward import of")),
            "{name}: {found:?}"
        );
    }
}
