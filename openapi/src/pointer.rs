//! JSON pointers (RFC 6901): the names of places in the spec.
//!
//! ```
//! use nodeproof_openapi::pointer;
//!
//! let place = pointer::join("/paths", "/get-block");
//! assert_eq!(place, "/paths/~1get-block");
//! assert_eq!(pointer::parent(&place), Some("/paths"));
//! assert_eq!(pointer::last(&place).as_deref(), Some("/get-block"));
//! assert_eq!(pointer::of_reference("#/components"), Some("/components"));
//! ```

/// Appends `token` to `parent` as one step, escaped.
pub fn join(parent: &str, token: &str) -> String {
    format!("{parent}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// Returns the pointer without its last step, or `None` for the document itself.
pub fn parent(pointer: &str) -> Option<&str> {
    pointer.rfind('/').map(|end| &pointer[..end])
}

/// Returns the last step, unescaped, or `None` for the document itself.
pub fn last(pointer: &str) -> Option<String> {
    pointer
        .rsplit_once('/')
        .map(|(_, token)| token.replace("~1", "/").replace("~0", "~"))
}

/// Returns the pointer in a `$ref` within the same document, or `None` for another document.
pub fn of_reference(reference: &str) -> Option<&str> {
    reference.strip_prefix('#')
}
