//! Key files: a wallet on disk, plain or encrypted with a passphrase.
//!
//! Two forms are written, and both are read:
//!
//! - **Plain**, the form of the network's other tools: a JSON object with the members
//!   `public`, `private` and `address`, in hexadecimal, and `network` where it is known.
//! - **Encrypted**: PKCS#8 in PEM (RFC 5958, RFC 7468) under PBES2 with scrypt and
//!   AES-256-CBC. `openssl pkey` reads it too. The address, the public key and the network
//!   stand above the key as text, so a wallet can be shown without its passphrase. Decrypting the
//!   key checks address and public key.
//!
//! Other forms are read, so keys can be imported: `PRIVATE KEY` and `EC PRIVATE KEY` in PEM
//! without encryption, and PKCS#8 that `openssl` encrypted.

mod claimed;
mod cost;
mod fault;
mod file;
mod pem;
mod plain;

pub use fault::{KeyFileError, KeyFileFault};
pub use file::{KeyFile, Protection};
