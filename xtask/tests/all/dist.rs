//! `cargo xtask dist`: the archive is unpacked, checked and used with the tools that users have.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Output},
};

use integration_tests::built::program;
use serde_json::Value;

fn run(program: &str, arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.output().expect("the program starts")
}

fn succeeds(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = run(program, arguments, folder);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {output:?}"
    );
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the target of this machine.
fn host() -> String {
    let about = succeeds("rustc", &["-vV"], Path::new("."));
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("a host").to_owned()
}

const PROGRAMS: [&str; 3] = ["devnode", "nodectl", "nodeproof"];

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns where `cargo binstall` finds the archive and the program in it, by a crate's metadata.
fn binstall(krate: &str, program: &str) -> [String; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../crates/{krate}/Cargo.toml"));
    let text = fs::read_to_string(path).expect("a manifest");
    let manifest: toml::Table = text.parse().expect("TOML");
    let metadata = &manifest["package"]["metadata"]["binstall"];
    ["pkg-url", "bin-dir"].map(|name| {
        let template = metadata[name].as_str().expect("text");
        template
            .replace("{ repo }", "")
            .replace("{ version }", VERSION)
            .replace("{ target }", &host())
            .replace("{ bin }", program)
            .replace("{ binary-ext }", "")
    })
}

/// Packs the programs in a folder.
fn pack(folder: &Path, out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["dist", "--target", &host(), "--programs"])
        .arg(folder)
        .arg("--out")
        .arg(out)
        .output()
        .expect("the task starts")
}

#[test]
fn an_archive_has_programs_that_run_and_all_that_goes_with_them() {
    let out = tempfile::tempdir().expect("a folder");
    let all = PROGRAMS.map(|name| program(name).expect("a program"));
    let packed = pack(all[0].parent().expect("a folder"), out.path());
    assert!(packed.status.success(), "{packed:?}");
    let archive = String::from_utf8(packed.stdout).expect("text");
    let name = Path::new(archive.trim())
        .file_name()
        .expect("a name")
        .to_str()
        .expect("text");
    assert_eq!(name, format!("nodeproof-{VERSION}-{}.tar.gz", host()));

    for (krate, program) in [
        ("devnode", "devnode"),
        ("cli", "nodectl"),
        ("conformance", "nodeproof"),
    ] {
        let expected = [format!("/releases/download/v{VERSION}/{name}"), {
            let folder = name.trim_end_matches(".tar.gz");
            format!("{folder}/{program}")
        }];
        assert_eq!(binstall(krate, program), expected);
    }

    succeeds("sha256sum", &["--check", "SHA256SUMS"], out.path());
    succeeds("tar", &["-xzf", name], out.path());
    let folder = out.path().join(name.trim_end_matches(".tar.gz"));
    for program in PROGRAMS {
        let path = folder.join(program);
        let version = succeeds(path.to_str().expect("text"), &["--version"], &folder);
        assert_eq!(
            version,
            format!("{program} {}\n", env!("CARGO_PKG_VERSION"))
        );
        let completions = format!("completions/bash/{program}.bash");
        succeeds("bash", &["-n", &completions], &folder);
        for file in [
            completions,
            format!("completions/elvish/{program}.elv"),
            format!("completions/fish/{program}.fish"),
            format!("completions/powershell/_{program}.ps1"),
            format!("completions/zsh/_{program}"),
            format!("man/{program}.1"),
        ] {
            let text = fs::read_to_string(folder.join(&file)).expect("a file");
            assert!(text.contains(program) && text.contains("help"), "{file}");
        }
    }
    for file in [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "docs/check-a-node.md",
        "man/nodeproof-monitor.1",
        "packaging/Containerfile",
    ] {
        assert!(folder.join(file).is_file(), "{file}");
    }

    let sbom = fs::read(folder.join("sbom.cdx.json")).expect("a file");
    let sbom: Value = serde_json::from_slice(&sbom).expect("JSON");
    let components = sbom["components"].as_array().expect("components");
    let component = |name: &str| components.iter().find(|one| one["name"] == name);
    let rustls = component("rustls").expect("a package of the programs");
    assert_eq!(
        rustls["licenses"][0]["expression"],
        "Apache-2.0 OR ISC OR MIT"
    );
    assert_eq!(
        rustls["hashes"][0]["content"].as_str().map(str::len),
        Some(64)
    );
    assert!(component("nodeproof-client").is_some());
    // The build and the tests need these. The programs do not contain them.
    for name in ["progenitor", "rcgen", "xtask"] {
        assert!(component(name).is_none(), "{name}");
    }
    let licences = fs::read_to_string(folder.join("THIRD-PARTY-LICENSES.txt")).expect("a file");
    for package in components.iter().filter(|one| one.get("hashes").is_some()) {
        let (name, version) = (&package["name"], &package["version"]);
        let line = format!(
            "\n{} {}: ",
            name.as_str().expect("text"),
            version.as_str().expect("text")
        );
        assert!(licences.contains(&line), "{line}");
    }
    // The C code in a package has a licence of its own.
    assert!(licences.contains("Pieter Wuille"));
}

#[test]
fn the_same_files_give_the_same_archive() {
    let programs = tempfile::tempdir().expect("a folder");
    for name in PROGRAMS {
        let path = programs.path().join(name);
        fs::write(
            &path,
            "#!/bin/sh\ntest $1 = completions || echo page > \"$3/page.1\"\n",
        )
        .expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    let archives = [(); 2].map(|()| {
        let out = tempfile::tempdir().expect("a folder");
        let packed = pack(programs.path(), out.path());
        assert!(packed.status.success(), "{packed:?}");
        let archive = String::from_utf8(packed.stdout).expect("text");
        fs::read(archive.trim()).expect("an archive")
    });
    assert!(archives[0] == archives[1]);
}

#[test]
fn what_a_build_lacks_is_said_before_it_begins() {
    let out = tempfile::tempdir().expect("a folder");
    let dist = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .arg("dist")
            .args(arguments)
            .arg("--out")
            .arg(out.path());
        let output = command.output().expect("the task starts");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    let target = "riscv64gc-unknown-linux-musl";
    let missing = dist(&["--target", target]);
    assert!(
        missing.contains(&format!("rustup target add {target}")),
        "{missing}"
    );
    let missing = dist(&["--target", "no-such-target"]);
    assert!(missing.contains("no-such-target"), "{missing}");
    let missing = dist(&["--programs", "no/such/folder"]);
    assert!(missing.contains("no/such/folder"), "{missing}");
    assert_eq!(fs::read_dir(out.path()).expect("a folder").count(), 0);
}
