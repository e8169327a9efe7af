//! Values that are checked at compile time.

/// Creates a [`WalletAddress`](crate::WalletAddress) from a literal, checked at compile time.
///
/// ```
/// use nodeproof_primitives::{WalletAddress, wallet_address};
///
/// const TREASURY: WalletAddress = wallet_address!("0x00000000000000000000000000000000000000a1");
/// assert_eq!(TREASURY.to_string(), "0x00000000000000000000000000000000000000a1");
/// ```
///
/// A text of another form does not compile:
///
/// ```compile_fail
/// nodeproof_primitives::wallet_address!("0x00000000000000000000000000000000000000A1");
/// ```
#[macro_export]
macro_rules! wallet_address {
    ($text:expr) => {
        const {
            match $crate::WalletAddress::from_text($text) {
                Some(address) => address,
                None => panic!("expected 0x followed by 40 lower-case hexadecimal digits"),
            }
        }
    };
}

/// Creates a [`ContractAddress`](crate::ContractAddress) from a literal, checked at compile time.
///
/// ```
/// use nodeproof_primitives::{ContractAddress, contract_address};
///
/// const CLAIMS: ContractAddress = contract_address!("ct00000000000000000000000000000000000000a1");
/// assert_eq!(CLAIMS.to_string(), "ct00000000000000000000000000000000000000a1");
/// ```
///
/// A text of another form does not compile:
///
/// ```compile_fail
/// nodeproof_primitives::contract_address!("0x00000000000000000000000000000000000000a1");
/// ```
#[macro_export]
macro_rules! contract_address {
    ($text:expr) => {
        const {
            match $crate::ContractAddress::from_text($text) {
                Some(address) => address,
                None => panic!("expected ct followed by 40 lower-case hexadecimal digits"),
            }
        }
    };
}
