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
    /// The query's parameters, by name, each with what its value is.
    pub parameters: &'static [(&'static str, &'static str)],
    /// What the body is, where there is one.
    pub body: Option<&'static str>,
    /// What a run needs to be allowed to send it.
    pub tier: Tier,
    /// The cases that have it sent; a star stands for any text, and `!` excepts a case.
    pub(super) asked_by: &'static [&'static str],
    /// Further ones, of the same form.
    pub(super) shares: &'static [&'static str],
}

/// Who asks what no case asks for itself.
pub(crate) const DISCOVERY: &str = "discovery";

impl RequestKind {
    /// Whether a run with these options sends it, if the node has what it is about.
    #[must_use]
    pub fn is_sent(&self, cases: &[Case]) -> bool {
        self.asked_by.contains(&DISCOVERY) || cases.iter().any(|case| self.is_of(case.id))
    }

    /// Whether a case has it sent.
    #[must_use]
    pub fn is_of(&self, id: &str) -> bool {
        let mut patterns = self.asked_by.iter().chain(self.shares);
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
