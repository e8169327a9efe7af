//! A row of the tables.

/// One thing to break in the spec, and what has to be found.
pub(crate) struct Fault {
    /// Text that is in the spec once.
    pub(crate) find: &'static str,
    /// What stands there instead.
    pub(crate) replace: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) pointer: &'static str,
    /// How many lines after the beginning of the changed text the finding is.
    pub(crate) line: isize,
    /// What the finding has to mention.
    pub(crate) says: &'static str,
}
