//! A request as one line of text.

use url::form_urlencoded;

/// Returns a request in the form in which requests of two runs are compared: the path, and the
/// parameters in alphabetical order.
pub(crate) fn request_line<K: AsRef<str>, V: AsRef<str>>(
    path: &str,
    query: impl IntoIterator<Item = (K, V)>,
) -> String {
    let mut pairs: Vec<_> = query.into_iter().collect();
    pairs.sort_by(|(one, _), (other, _)| one.as_ref().cmp(other.as_ref()));
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(pairs);
    format!("{path}?{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_orders_of_parameters_are_one_request() {
        let one = request_line("/sc-state", [("b", "ü &"), ("a", "1")]);
        assert_eq!(one, "/sc-state?a=1&b=%C3%BC+%26");
        assert_eq!(one, request_line("/sc-state", [("a", "1"), ("b", "ü &")]));
    }
}
