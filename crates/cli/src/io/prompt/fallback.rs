//! Hidden prompts where there is no Unix terminal.

use std::io;

use zeroize::Zeroizing;

/// What is typed before the line ends.
pub(super) fn typed(prompt: &str) -> io::Result<Zeroizing<String>> {
    rpassword::prompt_password(prompt).map(Zeroizing::new)
}

/// The prompt puts back the console by itself.
pub(crate) const fn close() -> bool {
    false
}
