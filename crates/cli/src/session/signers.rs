//! The signers of a command: key files, or an external program.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use clap::Args;
use nodeproof_primitives::{Signer, SignerError, Signing, WalletAddress};
use nodeproof_wallet::{CommandSigner, KeyFile, KeyPair};
use zeroize::Zeroizing;

use super::{key_files, settings::Session};
use crate::{
    arguments::{addresses::wallet_address, paths, seconds},
    failure::Failure,
};

/// The signers: key files, or a program that holds the keys.
#[derive(Clone, Debug, Args)]
pub(crate) struct SignerArgs {
    /// Key file of a wallet that signs; may be given more than once [default: the configuration's,
    /// unless --signer is given]
    #[arg(
        long,
        value_name = "FILE",
        env = "NODECTL_WALLET",
        hide_env_values = true,
        value_parser = paths::key_file()
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
    /// Returns all signers, in order. A passphrase is asked for only when its key is needed.
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
            let file = key_files::read(&path, session.output)?;
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

/// The source of passphrases: one file for all key files, or a prompt for each.
struct Passphrases {
    file: Option<PathBuf>,
    /// What was in the file; standard input can be read only once.
    read: Mutex<Option<Zeroizing<String>>>,
}

impl Passphrases {
    fn unlock(&self, path: &Path, file: &KeyFile) -> Result<KeyPair, Failure> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        key_files::unlock(path, file, self.file.as_deref(), &mut read)
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
