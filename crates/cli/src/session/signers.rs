//! The signers of a command: key files, or an external program.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use clap::Args;
use nodeproof_primitives::{Network, Signer, SignerError, Signing, WalletAddress};
use nodeproof_wallet::{CommandSigner, KeyFile, KeyPair, Passphrase};

use super::{key_files, settings::Session};
use crate::{
    arguments::{addresses::wallet_address, paths, seconds},
    failure::Failure,
    io::output::Output,
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

    /// Sign with a wallet whose key file records another network. A signature is not bound to a
    /// network: the signed transaction could be submitted to the other network, too
    #[arg(long)]
    any_network: bool,

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

    /// Program, with arguments, that signs for --signer. It runs without a shell. It reads the
    /// message from standard input and the address from NODE_WALLET_ADDRESS, and prints the
    /// signature as 128 hexadecimal digits. Exit status 3 means that it declines to sign
    #[arg(long, value_name = "COMMAND", requires = "signer")]
    signer_command: Option<String>,

    /// Timeout of the program for a signature, in seconds
    #[arg(long, value_name = "S", default_value = "120", value_parser = seconds::positive)]
    signer_timeout: Duration,
}

impl SignerArgs {
    /// Returns all signers, in order. Fails if one of their key files records another network.
    ///
    /// The program prompts for a passphrase only when its key is needed.
    pub(crate) fn signers(
        &self,
        session: &Session,
        mut network: Option<Network>,
    ) -> Result<Vec<Box<dyn Signer>>, Failure> {
        let mut signers: Vec<Box<dyn Signer>> = Vec::new();
        let files = if self.signer.is_empty() {
            session.wallets(&self.wallet)
        } else {
            self.wallet.clone()
        };
        let mut read = Vec::with_capacity(files.len());
        for path in files {
            let file = key_files::read(&path, session.output)?;
            if !self.any_network {
                // Without a node, all wallets must have the same network.
                network = network.or(file.network());
                if let Some(network) = network {
                    file.check_network(network).map_err(|error| {
                        Failure::usage(error).with_suffix("; --any-network signs anyway")
                    })?;
                }
            }
            read.push((path, file));
        }
        let encrypted = read.iter().filter(|(_, file)| file.is_encrypted()).count();
        let passphrases = Arc::new(Passphrases {
            file: self.passphrase_file.clone(),
            output: session.output,
            kept: Mutex::new(Kept {
                passphrase: None,
                locked: encrypted,
            }),
        });
        for (path, file) in read {
            signers.push(match file.address() {
                Some(address) => Box::new(KeyFileSigner {
                    address,
                    path,
                    file,
                    passphrases: Arc::clone(&passphrases),
                }),
                // Without a recorded address, only the key itself can identify the wallet.
                // Its network was checked above, unless the user allowed any.
                None => Box::new(passphrases.unlock(&path, &file)?.for_network(None)),
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
                "no signer was given: give --wallet FILE, set NODECTL_WALLET, write `wallet` in the \
                 configuration file, or give --signer with --signer-command",
            ));
        }
        Ok(signers)
    }
}

/// The source of passphrases: one file for all key files, or a prompt for each.
struct Passphrases {
    file: Option<PathBuf>,
    output: Output,
    kept: Mutex<Kept>,
}

/// A passphrase that is kept until the last key file is unlocked, and then erased.
struct Kept {
    /// The passphrase from the file. Standard input can be read only once.
    passphrase: Option<Passphrase>,
    /// Number of key files that are still locked.
    locked: usize,
}

impl Passphrases {
    fn unlock(&self, path: &Path, file: &KeyFile) -> Result<KeyPair, Failure> {
        if !file.is_encrypted() {
            return file.key_pair(None).map_err(Failure::usage);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let passphrase = match kept.passphrase.take() {
            Some(passphrase) => passphrase,
            None => key_files::passphrase(path, self.file.as_deref(), self.output)?,
        };
        let wallet = file
            .key_pair(Some(passphrase.as_str()))
            .map_err(Failure::usage)?;
        kept.locked = kept.locked.saturating_sub(1);
        if self.file.is_some() && kept.locked > 0 {
            kept.passphrase = Some(passphrase);
        }
        Ok(wallet)
    }
}

/// A key file that is unlocked only when it has to sign.
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

#[cfg(test)]
mod tests {
    use nodeproof_wallet::Protection;

    use super::*;

    #[test]
    fn a_passphrase_is_dropped_after_the_last_key_file_is_unlocked() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("passphrase");
        std::fs::write(&from, "correct horse battery\n").unwrap();
        let files: Vec<_> = (1..=3)
            .map(|byte| {
                let path = folder.path().join(format!("{byte}.pem"));
                let wallet = KeyPair::from_bytes(&[byte; 32]).unwrap();
                let protection = Protection::Passphrase("correct horse battery");
                KeyFile::write(&path, &wallet, protection).unwrap();
                (KeyFile::read(&path).unwrap(), path)
            })
            .collect();
        let passphrases = Passphrases {
            file: Some(from.clone()),
            output: Output::new(true, true),
            kept: Mutex::new(Kept {
                passphrase: None,
                locked: files.len(),
            }),
        };
        let mut kept = Vec::new();
        for (file, path) in &files {
            passphrases.unlock(path, file).unwrap();
            // An empty file simulates standard input, which can be read only once.
            std::fs::write(&from, "").unwrap();
            kept.push(passphrases.kept.lock().unwrap().passphrase.is_some());
        }
        assert_eq!(kept, [true, true, false]);
    }
}
