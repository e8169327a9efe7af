//! A node that has one kind of fault in one field of its responses.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use axum::http::{Method, StatusCode};
use integration_tests::proxy::{Fault, RecordedRequest, Response};
use serde_json::{Map, Value};

use super::{field::Field, kind::Kind};

/// The responses that contain the field, and how to prepare them.
#[derive(Clone, Copy)]
pub(crate) struct Responses {
    pub(crate) path: &'static str,
    /// Returns whether a successful response to this request contains the field.
    pub(crate) are: fn(&RecordedRequest, &Value) -> bool,
    /// Converts the response to a conforming form in which the field has a name.
    pub(crate) prepared: fn(&mut Value),
}

/// Data from earlier responses, by place in the response.
#[derive(Default)]
struct Earlier {
    responses: usize,
    requests: BTreeMap<String, usize>,
    first: BTreeMap<usize, Value>,
    previous: BTreeMap<usize, Value>,
}

/// Returns a fault, and whether it has changed anything yet.
pub(crate) fn fault(responses: Responses, field: Field, kind: Kind) -> (Fault, Arc<AtomicBool>) {
    let changed = Arc::new(AtomicBool::new(false));
    let (noted, earlier) = (Arc::clone(&changed), Mutex::new(Earlier::default()));
    let fault: Fault = Arc::new(move |request: &RecordedRequest, response: Response| {
        if request.path != responses.path || response.status != StatusCode::OK {
            return response;
        }
        let mut doubled = false;
        let response = response.with_json(|body| {
            if !body.is_object() || !(responses.are)(request, body) {
                return;
            }
            (responses.prepared)(body);
            let right = body.clone();
            if let Ok(mut earlier) = earlier.lock() {
                doubled = change(request, body, &field, kind, &mut earlier);
            }
            if *body != right {
                noted.store(true, Relaxed);
            }
        });
        match doubled {
            false => response,
            true => {
                let text = String::from_utf8_lossy(&response.body).replace(SECOND, "");
                response.with_body(text)
            }
        }
    });
    (fault, changed)
}

/// Marks the name of a member that must appear twice in its object.
const SECOND: &str = "the second ";

/// Applies the fault. Returns whether a member must appear twice.
fn change(
    request: &RecordedRequest,
    body: &mut Value,
    field: &Field,
    kind: Kind,
    earlier: &mut Earlier,
) -> bool {
    let Some((name, parents)) = field.path.split_last() else {
        return false;
    };
    let number = earlier.responses;
    earlier.responses += 1;
    let before = match request.method {
        Method::GET => {
            let before = earlier.requests.entry(request.query.clone()).or_default();
            *before += 1;
            *before - 1
        }
        _ => number,
    };
    match kind {
        Kind::TooOld | Kind::InTheFuture if number.is_multiple_of(2) => return false,
        Kind::Contradicting if before.is_multiple_of(2) => return false,
        Kind::WrongLater if before == 0 => return false,
        _ => {}
    }
    let mut objects = Vec::new();
    objects_at(body, parents, &mut objects);
    let right: Vec<_> = objects
        .iter()
        .map(|object| object.get(name).cloned())
        .collect();
    let mut doubled = false;
    for (place, object) in objects.into_iter().enumerate() {
        let Some(value) = object.get(name).cloned() else {
            continue;
        };
        let new = match kind {
            Kind::Missing => {
                object.shift_remove(name);
                continue;
            }
            Kind::Swapped => {
                let sibling = field.sibling.as_deref().unwrap_or_default();
                let Some(theirs) = object.get(sibling).cloned() else {
                    continue;
                };
                object.insert(sibling.to_owned(), value);
                Some(theirs)
            }
            Kind::Duplicated => match value {
                Value::Array(mut items) => {
                    let first = items.first().cloned();
                    items.extend(first);
                    Some(items.into())
                }
                value => {
                    doubled = true;
                    object.insert(format!("{SECOND}{name}"), value);
                    continue;
                }
            },
            Kind::Constant => Some(earlier.first.entry(place).or_insert(value).clone()),
            Kind::Stale => earlier.previous.insert(place, value),
            // Use the value of the next object in the list, or of the first object with a different value.
            Kind::FromAnotherObject if right.len() > 1 => right[(place + 1) % right.len()].clone(),
            Kind::FromAnotherObject => {
                let first = earlier.first.entry(0).or_insert_with(|| value.clone());
                match *first == value {
                    true => earlier.previous.get(&0).cloned(),
                    false => {
                        earlier.previous.insert(0, value);
                        Some(first.clone())
                    }
                }
            }
            kind => kind.of(&value),
        };
        if let Some(new) = new {
            object.insert(name.clone(), new);
        }
    }
    doubled
}

/// Returns the objects at a path.
fn objects_at<'v>(
    value: &'v mut Value,
    path: &[String],
    found: &mut Vec<&'v mut Map<String, Value>>,
) {
    match (path.split_first(), value) {
        (None, Value::Object(members)) => found.push(members),
        (Some((star, rest)), Value::Array(items)) if star == "*" => {
            items
                .iter_mut()
                .for_each(|item| objects_at(item, rest, found));
        }
        (Some((name, rest)), Value::Object(members)) => {
            if let Some(member) = members.get_mut(name) {
                objects_at(member, rest, found);
            }
        }
        _ => {}
    }
}
