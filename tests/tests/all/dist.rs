//! `packaging/dist`: the archive is unpacked, checked and used with the tools that users have.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Mutex, PoisonError},
};

use integration_tests::built::program;

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
    ["pkg-url", "bin-dir"].map(|name| {
        let start = format!("{name} = \"");
        let template = text.lines().find_map(|line| line.strip_prefix(&start));
        template
            .expect("a template")
            .trim_end_matches('"')
            .replace("{ repo }", "")
            .replace("{ version }", VERSION)
            .replace("{ target }", &host())
            .replace("{ bin }", program)
            .replace("{ binary-ext }", "")
    })
}

/// Packs the programs in a folder, with a stand-in for the tools that collect licences. Returns the archive's path.
fn pack(programs: &Path, out: &Path) -> PathBuf {
    // cargo-cyclonedx writes into the folders of the crates.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let tools = tempfile::tempdir().expect("a folder");
    for (name, script) in [
        ("cargo-about", "#!/bin/sh\necho licences: \"$@\"\n"),
        (
            "cargo-cyclonedx",
            "#!/bin/sh\nfor crate in conformance cli devnode; do echo {} > crates/$crate/sbom.json; done\n",
        ),
    ] {
        executable(&tools.path().join(name), script);
    }
    let mut path = tools.path().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").expect("a path"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/dist");
    let output = Command::new(script)
        .arg(host())
        .arg(out)
        .env("PATH", path)
        .env("PROGRAMS", programs)
        .output()
        .expect("the script starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout)
        .expect("text")
        .trim()
        .into()
}

fn executable(path: &Path, script: &str) {
    fs::write(path, script).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn an_archive_has_programs_that_run_and_all_that_goes_with_them() {
    let out = tempfile::tempdir().expect("a folder");
    let programs = tempfile::tempdir().expect("a folder");
    for name in PROGRAMS {
        // Packing the debug information would take half a minute.
        let (from, to) = (
            program(name).expect("a program"),
            programs.path().join(name),
        );
        let paths = [&from, &to].map(|path| path.to_str().expect("text"));
        succeeds("strip", &["-o", paths[1], paths[0]], out.path());
    }
    let archive = pack(programs.path(), out.path());
    let name = archive.file_name().expect("a name").to_str().expect("text");
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
        "nodeproof.cdx.json",
        "devnode.cdx.json",
    ] {
        assert!(folder.join(file).is_file(), "{file}");
    }

    let licences = fs::read_to_string(folder.join("THIRD-PARTY-LICENSES.txt")).expect("a file");
    for krate in ["conformance", "cli", "devnode"] {
        let manifest = format!(" crates/{krate}/Cargo.toml ");
        assert!(licences.contains(&manifest), "{licences}");
    }
}

// The tar of other systems can't write the same archive again.
#[cfg(target_os = "linux")]
#[test]
fn the_same_files_give_the_same_archive() {
    let programs = tempfile::tempdir().expect("a folder");
    for name in PROGRAMS {
        let script = "#!/bin/sh\ntest $1 = completions || echo page > \"$3/page.1\"\n";
        executable(&programs.path().join(name), script);
    }
    let archives = [(); 2].map(|()| {
        let out = tempfile::tempdir().expect("a folder");
        fs::read(pack(programs.path(), out.path())).expect("an archive")
    });
    assert!(archives[0] == archives[1]);
}
