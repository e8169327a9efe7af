//! Seeded faults: each breaks one behaviour of a good node.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use axum::{
    body::Bytes,
    http::{HeaderValue, StatusCode, header},
};
use serde_json::Value;

pub use nodeproof_devnode::edit::change_json;

use crate::proxy::{Fault, RecordedRequest, Response};

/// One fault of a node.
pub struct SeededFault {
    /// A description of the fault.
    pub name: &'static str,
    /// The fault.
    pub fault: Fault,
    /// The cases that must fail, warn or inform. All of them must, and no others.
    pub failing_cases: &'static [&'static str],
}

/// Builds a list of [`SeededFault`] from entries of the form `name, fault => [cases];`.
#[macro_export]
macro_rules! seeded_faults {
    ($($name:literal, $fault:expr => [$($case:literal),* $(,)?];)*) => {
        vec![$($crate::faults::SeededFault {
            name: $name, fault: $fault, failing_cases: &[$($case),*],
        }),*]
    };
}

/// Changes the responses to requests for a path.
#[must_use]
pub fn change_response(
    path: &'static str,
    change: impl Fn(&RecordedRequest, Response) -> Response + Send + Sync + 'static,
) -> Fault {
    Arc::new(move |request, response| {
        if request.path == path {
            change(request, response)
        } else {
            response
        }
    })
}

/// Returns a good response to wrong requests.
#[must_use]
pub fn respond_successfully_if(
    path: &'static str,
    wrong: impl Fn(&RecordedRequest, &Response) -> bool + Send + Sync + 'static,
    good: Value,
) -> Fault {
    Arc::new(move |request, response| {
        if request.path == path && wrong(request, &response) {
            let mut response = response
                .with_status(StatusCode::OK)
                .with_body(good.to_string());
            let json = HeaderValue::from_static("application/json");
            response.headers.insert(header::CONTENT_TYPE, json);
            response
        } else {
            response
        }
    })
}

/// Replaces a text in the responses to successful requests for a path.
#[must_use]
pub fn text_of(path: &'static str, from: &'static str, to: &'static str) -> Fault {
    Arc::new(move |request, response| {
        if request.path == path && response.status == StatusCode::OK {
            let text = String::from_utf8_lossy(&response.body).replace(from, to);
            response.with_body(text)
        } else {
            response
        }
    })
}

/// A fault that remembers something from one request to the next.
pub trait StatefulFault: Send + Sync + 'static {
    /// Returns the response of the node with this fault, from the response of a good node.
    fn response(&self, request: &RecordedRequest, response: Response) -> Response;
}

/// Returns the fault of a node that behaves like this.
pub fn stateful(fault: impl StatefulFault) -> Fault {
    Arc::new(move |request, response| fault.response(request, response))
}

/// Sets a member in each successful response for a path. Its value depends on the number of earlier ones.
#[derive(Debug)]
pub struct ChangingValue {
    path: &'static str,
    member: &'static str,
    value: fn(u64) -> Value,
    count: AtomicU64,
}

impl ChangingValue {
    /// Sets `member` to `value(n)`, with `n` counted from 0.
    #[must_use]
    pub fn new(path: &'static str, member: &'static str, value: fn(u64) -> Value) -> Self {
        Self {
            path,
            member,
            value,
            count: AtomicU64::new(0),
        }
    }
}

impl StatefulFault for ChangingValue {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        if request.path != self.path || response.status != StatusCode::OK {
            return response;
        }
        let number = self.count.fetch_add(1, Relaxed);
        response.with_json(|document| document[self.member] = (self.value)(number))
    }
}

/// Repeats the first successful response to some requests for all of them.
#[derive(Debug)]
pub struct FirstResponse {
    of: fn(&RecordedRequest) -> bool,
    first: OnceLock<Bytes>,
}

impl FirstResponse {
    /// Repeats the first response to requests for which `of` is true.
    #[must_use]
    pub fn new(of: fn(&RecordedRequest) -> bool) -> Self {
        Self {
            of,
            first: OnceLock::new(),
        }
    }
}

impl StatefulFault for FirstResponse {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        if !(self.of)(request) || response.status != StatusCode::OK {
            return response;
        }
        let first = self.first.get_or_init(|| response.body.clone()).clone();
        response.with_body(first)
    }
}

/// Repeats the first response to each query of some requests.
#[derive(Debug)]
pub struct FirstResponseToEach {
    of: fn(&RecordedRequest) -> bool,
    first: Mutex<BTreeMap<String, Bytes>>,
}

impl FirstResponseToEach {
    /// Repeats the first responses to requests for which `of` is true.
    #[must_use]
    pub fn new(of: fn(&RecordedRequest) -> bool) -> Self {
        Self {
            of,
            first: Mutex::default(),
        }
    }
}

impl StatefulFault for FirstResponseToEach {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        let Ok(mut first) = self.first.lock() else {
            return response;
        };
        if !(self.of)(request) {
            return response;
        }
        let first = first
            .entry(request.query.clone())
            .or_insert_with(|| response.body.clone());
        response.with_body(first.clone())
    }
}

/// Sets the value at a place, if the place exists.
pub fn set(value: &mut Value, pointer: &str, new: Value) {
    if let Some(place) = value.pointer_mut(pointer) {
        *place = new;
    }
}

/// Removes a member of the object at a place.
pub fn remove(value: &mut Value, parent: &str, name: &str) {
    if let Some(members) = value.pointer_mut(parent).and_then(Value::as_object_mut) {
        members.shift_remove(name);
    }
}
