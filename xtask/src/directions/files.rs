//! Finds the file of a module.

use std::path::{Path, PathBuf};

use syn::{Attribute, Expr, Lit, Meta, Token, punctuated::Punctuated};

use super::tree::Read;

/// The folders in which the modules of a file or an inline module are looked up.
#[derive(Clone)]
pub(super) struct Place {
    /// The folder of `mod child;`.
    children: PathBuf,
    /// The folder that `#[path]` is relative to.
    paths: PathBuf,
}

impl Place {
    /// Returns the place of a crate's root, a `mod.rs`, or a file that `#[path]` names.
    pub(super) fn of_folder(file: &Path) -> Self {
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        Self {
            children: folder.clone(),
            paths: folder,
        }
    }

    /// Returns the place of an inline module.
    pub(super) fn inline(&self, name: &str) -> Self {
        let folder = self.children.join(name);
        Self {
            children: folder.clone(),
            paths: folder,
        }
    }

    /// Returns the existing files of `mod name;`. There are several if attributes name one per platform.
    pub(super) fn find(
        &self,
        name: &str,
        attributes: &[Attribute],
        read: Read<'_>,
    ) -> Vec<(PathBuf, Self, String)> {
        let mut found = Vec::new();
        let mut add = |file: PathBuf, place: Self| {
            if let Some(text) = read(&file) {
                found.push((file, place, text));
            }
        };
        let mut always = false;
        for (path, conditional) in attributes.iter().flat_map(paths) {
            always |= !conditional;
            let file = self.paths.join(path);
            let place = Self::of_folder(&file);
            add(file, place);
        }
        if !always {
            let file = self.children.join(format!("{name}.rs"));
            let place = Self {
                children: self.children.join(name),
                paths: self.children.clone(),
            };
            add(file, place);
            let file = self.children.join(name).join("mod.rs");
            let place = Self::of_folder(&file);
            add(file, place);
        }
        found
    }
}

/// Returns the paths of `#[path = "…"]`, and of `#[cfg_attr(…, path = "…")]`, which is conditional.
fn paths(attribute: &Attribute) -> Vec<(String, bool)> {
    let list = Punctuated::<Meta, Token![,]>::parse_terminated;
    match &attribute.meta {
        Meta::List(inner) if inner.path.is_ident("cfg_attr") => inner
            .parse_args_with(list)
            .into_iter()
            .flatten()
            .filter_map(|meta| Some((path_of(&meta)?, true)))
            .collect(),
        meta => path_of(meta)
            .map(|path| (path, false))
            .into_iter()
            .collect(),
    }
}

fn path_of(meta: &Meta) -> Option<String> {
    let Meta::NameValue(pair) = meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("path") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether the attributes limit an item to test builds.
pub(super) fn only_in_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => list
            .parse_args::<Meta>()
            .is_ok_and(|meta| needs_test(&meta)),
        meta => meta.path().is_ident("test"),
    })
}

fn needs_test(condition: &Meta) -> bool {
    let Meta::List(list) = condition else {
        return condition.path().is_ident("test");
    };
    let Ok(inner) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
        return false;
    };
    if list.path.is_ident("all") {
        inner.iter().any(needs_test)
    } else {
        list.path.is_ident("any") && inner.iter().all(needs_test)
    }
}
