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

use crate::proxy::{Answer, Asked, Fault};

/// One fault of a node.
pub struct Broken {
    /// A description of the fault.
    pub name: &'static str,
    /// The fault.
    pub fault: Fault,
    /// The cases that must fail, warn or inform. All of them must, and no others.
    pub caught_by: &'static [&'static str],
}

/// Builds a list of [`Broken`] from entries of the form `name, fault => [cases];`.
#[macro_export]
macro_rules! broken {
    ($($name:literal, $fault:expr => [$($case:literal),* $(,)?];)*) => {
        vec![$($crate::faults::Broken {
            name: $name, fault: $fault, caught_by: &[$($case),*],
        }),*]
    };
}

/// Changes the JSON in responses to successful requests for a path.
#[must_use]
pub fn json_of(
    path: &'static str,
    change: impl Fn(&Asked, &mut Value) + Send + Sync + 'static,
) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path == path && answer.status == StatusCode::OK {
            answer.with_json(|value| change(asked, value))
        } else {
            answer
        }
    })
}

/// Changes the responses to requests for a path.
#[must_use]
pub fn answer_of(
    path: &'static str,
    change: impl Fn(&Asked, Answer) -> Answer + Send + Sync + 'static,
) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path == path {
            change(asked, answer)
        } else {
            answer
        }
    })
}

/// Returns a good response to wrong requests.
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

/// Replaces a text in the responses to successful requests for a path.
#[must_use]
pub fn text_of(path: &'static str, from: &'static str, to: &'static str) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path == path && answer.status == StatusCode::OK {
            let text = String::from_utf8_lossy(&answer.body).replace(from, to);
            answer.with_body(text)
        } else {
            answer
        }
    })
}

/// A fault that remembers something from one request to the next.
pub trait Behaviour: Send + Sync + 'static {
    /// Returns the response of the node with this fault, from the response of a good node.
    fn answer(&self, asked: &Asked, answer: Answer) -> Answer;
}

/// Returns the fault of a node that behaves like this.
pub fn behaving(behaviour: impl Behaviour) -> Fault {
    Arc::new(move |asked, answer| behaviour.answer(asked, answer))
}

/// Sets a member in each successful response for a path. Its value depends on the number of earlier ones.
#[derive(Debug)]
pub struct Dice {
    path: &'static str,
    member: &'static str,
    thrown: fn(u64) -> Value,
    throws: AtomicU64,
}

impl Dice {
    /// Sets `member` to `thrown(n)`, with `n` counted from 0.
    #[must_use]
    pub fn new(path: &'static str, member: &'static str, thrown: fn(u64) -> Value) -> Self {
        Self {
            path,
            member,
            thrown,
            throws: AtomicU64::new(0),
        }
    }
}

impl Behaviour for Dice {
    fn answer(&self, asked: &Asked, answer: Answer) -> Answer {
        if asked.path != self.path || answer.status != StatusCode::OK {
            return answer;
        }
        let throw = self.throws.fetch_add(1, Relaxed);
        answer.with_json(|value| value[self.member] = (self.thrown)(throw))
    }
}

/// Repeats the first successful response to some requests for all of them.
#[derive(Debug)]
pub struct FirstAnswer {
    of: fn(&Asked) -> bool,
    first: OnceLock<Bytes>,
}

impl FirstAnswer {
    /// Repeats the first response to requests for which `of` is true.
    #[must_use]
    pub fn new(of: fn(&Asked) -> bool) -> Self {
        Self {
            of,
            first: OnceLock::new(),
        }
    }
}

impl Behaviour for FirstAnswer {
    fn answer(&self, asked: &Asked, answer: Answer) -> Answer {
        if !(self.of)(asked) || answer.status != StatusCode::OK {
            return answer;
        }
        let first = self.first.get_or_init(|| answer.body.clone()).clone();
        answer.with_body(first)
    }
}

/// Repeats the first response to each query of some requests.
#[derive(Debug)]
pub struct FirstAnswerToEach {
    of: fn(&Asked) -> bool,
    first: Mutex<BTreeMap<String, Bytes>>,
}

impl FirstAnswerToEach {
    /// Repeats the first responses to requests for which `of` is true.
    #[must_use]
    pub fn new(of: fn(&Asked) -> bool) -> Self {
        Self {
            of,
            first: Mutex::default(),
        }
    }
}

impl Behaviour for FirstAnswerToEach {
    fn answer(&self, asked: &Asked, answer: Answer) -> Answer {
        let Ok(mut first) = self.first.lock() else {
            return answer;
        };
        if !(self.of)(asked) {
            return answer;
        }
        let first = first
            .entry(asked.query.clone())
            .or_insert_with(|| answer.body.clone());
        answer.with_body(first.clone())
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
