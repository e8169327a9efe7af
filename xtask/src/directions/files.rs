//! Finds upward imports and import cycles among the files of a crate, from the files' tokens.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};

type Names = Vec<String>;

/// A module with a file of its own, by its path in the crate.
type Modules = BTreeMap<Names, Module>;

#[derive(Default)]
struct Module {
    file: PathBuf,
    items: BTreeSet<String>,
    children: Names,
    /// Each imported name, or `*`, with its path.
    imports: Vec<(String, Names)>,
    /// Each path with its line, and whether it is re-exported.
    uses: Vec<(usize, Names, bool)>,
}

/// Checks a crate by its root file. Layers are names of files or folders, from top to bottom.
pub(super) fn check(root: &Path, layers: &[&str]) -> Result<Vec<String>, String> {
    let folder = root.parent().unwrap_or(root);
    let mut modules = Modules::new();
    read(&mut modules, Names::new(), root, folder)?;
    let name = |file: &Path| {
        file.strip_prefix(folder)
            .unwrap_or(file)
            .display()
            .to_string()
    };
    let layer = |file: &Path| {
        let name = name(file);
        let layer = name.split(['/', '.']).next().unwrap_or_default().to_owned();
        layers
            .iter()
            .position(|known| file != root && *known == layer)
    };
    let mut edges = BTreeMap::new();
    let mut problems = Vec::new();
    for (at, module) in &modules {
        if !layers.is_empty() && module.file != root && layer(&module.file).is_none() {
            problems.push(format!("{} is in no layer", name(&module.file)));
        }
        for (line, path, public) in &module.uses {
            for to in resolve(&modules, at, path, &mut BTreeSet::new()) {
                // A module may re-export what is below it.
                if at != to && !(*public && to.starts_with(at)) {
                    let (from, file) = (&*module.file, &*modules[to].file);
                    let (user, used) = (name(from), name(file));
                    let text = format!("{user}:{line} uses {} of {used}", path.join("::"));
                    edges.entry((from, file)).or_insert(text);
                }
            }
        }
    }
    for ((from, to), text) in edges.iter().filter(|_| !layers.is_empty()) {
        // The root is above all layers.
        if *from != root && (*to == root || layer(from) > layer(to)) {
            problems.push(format!("upward import: {text}"));
        }
    }
    // No file that uses nothing, or that nothing uses, is in a cycle.
    let mut left = edges;
    for _ in 0..modules.len() {
        let users: BTreeSet<_> = left.keys().map(|(from, _)| *from).collect();
        let used: BTreeSet<_> = left.keys().map(|(_, to)| *to).collect();
        left.retain(|(from, to), _| users.contains(to) && used.contains(from));
    }
    problems.extend(left.values().map(|text| format!("import cycle: {text}")));
    Ok(problems)
}

/// Reads a file and the files of its modules, which are in the folder.
fn read(modules: &mut Modules, at: Names, file: &Path, folder: &Path) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let tokens = text
        .parse()
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let mut words = Vec::new();
    flatten(tokens, &mut words);
    let mut module = Module {
        file: file.to_owned(),
        ..Module::default()
    };
    module.scan(&words);
    for child in &module.children {
        let inner = folder.join(child);
        let file = Some(inner.join("mod.rs")).filter(|file| file.exists());
        let file = file.unwrap_or_else(|| inner.with_extension("rs"));
        read(
            modules,
            [&*at, std::slice::from_ref(child)].concat(),
            &file,
            &inner,
        )?;
    }
    modules.insert(at, module);
    Ok(())
}

/// Adds the tokens with their lines, without comments and code for tests.
fn flatten(tokens: TokenStream, words: &mut Vec<(usize, String)>) {
    let mut in_test = false;
    for token in tokens {
        let (line, text) = (token.span().start().line, token.to_string());
        if in_test {
            in_test = text != ";" && !text.starts_with('{');
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                in_test = text == "[test]" || text.starts_with("[cfg") && text.contains("test");
                if !in_test && !text.starts_with("[doc") {
                    words.push((line, text[..1].to_owned()));
                    flatten(group.stream(), words);
                    words.push((line, text[text.len() - 1..].to_owned()));
                }
            }
            TokenTree::Literal(_) if text.starts_with("\"crate::") => {
                let start = words.len();
                flatten(text.trim_matches('"').parse().unwrap_or_default(), words);
                words[start..].iter_mut().for_each(|(at, _)| *at = line);
            }
            _ => words.push((line, text)),
        }
    }
}

impl Module {
    fn scan(&mut self, words: &[(usize, String)]) {
        let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
        let (mut at, mut public) = (0, false);
        while at < words.len() {
            let (start, first) = (at, word(at));
            at += 1;
            match first {
                "pub" if word(at) == "(" => {
                    at = (at..words.len()).find(|at| word(*at) == ")").unwrap_or(at);
                    public = true;
                }
                "pub" | ")" => public |= first == "pub",
                "mod" if word(at + 1) == ";" => self.children.push(word(at).to_owned()),
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" => {
                    self.items.insert(word(at).to_owned());
                    public = false;
                }
                "use" => {
                    let mut paths = Vec::new();
                    at = tree(words, at, &[], &mut paths);
                    for (name, path) in paths {
                        self.uses.push((words[start].0, path.clone(), public));
                        self.imports.push((name, path));
                    }
                    public = false;
                }
                _ if word(at) == ":"
                    && word(at + 1) == ":"
                    && (start == 0 || word(start - 1) != ":") =>
                {
                    let mut paths = Vec::new();
                    at = tree(words, start, &[], &mut paths);
                    self.uses.extend(
                        paths
                            .into_iter()
                            .map(|(_, path)| (words[start].0, path, false)),
                    );
                }
                _ => public = false,
            }
        }
    }
}

/// Adds the names and paths of a path or a tree of imports. Returns the position after it.
fn tree(
    words: &[(usize, String)],
    mut at: usize,
    prefix: &[String],
    paths: &mut Vec<(String, Names)>,
) -> usize {
    let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
    let mut path = prefix.to_vec();
    loop {
        match word(at) {
            "{" => {
                at += 1;
                while !matches!(word(at), "}" | "") {
                    at = tree(words, at, &path, paths);
                    at += usize::from(word(at) == ",");
                }
                return at + 1;
            }
            "self" if !path.is_empty() => {}
            name => path.push(name.to_owned()),
        }
        at += 1;
        let next = word(at + 2).chars().next();
        let goes_on = next.is_some_and(|next| next.is_alphabetic() || "_{*".contains(next));
        if word(at) != ":" || word(at + 1) != ":" || !goes_on {
            break;
        }
        at += 2;
    }
    let renamed = word(at) == "as";
    let name = if renamed {
        word(at + 1)
    } else {
        path.last().map_or("", |last| last)
    };
    paths.push((name.to_owned(), path.clone()));
    at + 2 * usize::from(renamed)
}

/// Returns the modules that define the target of a path: none if it is a module or in another crate.
fn resolve<'m>(
    modules: &'m Modules,
    at: &Names,
    path: &[String],
    seen: &mut BTreeSet<(Names, Names)>,
) -> Vec<&'m Names> {
    // A path that an import of another crate makes longer again and again leads nowhere.
    let (mut module, mut rest) = (at.clone(), if path.len() > 12 { &[] } else { path });
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "crate" => module.clear(),
            "super" => drop(module.pop()),
            "self" => {}
            name => {
                let child = [&*module, &[name.to_owned()]].concat();
                let is_item = modules[&module].items.contains(name);
                if is_item && more.is_empty() || !modules.contains_key(&child) {
                    break;
                }
                module = child;
            }
        }
        rest = more;
    }
    let (Some((name, more)), true) = (
        rest.split_first(),
        seen.insert((module.clone(), rest.into())),
    ) else {
        return Vec::new();
    };
    let Some((key, known)) = modules.get_key_value(&module) else {
        return Vec::new();
    };
    if name == "*" || known.items.contains(name) {
        return vec![key];
    }
    let mut through = |wanted: &str, rest: &[String]| -> Vec<_> {
        let imports = known.imports.iter().filter(|(import, _)| import == wanted);
        let targets =
            imports.map(|(_, target)| target.strip_suffix(&["*".to_owned()]).unwrap_or(target));
        targets
            .flat_map(|target| resolve(modules, &module, &[target, rest].concat(), seen))
            .collect()
    };
    let found = through(name, more);
    let mut imports = known.imports.iter().map(|(import, _)| import);
    if rest.len() < path.len() && imports.all(|import| import != name && import != "*") {
        // A macro of this file makes it.
        return vec![key];
    }
    if found.is_empty() {
        through("*", rest)
    } else {
        found
    }
}
