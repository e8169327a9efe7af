//! The members of an HTTP Archive that are read.
//!
//! Each may be missing: programs leave out what they do not have. What a judgement needs is required later.

use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::{
    discovery::Wanted,
    http::{MissingStep, Step, Wording},
};

/// One exchange.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) started_date_time: Option<String>,
    /// The duration in milliseconds.
    pub(super) time: Option<f64>,
    pub(super) request: Option<Request>,
    pub(super) response: Option<Response>,
    /// Chromium: the response came from the browser's cache.
    #[serde(rename = "_fromCache")]
    pub(super) from_cache: Option<IgnoredAny>,
    #[serde(rename = "_nodeproof")]
    pub(super) own: Option<Own>,
}

/// What `nodeproof` itself adds to an exchange.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Own {
    /// The network of the node.
    pub(super) network: Option<String>,
    /// Whether only a sweep has read the block.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) of_sweep: bool,
    /// What the request was for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<Step>,
    /// What the run looked for on the chain. Only the first exchange with a node has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wanted: Option<Wanted>,
    /// Steps of the run that were not taken. The first exchange with a node has all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) missing: Vec<MissingStep>,
    /// Whether the node may have received the request before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) repeated: bool,
    /// Whether the request names something that does not exist, or that is only similar to what exists.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) finds_nothing: bool,
    /// How the request was written, if not in the usual way.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub(super) wording: Wording,
    /// What is wrong with the signatures of a submission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wrongly_signed: Option<String>,
    /// Where its transaction differs from the one that was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) unlike_signed: Option<String>,
    /// The endpoint, if a redirect led to another path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) endpoint: Option<String>,
    /// Whether a secret in the response's body is hidden.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) hidden: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) method: Option<String>,
    pub(super) url: Option<String>,
    pub(super) headers: Option<Vec<Header>>,
    pub(super) post_data: Option<PostData>,
    /// The length of the body in bytes, or -1 if it is unknown.
    pub(super) body_size: Option<i64>,
}

impl Request {
    /// Returns the body, if it was recorded. Some programs leave its text empty.
    pub(super) fn body(&self) -> Option<&str> {
        let text = self.post_data.as_ref()?.text.as_deref()?;
        let is_recorded = !text.is_empty() || self.body_size.is_none_or(|size| size <= 0);
        is_recorded.then_some(text)
    }
}

#[derive(Deserialize)]
pub(super) struct PostData {
    pub(super) text: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Response {
    pub(super) status: Option<i64>,
    pub(super) headers: Option<Vec<Header>>,
    pub(super) content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    /// The length of the body in bytes, or -1 if it is unknown.
    pub(super) size: Option<i64>,
    pub(super) mime_type: Option<String>,
    pub(super) text: Option<String>,
    pub(super) encoding: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) value: String,
}

fn is_usual(wording: &Wording) -> bool {
    *wording == Wording::Usual
}

/// Returns the value of a header.
pub(super) fn header<'h>(headers: Option<&'h Vec<Header>>, name: &str) -> Option<&'h str> {
    let mut headers = headers.into_iter().flatten();
    let found = headers.find(|header| header.name.eq_ignore_ascii_case(name));
    found.map(|header| header.value.as_str())
}
