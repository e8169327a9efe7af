//! The cost of building a crate that uses the client, compared with one that uses only its dependencies.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use super::{BenchError, table::Row};

/// A program in its own folder.
struct Crate {
    folder: PathBuf,
    recipe: Recipe,
}

/// The parts of a program that sends requests in a number of places.
#[derive(Clone, Copy)]
struct Recipe {
    dependencies: &'static str,
    /// The text above the calls.
    begin: &'static str,
    /// The body of a call, with `NUMBER` for its number.
    call: &'static str,
    /// Makes the `node` that the calls take.
    node: &'static str,
}

const OURS: Recipe = Recipe {
    dependencies: "nodeproof-client = { path = \"CLIENT\" }\n",
    begin: "type Node = nodeproof_client::Client;\n",
    call: "    match node.block(NUMBER_u64).await {\n        \
           Ok(Some(block)) => block.index == 1,\n        \
           _ => false,\n    }\n",
    node: "Node::new(\"http://localhost:8420\")",
};

const BARE: Recipe = Recipe {
    dependencies: "reqwest = { version = \"REQWEST\", default-features = false, features = [\"rustls-no-provider\", \"json\", \"query\", \"stream\"] }\n\
     rustls = { version = \"RUSTLS\", default-features = false, features = [\"ring\", \"std\", \"tls12\"] }\n\
     rustls-platform-verifier = \"0.7\"\n\
     serde = { version = \"1\", features = [\"derive\"] }\n\
     serde_json = { version = \"1\", features = [\"raw_value\"] }\n",
    begin: "type Node = reqwest::Client;\n\n\
            #[derive(serde::Deserialize)]\nstruct Block {\n    index: i64,\n}\n",
    call: "    let asked = node.get(\"http://localhost:8420/get-block\");\n    \
           match asked.query(&[(\"block_index\", NUMBER_u64)]).send().await {\n        \
           Ok(response) => response.json().await.is_ok_and(|block: Block| block.index == 1),\n        \
           Err(_) => false,\n    }\n",
    node: "Node::builder().build()",
};

/// The dependencies that `cargo add` writes. With reqwest's default features, TLS is rustls with aws-lc.
const DEFAULTS: Recipe = Recipe {
    dependencies: "reqwest = { version = \"REQWEST\", features = [\"json\", \"query\"] }\n\
     serde = { version = \"1\", features = [\"derive\"] }\n",
    ..BARE
};

impl Recipe {
    /// Returns a program that sends requests in that many places, each in its own function.
    fn program(&self, places: usize) -> String {
        let mut text = format!("{}\n", self.begin);
        let mut all = String::new();
        for place in 0..places {
            let call = self.call.replace("NUMBER", &place.to_string());
            let _ = write!(
                text,
                "async fn ask_{place}(node: &Node) -> bool {{\n{call}}}\n\n"
            );
            let _ = writeln!(all, "        Box::pin(ask_{place}(&node)),");
        }
        // The futures are only built. They are never polled.
        let _ = write!(
            text,
            "fn main() {{\n    let Ok(node) = {} else {{ return }};\n    \
             let all: Vec<std::pin::Pin<Box<dyn Future<Output = bool> + '_>>> = vec![\n{all}    \
             ];\n    println!(\"{{}}\", all.len());\n}}\n",
            self.node
        );
        text
    }
}

impl Crate {
    fn make(root: &Path, folder: PathBuf, recipe: Recipe) -> Result<Self, BenchError> {
        let source = folder.join("src");
        fs::create_dir_all(&source)?;
        let client = root.join("crates/client").display().to_string();
        let lock = fs::read_to_string(root.join("Cargo.lock"))?;
        let dependencies = recipe
            .dependencies
            .replace("CLIENT", &client.replace('\\', "\\\\"))
            .replace("REQWEST", &locked(&lock, "reqwest"))
            .replace("RUSTLS", &locked(&lock, "rustls"));
        let manifest = format!(
            "[package]\nname = \"measured\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependencies}\n[workspace]\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        // Use the same versions as this workspace.
        fs::write(folder.join("Cargo.lock"), lock)?;
        let made = Self { folder, recipe };
        made.write(PLACES[0], "")?;
        Ok(made)
    }

    fn cargo(&self) -> Command {
        let mut command = crate::cargo::cargo();
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Downloads what the workspace does not use. Returns whether everything is there.
    fn fetch(&self) -> Result<bool, BenchError> {
        let status = self.cargo().arg("fetch").stdout(Stdio::null()).status()?;
        Ok(status.success())
    }

    /// Builds it and returns the time in seconds.
    fn build(&self) -> Result<f64, BenchError> {
        let began = Instant::now();
        let status = self.cargo().arg("build").stdout(Stdio::null()).status()?;
        if status.success() {
            Ok(began.elapsed().as_secs_f64())
        } else {
            Err(format!("cargo build: {status}").into())
        }
    }

    /// Builds it and its dependencies from nothing, and returns the time in seconds.
    fn clean_build(&self) -> Result<f64, BenchError> {
        match fs::remove_dir_all(self.folder.join("target")) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => self.build(),
        }
    }

    fn write(&self, places: usize, end: &str) -> Result<(), BenchError> {
        let text = self.recipe.program(places) + end;
        Ok(fs::write(self.folder.join("src/main.rs"), text)?)
    }

    /// Measures rebuilds of a program with that many places after one line was changed.
    fn rebuild(&self, places: usize, rounds: u16) -> Result<Vec<f64>, BenchError> {
        self.write(places, "")?;
        self.build()?;
        let rounds = 0..rounds;
        let build = |round| {
            self.write(places, &format!("const _: u16 = {round};\n"))?;
            self.build()
        };
        rounds.map(build).collect()
    }

    /// Returns the number of its dependencies.
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

/// Returns the version of a crate in this workspace's lock file, or the highest of several.
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

/// How often a clean build is measured. Each round takes about three minutes.
const CLEAN_BUILDS: u16 = 3;
/// The target of a clean build, compared with a crate without the client.
const CLEAN_BUILD: f64 = 1.6;
/// The numbers of places for which a build after a change is measured.
const PLACES: [usize; 3] = [1, 10, 100];

pub(super) fn measure(root: &Path, folder: &Path, rounds: u16) -> Result<Vec<Row>, BenchError> {
    let ours = Crate::make(root, folder.join("ours"), OURS)?;
    let bare = Crate::make(root, folder.join("bare"), BARE)?;
    let defaults = Crate::make(root, folder.join("defaults"), DEFAULTS)?;
    let has_defaults = defaults.fetch()?;
    let (mut clean, mut clean_bare, mut clean_defaults) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..CLEAN_BUILDS {
        clean.push(ours.clean_build()?);
        clean_bare.push(bare.clean_build()?);
        if has_defaults {
            clean_defaults.push(defaults.clean_build()?);
        }
    }
    let ratio = |ours: &[f64], bare: &[f64]| -> Vec<f64> {
        let both = ours.iter().zip(bare);
        both.map(|(ours, bare)| ours / bare).collect()
    };
    const AGAINST: &str = "  : one with reqwest, rustls and serde";
    let against_bare = Row::new(AGAINST, "x", ratio(&clean, &clean_bare)).at_most(CLEAN_BUILD);
    const AGAINST_DEFAULTS: &str = "  : one with reqwest's default features and serde";
    let against_defaults = if has_defaults {
        Row::new(AGAINST_DEFAULTS, "x", ratio(&clean, &clean_defaults)).at_most(CLEAN_BUILD)
    } else {
        // Without a network, there is nothing to compare with.
        Row::new(AGAINST_DEFAULTS, "x", vec![f64::NAN])
    };
    let what = "clean build of a crate with nodeproof-client";
    let mut rows = vec![Row::new(what, "s", clean), against_defaults, against_bare];
    for places in PLACES {
        let again = ours.rebuild(places, rounds)?;
        let again_bare = bare.rebuild(places, rounds)?;
        let calls = if places == 1 { "call" } else { "calls" };
        let what = format!("build after a change of a line, {places} {calls}");
        rows.push(Row::new(what, "s", again.clone()));
        rows.push(Row::new(AGAINST, "x", ratio(&again, &again_bare)));
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    let count = |of: &Crate| -> Result<Vec<f64>, BenchError> { Ok(vec![of.crates()? as f64]) };
    rows.push(Row::new(
        "crates that nodeproof-client pulls",
        "",
        count(&ours)?,
    ));
    let pulled = "crates that reqwest, rustls and serde pull";
    rows.push(Row::new(pulled, "", count(&bare)?));
    Ok(rows)
}
