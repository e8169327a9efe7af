//! Phrases that no comment, message or page uses. CONTRIBUTING.md has the standard terms.

use std::{fs, path::Path};

use regex::{Regex, RegexSet};

use crate::docs::files::files;

/// A phrase, its replacement, a text that contains the phrase, and a text that does not.
const BANNED: &[(&str, &str, &str, &str)] = &[
    (
        r"(^|[^e] )(is|are) no (JSON )?(object|array|number|integer|string|node|block|hash|wallet|address|case|page|file)\b",
        "is not a …",
        "the body is no object",
        "there is no object",
    ),
    (
        r"\bheld against\b",
        "compared with",
        "held against the clock",
        "held up",
    ),
    (
        r"\binside of\b",
        "inside",
        "inside of a string",
        "inside a string",
    ),
    (
        r"\bnewest block\b",
        "latest block",
        "the newest block",
        "the latest block",
    ),
    (
        r"\b(departs?|departing|violates?|violated|violating)\b",
        "does not conform, fails",
        "the node violates a requirement",
        "the node does not conform",
    ),
    (
        r"\bAPI contract\b|\bSource: the contract\b|\b[Tt]he contract (does not (define|document|name|require|show|specify|state)|documents|leaves|requires|says|shows|states)\b",
        "the specification. A contract is a smart contract",
        "the contract does not show a response",
        "the table that the contract does not have",
    ),
    (
        r"\b((conforms?|differs?|according) (to|from)|(part|requirements?) of|not in) the contract\b",
        "the specification. A contract is a smart contract",
        "a requirement of the contract",
        "a record of the contract",
    ),
    (
        r"\b(letter case|[Bb]oth cases (are|in)|in (either|the other|any) case|(state|specif)\w* (the|their|its) case|case-(in)?sensitive)\b",
        "upper or lower case. A case is a test",
        "40 digits in either case",
        "40 digits in upper or lower case",
    ),
    (
        r"\bis said to\b",
        "is reported as",
        "is said to be new",
        "is reported as new",
    ),
    (
        r"\bthe node (answers|answered|says|said|tells|told|knows)\b",
        "the node responds with, reports, returns",
        "the node says no",
        "the node returns no",
    ),
    (
        r"\b(whoever|anew|all the same)\b",
        "everyone who, again, anyway",
        "the node is asked anew",
        "the client sends a new request",
    ),
    (
        r"\b(is|was|are|were) asked for\b",
        "is requested",
        "the block that was asked for",
        "the requested block",
    ),
    (
        r"\b(is|was|are|were) answered\b",
        "the response is",
        "a block is answered with 500",
        "the response is 500",
    ),
    (
        r"\bwhat is wrong is\b",
        "an invalid request is",
        "what is wrong is refused",
        "an invalid request is refused",
    ),
    (
        r"\b(nothing|something) (comes|came) of\b",
        "has no result",
        "nothing came of it",
        "it had no result",
    ),
    (
        r"\bwhat came of it\b",
        "the result",
        "shows what came of it",
        "shows the result",
    ),
];

#[test]
fn no_file_has_a_banned_phrase() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let all = files(&root, &["rs", "md", "yaml", "toml"]);
    assert!(all.len() > 300, "{}", all.len());
    let banned: Vec<_> = BANNED
        .iter()
        .map(|(phrase, better, ..)| (Regex::new(phrase).expect("a regular expression"), better))
        .collect();
    let any = RegexSet::new(BANNED.iter().map(|(phrase, ..)| phrase)).expect("expressions");
    let mut problems = String::new();
    for path in all
        .iter()
        .filter(|path| !path.ends_with("docs/language.rs"))
    {
        let text = fs::read_to_string(path).expect("a text file");
        for (number, line) in text.lines().enumerate() {
            if !any.is_match(line) {
                continue;
            }
            for (phrase, better) in &banned {
                if phrase.is_match(line) {
                    let place = path.strip_prefix(&root).unwrap_or(path).display();
                    problems += &format!("{place}:{}: write \"{better}\": {line}\n", number + 1);
                }
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn each_phrase_is_found() {
    for (phrase, _, with, without) in BANNED {
        let phrase = Regex::new(phrase).expect("a regular expression");
        assert!(phrase.is_match(with), "{with}");
        assert!(!phrase.is_match(without), "{without}");
    }
}
