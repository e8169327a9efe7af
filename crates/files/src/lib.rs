//! Atomic files, exclusive locks and the user's own folders.
//!
//! - [`create`] writes a new file and never overwrites one; [`replace`] replaces a file. Readers see
//!   the whole old file or the whole new one, even after a crash. [`StagedFile`] does the same in
//!   two steps.
//! - [`LockFile`] and [`FolderLock`] are exclusive locks between processes. The system releases
//!   them when the process ends.
//! - [`read_text`] reads a regular file, up to a limit, and [`header_option`] an option whose value may be in one.
//! - [`check_private_folder`] refuses folders that other users control.
//! - [`file_stamp`] shows whether a file was changed.
//! - [`is_readable_by_others`] and [`link`] do what only Unix can do, and nothing elsewhere.
//! - [`config_folder`] and [`state_folder`] are the user's folders for configuration and state.
//!
//! ```
//! use nodeproof_files::{Access, create, replace};
//!
//! # fn main() -> std::io::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("report.json");
//! create(&path, b"{}", Access::Umask)?;
//! assert!(create(&path, b"[]", Access::Umask).is_err());
//! replace(&path, b"[]", Access::Umask)?;
//! # Ok(())
//! # }
//! ```

mod bounded_text;
mod header_option;
mod lock;
mod platform;
mod private_folder;
mod staged;
mod user_folders;

pub use bounded_text::{open_regular, read_text};
pub use header_option::header_option;
pub use lock::{FOLDER_LOCK, FolderLock, LockError, LockFile};
pub use platform::{file_stamp, is_readable_by_others, link};
pub use private_folder::{
    FolderError, Shared, check_private_folder, create_private_folder, quoted,
};
pub use staged::{
    Access, StagedFile, create, is_staged_name, parent_folder, remove_leftovers, replace,
    sync_folder,
};
pub use user_folders::{config_folder, state_folder};
