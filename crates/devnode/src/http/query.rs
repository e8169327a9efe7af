//! The parameters of a query string.

use std::{convert::Infallible, fmt::Display, str::FromStr};

use axum::{extract::FromRequestParts, http::request::Parts};

use super::response::Fault;

/// The parameters of a query string. Unknown ones are ignored. If a name occurs twice, the last one
/// counts, as on a real node.
#[derive(Debug)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    fn parse(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes());
        Self(pairs.into_owned().collect())
    }

    /// Returns the text of a parameter.
    pub(super) fn text(&self, name: &'static str) -> Result<&str, Fault> {
        self.0
            .iter()
            .rev()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
            .ok_or_else(|| Fault::missing(vec!["query".into(), name.into()]))
    }

    /// Parses a parameter.
    pub(super) fn read<T>(&self, name: &'static str) -> Result<T, Fault>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.text(name)?.parse().map_err(|error: T::Err| {
            Fault::value(vec!["query".into(), name.into()], error.to_string())
        })
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_decoded_and_of_two_the_last_counts() {
        let query = Query::parse("a=1&&b=x%20y+z&a=%32&c&%64=%ff");
        let read = |name| query.text(name).ok();
        assert_eq!(read("a"), Some("2"));
        assert_eq!(read("b"), Some("x y z"));
        assert_eq!(read("c"), Some(""));
        assert_eq!(read("d"), Some("\u{fffd}"));
        assert_eq!(read("e"), None);
    }
}
