//! Compares the output on a page with the actual output of a program.

use std::collections::BTreeMap;

use regex::Regex;
use similar::TextDiff;

/// An address, a hash, a key or a signature.
const HEX: &str = r"\b(0x|ct)?[0-9a-f]{32,}";

/// Values that differ from run to run: times, random addresses, free ports, rates.
///
/// A random address or hash must stand for the same printed value everywhere on a page.
pub(crate) struct Volatile {
    rules: Vec<(Regex, &'static str)>,
    hex: Regex,
    /// The printed value for each value on the page.
    printed: BTreeMap<String, String>,
    /// The value on the page for each printed value.
    shown: BTreeMap<String, String>,
}

impl Volatile {
    pub(crate) fn new() -> Self {
        let rules = [
            (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?", "<date>"),
            (r"127\.0\.0\.1:\d{5}\b", "127.0.0.1:<port>"),
            (HEX, "<hex>"),
            (r"\b1\d{12}\b", "<ms>"),
            (r"\b\d+(\.\d+)? (ms|s|requests)\b", "<n> $2"),
            (r"\b\d+(\.\d+)? a second", "<n> a second"),
        ];
        Self {
            rules: rules
                .into_iter()
                .map(|(pattern, name)| (Regex::new(pattern).expect("a regular expression"), name))
                .collect(),
            hex: Regex::new(HEX).expect("a regular expression"),
            printed: BTreeMap::new(),
            shown: BTreeMap::new(),
        }
    }

    /// Returns the difference as lines if the printed text does not match.
    pub(crate) fn compare(&mut self, shown: &str, printed: &str) -> Result<(), String> {
        let lines = (
            shown.lines().collect::<Vec<_>>(),
            printed.lines().collect::<Vec<_>>(),
        );
        let (shown, printed) = (self.steady(shown), self.steady(printed));
        let expected: Vec<&str> = shown.lines().collect();
        let actual: Vec<&str> = printed.lines().collect();
        if let Some(skipped) = fits(&expected, &actual) {
            return self.same_values(&lines.0, &lines.1, &skipped);
        }
        let difference = TextDiff::from_lines(&shown, &printed);
        Err(difference
            .unified_diff()
            .context_radius(2)
            .header("shown", "printed")
            .to_string())
    }

    /// Returns a printed text with the values that the page shows for the printed ones.
    pub(crate) fn as_shown(&self, printed: &str) -> String {
        let value = |found: &regex::Captures<'_>| {
            let printed = &found[0];
            self.shown
                .get(printed)
                .map_or(printed, String::as_str)
                .to_owned()
        };
        self.hex.replace_all(printed, value).into_owned()
    }

    /// Compares the random values in lines that fit each other. `skipped` has the number of printed
    /// lines for each line on the page that stands for any lines.
    fn same_values(
        &mut self,
        shown: &[&str],
        printed: &[&str],
        skipped: &[usize],
    ) -> Result<(), String> {
        let mut skipped = skipped.iter();
        let mut at = 0;
        for line in shown {
            if *line == "…" {
                at += skipped.next().copied().unwrap_or_default();
                continue;
            }
            let values = self.hex.find_iter(line).map(|found| found.as_str());
            let others = self.hex.find_iter(printed[at]).map(|found| found.as_str());
            // Any text that the page leaves out may contain values, too.
            let pairs: Vec<_> = if line.contains('…') {
                Vec::new()
            } else {
                values.zip(others).collect()
            };
            for (shown, printed) in pairs {
                let one = self
                    .printed
                    .entry(shown.to_owned())
                    .or_insert(printed.to_owned());
                let other = self
                    .shown
                    .entry(printed.to_owned())
                    .or_insert(shown.to_owned());
                if one != printed || other != shown {
                    return Err(format!(
                        "{line}\n{shown} on the page is {printed} here; elsewhere it is {one}, and {printed} is {other} on the page\n"
                    ));
                }
            }
            at += 1;
        }
        Ok(())
    }

    fn steady(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (pattern, name) in &self.rules {
            text = pattern.replace_all(&text, *name).into_owned();
        }
        text
    }
}

/// Returns the number of printed lines for each line `…`, or `None` if the lines do not fit.
fn fits(expected: &[&str], actual: &[&str]) -> Option<Vec<usize>> {
    match (expected, actual) {
        ([], []) => Some(Vec::new()),
        (["…", rest @ ..], _) => (0..=actual.len()).find_map(|from| {
            let mut skipped = fits(rest, &actual[from..])?;
            skipped.insert(0, from);
            Some(skipped)
        }),
        ([shown, rest @ ..], [printed, others @ ..]) if line_fits(shown, printed) => {
            fits(rest, others)
        }
        _ => None,
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
            Volatile::new().compare(shown, printed).is_ok(),
            same,
            "{shown:?} {printed:?}"
        );
    }
}

#[test]
fn a_random_value_is_the_same_one_on_the_whole_page() {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|digit| digit.repeat(32));
    for (first, second, same) in [
        ((&a, &c), (&a, &c), true),
        ((&a, &c), (&b, &d), true),
        ((&a, &c), (&b, &c), false),
        ((&a, &c), (&a, &d), false),
    ] {
        let mut volatile = Volatile::new();
        let line = |value: &str| format!("of {value}\n");
        let gap = |value: &str| format!("any\nother\nlines\nby {value}\n");
        assert!(volatile.compare(&line(first.0), &line(first.1)).is_ok());
        let shown = format!("…\nby {}\n", second.0);
        assert_eq!(
            volatile.compare(&shown, &gap(second.1)).is_ok(),
            same,
            "{first:?} {second:?}"
        );
    }
}
