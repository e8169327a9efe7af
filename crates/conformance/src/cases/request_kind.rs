//! One kind of request that a run may send.

use crate::http::Method;

/// A query parameter: its name, and a description of its value.
pub(super) type Parameter = (&'static str, &'static str);

/// One kind of request. The values are only known during the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestKind {
    /// The method.
    pub method: Method,
    /// The path below the base URL.
    pub path: &'static str,
    /// The query parameters, by name, each with a description of its value.
    pub parameters: &'static [(&'static str, &'static str)],
    /// A description of the body, if there is one.
    pub body: Option<&'static str>,
}

impl RequestKind {
    pub(super) const fn get(path: &'static str, parameters: &'static [Parameter]) -> Self {
        Self {
            method: Method::Get,
            path,
            parameters,
            body: None,
        }
    }

    pub(super) const fn post(path: &'static str, body: &'static str) -> Self {
        Self {
            method: Method::Post,
            path,
            parameters: &[],
            body: Some(body),
        }
    }
}
