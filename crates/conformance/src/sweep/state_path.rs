//! The default path of a sweep's state.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::http::Target;

/// Returns the default path of the state for this node.
///
/// It is in the folder of reports, or else in the user's state folder. Returns `None` if neither exists.
pub(crate) fn default_state(reports: Option<&Path>, target: &Target) -> Option<PathBuf> {
    let folder = match reports {
        Some(folder) => folder.to_owned(),
        None => nodeproof_files::state_folder()?.join("nodeproof"),
    };
    Some(folder.join(name(target)))
}

/// Returns the file name: readable, and different for each node.
fn name(target: &Target) -> String {
    let url = target.base_url.to_string();
    let seen: String = url
        .trim_start_matches("https://")
        .trim_start_matches("http://")
        .chars()
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => character,
            _ => '-',
        })
        .take(60)
        .collect();
    let digest = Sha256::digest(format!("{url} {}", target.network));
    let digest = const_hex::encode(&digest[..4]);
    format!("sweep-{}-{digest}.json", seen.trim_matches(['-', '.']))
}

#[cfg(test)]
mod tests {
    use nodeproof_primitives::Network;

    use super::*;

    #[test]
    fn each_node_has_a_file_of_its_own_below_the_reports() {
        let place = |url| {
            let target = Target::parse(url, Network::Devnet).unwrap();
            default_state(Some(Path::new("reports")), &target).unwrap()
        };
        let one = place("http://localhost:9000/a/b");
        let name = one.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("sweep-localhost-9000-a-b-"), "{name}");
        assert_eq!(one.parent(), Some(Path::new("reports")));
        assert_ne!(one, place("http://localhost:9000/a-b"));
    }
}
