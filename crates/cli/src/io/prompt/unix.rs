//! Hidden prompts on the terminal of a Unix process.

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

/// The most that is read of one line: more than a terminal puts together.
const LONGEST: usize = 4096;
/// What a process ends with for a signal is this and the signal's number.
const BY_SIGNAL: i32 = 128;

/// The terminal, and how it was before a prompt was opened on it.
static OPEN: Mutex<Option<(File, Termios)>> = Mutex::new(None);
static LISTENS: Once = Once::new();

/// What is typed before the line ends.
pub(super) fn typed(prompt: &str) -> io::Result<Zeroizing<String>> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    let before = tcgetattr(&terminal)?;
    let mut hidden = before.clone();
    let shows = LocalModes::ECHO | LocalModes::ECHONL;
    hidden.local_modes.remove(shows);
    hidden
        .local_modes
        .insert(LocalModes::ICANON | LocalModes::ISIG);
    // Who is stopped or quits here would leave a terminal that shows nothing.
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

/// What is typed and shown before the line ends. What was typed before the question does not count.
pub(crate) fn shown(question: &str) -> io::Result<Zeroizing<String>> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    tcflush(&terminal, QueueSelector::IFlush)?;
    terminal.write_all(question.as_bytes())?;
    line(&mut terminal)
}

/// Puts the terminal back as it was, and tells whether a prompt was open.
pub(crate) fn close() -> bool {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some((mut terminal, before)) = open else {
        return false;
    };
    // A terminal that has gone needs nothing any more.
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

/// One line, of which no copy stays behind.
fn line(terminal: &mut File) -> io::Result<Zeroizing<String>> {
    let mut typed = Zeroizing::new(Vec::with_capacity(LONGEST + 1));
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
        if typed.len() > LONGEST {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    let text = str::from_utf8(&typed).map_err(|_| ErrorKind::InvalidData)?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// Has the terminal put back before the process ends by one of these signals.
fn end_in_good_order() {
    for kind in [SignalKind::terminate(), SignalKind::hangup()] {
        // Where it can't be listened to, the process ends as it would have.
        let Ok(mut signals) = signal(kind) else {
            continue;
        };
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                close();
                std::process::exit(BY_SIGNAL + kind.as_raw_value());
            }
        });
    }
}
