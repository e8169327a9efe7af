//! A TOML file of nodes.

use std::{collections::BTreeMap, path::PathBuf};

use nodeproof_primitives::{Hidden, Network, one_or_several_hidden};
use serde::Deserialize;

use super::access::AccessFiles;

/// One node of the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedTarget {
    /// The base URL of its API.
    pub(crate) base_url: String,
    /// Its name in metrics and alerts. Without it, the base URL without the scheme is used.
    pub(crate) name: Option<String>,
    /// Further labels in metrics and alerts.
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    /// Its network. Without it, the network of the command line or else of the URL's port is used.
    pub(crate) network: Option<Network>,
    /// Headers for this node alone, each in the form of the option `--header`.
    #[serde(default, deserialize_with = "one_or_several_hidden")]
    pub(crate) headers: Vec<Hidden<String>>,
    /// PEM file of certificate authorities to trust.
    ca_file: Option<PathBuf>,
    /// PEM file of a client certificate and its key.
    client_cert: Option<PathBuf>,
}

/// Maximum number of labels of a node.
const MAX_LABELS: usize = 8;
/// Maximum length of a name, or of a label's value, in characters.
const MAX_LABEL: usize = 100;
/// Labels that the metrics, the scraper or the alerts have already.
const USED_LABELS: [&str; 13] = [
    "node",
    "network",
    "name",
    "verdict",
    "outcome",
    "case",
    "level",
    "event",
    "le",
    "job",
    "instance",
    "alertname",
    "severity",
];

impl NamedTarget {
    /// Checks the name and the labels. A scraper would reject all metrics because of a wrong one.
    fn check_labels(&self) -> Result<(), String> {
        let name = self.name.iter().map(|name| ("name", name));
        let values = self.labels.iter().map(|(label, value)| (&**label, value));
        for (label, value) in name.chain(values) {
            let length = value.chars().count();
            if !(1..=MAX_LABEL).contains(&length) || value.chars().any(char::is_control) {
                return Err(format!(
                    "{label:?} must have 1 to {MAX_LABEL} characters, and no control characters"
                ));
            }
        }
        if self.labels.len() > MAX_LABELS {
            return Err(format!("it has more than {MAX_LABELS} labels"));
        }
        for label in self.labels.keys() {
            let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let starts = label.starts_with(|letter: char| letter.is_ascii_digit() || letter == '_');
            if label.is_empty() || starts || !label.chars().all(is_word) {
                return Err(format!(
                    "{label:?} is not a label: write letters, digits and _, with a letter first"
                ));
            }
            if USED_LABELS.contains(&&**label) {
                return Err(format!("the label {label:?} is used already"));
            }
        }
        Ok(())
    }

    /// Returns the PEM files of the node.
    pub(crate) fn files(&self) -> AccessFiles<'_> {
        AccessFiles {
            authorities: self.ca_file.as_deref(),
            client_certificate: self.client_cert.as_deref(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    node: Vec<NamedTarget>,
}

/// Reads a file's text: TOML with a `[[node]]` for each.
pub(crate) fn from_toml(text: &str) -> Result<Vec<NamedTarget>, String> {
    let file: File = toml::from_str(text).map_err(|error| {
        // The whole error shows the line, which can have a header's value.
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        format!("line {line}: {}", error.message())
    })?;
    if file.node.is_empty() {
        return Err("it names no node: write [[node]] and base_url = \"…\" for each".to_owned());
    }
    for (place, node) in file.node.iter().enumerate() {
        let wrong = |reason: String| Err(format!("node {}: {reason}", place + 1));
        if let Err(reason) = node.check_labels() {
            return wrong(reason);
        }
        let is_same = |other: &NamedTarget| other.name.is_some() && other.name == node.name;
        if file.node[..place].iter().any(is_same) {
            return wrong("an earlier node has the same name".to_owned());
        }
    }
    Ok(file.node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_with_their_networks_and_what_is_wrong_is_told() {
        let text = "[[node]]\nbase_url = \"http://a\"\nnetwork = \"testnet\"\nname = \"ä\"\nlabels = { dc = \"x y\" }\n\
                    [[node]]\nbase_url = \"http://b:8420\"\n";
        let nodes = from_toml(text).unwrap();
        assert_eq!(nodes[0].network, Some(Network::Testnet));
        assert_eq!(
            (nodes[1].base_url.as_str(), nodes[1].network),
            ("http://b:8420", None)
        );
        for (text, part) in [
            ("", "names no node"),
            ("[[node]]\n", "base_url"),
            (
                "[[node]]\nbase_url = \"a\"\nnetwork = \"betanet\"\n",
                "betanet",
            ),
            ("[[node]]\nbase_ulr = \"a\"\n", "base_ulr"),
            ("http://a\n", "line 1"),
            (
                "[[node]]\nbase_url = \"a\"\nname = \"x\"\n[[node]]\nbase_url = \"b\"\nname = \"x\"\n",
                "node 2: an earlier node has the same name",
            ),
            (
                "[[node]]\nbase_url = \"a\"\nname = \"\"\n",
                "node 1: \"name\" must have 1 to 100 characters",
            ),
            (
                "[[node]]\nbase_url = \"a\"\nlabels = { network = \"x\" }\n",
                "used already",
            ),
            (
                "[[node]]\nbase_url = \"a\"\nlabels = { a-b = \"x\" }\n",
                "\"a-b\" is not a label",
            ),
            (
                "[[node]]\nbase_url = \"a\"\nheaders = { x = \"5ec2e7\" }\n",
                "line 3",
            ),
            (
                "[[node]]\nbase_url = \"a\"\nheaders = \"x: 5ec2e7\n",
                "line 3",
            ),
        ] {
            let message = from_toml(text).unwrap_err();
            assert!(message.contains(part), "{text:?}: {message}");
            assert!(!message.contains("5ec2e7"), "{message}");
        }
    }
}
