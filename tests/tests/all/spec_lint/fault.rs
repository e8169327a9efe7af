//! A row of the tables.

/// One fault of the spec, and the expected problem.
pub(crate) struct Fault {
    /// Text that occurs once in the spec.
    pub(crate) find: &'static str,
    /// Its replacement.
    pub(crate) replace: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) pointer: &'static str,
    /// The line of the problem, relative to the start of the changed text.
    pub(crate) line: isize,
    /// A part of the problem's message.
    pub(crate) says: &'static str,
}
