//! Signing by an external program: a wallet application, or a bridge to a device.

use std::{
    ffi::{OsStr, OsString},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use nodeproof_primitives::{Signer, SignerError, Signing, WalletAddress, escape::escaped};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, Command},
};

use crate::signature::{Signature, SignatureParseError};

/// The maximum length of the program's standard output, in bytes.
const MAX_OUTPUT: usize = 4096;
/// The maximum number of bytes of the program's standard error that are used.
const MAX_STDERR: usize = 1024;
/// The default deadline. The user may need time to find a device.
const DEADLINE: Duration = Duration::from_secs(120);

/// Signs by running an external program. The program has the key.
///
/// # Requirements for the program
///
/// - **Start**: The program is started once for each signature, without a shell, with the
///   configured arguments, in the caller's working directory and environment.
/// - **Wallet**: The environment variable `NODE_WALLET_ADDRESS` is the address of the wallet that
///   must sign: `0x` and 40 lower-case hexadecimal characters. One program can serve many wallets.
/// - **Input**: Standard input is the message, byte for byte. It is not hashed and does not end
///   with a line end. For a transaction it is JSON text in ASCII that a person can read.
/// - **Algorithm**: ECDSA on secp256k1 over the SHA-1 digest of these bytes. Both possible values
///   of `s` are accepted.
/// - **Output**: Standard output is the signature: 128 hexadecimal characters in upper or lower case, the
///   32 bytes of r followed by the 32 bytes of s, without a prefix. White space before and after is
///   ignored. Any other text, or more than 4096 bytes, is an error.
/// - **Exit status**: 0 for success. **3** if the key's owner refuses to sign
///   ([`SignerError::is_refusal`]). Any other status is a failure.
/// - **Standard error**: The first 1024 bytes become the reason of a refusal or failure, with
///   control characters escaped. On success they are not shown. To prompt a person, use the
///   terminal (`/dev/tty`), a window, or [`CommandSigner::show_stderr`].
/// - **Deadline**: Within 120 seconds, or the configured [deadline](CommandSigner::deadline), the
///   program must exit and both outputs must be closed. A background process that keeps
///   them open counts too. After the deadline, or if the caller drops the future, the program is
///   killed. Processes that it started are not.
///
/// The signature is verified against the wallet's address before it is returned. A faulty program
/// or a wrong key is detected before anything is submitted.
///
/// After a refusal, ask the key's owner. After a failure, read the error's reason. Correct the
/// program or its arguments, or allow a longer deadline. Then sign again.
///
/// The futures need a tokio runtime with time and I/O enabled.
///
/// ```
/// use std::time::Duration;
///
/// use nodeproof_wallet::{CommandSigner, sign_with};
///
/// # async fn example(transaction: &str) -> Result<(), Box<dyn std::error::Error>> {
/// let address = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf".parse()?;
/// let device = CommandSigner::new(address, "my-device-bridge")
///     .arguments(["--slot", "2"])
///     .deadline(Duration::from_secs(30))
///     .show_stderr(true);
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
    /// The program's exit status if the key's owner refuses to sign.
    pub const REFUSED: i32 = 3;

    /// Creates a signer for this wallet. The program is a path, or a name that is found in `PATH`.
    pub fn new(address: WalletAddress, program: impl AsRef<OsStr>) -> Self {
        Self {
            address,
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            deadline: DEADLINE,
            show_stderr: false,
        }
    }

    /// Adds arguments, which are passed to the program unchanged.
    #[must_use]
    pub fn arguments<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments
            .extend(arguments.into_iter().map(|one| one.as_ref().to_owned()));
        self
    }

    /// Sets the maximum time for one signature, from the program's start to its end.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Connects the program's standard error to the caller's, so it can prompt a person there.
    /// Errors then contain only the exit status, not the program's text.
    #[must_use]
    pub const fn show_stderr(mut self, show: bool) -> Self {
        self.show_stderr = show;
        self
    }

    async fn sign(&self, message: &[u8]) -> Result<Signature, SignerError> {
        let mut child = self.start()?;
        let finished = tokio::time::timeout(self.deadline, communicate(&mut child, message)).await;
        // A child that is still running is killed when it is dropped.
        let finished = finished.map_err(|_| {
            self.failed(&format!(
                "did not sign within {} s, and was stopped",
                self.deadline.as_secs_f64()
            ))
        })?;
        let Finished {
            status,
            stdout,
            stderr,
        } = finished.map_err(|error| {
            self.failed("could not be reached through its standard streams")
                .because(error)
        })?;
        if !status.success() && !stdout.truncated {
            return Err(self.unsuccessful(status, &stderr));
        }
        let signature = parse_signature(&stdout)
            .map_err(|what| self.failed(&format!("returned no signature: {what}")))?;
        signature
            .verify_by_address(message, self.address)
            .map_err(|_| {
                self.failed(&format!(
                    "returned a signature that does not match the address {} and this message: it may have \
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

    fn unsuccessful(&self, status: ExitStatus, stderr: &Bounded) -> SignerError {
        let said = shown(stderr);
        let reason = match said.as_str() {
            "" => format!("the program {} gave no reason", self.shown_program()),
            said => format!("the program {} printed: {said}", self.shown_program()),
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

/// A program's exit status and output.
struct Finished {
    status: ExitStatus,
    stdout: Bounded,
    stderr: Bounded,
}

/// The beginning of an output.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    truncated: bool,
}

/// Writes the message and reads both outputs concurrently, to avoid a deadlock.
async fn communicate(child: &mut Child, message: &[u8]) -> std::io::Result<Finished> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write_message = async {
        if let Some(mut stdin) = stdin {
            match stdin.write_all(message).await {
                // A program may finish without reading everything.
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
                written => written?,
            }
            // Dropping it closes the input.
        }
        Ok::<_, std::io::Error>(())
    };
    let (written, stdout, stderr, status) = tokio::join!(
        write_message,
        read(stdout, MAX_OUTPUT, AtLimit::Stop),
        read(stderr, MAX_STDERR, AtLimit::Discard),
        child.wait()
    );
    written?;
    Ok(Finished {
        status: status?,
        stdout: stdout?,
        stderr: stderr?,
    })
}

/// What to do with output beyond the limit.
#[derive(PartialEq, Eq)]
enum AtLimit {
    /// Read and discard it, so the program can continue.
    Discard,
    /// Stop reading. The output is already invalid, and may never end.
    Stop,
}

/// Reads an output and keeps its beginning.
async fn read(
    from: Option<impl AsyncRead + Unpin>,
    limit: usize,
    at_limit: AtLimit,
) -> std::io::Result<Bounded> {
    let mut kept = Bounded::default();
    let Some(mut from) = from else {
        return Ok(kept);
    };
    let mut piece = [0; 1024];
    loop {
        let count = from.read(&mut piece).await?;
        if count == 0 || kept.truncated && at_limit == AtLimit::Stop {
            return Ok(kept);
        }
        let room = limit - kept.bytes.len();
        kept.truncated |= count > room;
        kept.bytes.extend_from_slice(&piece[..count.min(room)]);
    }
}

/// Parses a program's output. The error does not quote it.
fn parse_signature(output: &Bounded) -> Result<Signature, String> {
    if output.truncated {
        return Err(format!("it wrote more than {MAX_OUTPUT} bytes"));
    }
    let text = std::str::from_utf8(&output.bytes).map_err(|_| "it wrote no text".to_owned())?;
    if text.trim().is_empty() {
        return Err("it wrote nothing to its standard output".to_owned());
    }
    text.trim()
        .parse()
        .map_err(|error: SignatureParseError| error.to_string())
}

fn shown(stderr: &Bounded) -> String {
    let text = String::from_utf8_lossy(&stderr.bytes);
    let ellipsis = if stderr.truncated { " …" } else { "" };
    escaped(text.trim()) + ellipsis
}
