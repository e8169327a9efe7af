//! Unix: hidden prompts on its terminals.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    sync::{Mutex, Once, PoisonError},
};

use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcsetattr,
};
use tokio::signal::unix::{SignalKind, signal};
use zeroize::Zeroizing;

use super::Ended;

/// Maximum length of a line, in bytes. Terminals allow less.
const MAX_LENGTH: usize = 4096;
/// The exit status after a signal is this number plus the signal's number.
const BY_SIGNAL: i32 = 128;

/// The terminal with an open prompt, and its earlier settings.
static OPEN: Mutex<Option<(File, Termios)>> = Mutex::new(None);
static LISTENS: Once = Once::new();

/// Returns standard input without the library's buffer, in which a copy would remain.
pub(crate) fn unbuffered_stdin() -> io::Result<File> {
    use std::os::fd::AsFd as _;

    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Returns the typed line, which is not shown.
pub(crate) fn typed(prompt: &str) -> io::Result<Zeroizing<String>> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    let before = tcgetattr(&terminal)?;
    let mut hidden = before.clone();
    let shows = LocalModes::ECHO | LocalModes::ECHONL;
    hidden.local_modes.remove(shows);
    hidden
        .local_modes
        .insert(LocalModes::ICANON | LocalModes::ISIG);
    // Ctrl-Z and Ctrl-\ would leave a terminal that does not show the input.
    for key in [SpecialCodeIndex::VSUSP, SpecialCodeIndex::VQUIT] {
        hidden.special_codes[key] = 0;
    }
    LISTENS.call_once(end_in_good_order);
    *OPEN.lock().unwrap_or_else(PoisonError::into_inner) = Some((terminal.try_clone()?, before));
    let _closes = Closes;
    tcsetattr(&terminal, OptionalActions::Now, &hidden)?;
    terminal.write_all(prompt.as_bytes())?;
    line(&mut terminal)
}

/// Returns the typed line, which is shown. Input from before the question is discarded.
pub(crate) fn shown(question: &str) -> io::Result<Zeroizing<String>> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    tcflush(&terminal, QueueSelector::IFlush)?;
    terminal.write_all(question.as_bytes())?;
    line(&mut terminal)
}

/// Restores the terminal, and returns whether a prompt was open.
pub(crate) fn close() -> bool {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some((mut terminal, before)) = open else {
        return false;
    };
    // If the terminal is gone, there is nothing to restore.
    let _put_back = tcsetattr(&terminal, OptionalActions::Now, &before);
    let _written = terminal.write_all(b"\n");
    true
}

struct Closes;

impl Drop for Closes {
    fn drop(&mut self) {
        close();
    }
}

/// Reads one line. No copy of it stays in memory.
fn line(terminal: &mut File) -> io::Result<Zeroizing<String>> {
    let mut typed = Zeroizing::new(Vec::with_capacity(MAX_LENGTH + 1));
    let mut byte = Zeroizing::new([0; 1]);
    loop {
        let count = match terminal.read(&mut *byte) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        match (count, byte[0]) {
            (0, _) if typed.is_empty() => return Err(ErrorKind::UnexpectedEof.into()),
            (0, _) | (_, b'\n' | b'\r') => break,
            (_, byte) => typed.push(byte),
        }
        if typed.len() > MAX_LENGTH {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    let text = str::from_utf8(&typed).map_err(|_| ErrorKind::InvalidData)?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// Waits for Ctrl-C or SIGTERM. Listens from the first poll on.
pub(crate) async fn ended() -> io::Result<Ended> {
    let mut terminate = signal(SignalKind::terminate())?;
    // A file beyond a limit of the system then fails to be written, and does not end the process.
    let _heard = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed.map(|()| Ended::Interrupted),
        _ = terminate.recv() => Ok(Ended::Terminated),
    }
}

/// Restores the terminal before SIGHUP ends the process.
fn end_in_good_order() {
    let kind = SignalKind::hangup();
    // If the process can't listen to the signal, it ends as usual.
    let Ok(mut signals) = signal(kind) else {
        return;
    };
    tokio::spawn(async move {
        if signals.recv().await.is_some() {
            close();
            std::process::exit(BY_SIGNAL + kind.as_raw_value());
        }
    });
}
