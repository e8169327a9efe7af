//! Reads the files of a crate into a [`Tree`].

use std::{collections::BTreeSet, path::Path};

use proc_macro2::{Ident, Span};
use syn::{
    Attribute, Block, ImplItem, ImplItemFn, Item, ItemConst, ItemFn, ItemMacro, ItemMod,
    ItemStatic, ItemUse, Pat, PatIdent, Stmt, TraitItem, TraitItemFn, UseTree, VisRestricted,
    Visibility,
    visit::{self, Visit},
};

use super::{
    files::{Place, only_in_tests},
    tree::{File, Glob, Kind, Meaning, Read, Tree, Use, Written},
};

/// Reads the crate with this root file. Code that is only built for tests is left out.
///
/// # Errors
/// When a file is missing or is not Rust.
pub(super) fn collect(root: &Path, read: Read<'_>) -> Result<Tree, String> {
    let text = read(root).ok_or_else(|| format!("{} can't be read", root.display()))?;
    let mut collector = Collector {
        read,
        tree: Tree::default(),
        scope: 0,
        place: Place::of_folder(root),
        locals: BTreeSet::new(),
        problem: None,
    };
    collector.file(root, None, &text);
    collector.problem.map_or(Ok(collector.tree), Err)
}

pub(super) struct Collector<'a> {
    read: Read<'a>,
    pub(super) tree: Tree,
    /// The scope of the code that is being visited.
    pub(super) scope: usize,
    place: Place,
    /// The variables of the function that is being visited.
    locals: BTreeSet<String>,
    problem: Option<String>,
}

impl Collector<'_> {
    /// Reads a file as a module within `parent`, and returns its scope.
    fn file(&mut self, path: &Path, parent: Option<usize>, text: &str) -> Option<usize> {
        let file = self.tree.files.len();
        let ast = match syn::parse_file(text) {
            Ok(ast) => ast,
            Err(error) => {
                let line = error.span().start().line;
                let problem = format!("{}:{line}: {error}", path.display());
                self.problem.get_or_insert(problem);
                return None;
            }
        };
        if only_in_tests(&ast.attrs) {
            return None;
        }
        let scope = self.tree.add_scope(parent, false, file);
        self.tree.files.push(File {
            path: path.to_owned(),
            scope,
        });
        self.inside(scope, |this| this.visit_file(&ast));
        Some(scope)
    }

    /// Visits something within another scope.
    fn inside(&mut self, scope: usize, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.scope, scope);
        visit(self);
        self.scope = outer;
    }

    /// Visits something in which these names are variables.
    fn with_locals(&mut self, locals: Locals, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.locals, locals.0);
        visit(self);
        self.locals = outer;
    }

    fn declare(&mut self, name: &Ident, visibility: &Visibility) {
        let item = Meaning::Item(self.tree.scopes[self.scope].file);
        self.tree
            .declare(self.scope, plain(name), is_private(visibility), item);
    }

    /// Records a path. A single name that is a variable is not a path.
    pub(super) fn note(&mut self, path: Written, line: usize, kind: Kind) {
        let local = matches!(&*path.segments, [name] if self.locals.contains(name));
        if !local && !path.segments.is_empty() {
            self.tree.uses.push(Use {
                scope: self.scope,
                line,
                path,
                kind,
            });
        }
    }

    fn import(&mut self, tree: &UseTree, prefix: &Written, private: bool) {
        let joined = |name: &Ident| {
            let mut path = prefix.clone();
            path.segments.push(plain(name));
            path
        };
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &joined(&path.ident), private),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix, private);
                }
            }
            UseTree::Name(leaf) if leaf.ident == "self" => {
                let name = prefix.segments.last().cloned().unwrap_or_default();
                self.import_one(name, prefix.clone(), leaf.ident.span(), private);
            }
            UseTree::Name(leaf) => {
                let name = plain(&leaf.ident);
                self.import_one(name, joined(&leaf.ident), leaf.ident.span(), private);
            }
            UseTree::Rename(leaf) => {
                let path = if leaf.ident == "self" {
                    prefix.clone()
                } else {
                    joined(&leaf.ident)
                };
                self.import_one(plain(&leaf.rename), path, leaf.ident.span(), private);
            }
            UseTree::Glob(glob) => {
                self.tree.scopes[self.scope].globs.push(Glob {
                    path: prefix.clone(),
                    private,
                    index: self.tree.uses.len(),
                });
                self.tree.uses.push(Use {
                    scope: self.scope,
                    line: glob.star_token.spans[0].start().line,
                    path: prefix.clone(),
                    kind: if private {
                        Kind::Glob
                    } else {
                        Kind::ReExportedGlob
                    },
                });
            }
        }
    }

    fn import_one(&mut self, name: String, path: Written, at: Span, private: bool) {
        let kind = if private { Kind::Plain } else { Kind::ReExport };
        self.tree
            .declare(self.scope, name, private, Meaning::Import(path.clone()));
        self.tree.uses.push(Use {
            scope: self.scope,
            line: at.start().line,
            path,
            kind,
        });
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !only_in_tests(attributes(item)) {
            if let Some((name, visibility)) = named(item) {
                self.declare(name, visibility);
            }
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let name = plain(&module.ident);
        let parent = self.scope;
        let outer = self.place.clone();
        let mut scopes = Vec::new();
        if let Some((_, items)) = &module.content {
            let scope = self
                .tree
                .add_scope(Some(parent), false, self.tree.scopes[parent].file);
            self.place = outer.inline(&name);
            self.inside(scope, |this| {
                items.iter().for_each(|item| this.visit_item(item))
            });
            scopes.push(scope);
        } else {
            let found = outer.find(&name, &module.attrs, self.read);
            if found.is_empty() {
                let file = &self.tree.files[self.tree.scopes[parent].file].path;
                let line = module.ident.span().start().line;
                let problem = format!("{}:{line}: no file of module {name}", file.display());
                self.problem.get_or_insert(problem);
            }
            for (file, place, text) in found {
                self.place = place;
                scopes.extend(self.file(&file, Some(parent), &text));
            }
        }
        self.place = outer;
        for scope in scopes {
            let private = is_private(&module.vis);
            self.tree
                .declare(parent, name.clone(), private, Meaning::Scope(scope));
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let prefix = Written {
            global: item.leading_colon.is_some(),
            segments: Vec::new(),
        };
        self.import(&item.tree, &prefix, is_private(&item.vis));
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if let Some(name) = &item.ident {
            let file = self.tree.scopes[self.scope].file;
            self.tree.macros.push((plain(name), file));
            let exported = item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
            let scope = if exported { 0 } else { self.scope };
            self.tree
                .declare(scope, plain(name), !exported, Meaning::Item(file));
            self.scan(item.mac.tokens.clone());
        } else {
            self.visit_macro(&item.mac);
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        if block.stmts.iter().any(|stmt| matches!(stmt, Stmt::Item(_))) {
            let file = self.tree.scopes[self.scope].file;
            let scope = self.tree.add_scope(Some(self.scope), true, file);
            self.inside(scope, |this| visit::visit_block(this, block));
        } else {
            visit::visit_block(self, block);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let locals = Locals::of(|locals| locals.visit_item_fn(item));
        self.with_locals(locals, |this| visit::visit_item_fn(this, item));
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        let locals = Locals::of(|locals| locals.visit_item_const(item));
        self.with_locals(locals, |this| visit::visit_item_const(this, item));
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        let locals = Locals::of(|locals| locals.visit_item_static(item));
        self.with_locals(locals, |this| visit::visit_item_static(this, item));
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &*item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &[],
        };
        if !only_in_tests(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if !matches!(item, TraitItem::Fn(item) if only_in_tests(&item.attrs)) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        let locals = Locals::of(|locals| locals.visit_impl_item_fn(item));
        self.with_locals(locals, |this| visit::visit_impl_item_fn(this, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        let locals = Locals::of(|locals| locals.visit_trait_item_fn(item));
        self.with_locals(locals, |this| visit::visit_trait_item_fn(this, item));
    }

    /// Skips `pub(in path)`, because it uses nothing.
    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.note(written(path), line_of(path), Kind::Plain);
        visit::visit_path(self, path);
    }

    /// Skips the path after `<Type>::`, because it starts in the type.
    fn visit_expr_path(&mut self, item: &'ast syn::ExprPath) {
        match &item.qself {
            Some(qself) if qself.position == 0 => visit::visit_qself(self, qself),
            _ => visit::visit_expr_path(self, item),
        }
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Ident(PatIdent {
            ident,
            subpat: None,
            ..
        }) = pattern
            && !is_variable(&plain(ident))
        {
            let path = Written {
                global: false,
                segments: vec![plain(ident)],
            };
            self.note(path, ident.span().start().line, Kind::Plain);
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let path = written(&call.path);
        let kind = if path.segments.len() == 1 {
            Kind::Macro
        } else {
            Kind::Plain
        };
        self.note(path, line_of(&call.path), kind);
        self.arguments(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        self.attribute(attribute);
    }
}

/// The variables that a function binds.
struct Locals(BTreeSet<String>);

impl Locals {
    fn of(visit: impl FnOnce(&mut Self)) -> Self {
        let mut locals = Self(BTreeSet::new());
        visit(&mut locals);
        locals
    }
}

impl<'ast> Visit<'ast> for Locals {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        let name = plain(&pattern.ident);
        if is_variable(&name) {
            self.0.insert(name);
        }
        visit::visit_pat_ident(self, pattern);
    }
}

/// Returns whether a name in a pattern binds a variable. Constants and variants do not.
pub(super) fn is_variable(name: &str) -> bool {
    !name.starts_with(char::is_uppercase)
}

fn is_private(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Inherited)
}

/// Returns a name without `r#`.
pub(super) fn plain(name: &Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

pub(super) fn written(path: &syn::Path) -> Written {
    Written {
        global: path.leading_colon.is_some(),
        segments: path
            .segments
            .iter()
            .map(|segment| plain(&segment.ident))
            .collect(),
    }
}

fn line_of(path: &syn::Path) -> usize {
    let first = path.segments.first();
    first.map_or(0, |segment| segment.ident.span().start().line)
}

/// Returns the name that an item declares. Modules, imports and macros are declared when they are
/// visited.
fn named(item: &Item) -> Option<(&Ident, &Visibility)> {
    Some(match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Static(item) => (&item.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::TraitAlias(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        Item::Union(item) => (&item.ident, &item.vis),
        _ => return None,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
