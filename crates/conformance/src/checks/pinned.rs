//! Baselines: one node's responses, pinned by name, so that a later run shows changes.
//!
//! A baseline belongs to one node. It has what the specification leaves open: undocumented fields,
//! the bodies of failures, the forms of lists, and the exact content of the oldest blocks. It has
//! nothing that changes between two runs against an idle node. While recording, each request is
//! sent twice. Responses that differ are pinned by shape, or not at all.
//!
//! Recording pins responses that are not pinned yet. If a response differs from a pinned one, it
//! leaves a pending snapshot for `cargo insta review`. A run that does not record writes nothing.

use std::{fs, io, path::Path};

use nodeproof_files::{Access, read_text, replace};

use super::finding::{Examination, Finding, Findings};
use crate::{
    api::shape_of,
    context::{Context, Mismatch, Samples, SnapshotStore},
    http::{Exchange, InconclusiveReason, Request, indented, unknown},
};

/// Maximum length of a snapshot, in bytes.
const MAX_LENGTH: u64 = 64 * 1024 * 1024;

/// How a response is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PinKind {
    /// The exact text.
    Exactly,
    /// The members and the kinds of their values.
    ByShape,
    /// The status and the media type.
    ByHead,
}

impl PinKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Exactly => "exact",
            Self::ByShape => "shape",
            Self::ByHead => "head",
        }
    }

    fn of(text: &str) -> Option<Self> {
        [Self::Exactly, Self::ByShape, Self::ByHead]
            .into_iter()
            .find(|pin| text.lines().next() == Some(pin.name()))
    }
}

pub(crate) async fn check_pinned(
    context: &Context,
    id: &str,
    pin: PinKind,
    request: fn(&Samples) -> Option<Request>,
) -> Findings {
    let Some(baseline) = &context.baseline else {
        return unknown("the run has no baseline");
    };
    let Some(request) = request(context) else {
        return unknown("no sample for the request was found on the chain");
    };
    let redactor = &context.submissions.submitter.with.redactor;
    // A baseline is kept and shared.
    let describe = |pin, exchange: &Exchange| {
        let text = described(pin, exchange);
        redactor.without_header_values(&text).unwrap_or(text)
    };
    let name = id.trim_start_matches("baseline/");
    let file = baseline.folder.join(format!("{name}.snap"));
    let exchange = context.node.send(request.clone()).await?;
    let is_link = fs::symlink_metadata(&file).is_ok_and(|found| found.is_symlink());
    let pinned = match read_text(&file, MAX_LENGTH) {
        _ if is_link => Err("it is a symbolic link".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
        Ok(text) => Ok(Some(text)),
    };
    let pinned = pinned.map_err(|reason| {
        InconclusiveReason::Harness(format!(
            "the snapshot {} can't be read: {reason}",
            file.display()
        ))
    })?;
    let Some(pinned) = pinned else {
        if !baseline.record {
            return unknown(format!("the baseline has no {name}; --record pins it"));
        }
        let again = context.node.send(request).await?;
        return record(&file, pin, &describe, [&exchange, &again]);
    };
    // Compare in the way in which the response was pinned. What varied during the recording may vary now.
    let body = pinned.splitn(3, "---\n").nth(2).unwrap_or_default();
    let text = describe(PinKind::of(body).unwrap_or(pin), &exchange);
    let store = if baseline.record {
        SnapshotStore::reviewable(&baseline.folder)
    } else {
        SnapshotStore::copy_of(&[(&format!("{name}.snap"), &pinned)])
            .map_err(|error| InconclusiveReason::Harness(format!("no place for a copy: {error}")))?
    };
    match store.compare(name, &text) {
        Ok(()) => Ok(Examination::passed()),
        Err(Mismatch::Other(expected)) => Ok(Examination::failed(Finding::new(
            &exchange,
            format!("the response differs from the baseline {}", file.display()),
            expected,
            text,
        ))),
        Err(Mismatch::NoSnapshot) => Err(InconclusiveReason::Harness(format!(
            "the snapshot {} can't be read",
            file.display()
        ))),
    }
}

/// Pins a response in the strictest way in which two responses are equal.
fn record(
    file: &Path,
    pin: PinKind,
    describe: &dyn Fn(PinKind, &Exchange) -> String,
    [first, second]: [&Exchange; 2],
) -> Findings {
    let strictest = [pin, PinKind::ByShape]
        .into_iter()
        .find(|pin| describe(*pin, first) == describe(*pin, second));
    let Some(pin) = strictest else {
        return unknown(
            "two responses in a row had different shapes, so no baseline can be compared",
        );
    };
    let text = format!("---\nsource: nodeproof\n---\n{}\n", describe(pin, first));
    replace(file, text.as_bytes(), Access::Umask).map_err(|error| {
        InconclusiveReason::Harness(format!("{} can't be written: {error}", file.display()))
    })?;
    Ok(Examination::passed())
}

/// Describes a response as text for a diff: how it is pinned, the request, status, content type and body.
fn described(pin: PinKind, exchange: &Exchange) -> String {
    let request = &exchange.request;
    let method = request.method.name();
    let requested = if pin == PinKind::Exactly {
        let query: Vec<_> = request
            .query
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        query.join(" ")
    } else {
        // The next run may find other wallets and tokens.
        request
            .query
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let body = match (pin, exchange.json()) {
        (PinKind::ByHead, _) => String::new(),
        (_, Err(_)) => format!("\n{}", exchange.excerpt(4096)),
        (PinKind::ByShape, Ok(value)) => {
            let shape = shape_of(&[value]);
            format!(
                "\n{}",
                serde_json::to_string_pretty(&shape).unwrap_or_default()
            )
        }
        (PinKind::Exactly, Ok(_)) => {
            let text = String::from_utf8_lossy(&exchange.body);
            let lines = indented(&text, usize::MAX).0;
            let escaped: Vec<_> = lines
                .lines()
                .map(nodeproof_primitives::escape::escaped)
                .collect();
            format!("\n{}", escaped.join("\n"))
        }
    };
    format!(
        "{}\n{method} {} {requested}\n{} {}{body}",
        pin.name(),
        request.path,
        exchange.status,
        nodeproof_primitives::escape::escaped(exchange.content_type.as_deref().unwrap_or("-")),
    )
    .trim_end()
    .to_owned()
}
