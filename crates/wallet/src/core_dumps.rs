//! Keeping the memory of a process with keys out of core dumps.

use std::io;

/// Forbids core dumps of this process: on Unix by the resource limit, on Linux also by the flag
/// that keeps the system's collector of crashes and debuggers of the same user out.
///
/// Call it before the first key or passphrase is read. Elsewhere it does nothing.
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
