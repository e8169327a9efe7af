//! Every public method of the libraries for dapps occurs in an example that the tests compile.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use regex::Regex;

use crate::docs::files::files;

/// Returns the code of the examples in a text whose lines have that prefix.
fn examples(text: &str, prefix: &Regex) -> String {
    let mut code = String::new();
    let mut inside = false;
    for line in text.lines() {
        let Some(found) = prefix.find(line) else {
            inside = false;
            continue;
        };
        let rest = &line[found.end()..];
        if rest.starts_with("```") {
            inside = !inside;
        } else if inside {
            code += rest;
            code.push('\n');
        }
    }
    code
}

/// Returns the public functions that a source file defines outside its tests.
fn public_functions(source: &str) -> BTreeSet<String> {
    let function =
        Regex::new(r"^\s*pub (?:const |async |unsafe )*fn (\w+)").expect("an expression");
    source
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .filter_map(|line| Some(function.captures(line)?[1].to_owned()))
        .collect()
}

/// Returns the public functions of these sources that occur in no example.
fn without_example(sources: &[String], others: &str) -> BTreeSet<String> {
    let comment = Regex::new(r"^\s*//[/!] ?").expect("an expression");
    let mut code = others.to_owned();
    let mut functions = BTreeSet::new();
    for source in sources {
        code += &examples(source, &comment);
        functions.append(&mut public_functions(source));
    }
    let words = Regex::new(r"\w+").expect("an expression");
    let used: BTreeSet<_> = words.find_iter(&code).map(|word| word.as_str()).collect();
    functions
        .into_iter()
        .filter(|name| !used.contains(name.as_str()))
        .collect()
}

fn texts(folder: &Path) -> Vec<String> {
    let sources = files(folder, &["rs"]).into_iter();
    sources
        .map(|path| fs::read_to_string(path).expect("a source file"))
        .collect()
}

#[test]
fn every_public_method_for_dapps_has_an_example() {
    let root: PathBuf = [env!("CARGO_MANIFEST_DIR"), ".."].iter().collect();
    for name in ["client", "claims", "wallet", "primitives", "devnode"] {
        let folder = root.join("crates").join(name);
        let programs = folder.join("examples");
        let programs = programs.is_dir().then(|| texts(&programs).concat());
        let missing = without_example(&texts(&folder.join("src")), &programs.unwrap_or_default());
        assert!(missing.is_empty(), "{name}: no example calls {missing:?}");
    }
}

#[test]
fn a_method_without_an_example_is_found() {
    let source = "/// ```\n/// a.named();\n/// ```\n\
                  pub fn named() {}\n/// Like `unnamed()`.\n    pub async fn unnamed() {}\n\
                  pub(crate) fn private() {}\n#[cfg(test)]\npub fn in_a_test() {}\n";
    let missing = without_example(&[source.to_owned()], "");
    assert_eq!(missing, BTreeSet::from(["unnamed".to_owned()]));
    assert!(without_example(&[source.to_owned()], "unnamed()").is_empty());
}
