//! JSON pointers (RFC 6901), as the spec's places are named.

/// `token` as a step below `parent`.
pub fn join(parent: &str, token: &str) -> String {
    format!("{parent}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// The pointer of the node that holds the one at `pointer`; `None` for the document itself.
pub fn parent(pointer: &str) -> Option<&str> {
    pointer.rfind('/').map(|end| &pointer[..end])
}

/// The last step of `pointer`, unescaped.
pub fn last(pointer: &str) -> Option<String> {
    pointer
        .rsplit_once('/')
        .map(|(_, token)| token.replace("~1", "/").replace("~0", "~"))
}

/// The pointer that a `$ref` within one document stands for; `None` for other documents.
pub fn of_reference(reference: &str) -> Option<&str> {
    reference.strip_prefix('#')
}
