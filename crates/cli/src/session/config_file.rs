//! The configuration file.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use nodeproof_files::{Shared, check_private_folder, parent_folder};
use nodeproof_primitives::{
    Amount, ContractAddress, Hidden, Network,
    escape::escaped_up_to,
    one_or_several_hidden,
    redact::{keys_in, redact_parts},
};
use serde::{Deserialize, Deserializer, de};

use crate::{arguments::seconds, failure::Failure, io::input};

/// The contents of the file. Unknown keys are errors.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ConfigFile {
    pub(crate) base_url: Option<String>,
    pub(crate) network: Option<Network>,
    pub(crate) contract: Option<ContractAddress>,
    /// Key files: one path, or a list of paths.
    pub(crate) wallet: Wallets,
    #[serde(deserialize_with = "exact")]
    pub(crate) fee: Option<Amount>,
    pub(crate) currency: Option<String>,
    #[serde(deserialize_with = "some_seconds")]
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) max_body: Option<usize>,
    /// Headers for the node at `base_url`.
    #[serde(deserialize_with = "one_or_several_hidden")]
    pub(crate) headers: Vec<Hidden<String>>,
    pub(crate) ca_file: Option<PathBuf>,
    /// The client certificate for the node at `base_url`.
    pub(crate) client_cert: Option<PathBuf>,
    /// The folder of the file. Paths in it are relative to this folder.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
}

/// Key files: one path, or a list of paths.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
pub(crate) enum Wallets {
    #[default]
    None,
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl Wallets {
    fn below(self, folder: &Path) -> Self {
        match self {
            Self::None => Self::None,
            Self::One(path) => Self::One(folder.join(path)),
            Self::Several(paths) => {
                Self::Several(paths.iter().map(|path| folder.join(path)).collect())
            }
        }
    }

    /// Returns the line of the file that has a private key in place of a key file's path.
    fn key_line(&self, text: &str) -> Option<usize> {
        let paths = self.clone().into_vec();
        let names = paths.iter().map(|path| path.to_string_lossy());
        let key = names.into_iter().find(|name| !keys_in(name).is_empty())?;
        let line = text.lines().position(|line| line.contains(key.trim()));
        Some(line.unwrap_or(0) + 1)
    }

    pub(crate) fn into_vec(self) -> Vec<PathBuf> {
        match self {
            Self::None => Vec::new(),
            Self::One(path) => vec![path],
            Self::Several(paths) => paths,
        }
    }
}

/// Reads a fee exactly. TOML fractions are binary numbers, so a fraction must be text.
fn exact<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Amount>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Whole(u64),
        Text(String),
        Other(de::IgnoredAny),
    }
    match Written::deserialize(deserializer)? {
        Written::Whole(number) => Ok(Some(number.into())),
        Written::Text(text) => text.parse().map(Some).map_err(de::Error::custom),
        Written::Other(_) => Err(de::Error::custom(
            "a fee is a whole number, or a decimal one in quotes, such as 1000000 or \"1500000.5\"",
        )),
    }
}

fn some_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let number = f64::deserialize(deserializer)?;
    seconds::positive(&number.to_string())
        .map(Some)
        .map_err(de::Error::custom)
}

/// Reads the given file, or the default one if it exists.
///
/// Paths in the file are relative to its folder.
pub(crate) fn read(named: Option<&Path>) -> Result<ConfigFile, Failure> {
    let (path, must_be_there) = match (named, usual_place()) {
        (Some(path), _) => (path.to_owned(), true),
        (None, Some(path)) => (path, false),
        (None, None) => return Ok(ConfigFile::default()),
    };
    let shared = if must_be_there {
        Shared::Sticky
    } else {
        Shared::No
    };
    check_private_folder(parent_folder(&path), shared).map_err(Failure::usage)?;
    let bytes = match input::settings(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !must_be_there => {
            return Ok(ConfigFile::default());
        }
        Err(error) => {
            let path = path.display();
            return Err(Failure::usage(format!(
                "the configuration {path} can't be read: {error}"
            )));
        }
    };
    let text = input::utf8("the configuration", &path.display().to_string(), bytes)?;
    let mut file: ConfigFile = toml::from_str(&text).map_err(|error| {
        let line = error
            .span()
            .and_then(|span| text.get(..span.start))
            .map_or(1, |before| before.matches('\n').count() + 1);
        Failure::usage(format!(
            "the configuration {}, line {line}: {}",
            path.display(),
            escaped_up_to(&redact_parts(error.message(), &keys_in(&text)), 500)
        ))
    })?;
    if let Some(line) = file.wallet.key_line(&text) {
        return Err(Failure::usage(format!(
            "the configuration {}, line {line}: `wallet` has what looks like a private key; it \
             names key files (`nodectl wallet import` makes one)",
            path.display()
        )));
    }
    let has_secret = !file.headers.is_empty() || file.client_cert.is_some();
    if has_secret && file.base_url.is_none() {
        return Err(Failure::usage(format!(
            "the configuration {}: `headers` and `client_cert` are for one server: add its `base_url`",
            path.display()
        )));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    file.wallet = file.wallet.below(folder);
    file.folder = folder.to_owned();
    Ok(file)
}

/// Returns the default path: `nodectl/config.toml` in the user's configuration folder.
fn usual_place() -> Option<PathBuf> {
    Some(nodeproof_files::config_folder()?.join("nodectl/config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        std::fs::write(&path, text).unwrap();
        read(Some(&path)).unwrap_err().message
    }

    #[test]
    fn an_unknown_key_is_named_with_those_there_are() {
        let fault = fault("network = \"devnet\"\nbase-url = \"x\"\n");
        assert!(
            fault.contains("line 2: unknown field `base-url`, expected one of `base_url`"),
            "{fault}"
        );
    }

    #[test]
    fn headers_are_for_one_server_and_never_shown() {
        for text in [
            "headers = \"x-key: 5ec2e7\"",
            "base_url = \"http://a\"\nheaders = { x = \"5ec2e7\" }",
            "base_url = \"http://a\"\nheaders = [\"x: 5ec2e7\", 7]",
            "headers = \"x: 5ec2e7",
            "client_cert = \"client.pem\"",
        ] {
            let fault = fault(text);
            assert!(!fault.contains("5ec2e7"), "{fault}");
        }
        assert!(fault("client_cert = \"a.pem\"").contains("add its `base_url`"));
        let text = "base_url = \"http://a\"\nheaders = [\"x-key: 5ec2e7\"]";
        let read: ConfigFile = toml::from_str(text).unwrap();
        assert_eq!(read.headers[0].expose(), "x-key: 5ec2e7");
        assert!(!format!("{read:?}").contains("5ec2e7"));
    }

    #[test]
    fn a_fee_is_exact_and_times_are_above_zero() {
        assert!(fault("fee = 1.5").contains("in quotes"));
        assert!(fault("fee = -1").contains("in quotes"));
        assert!(fault("request_timeout = 0").contains("seconds"));
        let read: ConfigFile = toml::from_str("fee = \"1500000.10\"\nrequest_timeout = 2").unwrap();
        assert_eq!(read.fee.unwrap().as_str(), "1500000.10");
        assert_eq!(read.request_timeout, Some(Duration::from_secs(2)));
    }

    #[test]
    fn a_private_key_is_not_taken_for_a_file_and_not_shown() {
        let key = "5ec2e7e1".repeat(8);
        for text in [
            format!("network = \"devnet\"\nwallet = \"{key}\""),
            format!("network = \"devnet\"\nwallet = [\"0x{key}\"]"),
        ] {
            let fault = fault(&text);
            assert!(
                fault.contains("line 2") && fault.contains("private key"),
                "{fault}"
            );
            assert!(!fault.contains("5ec2e7"), "{fault}");
        }
    }

    #[test]
    fn wallets_are_found_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        std::fs::write(&path, "wallet = [\"a.json\", \"/b.json\"]").unwrap();
        let wallets = read(Some(&path)).unwrap().wallet.into_vec();
        assert_eq!(
            wallets,
            [folder.path().join("a.json"), PathBuf::from("/b.json")]
        );
    }
}
