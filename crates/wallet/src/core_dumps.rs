//! Prevents core dumps, which would contain the keys of the process.

use std::io;

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
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};

        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        setrlimit(Resource::Core, none)?;
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};

        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}
