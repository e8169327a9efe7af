//! Breaking one thing of a good node.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use serde_json::Value;

use crate::proxy::{Answer, Asked, Fault};

/// One thing that a node does wrong.
pub struct Broken {
    /// What it does wrong.
    pub name: &'static str,
    /// How.
    pub fault: Fault,
    /// The cases that have to fail, warn or inform. All of them, and no others.
    pub caught_by: &'static [&'static str],
}

/// A list of [`Broken`]: `name, fault => [cases];` again and again.
#[macro_export]
macro_rules! broken {
    ($($name:literal, $fault:expr => [$($case:literal),* $(,)?];)*) => {
        vec![$($crate::faults::Broken {
            name: $name, fault: $fault, caught_by: &[$($case),*],
        }),*]
    };
}

/// Changes the JSON answers to successful requests for a path.
#[must_use]
pub fn json_of(path: &'static str, change: fn(&Asked, &mut Value)) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path == path && answer.status == StatusCode::OK {
            answer.with_json(|value| change(asked, value))
        } else {
            answer
        }
    })
}

/// Replaces the answers to requests for a path.
#[must_use]
pub fn answer_of(path: &'static str, change: fn(&Asked, Answer) -> Answer) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path == path {
            change(asked, answer)
        } else {
            answer
        }
    })
}

/// Answers as if everything had been right, with what a good answer of this node looks like.
#[must_use]
pub fn as_if_right(
    path: &'static str,
    wrong: impl Fn(&Asked, &Answer) -> bool + Send + Sync + 'static,
    good: Value,
) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path == path && wrong(asked, &answer) {
            let mut answer = answer
                .with_status(StatusCode::OK)
                .with_body(good.to_string());
            let json = HeaderValue::from_static("application/json");
            answer.headers.insert(header::CONTENT_TYPE, json);
            answer
        } else {
            answer
        }
    })
}

/// Sets what stands at a place, if there is that place.
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
