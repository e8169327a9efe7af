//! Puts the shared snapshots into the library, so that an installed binary has them too.

use std::{env, error::Error, fmt::Write as _, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let folder = manifest.join("snapshots").join("common");
    println!("cargo:rerun-if-changed={}", folder.display());
    // insta needs it, and starts `cargo metadata` where it isn't known.
    println!(
        "cargo:rustc-env=INSTA_WORKSPACE_ROOT={}",
        manifest.display()
    );
    let mut files: Vec<_> = fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut list = String::from("&[\n");
    for path in files.into_iter().map(|file| file.path()) {
        if path
            .extension()
            .is_some_and(|extension| extension == "snap")
        {
            let name = path.file_name().unwrap_or_default();
            writeln!(list, "    ({name:?}, include_str!({path:?})),")?;
        }
    }
    list.push_str("]\n");
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("common_snapshots.rs"),
        list,
    )?;
    Ok(())
}
