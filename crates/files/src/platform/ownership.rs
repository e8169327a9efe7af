//! Who controls a folder.

/// Who controls a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ownership {
    /// Whether it belongs to this user or to root.
    pub(crate) is_own: bool,
    /// Whether other users can write to it.
    pub(crate) is_shared: bool,
    /// Whether it has the sticky bit: other users can't change this user's files in it.
    pub(crate) is_sticky: bool,
}
