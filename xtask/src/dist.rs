//! `cargo xtask dist`: an archive of the programs for people without a Rust toolchain.
//!
//! The archive has `nodeproof`, `nodectl` and `devnode`, their completions and manual pages, the
//! documentation, the licences of everything in the programs, and a list of it for other programs
//! (CycloneDX). On Linux, the programs are static, so they run on any distribution and in an empty
//! container. Only the target that is built for can print the completions, so build on the system that
//! the archive is for.

mod archive;
mod dependencies;
mod error;
mod notices;
mod sbom;
mod tools;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use clap::Args;
use serde_json::Value;

pub use self::error::DistError;
use self::{
    archive::{Entry, checksums, write_archive},
    dependencies::dependencies,
    tools::{at, cargo, printed, read, workspace},
};

/// Build an archive of the programs, with completions, manual pages, documentation and licences.
#[derive(Clone, Debug, Args)]
pub struct DistArgs {
    /// Target to build for [default: on Linux, the static one of this machine; elsewhere, this machine's]
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,

    /// Folder for the archive and for SHA256SUMS, which lists all archives of the folder.
    #[arg(long, value_name = "DIR", default_value = "target/dist")]
    pub out: PathBuf,

    /// Cargo profile to build the programs with.
    #[arg(long, value_name = "NAME", default_value = "dist")]
    pub profile: String,

    /// Folder of programs that were built before, instead of building them.
    #[arg(long, value_name = "DIR", conflicts_with = "profile")]
    pub programs: Option<PathBuf>,
}

/// The programs, and the packages that they are in.
const PROGRAMS: [(&str, &str); 3] = [
    ("devnode", "nodeproof-devnode"),
    ("nodectl", "nodeproof-cli"),
    ("nodeproof", "nodeproof-conformance"),
];
/// The shells, and the usual names of their completion files.
const SHELLS: [(&str, &str, &str); 5] = [
    ("bash", "", ".bash"),
    ("elvish", "", ".elv"),
    ("fish", "", ".fish"),
    ("powershell", "_", ".ps1"),
    ("zsh", "_", ""),
];
/// The files and folders of the repository that are in the archive.
const FILES: [&str; 7] = [
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "docs",
    "packaging",
];

/// Builds the programs, and writes the archive. Returns its path.
///
/// # Errors
/// When a tool is missing, a build fails, or a file can't be written.
pub fn run(args: &DistArgs) -> Result<PathBuf, DistError> {
    let host = host()?;
    let target = args.target.clone().unwrap_or_else(|| default_target(&host));
    let programs = match &args.programs {
        Some(folder) => built_before(folder, &target),
        None => {
            can_build(&target)?;
            build(&target, &args.profile)?
        }
    };
    let (version, dependencies) = dependencies(&workspace(), &target, &PROGRAMS)?;

    let mut entries = Vec::new();
    for (name, program) in &programs {
        let file = format!("{name}{}", extension(&target));
        entries.push(Entry::program(file, read(program)?));
        for (shell, before, after) in SHELLS {
            let script = printed(Command::new(program).args(["completions", shell]))?;
            let path = format!("completions/{shell}/{before}{name}{after}");
            entries.push(Entry::file(path, script.into_bytes()));
        }
        let pages = tempfile::tempdir().map_err(at(Path::new("a temporary folder")))?;
        printed(
            Command::new(program)
                .args(["man", "--dir"])
                .arg(pages.path()),
        )?;
        add(&mut entries, pages.path(), "man")?;
    }
    for name in FILES {
        add(&mut entries, &workspace().join(name), name)?;
    }
    let notices = notices::notices(&dependencies)?;
    entries.push(Entry::file(
        "THIRD-PARTY-LICENSES.txt",
        notices.into_bytes(),
    ));
    let sbom = sbom::sbom(&version, &target, &dependencies);
    entries.push(Entry::file(
        "sbom.cdx.json",
        format!("{sbom:#}\n").into_bytes(),
    ));
    entries.sort_by(|one, other| one.path.cmp(&other.path));

    let name = format!("nodeproof-{version}-{target}");
    let archive = args.out.join(format!("{name}.tar.gz"));
    fs::create_dir_all(&args.out).map_err(at(&args.out))?;
    write_archive(&archive, &name, &entries, commit_time())?;
    let sums = args.out.join("SHA256SUMS");
    fs::write(&sums, checksums(&args.out)?).map_err(at(&sums))?;
    Ok(archive)
}

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Returns the target of this machine.
fn host() -> Result<String, DistError> {
    let about = printed(rustc().arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| DistError::Unexpected("rustc -vV names no host".to_owned()))
}

/// Returns the target whose programs run on most machines like this one.
fn default_target(host: &str) -> String {
    host.replace("-linux-gnu", "-linux-musl")
}

/// Looks for what a build needs besides cargo, before minutes are spent on it.
fn can_build(target: &str) -> Result<(), DistError> {
    let library = printed(rustc().args(["--print", "target-libdir", "--target", target]))?;
    if !Path::new(library.trim()).is_dir() {
        return Err(DistError::NoTarget(target.to_owned()));
    }
    let named = format!("CC_{}", target.replace('-', "_"));
    if !target.ends_with("-linux-musl") || std::env::var_os(named).is_some() {
        return Ok(());
    }
    let arch = target.split('-').next().unwrap_or_default();
    let is_there = |compiler: &str| {
        let mut probe = Command::new(compiler);
        probe
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    };
    if ["musl-gcc".to_owned(), format!("{arch}-linux-musl-gcc")]
        .iter()
        .any(|compiler| is_there(compiler))
    {
        return Ok(());
    }
    let other = target.replace("-linux-musl", "-linux-gnu");
    Err(DistError::NoCompiler(target.to_owned(), other))
}

/// Builds the programs, and returns their paths by their names.
fn build(target: &str, profile: &str) -> Result<BTreeMap<String, PathBuf>, DistError> {
    let mut build = cargo();
    build.args([
        "build",
        "--locked",
        "--bins",
        "--target",
        target,
        "--profile",
        profile,
    ]);
    build.args(["--message-format", "json-render-diagnostics"]);
    for (_, package) in PROGRAMS {
        build.args(["--package", package]);
    }
    let messages = printed(build.stderr(Stdio::inherit()))?;
    let built: BTreeMap<_, _> = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| {
            let name = message.pointer("/target/name")?.as_str()?.to_owned();
            Some((name, PathBuf::from(message.get("executable")?.as_str()?)))
        })
        .filter(|(name, _)| PROGRAMS.iter().any(|(program, _)| program == name))
        .collect();
    match built.len() == PROGRAMS.len() {
        true => Ok(built),
        false => Err(DistError::Unexpected(format!(
            "cargo build made only {:?}",
            built.keys()
        ))),
    }
}

/// Returns the paths of programs in a folder. If one is missing, it can't be read later.
fn built_before(folder: &Path, target: &str) -> BTreeMap<String, PathBuf> {
    PROGRAMS
        .iter()
        .map(|(name, _)| {
            let file = format!("{name}{}", extension(target));
            ((*name).to_owned(), folder.join(file))
        })
        .collect()
}

fn extension(target: &str) -> &'static str {
    if target.contains("-windows-") {
        ".exe"
    } else {
        ""
    }
}

/// Adds a file, or all files of a folder.
fn add(entries: &mut Vec<Entry>, from: &Path, to: &str) -> Result<(), DistError> {
    if from.is_file() {
        entries.push(Entry::file(to, read(from)?));
        return Ok(());
    }
    for entry in fs::read_dir(from).map_err(at(from))? {
        let entry = entry.map_err(at(from))?;
        let name = entry.file_name();
        add(
            entries,
            &entry.path(),
            &format!("{to}/{}", name.to_string_lossy()),
        )?;
    }
    Ok(())
}

/// Returns the time of the commit in seconds, so that two builds of one commit give the same archive.
fn commit_time() -> u64 {
    let mut log = Command::new("git");
    log.current_dir(workspace())
        .args(["log", "-1", "--format=%ct"]);
    let time = log.stderr(Stdio::null()).output().ok();
    let time = time.and_then(|output| String::from_utf8(output.stdout).ok());
    // Outside of a repository, such as in an unpacked archive of the sources, it is the start of 1970.
    time.and_then(|time| time.trim().parse().ok())
        .unwrap_or_default()
}
