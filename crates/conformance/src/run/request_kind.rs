//! One kind of request that a run may send.

use crate::{api::Tier, cases::Case, http::Method};

/// One kind of request.
#[derive(Clone, Copy, Debug)]
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
    /// The tier that must be allowed.
    pub tier: Tier,
    /// Patterns of the cases that send it. A star matches any text, and `!` excludes a case.
    pub(super) sent_by: &'static [&'static str],
    /// Further patterns, in the same form.
    pub(super) shares: &'static [&'static str],
}

/// Stands for discovery in the list of cases that send a request.
pub(crate) const DISCOVERY: &str = "discovery";

impl RequestKind {
    /// Whether a run with these options can send it. The node may have no sample for it.
    #[must_use]
    pub fn is_sent(&self, cases: &[Case]) -> bool {
        self.sent_by.contains(&DISCOVERY) || cases.iter().any(|case| self.is_of(case.id))
    }

    /// Whether a case sends it.
    #[must_use]
    pub fn is_of(&self, id: &str) -> bool {
        let mut patterns = self.sent_by.iter().chain(self.shares);
        if patterns
            .clone()
            .any(|pattern| pattern.strip_prefix('!') == Some(id))
        {
            return false;
        }
        patterns.any(|pattern| match pattern.split_once('*') {
            Some((start, end)) => id.starts_with(start) && id.ends_with(end),
            None => id == *pattern,
        })
    }
}
