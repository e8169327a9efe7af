//! Seeded faults: each breaks one behaviour of a good node.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
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
    /// The kinds of submissions that findings must show, as [`kind_of_body`](crate::submissions::kind_of_body) names them.
    pub kinds: &'static [&'static str],
}

/// Builds a list of [`SeededFault`] from entries of the form `name, fault => [cases];`.
#[macro_export]
macro_rules! seeded_faults {
    ($($name:literal, $fault:expr => [$($case:literal),* $(,)?];)*) => {
        vec![$($crate::faults::SeededFault {
            name: $name, fault: $fault, failing_cases: &[$($case),*], kinds: &[],
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

/// Returns the fault of a node that remembers something from one request to the next.
pub fn stateful<S: Send + 'static>(
    state: S,
    fault: impl Fn(&mut S, &RecordedRequest, Response) -> Response + Send + Sync + 'static,
) -> Fault {
    let state = Mutex::new(state);
    Arc::new(move |request, response| match state.lock() {
        Ok(mut state) => fault(&mut state, request, response),
        Err(_) => response,
    })
}

/// Sets a member in each successful response for a path to `value(n)`. `n` is the number of earlier ones.
#[must_use]
pub fn changing_value(path: &'static str, member: &'static str, value: fn(u64) -> Value) -> Fault {
    stateful(0, move |count, request, response| {
        if request.path != path || response.status != StatusCode::OK {
            return response;
        }
        *count += 1;
        response.with_json(|document| document[member] = value(*count - 1))
    })
}

/// Repeats the first successful response to some requests for all of them.
#[must_use]
pub fn first_response(of: fn(&RecordedRequest) -> bool) -> Fault {
    stateful(None::<Bytes>, move |first, request, response| {
        if !of(request) || response.status != StatusCode::OK {
            return response;
        }
        let first = first.get_or_insert_with(|| response.body.clone()).clone();
        response.with_body(first)
    })
}

/// Repeats the first response to each query of some requests.
#[must_use]
pub fn first_response_to_each(of: fn(&RecordedRequest) -> bool) -> Fault {
    stateful(BTreeMap::new(), move |first, request, response| {
        if !of(request) {
            return response;
        }
        let first: &mut Bytes = first
            .entry(request.query.clone())
            .or_insert_with(|| response.body.clone());
        response.with_body(first.clone())
    })
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
