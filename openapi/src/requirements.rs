//! The specification as numbered requirements.

use std::sync::LazyLock;

/// The specification as written: tables of numbered requirements, and of the questions that it
/// leaves open.
///
/// ```
/// assert!(nodeproof_openapi::SPECIFICATION_MD.contains("| BLOCK-1 | documented |"));
/// ```
pub const SPECIFICATION_MD: &str = include_str!("../specification.md");

/// The basis of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The specification states it.
    Documented,
    /// No document states it, but a node that does otherwise contradicts itself.
    Inferred,
    /// Real nodes were seen to do it. The specification leaves it open.
    Observed,
    /// A question that the specification leaves open. Nothing is required.
    Open,
}

impl Basis {
    /// Returns `documented`, `inferred`, `observed` or `open`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Inferred => "inferred",
            Self::Observed => "observed",
            Self::Open => "open",
        }
    }
}

/// One numbered statement of the specification, or one of its open questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its ID, such as `BLOCK-3` or `OPEN-1`.
    pub id: &'static str,
    /// Its basis.
    pub basis: Basis,
    /// The statement, in Markdown.
    pub text: &'static str,
    /// The heading above it.
    pub section: &'static str,
}

/// Returns all requirements and open questions, in the order of the specification.
///
/// ```
/// use nodeproof_openapi::{Basis, requirement, requirements};
///
/// assert_eq!(requirements()[0].id, "NODE-1");
/// assert_eq!(requirement("OPEN-1").map(|open| open.basis), Some(Basis::Open));
/// assert_eq!(requirement("BLOCK-0"), None);
/// ```
#[must_use]
pub fn requirements() -> &'static [Requirement] {
    static ALL: LazyLock<Vec<Requirement>> = LazyLock::new(|| read(SPECIFICATION_MD));
    &ALL
}

/// Returns the requirement with this ID.
#[must_use]
pub fn requirement(id: &str) -> Option<&'static Requirement> {
    requirements().iter().find(|known| known.id == id)
}

/// Reads the rows of the tables whose first cell is an ID.
fn read(markdown: &'static str) -> Vec<Requirement> {
    let mut section = "";
    let mut all = Vec::new();
    for line in markdown.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let Some(row) = line
            .strip_prefix("| ")
            .and_then(|row| row.strip_suffix(" |"))
        else {
            continue;
        };
        let cells: Vec<&'static str> = row.split(" | ").collect();
        let (id, basis, text) = match cells[..] {
            [id, "documented", text] => (id, Basis::Documented, text),
            [id, "inferred", text] => (id, Basis::Inferred, text),
            [id, "observed", text] => (id, Basis::Observed, text),
            [id, text] if id.starts_with("OPEN-") => (id, Basis::Open, text),
            _ => continue,
        };
        all.push(Requirement {
            id,
            basis,
            text,
            section,
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_is_read_once() {
        let rows = SPECIFICATION_MD
            .lines()
            .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
            .filter(|line| !line.starts_with("| ID "));
        assert_eq!(requirements().len(), rows.count());
        let ids: BTreeSet<_> = requirements().iter().map(|one| one.id).collect();
        assert_eq!(ids.len(), requirements().len());
    }

    #[test]
    fn every_requirement_has_an_id_a_text_and_a_section() {
        for Requirement {
            id, text, section, ..
        } in requirements()
        {
            let (area, number) = id.rsplit_once('-').unwrap_or_default();
            assert!(area.bytes().all(|b| b.is_ascii_uppercase()), "{id}");
            assert!(number.parse::<u32>().is_ok(), "{id}");
            assert!(text.ends_with('.') && !text.contains('|'), "{id}: {text}");
            assert!(!section.is_empty(), "{id}");
        }
    }

    /// A link in a row must not count as two cells, and a level must not be misspelt.
    #[test]
    fn reads_each_kind_of_row_and_nothing_else() {
        let text = "## A\n| ID | level | requirement |\n| --- | --- | --- |\n\
                    | A-1 | documented | One. |\n| A-2 | guessed | Two. |\n## B\n| OPEN-1 | Three. |\n";
        let read: Vec<_> = read(text)
            .iter()
            .map(|one| (one.id, one.basis, one.section))
            .collect();
        assert_eq!(
            read,
            [
                ("A-1", Basis::Documented, "A"),
                ("OPEN-1", Basis::Open, "B")
            ]
        );
    }
}
