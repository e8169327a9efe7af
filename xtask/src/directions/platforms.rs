//! Finds code for one operating system outside of a crate's module `platform`.

use std::{fs, io, path::Path};

/// The starts of conditions, and the names of operating systems that follow.
const CONDITIONS: [&str; 4] = ["cfg(", "cfg(not(", "cfg!(", "cfg!(not("];
const SYSTEMS: [&str; 2] = ["unix)", "windows)"];

/// Returns whether a line has a condition about an operating system.
fn is_conditional(line: &str) -> bool {
    let mut after = CONDITIONS
        .iter()
        .flat_map(|start| line.split(start).skip(1));
    after.any(|rest| SYSTEMS.iter().any(|system| rest.starts_with(system)))
}

/// Checks the sources of a crate. Tests do not count.
pub(super) fn check(sources: &Path) -> io::Result<Vec<String>> {
    let mut problems = Vec::new();
    for entry in fs::read_dir(sources)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default();
        if name == "platform" || name == "tests" {
            continue;
        }
        if path.is_dir() {
            problems.extend(check(&path)?);
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        for (number, line) in (1..).zip(code.unwrap_or_default().lines()) {
            if is_conditional(line) {
                let place = path.display();
                problems.push(format!(
                    "{place}:{number} is for one operating system, and not in `platform`"
                ));
            }
        }
    }
    Ok(problems)
}
