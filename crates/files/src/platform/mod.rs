//! What differs between operating systems: permissions, links, and locks of folders.

#[cfg(not(unix))]
mod other;
mod ownership;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use other::{file_stamp, is_readable_by_others, link};
#[cfg(unix)]
pub use unix::{file_stamp, is_readable_by_others, link};

#[cfg(not(unix))]
pub(crate) use other::{
    LOCAL_DATA, REMOVES_LOCK_FILES, is_at, only_for_owner, open_folder, ownership,
    shared_permissions, sync_folder,
};
#[cfg(unix)]
pub(crate) use unix::{
    LOCAL_DATA, REMOVES_LOCK_FILES, is_at, only_for_owner, open_folder, ownership,
    shared_permissions, sync_folder,
};
