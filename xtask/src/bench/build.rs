//! What it costs to build a crate that uses the client, beside one that uses what is below it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use super::{BenchError, table::Row};

/// A program of a few lines, in a folder of its own.
struct Crate {
    folder: PathBuf,
}

const OURS: (&str, &str) = (
    "node-client = { path = \"CLIENT\" }\n",
    "fn main() {\n    let node = node_client::Client::new(\"http://localhost:8420\");\n    \
     println!(\"{}\", node.is_ok());\n}\n",
);

const BARE: (&str, &str) = (
    "reqwest = { version = \"REQWEST\", default-features = false, features = [\"rustls-no-provider\", \"json\", \"query\", \"stream\"] }\n\
     rustls = { version = \"RUSTLS\", default-features = false, features = [\"ring\", \"std\", \"tls12\"] }\n\
     rustls-platform-verifier = \"0.7\"\n\
     serde = { version = \"1\", features = [\"derive\"] }\n\
     serde_json = { version = \"1\", features = [\"raw_value\", \"preserve_order\"] }\n",
    "fn main() {\n    let url: Result<reqwest::Url, _> = \"http://localhost:8420\".parse();\n    \
     println!(\"{}\", url.is_ok());\n}\n",
);

impl Crate {
    fn make(
        root: &Path,
        folder: PathBuf,
        (dependencies, main): (&str, &str),
    ) -> Result<Self, BenchError> {
        let source = folder.join("src");
        fs::create_dir_all(&source)?;
        let client = root.join("crates/client").display().to_string();
        let lock = fs::read_to_string(root.join("Cargo.lock"))?;
        let dependencies = dependencies
            .replace("CLIENT", &client.replace('\\', "\\\\"))
            .replace("REQWEST", &locked(&lock, "reqwest"))
            .replace("RUSTLS", &locked(&lock, "rustls"));
        let manifest = format!(
            "[package]\nname = \"measured\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependencies}\n[workspace]\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        // The same versions as here, so that nothing is fetched that isn't there.
        fs::write(folder.join("Cargo.lock"), lock)?;
        fs::write(source.join("main.rs"), main)?;
        Ok(Self { folder })
    }

    fn cargo(&self) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Builds it, and hands back the seconds that this took.
    fn build(&self) -> Result<f64, BenchError> {
        let began = Instant::now();
        let status = self.cargo().arg("build").stdout(Stdio::null()).status()?;
        if status.success() {
            Ok(began.elapsed().as_secs_f64())
        } else {
            Err(BenchError::Run(format!("cargo build: {status}")))
        }
    }

    fn clean(&self) -> Result<(), BenchError> {
        match fs::remove_dir_all(self.folder.join("target")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn touch(&self, round: u16) -> Result<(), BenchError> {
        let path = self.folder.join("src/main.rs");
        let text = fs::read_to_string(&path)?;
        fs::write(path, format!("{text}// {round}\n"))?;
        Ok(())
    }

    /// How many crates it pulls, itself not counted.
    fn crates(&self) -> Result<usize, BenchError> {
        let tree = self
            .cargo()
            .args([
                "tree",
                "--edges",
                "normal",
                "--prefix",
                "none",
                "--no-dedupe",
            ])
            .output()?;
        let text = String::from_utf8_lossy(&tree.stdout);
        let mut names: Vec<_> = text
            .lines()
            .filter_map(|line| {
                let mut words = line.split_whitespace();
                Some((words.next()?, words.next()?))
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        Ok(names.len().saturating_sub(1))
    }
}

/// The version of a crate that this workspace is built with; the highest where there are several.
fn locked(lock: &str, name: &str) -> String {
    let wanted = format!("name = \"{name}\"");
    let mut lines = lock.lines();
    let mut found = "*".to_owned();
    while let Some(line) = lines.next() {
        if line == wanted
            && let Some(version) = lines.next().and_then(|next| next.split('"').nth(1))
        {
            version.clone_into(&mut found);
        }
    }
    found
}

/// How often a clean build is measured: it takes its minute.
const CLEAN_BUILDS: u16 = 1;

pub(super) fn measure(root: &Path, folder: &Path, rounds: u16) -> Result<Vec<Row>, BenchError> {
    let ours = Crate::make(root, folder.join("ours"), OURS)?;
    let bare = Crate::make(root, folder.join("bare"), BARE)?;
    let (mut clean, mut clean_bare) = (Vec::new(), Vec::new());
    for _ in 0..CLEAN_BUILDS {
        ours.clean()?;
        clean.push(ours.build()?);
        bare.clean()?;
        clean_bare.push(bare.build()?);
    }
    let (mut again, mut again_bare) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        ours.touch(round)?;
        again.push(ours.build()?);
        bare.touch(round)?;
        again_bare.push(bare.build()?);
    }
    let ratio = |ours: &[f64], bare: &[f64]| -> Vec<f64> {
        ours.iter()
            .zip(bare)
            .map(|(ours, bare)| ours / bare)
            .collect()
    };
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    let count = |of: &Crate| -> Result<Vec<f64>, BenchError> { Ok(vec![of.crates()? as f64]) };
    Ok(vec![
        Row::new(
            "clean build of a crate with node-client",
            "s",
            clean.clone(),
        ),
        Row::new(
            "  : one with reqwest, rustls and serde",
            "x",
            ratio(&clean, &clean_bare),
        ),
        Row::new("build after a change of a line", "s", again.clone()),
        Row::new(
            "  : one with reqwest, rustls and serde",
            "x",
            ratio(&again, &again_bare),
        ),
        Row::new("crates that node-client pulls", "", count(&ours)?),
        Row::new(
            "crates that reqwest, rustls and serde pull",
            "",
            count(&bare)?,
        ),
    ])
}
