//! The declarations and uses in the files of one crate, before any path is resolved.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Returns the text of a file, or `None` if there is no such file.
pub(super) type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// A crate: its files, its scopes, and each path in it.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) files: Vec<File>,
    pub(super) scopes: Vec<Scope>,
    pub(super) uses: Vec<Use>,
    /// The macros of `macro_rules!`, each with the file that defines it.
    pub(super) macros: Vec<(String, usize)>,
}

/// A file, and the scope of its module.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) scope: usize,
}

/// A module, or a block of code that declares items.
pub(super) struct Scope {
    pub(super) parent: Option<usize>,
    /// Whether this is a block. Names that a block does not declare are looked up in its parent.
    pub(super) block: bool,
    pub(super) file: usize,
    pub(super) names: BTreeMap<String, Vec<Name>>,
    pub(super) globs: Vec<Glob>,
}

/// One meaning of a name. A module and a function, for example, can have the same name.
pub(super) struct Name {
    pub(super) meaning: Meaning,
    pub(super) private: bool,
}

pub(super) enum Meaning {
    Scope(usize),
    /// An item that this file defines.
    Item(usize),
    Import(Written),
}

/// `use path::*`.
pub(super) struct Glob {
    pub(super) path: Written,
    pub(super) private: bool,
    /// The index of its [`Use`].
    pub(super) index: usize,
}

/// A path as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// Whether it starts with `::`, which leads to another crate.
    pub(super) global: bool,
    pub(super) segments: Vec<String>,
}

impl std::fmt::Display for Written {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.segments.join("::"))
    }
}

/// A place that uses a path.
pub(super) struct Use {
    pub(super) scope: usize,
    pub(super) line: usize,
    pub(super) path: Written,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `use` of one name, or a path in code.
    Plain,
    /// `pub use` of one name.
    ReExport,
    /// `use path::*`.
    Glob,
    /// `pub use path::*`.
    ReExportedGlob,
    /// A macro that is called by a single name. It can come from anywhere in the crate.
    Macro,
}

impl Tree {
    /// Adds a scope and returns its index.
    pub(super) fn add_scope(&mut self, parent: Option<usize>, block: bool, file: usize) -> usize {
        self.scopes.push(Scope {
            parent,
            block,
            file,
            names: BTreeMap::new(),
            globs: Vec::new(),
        });
        self.scopes.len() - 1
    }

    /// Adds a meaning of a name to a scope.
    pub(super) fn declare(&mut self, scope: usize, name: String, private: bool, meaning: Meaning) {
        let name = self.scopes[scope].names.entry(name).or_default();
        name.push(Name { meaning, private });
    }

    /// Returns the module of a scope: the scope itself, unless it is a block.
    pub(super) fn module(&self, mut scope: usize) -> usize {
        while let (true, Some(parent)) = (self.scopes[scope].block, self.scopes[scope].parent) {
            scope = parent;
        }
        scope
    }

    /// Returns whether a scope is `outer` or lies within it.
    pub(super) fn is_within(&self, scope: usize, outer: usize) -> bool {
        let mut next = Some(scope);
        while let Some(scope) = next {
            if scope == outer {
                return true;
            }
            next = self.scopes[scope].parent;
        }
        false
    }
}
