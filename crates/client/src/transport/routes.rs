//! The URLs of the calls, parsed once a client.

use std::{fmt, sync::Arc};

use reqwest::Url;

use crate::generated::{self, PATHS};

/// A base URL, and the URLs of the calls below it. It is cheap to clone.
#[derive(Clone)]
pub(crate) struct Routes(Arc<Parsed>);

struct Parsed {
    base: String,
    /// In the order of [`PATHS`]; none where that is no URL.
    urls: Vec<Option<Url>>,
}

impl Routes {
    /// The base URL, as it was given.
    pub(crate) fn as_str(&self) -> &str {
        &self.0.base
    }
}

impl From<&str> for Routes {
    fn from(base: &str) -> Self {
        let paths = PATHS.iter();
        Self(Arc::new(Parsed {
            base: base.to_owned(),
            urls: paths
                .map(|path| format!("{base}{path}").parse().ok())
                .collect(),
        }))
    }
}

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl generated::Client {
    /// The URL of the call of that number in [`PATHS`].
    pub(crate) fn url_of(&self, call: usize) -> reqwest::Result<Url> {
        if let Some(Some(url)) = self.baseurl.0.urls.get(call) {
            return Ok(url.clone());
        }
        // What is wrong with it is for reqwest to say.
        let path = PATHS.get(call).copied().unwrap_or_default();
        let url = format!("{}{path}", self.baseurl.as_str());
        let request = self.client.get(url).build()?;
        Ok(request.url().clone())
    }
}
