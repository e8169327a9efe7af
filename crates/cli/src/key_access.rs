//! Key files, opened: warnings about who can read them, and passphrases from a file or a prompt.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use clap::Args;
use nodeproof_primitives::{Signer, SignerError, Signing, WalletAddress};
use nodeproof_wallet::{CommandSigner, KeyFile, KeyPair};
use zeroize::Zeroizing;

use crate::{
    cli::wallet_address, failure::Failure, files, output::Output, prompt, seconds,
    settings::Session,
};

/// The most that a passphrase may be long, in bytes.
const LONGEST_PASSPHRASE: usize = 4 * 1024;

/// Who signs: key files, or a program that has the keys in its custody.
#[derive(Clone, Debug, Args)]
pub(crate) struct SignerArgs {
    /// Key file of a wallet that signs; may be given more than once [default: the configuration's,
    /// unless --signer is given]
    #[arg(
        long,
        value_name = "FILE",
        env = "NODECTL_WALLET",
        hide_env_values = true,
        value_parser = files::key_file()
    )]
    wallet: Vec<PathBuf>,

    /// File whose first line is the passphrase of the key files [default: a hidden prompt]
    #[arg(
        long,
        value_name = "FILE",
        env = "NODECTL_PASSPHRASE_FILE",
        hide_env_values = true
    )]
    passphrase_file: Option<PathBuf>,

    /// Address of a wallet for which --signer-command signs, after the key files; may be given
    /// more than once
    #[arg(long, value_name = "WALLET", value_parser = wallet_address, requires = "signer_command")]
    signer: Vec<WalletAddress>,

    /// Program with its arguments that signs for --signer: it is run without a shell, reads the
    /// message from standard input, finds the address in NODE_WALLET_ADDRESS, and writes the
    /// signature, 128 hexadecimal digits; its exit status 3 says no
    #[arg(long, value_name = "COMMAND", requires = "signer")]
    signer_command: Option<String>,

    /// How long the program may take for a signature, in seconds
    #[arg(long, value_name = "S", default_value = "120", value_parser = seconds::positive)]
    signer_timeout: Duration,
}

impl SignerArgs {
    /// All who sign, in order. A passphrase is asked for only when its key is needed.
    pub(crate) fn signers(&self, session: &Session) -> Result<Vec<Box<dyn Signer>>, Failure> {
        let mut signers: Vec<Box<dyn Signer>> = Vec::new();
        let files = if self.signer.is_empty() {
            session.wallets(&self.wallet)
        } else {
            self.wallet.clone()
        };
        let passphrases = Arc::new(Passphrases {
            file: self.passphrase_file.clone(),
            read: Mutex::new(None),
        });
        for path in files {
            let file = read(&path, session.output)?;
            signers.push(match file.address() {
                Some(address) => Box::new(KeyFileSigner {
                    address,
                    path,
                    file,
                    passphrases: Arc::clone(&passphrases),
                }),
                // Nothing but the key tells whose it is.
                None => Box::new(passphrases.unlock(&path, &file)?),
            });
        }
        if let Some(command) = &self.signer_command {
            let words = shell_words::split(command).map_err(|error| {
                Failure::usage(format!("--signer-command {command:?}: {error}"))
            })?;
            let Some((program, arguments)) = words.split_first() else {
                return Err(Failure::usage("--signer-command names no program"));
            };
            for address in &self.signer {
                let signer = CommandSigner::new(*address, program)
                    .arguments(arguments)
                    .deadline(self.signer_timeout);
                signers.push(Box::new(signer));
            }
        }
        if signers.is_empty() {
            return Err(Failure::usage(
                "who signs? Give --wallet FILE, set NODECTL_WALLET, write `wallet` in the \
                 configuration file, or give --signer with --signer-command",
            ));
        }
        Ok(signers)
    }
}

/// Where passphrases come from: one file for all key files, or a prompt for each.
struct Passphrases {
    file: Option<PathBuf>,
    /// What was in the file; standard input can be read only once.
    read: Mutex<Option<Zeroizing<String>>>,
}

impl Passphrases {
    fn unlock(&self, path: &Path, file: &KeyFile) -> Result<KeyPair, Failure> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        unlock(path, file, self.file.as_deref(), &mut read)
    }
}

/// A key file that is opened only when it has to sign.
struct KeyFileSigner {
    address: WalletAddress,
    path: PathBuf,
    file: KeyFile,
    passphrases: Arc<Passphrases>,
}

impl Signer for KeyFileSigner {
    fn wallet_address(&self) -> WalletAddress {
        self.address
    }

    fn sign_message<'a>(&'a self, message: &'a [u8]) -> Signing<'a> {
        Box::pin(async move {
            let wallet = self
                .passphrases
                .unlock(&self.path, &self.file)
                .map_err(|failure| SignerError::failed(failure.message))?;
            wallet.sign_message(message).await
        })
    }
}

/// Reads a key file, and warns if others can.
pub(crate) fn read(path: &Path, output: Output) -> Result<KeyFile, Failure> {
    let file = KeyFile::read(path).map_err(Failure::usage)?;
    if file.others_can_read() {
        output.warn(&format!(
            "others can read the key file {0}; `chmod 600 {0}` keeps it to yourself",
            path.display()
        ));
    }
    Ok(file)
}

/// The wallet in a key file; a passphrase that was read from a file is kept for the next one.
pub(crate) fn unlock(
    path: &Path,
    file: &KeyFile,
    passphrase_file: Option<&Path>,
    kept: &mut Option<Zeroizing<String>>,
) -> Result<KeyPair, Failure> {
    if !file.is_encrypted() {
        return file.key_pair(None).map_err(Failure::usage);
    }
    let passphrase = match (kept.take(), passphrase_file) {
        (Some(passphrase), _) => passphrase,
        (None, Some(from)) => passphrase_in(from)?,
        (None, None) => prompt::hidden(
            &format!("Passphrase of {}", path.display()),
            "give --passphrase-file FILE",
        )?,
    };
    let wallet = file.key_pair(Some(&passphrase)).map_err(Failure::usage)?;
    if passphrase_file.is_some() {
        *kept = Some(passphrase);
    }
    Ok(wallet)
}

/// A passphrase for a file that is to be written: from a file, or typed twice.
pub(crate) fn new_passphrase(from: Option<&Path>) -> Result<Zeroizing<String>, Failure> {
    if let Some(from) = from {
        return passphrase_in(from);
    }
    let instead = "give --passphrase-file FILE, or --plain for a file without encryption";
    let first = prompt::hidden("New passphrase", instead)?;
    if first.is_empty() {
        return Err(Failure::usage("a passphrase must not be empty"));
    }
    let second = prompt::hidden("The same again", instead)?;
    if *first == *second {
        Ok(first)
    } else {
        Err(Failure::usage(
            "the two passphrases differ; nothing was written",
        ))
    }
}

/// The first line of a file, or of standard input where the path is `-`.
fn passphrase_in(path: &Path) -> Result<Zeroizing<String>, Failure> {
    let failed = |why: &str| {
        Failure::usage(format!(
            "the passphrase can't be read from {}: {why}",
            path.display()
        ))
    };
    let text = secret_text(path, LONGEST_PASSPHRASE).map_err(|error| failed(&error.to_string()))?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(Zeroizing::new(line.to_owned())),
        _ => Err(failed("its first line is empty")),
    }
}

/// The text of a file, or of standard input, of which no copy stays behind here.
pub(crate) fn secret_text(path: &Path, most: usize) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::with_capacity(most + 1));
    let limit = u64::try_from(most + 1).unwrap_or(u64::MAX);
    if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_string(&mut text)?;
    } else {
        std::fs::File::open(path)?
            .take(limit)
            .read_to_string(&mut text)?;
    }
    if text.len() > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(text)
}
