//! Limits on the cost of decrypting a key file.

use pkcs8::pkcs5::pbes2::{Kdf, Parameters};

use super::fault::KeyFileFault;

/// The scrypt parameters of the files written here: log₂ N, r and p.
///
/// They need 16 MiB and five rounds. More memory and fewer rounds would be as strong, but
/// `openssl` allows at most 32 MiB for a key file.
pub(super) const OURS: (u8, u32, u32) = (14, 8, 5);

/// The maximum memory for scrypt, in bytes: 128·N·r.
const MAX_MEMORY: u64 = 256 << 20;
/// The maximum work for scrypt, N·r·p: about 25 times that of [`OURS`].
const MAX_WORK: u64 = 1 << 24;
/// The maximum number of PBKDF2 rounds.
const MAX_ROUNDS: u32 = 10_000_000;

/// Checks that the parameters are valid and within the limits.
pub(super) fn check(parameters: &Parameters) -> Result<(), KeyFileFault> {
    match &parameters.kdf {
        Kdf::Scrypt(scrypt) => {
            let (n, r, p) = (
                scrypt.cost_parameter,
                u64::from(scrypt.block_size),
                u64::from(scrypt.parallelization),
            );
            // RFC 7914: N is a power of two above 1. The other parameters are not zero.
            if n < 2 || !n.is_power_of_two() || r == 0 || p == 0 {
                return Err(KeyFileFault::Damaged {
                    what: "its scrypt parameters are invalid",
                });
            }
            let memory = n.saturating_mul(r).saturating_mul(128);
            if memory > MAX_MEMORY {
                return Err(KeyFileFault::TooCostly {
                    requested: format!("{} MiB of memory", memory >> 20),
                    limit: "256 MiB",
                });
            }
            let work = n.saturating_mul(r).saturating_mul(p);
            if work > MAX_WORK {
                return Err(KeyFileFault::TooCostly {
                    requested: format!("scrypt with N·r·p = {work}"),
                    limit: "16777216",
                });
            }
            Ok(())
        }
        Kdf::Pbkdf2(pbkdf2) if pbkdf2.iteration_count > MAX_ROUNDS => {
            Err(KeyFileFault::TooCostly {
                requested: format!("{} rounds of PBKDF2", pbkdf2.iteration_count),
                limit: "10000000",
            })
        }
        Kdf::Pbkdf2(_) => Ok(()),
        _ => Err(KeyFileFault::Unsupported),
    }
}

#[cfg(test)]
mod tests {
    use pkcs8::pkcs5::pbes2::{EncryptionScheme, Pbkdf2Params, Salt, ScryptParams};

    use super::*;

    fn judged(kdf: Kdf) -> Result<(), KeyFileFault> {
        check(&Parameters {
            kdf,
            encryption: EncryptionScheme::Aes256Cbc { iv: [0; 16] },
        })
    }

    fn scrypt(cost_parameter: u64, block_size: u16, parallelization: u16) -> Kdf {
        Kdf::Scrypt(ScryptParams {
            salt: Salt::new([0; 16]).unwrap(),
            cost_parameter,
            block_size,
            parallelization,
            key_length: None,
        })
    }

    #[test]
    fn what_is_written_and_what_other_programs_write_is_borne() {
        let (log_n, r, p) = OURS;
        for (n, r, p) in [
            (
                1 << log_n,
                u16::try_from(r).unwrap(),
                u16::try_from(p).unwrap(),
            ),
            (1 << 17, 8, 1),
            (1 << 18, 8, 8),
        ] {
            assert!(judged(scrypt(n, r, p)).is_ok(), "{n} {r} {p}");
        }
        let owasp = Pbkdf2Params::hmac_sha256(600_000, &[0; 16]).unwrap();
        assert!(judged(Kdf::Pbkdf2(owasp)).is_ok());
    }

    #[test]
    fn rejects_costly_scrypt_parameters() {
        for (n, r, p) in [
            (1 << 19, 8, 1),
            (1 << 63, 8, 1),
            (1 << 63, u16::MAX, u16::MAX),
            (1 << 18, 8, 9),
            (1 << 10, 1, u16::MAX),
        ] {
            assert!(
                matches!(judged(scrypt(n, r, p)), Err(KeyFileFault::TooCostly { .. })),
                "{n} {r} {p}"
            );
        }
        let rounds = Pbkdf2Params::hmac_sha256(10_000_001, &[0; 16]).unwrap();
        assert!(matches!(
            judged(Kdf::Pbkdf2(rounds)),
            Err(KeyFileFault::TooCostly { .. })
        ));
    }

    #[test]
    fn refuses_numbers_that_scrypt_has_no_meaning_for() {
        for (n, r, p) in [(0, 8, 1), (1, 8, 1), (3, 8, 1), (2, 0, 1), (2, 8, 0)] {
            assert!(
                matches!(judged(scrypt(n, r, p)), Err(KeyFileFault::Damaged { .. })),
                "{n} {r} {p}"
            );
        }
    }
}
