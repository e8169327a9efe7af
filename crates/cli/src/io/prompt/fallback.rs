//! Hidden prompts on systems other than Unix.

use std::io;

use zeroize::Zeroizing;

/// Returns the typed line, which is not shown.
pub(super) fn typed(prompt: &str) -> io::Result<Zeroizing<String>> {
    rpassword::prompt_password(prompt).map(Zeroizing::new)
}

/// Returns the typed line, which is shown.
pub(crate) fn shown(question: &str) -> io::Result<Zeroizing<String>> {
    use std::io::{IsTerminal as _, Write as _};

    if !io::stdin().is_terminal() {
        return Err(io::Error::other("standard input is not a terminal"));
    }
    io::stderr().write_all(question.as_bytes())?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(Zeroizing::new(line))
}

/// The prompt restores the console by itself.
pub(crate) const fn close() -> bool {
    false
}
