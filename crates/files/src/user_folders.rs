//! The user's folders for configuration and state, as the XDG base directories define them.

use std::{env, path::PathBuf};

use crate::platform::LOCAL_DATA;

/// Returns the user's folder for configuration: `$XDG_CONFIG_HOME`, else `%LOCALAPPDATA%` on
/// Windows, else `~/.config`. Only absolute paths count. Returns `None` if none is set.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", ".config")
}

/// Returns the user's folder for state: `$XDG_STATE_HOME`, else `%LOCALAPPDATA%` on Windows, else
/// `~/.local/state`. Only absolute paths count. Returns `None` if none is set.
#[must_use]
pub fn state_folder() -> Option<PathBuf> {
    user_folder("XDG_STATE_HOME", ".local/state")
}

fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let from = |variable| env::var_os(variable).map(PathBuf::from).filter(absolute);
    from(variable)
        .or_else(|| LOCAL_DATA.and_then(from))
        .or_else(|| Some(env::home_dir()?.join(below_home)).filter(absolute))
}
