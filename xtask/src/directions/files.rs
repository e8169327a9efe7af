//! Finds upward imports, import cycles, and code for one operating system, from the lines of a crate's files.
//!
//! Paths inside a crate start with `crate`, `self`, `super` or a child of their module.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

/// The files of a crate, by the paths of their modules, such as `crate::http::target`.
type Modules = BTreeMap<String, Vec<Import>>;

/// A path in a file.
struct Import {
    /// The file and line.
    place: String,
    path: String,
    /// The name that it gets in the file. Empty if it is not in a `use`.
    name: String,
    is_public: bool,
}

/// Checks the sources of a crate. Layers are names of files or folders, from top to bottom.
pub(super) fn check(sources: &Path, layers: &[&str]) -> io::Result<Vec<String>> {
    let (mut modules, mut problems) = (Modules::new(), Vec::new());
    read(sources, "crate", &mut modules, &mut problems)?;
    let layer = |module: &str| {
        let folder = module.split("::").nth(1);
        layers.iter().position(|layer| folder == Some(*layer))
    };
    let mut edges = BTreeMap::new();
    for (module, imports) in &modules {
        if !layers.is_empty() && module != "crate" && layer(module).is_none() {
            problems.push(format!("{module} is in no layer"));
        }
        for import in imports {
            let used = defined_in(&modules, module, &import.path, 0);
            // A module may re-export what is below it.
            let reexports = |used: &str| import.is_public && used.starts_with(module);
            if let Some(used) = used.filter(|used| *used != module && !reexports(used)) {
                let text = format!("{} uses {} of {used}", import.place, import.path);
                edges.entry((module.as_str(), used)).or_insert(text);
            }
        }
    }
    // The root is above all layers.
    let is_upward = |from, to| {
        !layers.is_empty() && from != "crate" && (to == "crate" || layer(from) > layer(to))
    };
    let upward = edges.iter().filter(|((from, to), _)| is_upward(*from, *to));
    problems.extend(upward.map(|(_, text)| format!("upward import: {text}")));
    // No file that uses nothing, or that nothing uses, is in a cycle.
    for _ in 0..modules.len() {
        let users: BTreeSet<_> = edges.keys().map(|(from, _)| *from).collect();
        let used: BTreeSet<_> = edges.keys().map(|(_, to)| *to).collect();
        edges.retain(|(from, to), _| users.contains(to) && used.contains(from));
    }
    problems.extend(edges.values().map(|text| format!("import cycle: {text}")));
    Ok(problems)
}

/// Reads the files of a folder, which are children of a module. Files of tests do not count.
fn read(
    folder: &Path,
    parent: &str,
    modules: &mut Modules,
    problems: &mut Vec<String>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let module = match &*name {
            "tests" | "bin" => continue,
            // The binary of a library uses it as any other crate does.
            "main" if folder.join("lib.rs").exists() => continue,
            "lib" | "main" | "mod" => parent.to_owned(),
            name => format!("{parent}::{name}"),
        };
        if path.is_dir() {
            read(&path, &module, modules, problems)?;
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let lines: Vec<_> = code(&text).collect();
        let is_platform = module.split("::").any(|name| name == "platform");
        for (line, text) in lines.iter().filter(|_| !is_platform) {
            if is_conditional(text) {
                let place = path.display();
                problems.push(format!(
                    "{place}:{line} is for one operating system, and not in `platform`"
                ));
            }
        }
        modules.insert(module, imports(&path.display().to_string(), &lines));
    }
    Ok(())
}

/// Returns the lines of code with their numbers, without comments and tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = (1..).zip(code.unwrap_or_default().lines().map(str::trim));
    let mut is_test = false;
    lines.filter(move |(_, line)| {
        let after_test = std::mem::replace(&mut is_test, *line == "#[cfg(test)]");
        !after_test && !line.starts_with("//")
    })
}

/// Returns whether a line has a condition about an operating system.
fn is_conditional(line: &str) -> bool {
    let conditions = ["cfg(", "cfg(not(", "cfg!(", "cfg!(not("];
    let mut after = conditions
        .iter()
        .flat_map(|start| line.split(start).skip(1));
    after.any(|rest| rest.starts_with("unix)") || rest.starts_with("windows)"))
}

/// Returns the paths in a file.
fn imports(file: &str, lines: &[(usize, &str)]) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut lines = lines.iter();
    while let Some((number, line)) = lines.next() {
        let (before, tree) = line.split_once("use ").unwrap_or((line, ""));
        let is_use = !tree.is_empty() && (before.is_empty() || before.starts_with("pub"));
        let mut paths = Vec::new();
        if is_use {
            let mut tree = tree.to_owned();
            while !tree.ends_with(';') {
                let Some((_, line)) = lines.next() else { break };
                tree.push_str(line);
            }
            expand("", tree.trim_end_matches(';'), &mut paths);
        } else {
            let is_end = |letter: char| !letter.is_alphanumeric() && !"_:".contains(letter);
            let words = line.split(is_end).map(|word| word.trim_end_matches(':'));
            let starts = ["crate::", "super::", "self::"];
            let words = words.filter(|word| starts.iter().any(|start| word.starts_with(start)));
            paths.extend(words.map(|word| (word.to_owned(), String::new())));
        }
        imports.extend(paths.into_iter().map(|(path, name)| Import {
            place: format!("{file}:{number}"),
            path,
            name,
            is_public: is_use && !before.is_empty(),
        }));
    }
    imports
}

/// Adds the paths of a tree of imports, such as `a::{b, c as d}`, each with its name.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<(String, String)>) {
    if let Some((before, inside)) = tree.split_once('{') {
        let prefix = format!("{prefix}{}", before.trim());
        let inside = inside.trim_end_matches(char::is_whitespace);
        let inside = inside.strip_suffix('}').unwrap_or(inside);
        let mut depth = 0;
        let parts = inside.split(|letter| {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            letter == ',' && depth == 0
        });
        for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
            expand(&prefix, part, paths);
        }
        return;
    }
    let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
    let path = format!("{prefix}{path}");
    let path = path.strip_suffix("::self").unwrap_or(&path);
    let last = path.rsplit("::").next().unwrap_or_default();
    let name = if name.is_empty() { last } else { name };
    paths.push((path.to_owned(), name.to_owned()));
}

/// Returns the module that defines the target of a path: none if it is in another crate.
fn defined_in<'m>(modules: &'m Modules, module: &str, path: &str, depth: usize) -> Option<&'m str> {
    let (mut at, mut rest) = (module, path);
    if let Some(relative) = rest.strip_prefix("self::") {
        rest = relative;
    }
    while let Some(above) = rest.strip_prefix("super::") {
        at = at.rsplit_once("::").map_or(at, |(parent, _)| parent);
        rest = above;
    }
    let mut target = match rest.strip_prefix("crate::") {
        Some(_) => rest.to_owned(),
        None => format!("{at}::{rest}"),
    };
    let first = rest.split("::").next().unwrap_or_default();
    let is_inside = rest.len() < path.len() || first == "crate";
    if !is_inside && !modules.contains_key(&format!("{at}::{first}")) {
        return None;
    }
    let mut names = Vec::new();
    while !modules.contains_key(&target) {
        let (parent, name) = target.rsplit_once("::")?;
        names.insert(0, name.to_owned());
        target = parent.to_owned();
    }
    let (key, imports) = modules.get_key_value(&target)?;
    let name = names.first();
    let imported = imports.iter().find(|import| Some(&import.name) == name);
    // An import of a name from itself would go on for ever.
    match imported.filter(|_| depth < 8) {
        Some(import) => {
            let path = [std::slice::from_ref(&import.path), &names[1..]].concat();
            defined_in(modules, key, &path.join("::"), depth + 1)
        }
        None => Some(key),
    }
}
