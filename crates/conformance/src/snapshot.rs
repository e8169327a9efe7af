//! The third oracle: the normalised shape of an answer against an insta snapshot.
//!
//! Shared (`common`) snapshots are portable: every node that keeps the contract gives the same
//! text. So a shape holds only what the contract requires; values are replaced by their kind, and
//! an array by the union of its elements.
//!
//! Only the run against our own local node may write a pending snapshot beside the shared ones. A
//! run against any other node compares with a copy, so what it answers can't become the contract,
//! whatever insta's settings are.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs, io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, Once},
};

use serde_json::{Map, Value};

use crate::{
    api::Sample,
    finding::{Finding, Findings},
    http::Obstacle,
    judge::objects,
    sample::Context,
    spec::{Spec, View, pointer},
};

/// The shared snapshots as they were when this library was built.
static COMMON: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/common_snapshots.rs"));

/// Where the snapshots of a run are.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// Keeps the copy until the run ends.
    copy: Option<tempfile::TempDir>,
}

impl Store {
    /// A copy of the shared snapshots: what is written there is gone after the run.
    ///
    /// # Errors
    /// When there is no place for temporary files.
    pub fn read_only() -> io::Result<Self> {
        Self::copy_of(COMMON)
    }

    /// A copy of some snapshots, given by file name and text.
    pub(crate) fn copy_of(files: &[(&str, &str)]) -> io::Result<Self> {
        let copy = tempfile::tempdir()?;
        for (name, text) in files {
            fs::write(copy.path().join(name), text)?;
        }
        Ok(Self {
            folder: copy.path().to_owned(),
            copy: Some(copy),
        })
    }

    /// The shared snapshots themselves, for the run against our own local node.
    #[must_use]
    pub fn reviewable(folder: &Path) -> Self {
        static QUIET: Once = Once::new();
        // A snapshot that differs is a finding of the run; insta's panic about it would be noise.
        QUIET.call_once(|| {
            let previous = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if !info
                    .location()
                    .is_some_and(|place| place.file().contains("insta-"))
                {
                    previous(info);
                }
            }));
        });
        Self {
            folder: folder.to_owned(),
            copy: None,
        }
    }

    fn path_for_report(&self, name: &str) -> String {
        let file = format!("{name}.snap");
        if self.copy.is_some() {
            format!("snapshots/common/{file}")
        } else {
            self.folder.join(file).display().to_string()
        }
    }

    /// Compares a text with its snapshot; where they differ, with what the snapshot has.
    pub(crate) fn compare(&self, name: &str, text: &str) -> Result<(), Difference> {
        let seen = Arc::new(Mutex::new(None));
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(&self.folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_comparator(Box::new(Strict {
            seen: Arc::clone(&seen),
            silent: self.copy.is_some(),
        }));
        let asserted = panic::catch_unwind(AssertUnwindSafe(|| {
            settings.bind(|| insta::assert_snapshot!(name, text));
        }));
        let seen = seen.lock().ok().and_then(|mut seen| seen.take());
        match (seen, asserted) {
            (Some(Comparison { same: true, .. }), _) => Ok(()),
            (Some(Comparison { expected, .. }), _) => Err(Difference::Other(expected)),
            (None, _) => Err(Difference::NoSnapshot),
        }
    }
}

pub(crate) enum Difference {
    /// The snapshot's text is this.
    Other(String),
    /// There is no snapshot of that name.
    NoSnapshot,
}

#[derive(Debug)]
struct Comparison {
    expected: String,
    same: bool,
}

/// Compares to the letter, where insta's own comparison overlooks blanks and line ends.
#[derive(Clone, Debug)]
struct Strict {
    seen: Arc<Mutex<Option<Comparison>>>,
    /// Whether insta is told that all is well, as nobody is to review what a stranger's node sent.
    silent: bool,
}

impl insta::Comparator for Strict {
    fn matches(&self, reference: &insta::Snapshot, test: &insta::Snapshot) -> bool {
        let text = |snapshot: &insta::Snapshot| {
            snapshot
                .as_text()
                .map(ToString::to_string)
                .unwrap_or_default()
        };
        let (expected, actual) = (text(reference), text(test));
        let same = expected == actual;
        if let Ok(mut seen) = self.seen.lock() {
            *seen = Some(Comparison { expected, same });
        }
        same || self.silent
    }

    fn dyn_clone(&self) -> Box<dyn insta::Comparator> {
        Box::new(self.clone())
    }
}

const fn name_of(sample: Sample) -> &'static str {
    match sample {
        Sample::Blocks => "get-block",
        Sample::TokenBalance => "get-balances-token-in-wallet",
        Sample::WalletBalances => "get-balances-all-tokens-in-wallet",
        Sample::TokenHolders => "get-balances-all-wallets-for-token",
        Sample::ContractState => "sc-state",
        Sample::TrustScore => "get-trustscore-wallets",
        Sample::Docs => "docs",
        Sample::CallSc => "call-sc",
        Sample::Refusals => "submit-transaction",
    }
}

/// Folds the answers of a sample into one shape, and compares it with its snapshot.
pub(crate) async fn check(context: &Context, sample: Sample) -> Findings {
    let answers = objects(context, sample).await?;
    let schema = match sample {
        // The answer's own shape is not shown; what it holds is meant to be submitted.
        Sample::CallSc => "/components/schemas/Transaction".to_owned(),
        _ => sample
            .schema(&context.spec, View::Documented)
            .ok_or_else(|| Obstacle::Harness("the spec has no such answer".to_owned()))?,
    };
    // Only what is changed is copied: an answer may be large, and there are several.
    let bodies: Vec<Cow<'_, Value>> = answers
        .iter()
        .filter_map(|exchange| exchange.answered_object())
        .map(|body| match sample {
            Sample::CallSc => Cow::Borrowed(&body["transaction"]),
            Sample::TokenBalance => with_one_name(body),
            _ => Cow::Borrowed(body),
        })
        .collect();
    let values: Vec<&Value> = bodies.iter().map(AsRef::as_ref).collect();
    let shape = shape(&context.spec, &schema, &values)?;
    let text = serde_json::to_string_pretty(&shape)
        .map_err(|error| Obstacle::Harness(error.to_string()))?;
    let name = name_of(sample);
    let Some(exchange) = answers.first() else {
        return Ok(Vec::new());
    };
    match context.snapshots.compare(name, &text) {
        Ok(()) => Ok(Vec::new()),
        Err(Difference::Other(expected)) => Ok(vec![Finding::new(
            exchange,
            format!(
                "the shape of the answer differs from the snapshot {}",
                context.snapshots.path_for_report(name)
            ),
            expected,
            text,
        )]),
        Err(Difference::NoSnapshot) => Err(Obstacle::Harness(format!(
            "there is no snapshot {}; run against the local node, then `cargo insta review`",
            context.snapshots.path_for_report(name)
        ))),
    }
}

/// The path of a case's snapshot as reports name it.
#[must_use]
pub fn path_of(case: &str) -> Option<String> {
    let operation = case.strip_suffix("/snapshot")?;
    let name = if operation == "get-balances" {
        "get-balances-token-in-wallet"
    } else {
        operation
    };
    Some(format!("snapshots/common/{name}.snap"))
}

/// The two names that the contract gives to a balance count as one.
fn with_one_name(body: &Value) -> Cow<'_, Value> {
    match body.as_object() {
        Some(members) if members.contains_key("value") && !members.contains_key("balance") => {
            let mut members = members.clone();
            if let Some(value) = members.remove("value") {
                members.insert("balance".to_owned(), value);
            }
            Cow::Owned(Value::Object(members))
        }
        _ => Cow::Borrowed(body),
    }
}

/// What all these values have in common, as far as the contract requires it.
fn shape(spec: &Spec, at: &str, values: &[&Value]) -> Result<Value, Obstacle> {
    let lost = || Obstacle::Harness(format!("the spec has no schema at {at}"));
    let (place, schema) = spec.unwrap(View::Documented, at).ok_or_else(lost)?;
    // One branch is enough where the branches are two names of one thing.
    for choice in ["anyOf", "oneOf"] {
        if schema.get(choice).is_some() && schema.get("properties").is_none() {
            return shape(
                spec,
                &pointer::join(&pointer::join(&place, choice), "0"),
                values,
            );
        }
    }
    if let Some(required) = schema.get("required").and_then(Value::as_array) {
        let mut members = Map::new();
        let mut names: Vec<_> = required.iter().filter_map(Value::as_str).collect();
        names.sort_unstable();
        for name in names {
            let inner: Vec<_> = values.iter().filter_map(|value| value.get(name)).collect();
            let below = pointer::join(&pointer::join(&place, "properties"), name);
            let folded = if inner.len() < values.len() {
                Value::from("<missing from an answer>")
            } else {
                shape(spec, &below, &inner)?
            };
            members.insert(name.to_owned(), folded);
        }
        return Ok(others(values, Value::is_object).unwrap_or(Value::Object(members)));
    }
    if let Some(items) = schema.get("items") {
        if let Some(other) = others(values, Value::is_array) {
            return Ok(other);
        }
        let items_at = pointer::join(&place, "items");
        let open = spec
            .unwrap(View::Documented, &items_at)
            .is_none_or(|(_, node)| node.get("type").is_none() && node.get("required").is_none());
        if open || items.as_object().is_none_or(Map::is_empty) {
            return Ok(Value::Array(vec![Value::from("<any>")]));
        }
        let elements: Vec<_> = values
            .iter()
            .filter_map(|value| value.as_array())
            .flatten()
            .collect();
        if elements.is_empty() {
            let name = pointer::last(at).unwrap_or_default();
            return Err(Obstacle::NoMaterial(format!(
                "every {name} that was seen is empty"
            )));
        }
        return Ok(Value::Array(vec![shape(spec, &items_at, &elements)?]));
    }
    kinds(spec, at, &place, values)
}

/// What those values are that are not of the wanted type; nothing where all are.
fn others(values: &[&Value], wanted: fn(&Value) -> bool) -> Option<Value> {
    let kinds: BTreeSet<_> = values
        .iter()
        .filter(|value| !wanted(value))
        .map(|value| json_type(value))
        .collect();
    (!kinds.is_empty()).then(|| Value::from(kinds.into_iter().collect::<Vec<_>>().join(" | ")))
}

/// The kinds of some values: the name of their schema where they conform to it, else their type.
fn kinds(spec: &Spec, at: &str, place: &str, values: &[&Value]) -> Result<Value, Obstacle> {
    let validator = spec
        .validator(View::Documented, at)
        .map_err(|error| Obstacle::Harness(error.to_string()))?;
    let named = place
        .strip_prefix("/components/schemas/")
        .filter(|name| !name.contains('/'));
    let kinds: BTreeSet<String> = values
        .iter()
        .map(|value| match named {
            Some(name) if validator.is_valid(value) => format!("<{}>", snake(name)),
            Some(name) => format!("{} that is no {}", json_type(value), snake(name)),
            None => json_type(value).to_owned(),
        })
        .collect();
    if kinds.is_empty() {
        // An object of no required members is any object.
        return Ok(Value::from("<any>"));
    }
    Ok(Value::from(
        kinds.into_iter().collect::<Vec<_>>().join(" | "),
    ))
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<null>",
        Value::Bool(_) => "<bool>",
        Value::Number(number) if number.is_f64() => "<number>",
        Value::Number(_) => "<int>",
        Value::String(_) => "<text>",
        Value::Array(_) => "<array>",
        Value::Object(_) => "<object>",
    }
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out.replace("hash256", "hash")
}
