//! Finds the file that defines the target of a path.

use std::collections::BTreeSet;

use super::tree::{Kind, Meaning, Tree, Use, Written};

/// The target of a path within the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// A module.
    Scope(usize),
    /// An item that this file defines.
    Item(usize),
}

/// A use of an item of one file by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) line: usize,
    /// The path as it is written.
    pub(super) path: String,
}

/// Finds which file uses which. Each pair appears at most once, at its first line.
pub(super) fn edges(tree: &Tree) -> Vec<Edge> {
    let mut resolver = Resolver {
        tree,
        used_globs: BTreeSet::new(),
        visiting: BTreeSet::new(),
    };
    let mut edges = Vec::new();
    let of = |used: &Use, to, path: String| Edge {
        from: tree.scopes[used.scope].file,
        to,
        line: used.line,
        path,
    };
    for used in &tree.uses {
        let files = resolver.files(used);
        edges.extend(
            files
                .into_iter()
                .map(|to| of(used, to, used.path.to_string())),
        );
    }
    for (index, used) in tree.uses.iter().enumerate() {
        // Every glob is used. If no name was found through it, the module itself depends on its target.
        if used.kind == Kind::Glob && !resolver.used_globs.contains(&index) {
            for target in resolver.resolve(used.scope, &used.path).unwrap_or_default() {
                let to = resolver.file_of(target);
                edges.push(of(used, to, format!("{}::*", used.path)));
            }
        }
    }
    edges.retain(|edge| edge.from != edge.to);
    edges.sort_by_key(|edge| (edge.from, edge.to, edge.line));
    edges.dedup_by_key(|edge| (edge.from, edge.to));
    edges
}

struct Resolver<'a> {
    tree: &'a Tree,
    /// The globs through which a name was found.
    used_globs: BTreeSet<usize>,
    /// The imports that are being followed, each with its scope and the name that is looked up. They
    /// end a chain that leads back to itself.
    visiting: BTreeSet<(usize, String, *const Written)>,
}

impl<'a> Resolver<'a> {
    /// Returns the files that a use depends on.
    fn files(&mut self, used: &Use) -> Vec<usize> {
        if used.kind == Kind::Macro
            && !self
                .tree
                .macros
                .iter()
                .any(|m| m.0 == used.path.segments[0])
        {
            // This is a macro of another crate, even if a function here has its name.
            return Vec::new();
        }
        let found = self.resolve(used.scope, &used.path);
        if found.is_none() && used.kind == Kind::Macro {
            return self.macro_file(used).into_iter().collect();
        }
        let found = found.unwrap_or_default().into_iter();
        match used.kind {
            Kind::Plain | Kind::Macro | Kind::Glob => found
                .filter_map(|target| match target {
                    Target::Item(file) => Some(file),
                    Target::Scope(_) => None,
                })
                .collect(),
            // A module may re-export the items of its own children.
            Kind::ReExport => found
                .filter_map(|target| match target {
                    Target::Item(file) if !self.is_below(file, used.scope) => Some(file),
                    _ => None,
                })
                .collect(),
            Kind::ReExportedGlob => found
                .map(|target| self.file_of(target))
                .filter(|file| !self.is_below(*file, used.scope))
                .collect(),
        }
    }

    fn file_of(&self, target: Target) -> usize {
        match target {
            Target::Item(file) => file,
            Target::Scope(scope) => self.tree.scopes[scope].file,
        }
    }

    /// Returns whether a file is the scope's own or one of its descendants.
    fn is_below(&self, file: usize, scope: usize) -> bool {
        self.tree.is_within(self.tree.files[file].scope, scope)
    }

    /// Returns the file of a macro that is in scope by its position in the text.
    fn macro_file(&self, used: &Use) -> Option<usize> {
        let name = &used.path.segments[0];
        let mut files = self.tree.macros.iter().filter(|known| &known.0 == name);
        match (files.next(), files.next()) {
            (Some((_, file)), None) => Some(*file),
            _ => None,
        }
    }

    /// Returns the targets of a path, or `None` if the crate does not have its first name. The list is
    /// empty if the path leads to another crate.
    fn resolve(&mut self, scope: usize, path: &Written) -> Option<Vec<Target>> {
        let tree = self.tree;
        let (first, rest) = path.segments.split_first()?;
        let module = tree.module(scope);
        let mut current = match first.as_str() {
            _ if path.global => return Some(Vec::new()),
            "Self" => return Some(Vec::new()),
            "crate" => vec![Target::Scope(0)],
            "self" => vec![Target::Scope(module)],
            "super" => vec![Target::Scope(tree.scopes[module].parent?)],
            name => self.look_up_outwards(scope, name)?,
        };
        for name in rest {
            let modules = current
                .iter()
                .any(|target| matches!(target, Target::Scope(_)));
            let mut next = Vec::new();
            for target in current {
                match target {
                    Target::Scope(inner) if name == "super" => {
                        next.extend(tree.scopes[inner].parent.map(Target::Scope));
                    }
                    Target::Scope(inner) => next.extend(self.member(inner, name, scope)),
                    // Parts of an item are defined with it. A module of the same name takes precedence.
                    Target::Item(_) if modules => {}
                    Target::Item(_) => next.push(target),
                }
            }
            current = next;
        }
        Some(current)
    }

    /// Looks up a name in a block, the blocks around it, and their module.
    fn look_up_outwards(&mut self, scope: usize, name: &str) -> Option<Vec<Target>> {
        let mut at = scope;
        loop {
            if let Some(found) = self.look_up(at, name, scope) {
                return Some(found);
            }
            if !self.tree.scopes[at].block {
                return None;
            }
            at = self.tree.scopes[at].parent?;
        }
    }

    /// Returns the member of a module. A member that is not found comes from a macro in the module's
    /// file, unless it may come through a glob from another crate.
    fn member(&mut self, module: usize, name: &str, from: usize) -> Vec<Target> {
        if let Some(found) = self.look_up(module, name, from) {
            return found;
        }
        let tree = self.tree;
        let foreign = tree.scopes[module].globs.iter().any(|glob| {
            self.resolve(module, &glob.path)
                .is_none_or(|to| to.is_empty())
        });
        if foreign {
            Vec::new()
        } else {
            vec![Target::Item(tree.scopes[module].file)]
        }
    }

    /// Looks up a name in one scope, as far as it is visible from another.
    fn look_up(&mut self, scope: usize, name: &str, from: usize) -> Option<Vec<Target>> {
        let tree = self.tree;
        let inside = tree.is_within(from, scope);
        let mut found = None;
        let names = tree.scopes[scope].names.get(name).into_iter().flatten();
        for known in names.filter(|known| inside || !known.private) {
            let targets = match &known.meaning {
                Meaning::Scope(inner) => vec![Target::Scope(*inner)],
                Meaning::Item(file) => vec![Target::Item(*file)],
                Meaning::Import(path) => {
                    let Some(targets) = self.follow(scope, name, path) else {
                        continue;
                    };
                    targets
                }
            };
            found.get_or_insert_with(Vec::new).extend(targets);
        }
        if found.is_some() {
            return found;
        }
        let globs = tree.scopes[scope].globs.iter();
        for glob in globs.filter(|glob| inside || !glob.private) {
            for target in self.follow(scope, name, &glob.path).unwrap_or_default() {
                let Target::Scope(inner) = target else {
                    continue;
                };
                if let Some(through) = self.look_up(inner, name, scope) {
                    self.used_globs.insert(glob.index);
                    found.get_or_insert_with(Vec::new).extend(through);
                }
            }
        }
        found
    }

    /// Resolves the path of an import through which a name is looked up. Returns `None` if this import
    /// is already being followed for the name, and an empty list if it leads to another crate.
    fn follow(&mut self, scope: usize, name: &str, path: &'a Written) -> Option<Vec<Target>> {
        let step = (scope, name.to_owned(), std::ptr::from_ref(path));
        if !self.visiting.insert(step.clone()) {
            return None;
        }
        let targets = self.resolve(scope, path).unwrap_or_default();
        self.visiting.remove(&step);
        Some(targets)
    }
}
