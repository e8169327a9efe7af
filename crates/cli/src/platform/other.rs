//! Windows, and other systems that are not Unix.

use std::io;

use zeroize::Zeroizing;

use super::Ended;

/// Waits for Ctrl-C.
pub(crate) async fn ended() -> io::Result<Ended> {
    tokio::signal::ctrl_c().await.map(|()| Ended::Interrupted)
}

/// Returns standard input. Its buffer can't be avoided here.
pub(crate) fn unbuffered_stdin() -> io::Result<io::StdinLock<'static>> {
    Ok(io::stdin().lock())
}

/// Returns the typed line, which is not shown.
pub(crate) fn typed(prompt: &str) -> io::Result<Zeroizing<String>> {
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
