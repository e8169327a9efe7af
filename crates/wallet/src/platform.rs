//! What differs between operating systems: core dumps.

use std::io;

/// Forbids core dumps of this process.
#[cfg(unix)]
pub(crate) fn forbid_core_dumps() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};

        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

/// Does nothing.
#[cfg(not(unix))]
pub(crate) fn forbid_core_dumps() -> io::Result<()> {
    Ok(())
}
