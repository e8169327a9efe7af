//! Packs each published package, and checks that it compiles from its package file.
//!
//! `cargo package` does that too, but it builds all dependencies again, which takes three minutes.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use flate2::read::GzDecoder;
use tar::Archive;
use thiserror::Error;
use toml::{Table, Value};

#[derive(Debug, Error)]
pub(super) enum PackageError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("Cargo.toml: {0}")]
    Manifest(#[from] toml::de::Error),
    #[error("`{0}` failed")]
    Cargo(String),
    #[error("`cargo package` made no packages")]
    None,
}

/// Packs the packages of the workspace in the working folder, unpacks them as a workspace of their
/// own with the same lock file and profiles, and checks each by itself, with its own features only.
pub(super) fn compile() -> Result<(), PackageError> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let target = std::path::absolute(&target).map_err(at(&target))?;
    let folder = target.join("packages");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(at(&folder))?;
    }
    let mut pack = cargo("package");
    pack.args(["--quiet", "--locked", "--allow-dirty", "--no-verify"])
        .args(["--workspace", "--exclude", "xtask"])
        .args(["--exclude", "integration-tests"])
        .args(["--exclude", "changed-spec"])
        .arg("--target-dir")
        .arg(&folder);
    succeeds(&mut pack)?;

    let packed = folder.join("package");
    let mut names = Vec::new();
    for entry in fs::read_dir(&packed).map_err(at(&packed))? {
        let path = entry.map_err(at(&packed))?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "crate")
        {
            unpack(&path, &folder).map_err(at(&path))?;
            names.extend(
                path.file_stem()
                    .and_then(|name| name.to_str())
                    .map(str::to_owned),
            );
        }
    }
    if names.is_empty() {
        return Err(PackageError::None);
    }
    let path = folder.join("Cargo.toml");
    fs::write(&path, manifest(&names)?.to_string()).map_err(at(&path))?;
    let path = folder.join("Cargo.lock");
    fs::copy("Cargo.lock", &path).map_err(at(&path))?;
    for name in &names {
        let mut check = cargo("check");
        check
            .current_dir(&folder)
            .args(["--quiet", "--package", package(name), "--target-dir"])
            .arg(&target);
        succeeds(&mut check)?;
    }
    Ok(())
}

/// Unpacks a package file. Its files get today's times, so cargo does not take them for those of an
/// earlier run.
fn unpack(file: &Path, folder: &Path) -> io::Result<()> {
    let mut archive = Archive::new(GzDecoder::new(fs::File::open(file)?));
    archive.set_preserve_mtime(false);
    archive.unpack(folder)
}

/// Returns the name of a package from that of its folder, such as `nodeproof-client-0.1.0`.
fn package(folder: &str) -> &str {
    folder
        .rsplit_once('-')
        .map_or(folder, |(name, _version)| name)
}

/// A workspace of the unpacked packages. Each uses the others, and not those of the registry.
fn manifest(folders: &[String]) -> Result<Table, PackageError> {
    let path = Path::new("Cargo.toml");
    let own: Table = fs::read_to_string(path).map_err(at(path))?.parse()?;
    let texts = |names: &[String]| names.iter().cloned().map(Value::from).collect::<Vec<_>>();
    let mut workspace = Table::new();
    workspace.insert("members".to_owned(), texts(folders).into());
    workspace.insert("resolver".to_owned(), "3".into());
    let patches = folders.iter().map(|folder| {
        let patch = Table::from_iter([("path".to_owned(), Value::from(folder.as_str()))]);
        (package(folder).to_owned(), Value::from(patch))
    });
    let patches = Table::from_iter([(
        "crates-io".to_owned(),
        Value::from(Table::from_iter(patches)),
    )]);
    let mut manifest = Table::new();
    manifest.insert("workspace".to_owned(), workspace.into());
    manifest.insert("patch".to_owned(), patches.into());
    manifest.extend(
        own.get_key_value("profile")
            .map(|(key, profiles)| (key.clone(), profiles.clone())),
    );
    Ok(manifest)
}

fn cargo(task: &str) -> Command {
    let mut command = crate::cargo::cargo();
    command.arg(task);
    command
}

fn succeeds(command: &mut Command) -> Result<(), PackageError> {
    let program = Path::new(command.get_program()).to_owned();
    if command.status().map_err(at(&program))?.success() {
        Ok(())
    } else {
        let words = command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned());
        Err(PackageError::Cargo(format!(
            "cargo {}",
            words.collect::<Vec<_>>().join(" ")
        )))
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> PackageError {
    let path = path.to_owned();
    move |source| PackageError::Io { path, source }
}
