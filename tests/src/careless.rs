//! Nodes that misread unusual values.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::http::StatusCode;
use percent_encoding::percent_decode_str;

use crate::{
    faults::set,
    proxy::{Fault, RecordedRequest, Response},
};

/// The time that a node takes to start again.
const RESTART: Duration = Duration::from_millis(300);

/// The reaction of a careless node to a request that it misunderstands.
#[derive(Clone, Copy, Debug)]
pub enum Careless {
    /// It returns what it returned to an earlier request.
    Replays,
    /// The same, in another form.
    ReplaysAs(fn(Response) -> Response),
    /// It fails with a 500.
    Fails,
    /// It closes the connection.
    Dies,
    /// It closes the connection, and all others until it is started again.
    Restarts,
    /// It returns other blocks from then on.
    Changes,
}

/// Ends the task of a connection, which closes it. Prints nothing, as a panic would.
fn closes() -> ! {
    std::panic::resume_unwind(Box::new("the node closes the connection"))
}

/// Returns the fault of a node that misunderstands some requests. `misunderstands` gets the path and
/// the parameters.
pub fn careless(
    misunderstands: impl Fn(&str, &Parameters) -> bool + Send + Sync + 'static,
    does: Careless,
) -> Fault {
    let earlier: Mutex<HashMap<String, Response>> = Mutex::default();
    let changed = Mutex::new(false);
    let stopped: Mutex<Option<Instant>> = Mutex::default();
    Arc::new(move |request, response| {
        let stopped_at = *stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if stopped_at.is_some_and(|at| at.elapsed() < RESTART) {
            closes()
        }
        let parameters = Parameters::of(request);
        let mut earlier = earlier.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = changed.lock().unwrap_or_else(PoisonError::into_inner);
        if misunderstands(&request.path, &parameters) {
            match does {
                Careless::Replays => {
                    return earlier.get(&request.path).cloned().unwrap_or(response);
                }
                Careless::ReplaysAs(form) => {
                    return earlier.get(&request.path).cloned().map_or(response, form);
                }
                Careless::Fails => return response.with_status(StatusCode::INTERNAL_SERVER_ERROR),
                Careless::Dies => {
                    drop((earlier, changed));
                    closes()
                }
                Careless::Restarts => {
                    drop((earlier, changed));
                    *stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                    closes()
                }
                Careless::Changes => *changed = true,
            }
        }
        let holds_something = !response.body.ends_with(b":null}")
            && !response.body.ends_with(b":[]}")
            && !response.body.ends_with(b":0}");
        if response.status == StatusCode::OK && holds_something {
            earlier
                .entry(request.path.clone())
                .or_insert_with(|| response.clone());
        }
        if *changed && request.path == "/get-block" {
            return response.with_json(|block| set(block, "/proof", 99.into()));
        }
        response
    })
}

/// The parameters of a query as a node reads them, or its body.
#[derive(Debug)]
pub struct Parameters(pub String);

impl Parameters {
    /// Reads the parameters of a request.
    #[must_use]
    pub fn of(request: &RecordedRequest) -> Self {
        let query = request.query.replace('+', " ");
        let query = percent_decode_str(&query).decode_utf8_lossy().into_owned();
        Self(format!(
            "&{query}{}",
            String::from_utf8_lossy(&request.body)
        ))
    }

    /// Returns whether a parameter's value contains a text.
    #[must_use]
    pub fn has(&self, name: &str, text: &str) -> bool {
        let start = format!("&{name}=");
        let value = self.0.split_once(&start).map(|(_, value)| value);
        value.is_some_and(|value| {
            value
                .split('&')
                .next()
                .is_some_and(|value| value.contains(text))
        })
    }
}
