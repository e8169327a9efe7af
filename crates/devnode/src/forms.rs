//! The forms of responses, in which some real nodes do not conform to the specification.

use std::{fmt, str::FromStr};

/// The form of blocks, records and balances in responses.
///
/// A client must read all of them. Only [`Documented`](Self::Documented) conforms to the
/// specification.
///
/// | | block | record in `/sc-state` | nothing held |
/// | --- | --- | --- | --- |
/// | `documented` | the documented object | the row, in `value` and `data` | 0 |
/// | `rows` | a row of the table of blocks | the row, in `data` alone | null |
/// | `text` | the documented object, with `text` and `committee` as JSON inside a string | the row as JSON inside a string, in `value` and `data` | 0 |
///
/// ```
/// use nodeproof_devnode::Forms;
///
/// let names: Vec<String> = Forms::all().map(|forms| forms.to_string()).collect();
/// assert_eq!(names, ["documented", "rows", "text"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Forms {
    /// The form in the specification.
    #[default]
    Documented,
    /// Rows of database tables, as observed on a real node. A block has no transactions and no receipts.
    /// Its index is `block_index`, and its committee is JSON inside a string.
    Rows,
    /// Arrays and objects as JSON inside strings. Observed on a real node for single members. Here it
    /// applies wherever the specification leaves the shape open, and wherever clients must tolerate
    /// it.
    Text,
}

impl Forms {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Documented, "documented"),
        (Self::Rows, "rows"),
        (Self::Text, "text"),
    ];

    /// Returns every form.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().map(|(forms, _)| forms)
    }
}

impl fmt::Display for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(forms, _)| forms == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

/// The text is not the name of a form. Give `documented`, `rows` or `text`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected documented, rows or text")]
pub struct ParseFormsError;

impl FromStr for Forms {
    type Err = ParseFormsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find_map(|(forms, name)| (name == text).then_some(forms))
            .ok_or(ParseFormsError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_written_as_it_is_read() {
        for (forms, name) in Forms::ALL {
            assert_eq!(forms.to_string(), name);
            assert_eq!(name.parse(), Ok(forms));
        }
        for text in ["", "Rows", "row", "json"] {
            assert_eq!(text.parse::<Forms>(), Err(ParseFormsError), "{text:?}");
        }
    }
}
