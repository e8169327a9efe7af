//! Signing by an external program: a wallet application, or a bridge to a device.

use std::{
    ffi::{OsStr, OsString},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use nodeproof_primitives::{Signer, SignerError, Signing, WalletAddress};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, Command},
};

use crate::signature::{Signature, SignatureParseError};

/// The most that is read of the program's standard output, in bytes.
const MOST_OUTPUT: usize = 4096;
/// The most that is kept of the program's standard error, in bytes.
const MOST_KEPT: usize = 1024;
/// How long the program has unless said otherwise: somebody may have to find a device.
const DEADLINE: Duration = Duration::from_secs(120);

/// Signs by running an external program, so that the key stays in its custody.
///
/// # What the program has to do
///
/// - It is started once for each signature, without a shell, with the arguments that were
///   configured and nothing added, in the caller's working directory and environment.
/// - The environment variable `NODE_WALLET_ADDRESS` is the address of the wallet that has to
///   sign, `0x` and 40 lower-case hexadecimal digits, so that one program can serve many.
/// - Its standard input is the message, byte for byte, and then the end. It is not hashed,
///   and has no line end of its own. For a transaction it is JSON text in ASCII, in which a
///   person can read what is signed.
/// - It signs with ECDSA on secp256k1 over the SHA-1 digest of those bytes. Either of the two
///   possible `s` is good.
/// - It writes the signature to its standard output: 128 hexadecimal digits in either case,
///   the 32 bytes of r and then the 32 bytes of s, without a prefix. White space before and
///   after is passed over; anything else, or more than 4096 bytes, is an error.
/// - It then ends with exit status 0. **Exit status 3** says that whoever has the key does not
///   want to sign ([`SignerError::is_refusal`]); any other that it could not. What it wrote to
///   its standard error becomes the reason, up to 1024 bytes of it, with control characters
///   escaped; on success it is not shown. Whoever wants to prompt a person uses the terminal
///   (`/dev/tty`) or a window of its own, or see [`CommandSigner::show_stderr`].
/// - It has 120 seconds, or the [deadline](CommandSigner::deadline) that was set, until it has
///   ended and both its outputs are closed: a program left behind that keeps them open counts
///   as not ended. After that, or when nobody waits for the signature any more, it is killed;
///   what it started itself is its own to end.
///
/// The signature is verified against the wallet's address before it is handed on, so a program
/// with a fault, or another key, is noticed before anything is submitted.
///
/// The futures need a tokio runtime with time and I/O enabled.
///
/// ```
/// use nodeproof_wallet::{CommandSigner, sign_with};
///
/// # async fn example(transaction: &str) -> Result<(), Box<dyn std::error::Error>> {
/// let address = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf".parse()?;
/// let device = CommandSigner::new(address, "my-device-bridge").arguments(["--slot", "2"]);
/// let entry = sign_with(&device, transaction).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct CommandSigner {
    address: WalletAddress,
    program: OsString,
    arguments: Vec<OsString>,
    deadline: Duration,
    show_stderr: bool,
}

impl CommandSigner {
    /// The exit status by which the program says that whoever has the key refuses.
    pub const REFUSED: i32 = 3;

    /// A program that signs for this wallet: a path, or a name that is looked for in `PATH`.
    pub fn new(address: WalletAddress, program: impl AsRef<OsStr>) -> Self {
        Self {
            address,
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            deadline: DEADLINE,
            show_stderr: false,
        }
    }

    /// Adds arguments, each of which reaches the program as it is.
    #[must_use]
    pub fn arguments<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments
            .extend(arguments.into_iter().map(|one| one.as_ref().to_owned()));
        self
    }

    /// Sets how long the program has for one signature, from its start to its end.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Lets the program write to the caller's own standard error, as it is, so that it can
    /// prompt a person there. Errors then carry the exit status and no words of the program.
    #[must_use]
    pub const fn show_stderr(mut self, show: bool) -> Self {
        self.show_stderr = show;
        self
    }

    async fn sign(&self, message: &[u8]) -> Result<Signature, SignerError> {
        let mut child = self.start()?;
        let ended = tokio::time::timeout(self.deadline, talk(&mut child, message)).await;
        // A child that is not waited for is killed when it is dropped.
        let ended = ended.map_err(|_| {
            self.failed(&format!(
                "did not sign within {} s, and was stopped",
                self.deadline.as_secs_f64()
            ))
        })?;
        let Spoken {
            status,
            output,
            complaint,
        } = ended.map_err(|error| self.failed("could not be talked to").because(error))?;
        if !status.success() && !output.more {
            return Err(self.unsuccessful(status, &complaint));
        }
        let signature = read_signature(&output)
            .map_err(|what| self.failed(&format!("returned no signature: {what}")))?;
        signature
            .verify_by_address(message, self.address)
            .map_err(|_| {
                self.failed(&format!(
                    "returned a signature that is not one of {} over this message: it may have \
                     another wallet's key",
                    self.address
                ))
            })?;
        Ok(signature)
    }

    fn start(&self) -> Result<Child, SignerError> {
        Command::new(&self.program)
            .args(&self.arguments)
            .env("NODE_WALLET_ADDRESS", self.address.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if self.show_stderr {
                Stdio::inherit()
            } else {
                Stdio::piped()
            })
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| {
                self.failed(&format!("can't be started: {error}"))
                    .because(error)
            })
    }

    fn failed(&self, what: &str) -> SignerError {
        SignerError::failed(format!("the program {} {what}", self.shown_program()))
    }

    fn unsuccessful(&self, status: ExitStatus, complaint: &Bounded) -> SignerError {
        let said = shown(complaint);
        let reason = match said.as_str() {
            "" => format!("the program {} gave no reason", self.shown_program()),
            said => format!("the program {} said: {said}", self.shown_program()),
        };
        if status.code() == Some(Self::REFUSED) {
            SignerError::refused(reason)
        } else {
            SignerError::failed(format!("{reason} ({status})"))
        }
    }

    fn shown_program(&self) -> String {
        escaped(&self.program.to_string_lossy())
    }
}

impl Signer for CommandSigner {
    fn wallet_address(&self) -> WalletAddress {
        self.address
    }

    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
        Box::pin(async move { Ok(self.sign(message).await?.into()) })
    }
}

/// How a program ended, and what it wrote.
struct Spoken {
    status: ExitStatus,
    output: Bounded,
    complaint: Bounded,
}

/// The beginning of what was written.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    more: bool,
}

/// Hands over the message and takes what is written, all at once, so that neither side can
/// wait for the other.
async fn talk(child: &mut Child, message: &[u8]) -> std::io::Result<Spoken> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let hand_over = async {
        if let Some(mut stdin) = stdin {
            match stdin.write_all(message).await {
                // A program may know what to say without having read everything.
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
                written => written?,
            }
            // Dropping it is the end of the input.
        }
        Ok::<_, std::io::Error>(())
    };
    let (handed, output, complaint, status) = tokio::join!(
        hand_over,
        read(stdout, MOST_OUTPUT, Beyond::HangUp),
        read(stderr, MOST_KEPT, Beyond::PassOver),
        child.wait()
    );
    handed?;
    Ok(Spoken {
        status: status?,
        output: output?,
        complaint: complaint?,
    })
}

/// What is done when a program writes more than is kept.
#[derive(PartialEq, Eq)]
enum Beyond {
    /// It is read to the end all the same, so that the program can go on.
    PassOver,
    /// Nobody reads on: it is an error anyway, and may never end.
    HangUp,
}

/// Reads, and keeps the beginning.
async fn read(
    from: Option<impl AsyncRead + Unpin>,
    most: usize,
    beyond: Beyond,
) -> std::io::Result<Bounded> {
    let mut kept = Bounded::default();
    let Some(mut from) = from else {
        return Ok(kept);
    };
    let mut piece = [0; 1024];
    loop {
        let count = from.read(&mut piece).await?;
        if count == 0 || kept.more && beyond == Beyond::HangUp {
            return Ok(kept);
        }
        let room = most - kept.bytes.len();
        kept.more |= count > room;
        kept.bytes.extend_from_slice(&piece[..count.min(room)]);
    }
}

/// What is wrong with a program's output is said without quoting it.
fn read_signature(output: &Bounded) -> Result<Signature, String> {
    if output.more {
        return Err(format!("it wrote more than {MOST_OUTPUT} bytes"));
    }
    let text = std::str::from_utf8(&output.bytes).map_err(|_| "it wrote no text".to_owned())?;
    if text.trim().is_empty() {
        return Err("it wrote nothing to its standard output".to_owned());
    }
    text.trim()
        .parse()
        .map_err(|error: SignatureParseError| error.to_string())
}

fn shown(complaint: &Bounded) -> String {
    let text = String::from_utf8_lossy(&complaint.bytes);
    let ellipsis = if complaint.more { " …" } else { "" };
    escaped(text.trim()) + ellipsis
}

/// A program's words, without anything that a terminal would act on.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut shown, character| {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
        shown
    })
}
