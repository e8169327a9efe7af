//! Reading a report of either kind from a file.

use serde::Deserialize;

use super::{
    nodes::NodesReport,
    report::{Report, VERSION},
};

/// A report of one node or of several.
#[derive(Clone, Debug)]
pub enum AnyReport {
    /// The report of one node.
    Node(Box<Report>),
    /// The report of several nodes.
    Nodes(NodesReport),
}

/// The reason why a text can't be read as a report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not JSON, or a member is missing or wrong.
    NotAReport(String),
    /// The report has another version of the format.
    OtherVersion(u64),
}

impl std::error::Error for ReadError {}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotAReport(reason) => {
                write!(f, "it is not a report.json of nodeproof: {reason}")
            }
            Self::OtherVersion(version) => write!(
                f,
                "it is a report of version {version}, and this program reads version {VERSION}: \
                 write it again with this nodeproof"
            ),
        }
    }
}

impl AnyReport {
    /// Reads the text of a `report.json`.
    ///
    /// # Errors
    /// Returns an error if the text is not a report, or one of another version.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        #[derive(Deserialize)]
        struct Kind {
            version: u64,
            nodes: Option<serde::de::IgnoredAny>,
        }
        let wrong = |error: serde_json::Error| ReadError::NotAReport(error.to_string());
        let kind: Kind = serde_json::from_str(text).map_err(wrong)?;
        if kind.version != u64::from(VERSION) {
            return Err(ReadError::OtherVersion(kind.version));
        }
        Ok(match kind.nodes {
            Some(_) => Self::Nodes(serde_json::from_str(text).map_err(wrong)?),
            None => Self::Node(serde_json::from_str(text).map_err(wrong)?),
        })
    }
}

impl From<Report> for AnyReport {
    fn from(report: Report) -> Self {
        Self::Node(Box::new(report))
    }
}

impl From<NodesReport> for AnyReport {
    fn from(report: NodesReport) -> Self {
        Self::Nodes(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_and_other_documents_are_told_apart() {
        let read = |text: &str| AnyReport::from_json(text).unwrap_err().to_string();
        for (text, part) in [
            (r#"{"version":2,"anything":[]}"#, "of version 2"),
            (r#"{"version":1}"#, "missing field `target`"),
            (r#"{"version":1,"nodes":[]}"#, "missing field `verdict`"),
            ("{}", "missing field `version`"),
            (r#"{"version":"1"}"#, "invalid type"),
            ("", "not a report.json"),
            ("<html>", "not a report.json"),
        ] {
            assert!(read(text).contains(part), "{text}: {}", read(text));
        }
    }
}
