//! Hidden prompts where there is no Unix terminal.

use std::io;

use zeroize::Zeroizing;

/// What is typed before the line ends.
pub(super) fn typed(prompt: &str) -> io::Result<Zeroizing<String>> {
    rpassword::prompt_password(prompt).map(Zeroizing::new)
}

/// What is typed and shown before the line ends.
pub(crate) fn shown(question: &str) -> io::Result<Zeroizing<String>> {
    use std::io::{IsTerminal as _, Write as _};

    if !io::stdin().is_terminal() {
        return Err(io::Error::other("standard input is none"));
    }
    io::stderr().write_all(question.as_bytes())?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(Zeroizing::new(line))
}

/// The prompt puts back the console by itself.
pub(crate) const fn close() -> bool {
    false
}
