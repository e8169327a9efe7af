//! Prevents core dumps, which would contain the keys of the process.

use std::io;

use crate::platform;

/// Forbids core dumps of this process. On Unix it sets the resource limit. On Linux it also sets the
/// flag that keeps out the system's crash collector and debuggers of the same user.
///
/// Call it before the first key or passphrase is read. On other systems it does nothing.
///
/// ```no_run
/// use nodeproof_wallet::{KeyFile, forbid_core_dumps};
///
/// forbid_core_dumps()?;
/// let file = KeyFile::read("wallet.pem")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the system refuses.
pub fn forbid_core_dumps() -> io::Result<()> {
    platform::forbid_core_dumps()
}
