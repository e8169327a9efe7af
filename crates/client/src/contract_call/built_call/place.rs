//! A place in a document, for an error.

use nodeproof_primitives::{escape::escaped_up_to, signed_message};

/// The maximum length of a member's name in a message, in characters.
const MAX_NAME_LENGTH: usize = 60;
/// The maximum length of a path in a message, in characters.
const MAX_PATH_LENGTH: usize = 240;

/// A place in a document, from the document inwards.
#[derive(Clone, Copy)]
pub(super) enum Place<'p> {
    /// The document itself.
    Root,
    /// A member of an object.
    Member(&'p Place<'p>, &'p str),
    /// An element of an array.
    Element(&'p Place<'p>, usize),
}

impl<'p> Place<'p> {
    pub(super) fn member(&'p self, name: &'p str) -> Place<'p> {
        Place::Member(self, name)
    }

    pub(super) fn element(&'p self, index: usize) -> Place<'p> {
        Place::Element(self, index)
    }

    /// Returns its path, such as `transaction.specific_data.params.doc_hash_list[2]`, in ASCII.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        self.write(&mut path);
        if path.is_empty() {
            path.push_str("the whole");
        }
        escaped_up_to(&path, MAX_PATH_LENGTH)
    }

    fn write(&self, path: &mut String) {
        match self {
            Self::Root => {}
            Self::Member(parent, name) => {
                parent.write(path);
                if !path.is_empty() {
                    path.push('.');
                }
                let name: String = name.chars().take(MAX_NAME_LENGTH).collect();
                // Without quotes. ASCII makes letters that look alike distinguishable.
                let name = as_signed(&quoted(&name));
                path.push_str(name.trim_matches('"'));
            }
            Self::Element(parent, index) => {
                parent.write(path);
                path.push_str(&format!("[{index}]"));
            }
        }
    }
}

/// Returns a value's text as it would be signed: in ASCII, so no letter looks like another one.
pub(super) fn as_signed(text: &str) -> String {
    signed_message(text).unwrap_or_else(|_| text.to_owned())
}

/// Returns a text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
