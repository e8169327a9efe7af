//! `nodectl wallet`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use nodeproof_primitives::{Network, WalletAddress};
use nodeproof_wallet::{KeyFile, KeyPair, Protection, PublicKey, Signer as _};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::{
    arguments::{addresses::wallet_address, paths},
    failure::{Failure, Kind},
    io::{
        output::{self, CommandResult},
        prompt,
        table::Columns,
    },
    session::{
        key_files::{self, secret_text},
        settings::Session,
    },
};

/// Maximum length of a key to import in any form, in bytes.
const MAX_KEY_LENGTH: usize = 64 * 1024;

#[derive(Debug, Args)]
pub(crate) struct WalletArgs {
    #[command(subcommand)]
    command: WalletCommand,
}

#[derive(Debug, Subcommand)]
enum WalletCommand {
    /// Create a wallet with a new random key, and write its key file. The file records --network
    New(NewArgs),
    /// Write a key file for an existing key. The file records --network
    Import(ImportArgs),
    /// Show the address and the public key of a key file, never the private key
    Show(ShowArgs),
    /// Write another key file of the same wallet: plain for other tools, or with another passphrase
    Export(ExportArgs),
}

/// How a key file is written.
#[derive(Debug, Args)]
struct WriteArgs {
    /// Write the network's plain JSON with public, private and address. Anyone who can read the
    /// file has the key
    #[arg(long, conflicts_with = "passphrase_file")]
    plain: bool,
    /// File whose first line is the new file's passphrase [default: a hidden prompt, twice]
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct NewArgs {
    /// Key file to write. An existing file is never replaced
    #[arg(value_name = "FILE", value_parser = paths::to_write())]
    file: PathBuf,
    #[command(flatten)]
    write: WriteArgs,
}

#[derive(Debug, Args)]
struct ImportArgs {
    /// Key file to write. An existing file is never replaced
    #[arg(value_name = "FILE", value_parser = paths::to_write())]
    file: PathBuf,
    /// File with the key, or - for standard input: 64 hexadecimal digits, a key file of the
    /// network, or an encrypted private key in PEM [default: a hidden prompt for the digits]
    #[arg(long, value_name = "FILE", value_parser = paths::key_file())]
    from: Option<PathBuf>,
    /// File whose first line is the passphrase of the imported key [default: a hidden prompt]
    #[arg(long, value_name = "FILE", requires = "from")]
    from_passphrase_file: Option<PathBuf>,
    /// The address that the key must have; any other key is refused
    #[arg(long, value_name = "WALLET", value_parser = wallet_address)]
    address: Option<WalletAddress>,
    #[command(flatten)]
    write: WriteArgs,
}

#[derive(Debug, Args)]
struct ShowArgs {
    /// Key files [default: NODECTL_WALLET, or the configuration's]
    #[arg(
        value_name = "FILE",
        env = "NODECTL_WALLET",
        hide_env_values = true,
        value_parser = paths::key_file()
    )]
    files: Vec<PathBuf>,
    /// Print only the addresses, one per line, for other programs
    #[arg(long, conflicts_with = "json")]
    address: bool,
}

#[derive(Debug, Args)]
struct ExportArgs {
    /// Key file to read
    #[arg(value_name = "FROM", value_parser = paths::key_file())]
    from: PathBuf,
    /// Key file to write. An existing file is never replaced
    #[arg(value_name = "TO", value_parser = paths::to_write())]
    to: PathBuf,
    /// File whose first line is the passphrase of FROM [default: a hidden prompt]
    #[arg(long, value_name = "FILE")]
    from_passphrase_file: Option<PathBuf>,
    #[command(flatten)]
    write: WriteArgs,
}

/// The public data of a wallet.
#[derive(Serialize)]
struct WalletView {
    file: String,
    /// The address. For an encrypted file, it comes from the text above the key, if there is any.
    address: Option<WalletAddress>,
    public_key: Option<PublicKey>,
    /// The network that the file records, if it records one.
    network: Option<Network>,
    encrypted: bool,
}

impl WalletView {
    fn of(path: &Path, file: &KeyFile) -> Self {
        Self {
            file: path.display().to_string(),
            address: file.address(),
            public_key: file.public_key(),
            network: file.network(),
            encrypted: file.is_encrypted(),
        }
    }

    fn rows(&self, columns: &mut Columns) {
        let known = |text: Option<String>| {
            text.unwrap_or_else(|| "not known without the passphrase".to_owned())
        };
        columns.row(["file", &self.file]);
        columns.row([
            "address",
            &known(self.address.map(|address| address.to_string())),
        ]);
        columns.row([
            "public key",
            &known(self.public_key.map(|key| key.to_string())),
        ]);
        let network = self.network.map_or("not recorded", Network::name);
        columns.row(["network", network]);
        columns.row(["encrypted", if self.encrypted { "yes" } else { "no" }]);
    }
}

impl CommandResult for WalletView {
    fn for_a_person(&self) -> String {
        let mut columns = Columns::new();
        self.rows(&mut columns);
        columns.text()
    }
}

#[derive(Serialize)]
struct WalletList {
    wallets: Vec<WalletView>,
}

impl CommandResult for WalletList {
    fn for_a_person(&self) -> String {
        let texts: Vec<String> = self
            .wallets
            .iter()
            .map(CommandResult::for_a_person)
            .collect();
        texts.join("\n")
    }
}

pub(crate) fn run(args: &WalletArgs, session: &Session) -> Result<(), Failure> {
    match &args.command {
        WalletCommand::New(args) => {
            free(&args.file)?;
            let wallet = KeyPair::generate().map_err(Failure::usage)?;
            let wallet = wallet.for_network(session.network());
            write(&args.file, &wallet, &args.write, session)
        }
        WalletCommand::Import(args) => {
            free(&args.file)?;
            let wallet = imported(args, session)?;
            if let Some(wanted) = args.address
                && wanted != wallet.address()
            {
                return Err(Failure::usage(format!(
                    "the key is that of {}, and not of {wanted}; nothing was written",
                    wallet.address()
                )));
            }
            write(&args.file, &wallet, &args.write, session)
        }
        WalletCommand::Show(args) => show(args, session),
        WalletCommand::Export(args) => {
            free(&args.to)?;
            let file = key_files::read(&args.from, session.output)?;
            let passphrase = args.from_passphrase_file.as_deref();
            let wallet = unlock(&args.from, &file, passphrase, session)?;
            write(&args.to, &wallet, &args.write, session)
        }
    }
}

/// Rejects a file that exists, before the user types a passphrase.
fn free(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!(
            "{} already exists and may be the only copy of a key: choose another name",
            path.display()
        )));
    }
    Ok(())
}

/// Opens the wallet in a key file. Its network is the one in the file, or else the given one.
fn unlock(
    path: &Path,
    file: &KeyFile,
    passphrase: Option<&Path>,
    session: &Session,
) -> Result<KeyPair, Failure> {
    if let Some(network) = session.network() {
        file.check_network(network).map_err(Failure::usage)?;
    }
    let wallet = key_files::unlock(path, file, passphrase, session.output)?;
    let network = wallet.network().or(session.network());
    Ok(wallet.for_network(network))
}

fn write(path: &Path, wallet: &KeyPair, how: &WriteArgs, session: &Session) -> Result<(), Failure> {
    let network = wallet.network();
    if network.is_none() {
        session.output.note(
            "the key file records no network, so it can sign for any network: \
             --network records one",
        );
    }
    if how.plain {
        KeyFile::write(path, wallet, Protection::Plain).map_err(Failure::usage)?;
        session.output.warn(&format!(
            "{} is not encrypted: anyone who can read it has the key",
            path.display()
        ));
    } else {
        let from = how.passphrase_file.as_deref();
        let passphrase = key_files::new_passphrase(from, session.output)?;
        let protection = Protection::Passphrase(passphrase.as_str());
        KeyFile::write(path, wallet, protection).map_err(Failure::usage)?;
    }
    let shown = session.output.show(&WalletView {
        file: path.display().to_string(),
        address: Some(wallet.address()),
        public_key: Some(*wallet.public_key()),
        network,
        encrypted: !how.plain,
    });
    shown.map_err(|failure| match failure.kind {
        Kind::ReaderGone => failure,
        _ => failure.with_suffix(&format!("; the key file {} was written", path.display())),
    })
}

/// Returns the wallet to import.
fn imported(args: &ImportArgs, session: &Session) -> Result<KeyPair, Failure> {
    let Some(from) = &args.from else {
        let digits = prompt::hidden(
            "Private key (64 hexadecimal digits)",
            "give --from FILE, or --from - for standard input",
        )?;
        return from_digits(&digits, session);
    };
    let text = secret_text(from, MAX_KEY_LENGTH).map_err(|error| {
        Failure::usage(format!(
            "the key can't be read from {}: {error}",
            from.display()
        ))
    })?;
    // A single word that is neither JSON nor PEM must be the key's digits.
    let word = text.trim();
    if !word.is_empty() && !word.starts_with('{') && !word.contains([' ', '\n']) {
        return from_digits(word, session);
    }
    let file = if from == Path::new("-") {
        KeyFile::from_text(&text).map_err(Failure::usage)?
    } else {
        key_files::read(from, session.output)?
    };
    let passphrase = args.from_passphrase_file.as_deref();
    unlock(from, &file, passphrase, session)
}

fn from_digits(text: &str, session: &Session) -> Result<KeyPair, Failure> {
    let text = Zeroizing::new(text.trim().to_owned());
    let digits = text.strip_prefix("0x").unwrap_or(&text);
    let wallet = KeyPair::from_hex(digits).map_err(Failure::usage)?;
    Ok(wallet.for_network(session.network()))
}

fn show(args: &ShowArgs, session: &Session) -> Result<(), Failure> {
    let paths = session.wallets(&args.files);
    if paths.is_empty() {
        return Err(Failure::usage(
            "which wallet? Name its key file, set NODECTL_WALLET, or write `wallet` in the \
             configuration file",
        ));
    }
    let wallets: Vec<WalletView> = paths
        .iter()
        .map(|path| key_files::read(path, session.output).map(|file| WalletView::of(path, &file)))
        .collect::<Result<_, _>>()?;
    if args.address {
        let mut lines = String::new();
        for wallet in &wallets {
            let address = wallet.address.ok_or_else(|| {
                Failure::not_found(format!(
                    "{} does not show its address without the passphrase: `nodectl wallet export` \
                     writes a file that does",
                    wallet.file
                ))
            })?;
            lines.push_str(&format!("{address}\n"));
        }
        return output::write(&lines);
    }
    session.output.show(&WalletList { wallets })
}
