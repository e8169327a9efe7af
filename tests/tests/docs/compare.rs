//! Compares the output on a page with the actual output of a program.

use regex::Regex;
use similar::TextDiff;

/// Values that differ from run to run: times, random addresses, free ports, rates.
pub(crate) struct Volatile {
    rules: Vec<(Regex, &'static str)>,
}

impl Volatile {
    pub(crate) fn new() -> Self {
        let rules = [
            (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?", "<date>"),
            (r"127\.0\.0\.1:\d{5}\b", "127.0.0.1:<port>"),
            (r"\b(0x|ct)?[0-9a-f]{32,}", "<hex>"),
            (r"\b1\d{12}\b", "<ms>"),
            (r"\b\d+(\.\d+)? (ms|s|requests)\b", "<n> $2"),
            (r"\b\d+(\.\d+)? a second", "<n> a second"),
        ];
        Self {
            rules: rules
                .into_iter()
                .map(|(pattern, name)| (Regex::new(pattern).expect("a regular expression"), name))
                .collect(),
        }
    }

    /// Returns the difference as lines if the printed text does not match.
    pub(crate) fn compare(&self, shown: &str, printed: &str) -> Result<(), String> {
        let (shown, printed) = (self.steady(shown), self.steady(printed));
        let expected: Vec<&str> = shown.lines().collect();
        let actual: Vec<&str> = printed.lines().collect();
        if fits(&expected, &actual) {
            return Ok(());
        }
        let difference = TextDiff::from_lines(&shown, &printed);
        Err(difference
            .unified_diff()
            .context_radius(2)
            .header("shown", "printed")
            .to_string())
    }

    fn steady(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (pattern, name) in &self.rules {
            text = pattern.replace_all(&text, *name).into_owned();
        }
        text
    }
}

fn fits(expected: &[&str], actual: &[&str]) -> bool {
    match (expected, actual) {
        ([], []) => true,
        (["…", rest @ ..], _) => (0..=actual.len()).any(|from| fits(rest, &actual[from..])),
        ([shown, rest @ ..], [printed, others @ ..]) => {
            line_fits(shown, printed) && fits(rest, others)
        }
        _ => false,
    }
}

fn line_fits(shown: &str, printed: &str) -> bool {
    let Some((begin, others)) = shown.trim_end().split_once('…') else {
        return shown.trim_end() == printed.trim_end();
    };
    let Some(mut rest) = printed.strip_prefix(begin) else {
        return false;
    };
    let mut parts = others.split('…').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(place) = rest.find(part) else {
            return false;
        };
        rest = &rest[place + part.len()..];
    }
    true
}

#[test]
fn a_gap_is_any_text_and_all_else_is_compared() {
    let volatile = Volatile::new();
    for (shown, printed, same) in [
        ("a\n…\nb\n", "a\nx\ny\nb\n", true),
        ("a\n…\nb\n", "a\nb\n", true),
        ("a\n…\nb\n", "a\nx\nc\n", false),
        ("at … of …\n", "at 5 of 7 places\n", true),
        ("at … of …\n", "at 5 places\n", false),
        ("in 0.2 s\n", "in 11.4 s\n", true),
        ("179 passed\n", "180 passed\n", false),
        ("a\n", "a\nb\n", false),
        ("", "a\n", false),
    ] {
        assert_eq!(
            volatile.compare(shown, printed).is_ok(),
            same,
            "{shown:?} {printed:?}"
        );
    }
}
