//! Key files: a wallet on disk, plain or encrypted with a passphrase.
//!
//! There are two forms:
//!
//! - **Plain**, the form of the network's other tools: a JSON object with the members
//!   `public`, `private` and `address`, in hexadecimal, and `network` if it is known.
//! - **Encrypted**: PKCS#8 in PEM (RFC 5958, RFC 7468) under PBES2. The files written here use scrypt
//!   and AES-256-CBC, and `openssl pkey` reads them too. The address, the public key and the network
//!   appear above the key as text, so a wallet can be shown without its passphrase. Decrypting the
//!   key checks the address and the public key.

mod claimed;
mod fault;
mod file;
mod pem;
mod plain;

pub use fault::{KeyFileError, KeyFileFault};
pub use file::{KeyFile, Protection};
