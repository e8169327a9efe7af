//! Finding and changing members in a JSON text without changing the rest.

use std::ops::Range;

use crate::json_text::members;

/// Returns the position of a member's value in an object's text. Of several, the last counts.
///
/// Returns `None` if the text is not an object, or has no such member.
pub(super) fn find(object: &str, member: &str) -> Option<Range<usize>> {
    let all = find_all(object, member);
    all.last().cloned()
}

/// Returns the positions of the values of all members with this name.
pub(super) fn find_all(object: &str, member: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let read = members(object, |name, value| {
        if name == member {
            // The value is a slice of the text, so its address gives its position.
            let start = (value.get().as_ptr() as usize).wrapping_sub(object.as_ptr() as usize);
            let range = start..start.wrapping_add(value.get().len());
            if object.get(range.clone()) == Some(value.get()) {
                found.push(range);
            }
        }
    });
    if read.is_ok() { found } else { Vec::new() }
}

/// Returns the text with another value of a member. The rest does not change.
///
/// Returns `None` if there is not exactly one such member.
pub(super) fn replace(object: &str, member: &str, value: &str) -> Option<String> {
    match find_all(object, member).as_slice() {
        [place] => {
            let mut text = object.to_owned();
            text.replace_range(place.clone(), value);
            Some(text)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_one_value_and_nothing_else() {
        let text = "{ \"a\" : 1.0,\n\"fee\":0.0 , \"b\":{\"fee\":7},\"é\":\"\\u00e9\"}";
        let changed = replace(text, "fee", "1000000").unwrap();
        assert_eq!(changed, text.replacen("0.0 ", "1000000 ", 1));
    }

    #[test]
    fn finds_escaped_names_and_the_last_of_several() {
        assert_eq!(find(r#"{"f\u0065e":12}"#, "fee"), Some(12..14));
        assert_eq!(find(r#"{"a":1,"a":22}"#, "a"), Some(11..13));
        assert_eq!(replace(r#"{"a":1,"a":22}"#, "a", "3"), None);
        assert_eq!(find("[1]", "a"), None);
        assert_eq!(find("{}", "a"), None);
    }
}
