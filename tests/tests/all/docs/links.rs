//! Links between the pages of the repository.

use std::{collections::BTreeSet, fs, path::Path};

use regex::Regex;

use crate::docs::files::files;

/// Returns the anchors of a page's headings, in GitHub's form.
fn anchors(page: &str) -> BTreeSet<String> {
    page.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
                .map(|letter| if letter == ' ' { '-' } else { letter })
                .collect()
        })
        .collect()
}

/// Returns the problem of a link on a page in `folder`, or `None` if its target exists or is another site.
fn problem(folder: &Path, page: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = folder.join(file);
    if !file.is_empty() && !path.exists() {
        return Some(format!("{link}: there is no such file"));
    }
    if anchor.is_empty() || !(file.is_empty() || file.ends_with(".md")) {
        return None;
    }
    let other = if file.is_empty() {
        page.to_owned()
    } else {
        fs::read_to_string(path).expect("a page")
    };
    (!anchors(&other).contains(anchor)).then(|| format!("{link}: there is no such heading"))
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a regular expression");
    let mut found = files(&root, &["md"]);
    assert!(found.len() > 10, "{found:?}");
    let mut problems = Vec::new();
    // Skip the copy of docs/specification.md that the package ships.
    found.retain(|path| !path.ends_with("openapi/specification.md"));
    for path in found {
        let page = fs::read_to_string(&path).expect("a page");
        let folder = path.parent().expect("a folder");
        for capture in link.captures_iter(&page) {
            if let Some(problem) = problem(folder, &page, &capture[1]) {
                problems.push(format!("{}: {problem}", path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = "# One heading, `of` two\n";
    for (link, right) in [
        ("README.md", true),
        ("docs/specification.md", true),
        ("#one-heading-of-two", true),
        ("https://example.org/", true),
        ("no-such-page.md", false),
        ("#no-such-heading", false),
        ("README.md#no-such-heading", false),
    ] {
        assert_eq!(problem(&folder, page, link).is_none(), right, "{link}");
    }
}

#[test]
fn every_test_that_the_threats_name_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = files(&root, &["rs"]);
    let texts: Vec<_> = sources
        .iter()
        .map(|path| fs::read_to_string(path).expect("a source file"))
        .collect();
    let is_function = |name: &str| {
        texts
            .iter()
            .any(|text| text.contains(&format!("fn {name}(")))
    };
    let is_module = |name: &str| {
        let name = format!("{name}.rs");
        sources.iter().any(|path| path.ends_with(&name))
    };
    let page = fs::read_to_string(root.join("docs/threats.md")).expect("a page");
    let quoted = Regex::new("`([^`]+)`").expect("a regular expression");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let rows =
        rows.filter(|line| !line.starts_with("| attack |") && !line.starts_with("| mistake |"));
    let (mut problems, mut count) = (Vec::new(), 0);
    for row in rows.filter(|row| !row.starts_with("| ---")) {
        let tests = row.trim_end_matches(" |").rsplit(" | ").next();
        let named: Vec<_> = quoted.captures_iter(tests.unwrap_or_default()).collect();
        if named.is_empty() {
            problems.push(format!("no test: {row}"));
        }
        for capture in named {
            count += 1;
            let test = &capture[1];
            let exists = match test.rsplit_once("::") {
                _ if test.contains("/") || test.contains(".toml") => root.join(test).exists(),
                Some((path, "*" | "…" | "tests")) => {
                    is_module(path.rsplit("::").next().unwrap_or_default())
                }
                Some((_, name)) => is_function(name),
                None => is_function(test),
            };
            if !exists {
                problems.push(format!("{test}: there is no such test"));
            }
        }
    }
    assert!(count > 40, "{count}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
