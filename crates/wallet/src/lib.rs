//! Wallets.
