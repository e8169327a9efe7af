//! `GET /docs`.

use std::sync::Arc;

use nodeproof_report::{Aspect, Level};

use super::{
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{Read, Responses},
    request_kind::RequestKind,
};
use crate::{
    api::{OWN_DOCUMENT, Sample},
    checks::{Examination, Finding, Findings},
    context::Samples,
    history::Answer,
    http::{Exchange, InconclusiveReason, unknown},
};
use nodeproof_openapi::{Operation, Parameter, Spec, View};
use nodeproof_primitives::escape::escaped_up_to as shown;
use url::{Position, Url};

/// What most of these cases share.
const BASE: Case = Case {
    matters: "The listing shows developers which endpoints a node offers.",
    example: Example::Of("/docs"),
    aspect: Aspect::Endpoint,
    sends: &[PAGE],
    needs: &[NO_DOCS],
    ..Case::BASE
};

/// A request for the page. If the response links to another path on the node, that path is
/// requested once, too.
pub(super) const PAGE: RequestKind = RequestKind::get("/docs", &[]);
const DOCUMENT: RequestKind = RequestKind::get(OWN_DOCUMENT, &[]);

const NO_DOCS: Cause = Cause::new(&["docs/responds"], When::Unusable);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "docs/responds",
        requirements: &["DOCS-1"],
        checks: "`/docs` is a success that is not empty, and the node has the JSON document that the page loads from it. A redirect within the node is followed once.",
        sends: &[PAGE, DOCUMENT],
        check: Read(|c| Box::pin(responds(c))),
        ..BASE
    },
    Case {
        id: "docs/page",
        level: Level::Should,
        requirements: &["DOCS-1", "DOCS-2"],
        checks: "`/docs` is an HTML page, with the content type of one.",
        check: Responses(Sample::Docs, page),
        ..BASE
    },
    Case {
        id: "docs/lists-calls",
        level: Level::Should,
        requirements: &["DOCS-1"],
        checks: "The page, or the OpenAPI document that it loads, names every documented endpoint.",
        aspect: Aspect::Style,
        sends: &[PAGE, DOCUMENT],
        check: Read(|c| Box::pin(lists_calls(c))),
        ..BASE
    },
    Case {
        id: "docs/parameters",
        requirements: &["CONSISTENT-5", "DOCS-1"],
        checks: "The node's own `/openapi.json`, if it has one, has the methods and the documented parameters with which its calls succeed in this run, and requires no other parameter. A call that the document does not list, or lists without parameters, is not judged, nor is a parameter that it leaves out because not every such call needs it.",
        sends: &[PAGE, DOCUMENT],
        is_last: true,
        check: Read(|c| Box::pin(lists_parameters(c))),
        ..BASE
    },
];

async fn responds(context: &Samples) -> Findings {
    let exchanges = context.sample(Sample::Docs).await?;
    let wrong = exchanges
        .iter()
        .filter(|exchange| !exchange.is_success() || exchange.body.is_empty())
        .map(|exchange| {
            let (what, actual) = match &exchange.location {
                Some(location) if (300..400).contains(&exchange.status) => (
                    "redirects to another server, or once more",
                    format!("{} to {}", exchange.status, shown(location, 160)),
                ),
                _ if exchange.is_success() => ("is empty", exchange.summary()),
                _ => ("returned another status", exchange.summary()),
            };
            Finding::new(exchange, what, "200 with the listing", actual)
        });
    let mut checked = Examination::of(exchanges.len(), wrong);
    if let Some(page) = exchanges.iter().find(|page| page.is_success())
        && let Ok(document) = document(context).await
        && (400..500).contains(&document.status)
        && documents_of(page).contains(&document.url())
    {
        let what = "the listing loads a document that does not exist";
        let (expected, actual) = ("200 with the document", document.summary());
        checked.push(Finding::new(&document, what, expected, actual));
    }
    Ok(checked)
}

/// Returns the response with the node's own description: the JSON document that the page loads from the node, or else the
/// one at the usual path.
async fn document(context: &Samples) -> Result<Arc<Exchange>, InconclusiveReason> {
    let pages = context.sample(Sample::Docs).await?;
    let own = context.node.target().base_url.join(OWN_DOCUMENT);
    let shows = pages.iter().flat_map(|page| documents_of(page));
    let mut elsewhere = shows.filter(|url| {
        url.origin() == own.origin() && url.path().ends_with(".json") && !same_document(url, &own)
    });
    let place = elsewhere.next();
    let place = place.map(|url| url[Position::BeforePath..Position::AfterQuery].to_owned());
    context.own_document(place).await
}

/// The media types of pages.
const PAGES: [&str; 2] = ["text/html", "application/xhtml+xml"];

/// Checks that the listing has the content type of a page, and is HTML.
fn page(_: &Spec, exchanges: &[Arc<Exchange>]) -> Findings {
    let mut findings = Examination::default();
    for exchange in exchanges.iter().filter(|exchange| exchange.is_success()) {
        findings.count_item();
        let media = exchange.content_type.as_deref().unwrap_or("none");
        let essence = media.split(';').next().unwrap_or_default().trim();
        if !PAGES.iter().any(|page| essence.eq_ignore_ascii_case(page)) {
            let actual = format!("Content-Type: {}", shown(media, 80));
            let what = "the listing is not declared as an HTML page";
            let expected = "Content-Type: text/html";
            findings.push(Finding::new(exchange, what, expected, actual));
        }
        let text = String::from_utf8_lossy(&exchange.body).to_ascii_lowercase();
        if !text.contains("<html") && !text.contains("<!doctype html") {
            let what = "the listing is not an HTML page";
            findings.push(Finding::of_body(exchange, what, "an HTML page"));
        }
    }
    Ok(findings)
}

/// Returns the endpoints that a listing must have: all documented ones except the listing itself.
fn documented(spec: &Spec) -> Vec<Operation<'_>> {
    let mut operations = spec.operations(View::Documented);
    operations.retain(|operation| operation.path != "/docs");
    operations
}

/// Checks that the page, or the OpenAPI document that it shows, names each endpoint.
async fn lists_calls(context: &Samples) -> Findings {
    let pages = context.sample(Sample::Docs).await?;
    let document = document(context).await;
    let Some(page) = pages.iter().find(|page| page.is_success()) else {
        return unknown("there is no listing to check");
    };
    let text = String::from_utf8_lossy(&page.body);
    let operations = documented(&context.spec);
    let unnamed: Vec<_> = operations
        .iter()
        .map(|operation| operation.path)
        .filter(|path| !names(&text, path))
        .collect();
    if unnamed.is_empty() {
        return Ok(Examination::passed());
    }
    let shows = documents_of(page);
    let own = document.as_ref().map(|document| document.url());
    let shows_own = own.is_ok_and(|own| shows.iter().any(|url| same_document(url, &own)));
    let scripted = text.to_ascii_lowercase().contains("<script");
    if !shows_own && (shows.is_empty() && !scripted) {
        let what = format!("the listing does not name {}", unnamed.join(", "));
        let expected = "a listing of the node's calls";
        return Ok(Examination::failed(Finding::of_body(page, what, expected)));
    }
    // Scripts are not run. Their content is known only from the document.
    let document = document?;
    let theirs = own_spec(&document).filter(|_| shows_own || shows.is_empty());
    let Some(theirs) = theirs else {
        let reason = shows.first().map_or_else(
            || "the listing is generated by scripts, which are not run".to_owned(),
            |url| {
                format!(
                    "it loads {}, which is not fetched",
                    shown(url.as_str(), 160)
                )
            },
        );
        return unknown(reason);
    };
    let listed = theirs.operations(View::Full);
    let missing: Vec<_> = unnamed
        .into_iter()
        .filter(|path| !listed.iter().any(|theirs| theirs.path == *path))
        .collect();
    if missing.is_empty() {
        return Ok(Examination::passed());
    }
    let what = format!(
        "neither the listing nor the document that it shows names {}",
        missing.join(", ")
    );
    let expected = "a listing of the node's calls";
    Ok(Examination::failed(
        Finding::of_body(&document, what, expected).at("/paths"),
    ))
}

/// Whether a text has the name of an endpoint as a separate word.
fn names(text: &str, path: &str) -> bool {
    let name = path.trim_start_matches('/');
    let part_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}

/// The text before the address of the document that a page shows.
const POINTERS: [&str; 5] = ["url:", "url\":", "url':", "spec-url=", "href="];
/// Maximum number of addresses to read for each of these texts.
const MAX_POINTERS: usize = 50;
/// Maximum length of an address, in bytes.
const MAX_ADDRESS_LENGTH: usize = 300;

/// Returns the addresses of the API descriptions that a page shows or links.
fn documents_of(page: &Exchange) -> Vec<Url> {
    let text = &*String::from_utf8_lossy(&page.body);
    let base = page.url();
    let addresses = POINTERS.iter().flat_map(|pointer| {
        let places = text.match_indices(pointer).take(MAX_POINTERS);
        let addresses = places.filter_map(move |(at, _)| quoted(&text[at + pointer.len()..]));
        // Pages link to many other things.
        addresses.filter(|address| {
            let address = address.to_ascii_lowercase();
            *pointer != "href=" || address.contains("openapi") || address.contains("swagger")
        })
    });
    addresses
        .filter_map(|address| base.join(address).ok())
        .filter(|url| {
            [".json", ".yaml", ".yml"]
                .iter()
                .any(|end| url.path().ends_with(end))
        })
        .collect()
}

/// Returns the quoted text at the start of a text.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inner, _) = text[1..].split_once(quote)?;
    (inner.len() <= MAX_ADDRESS_LENGTH).then_some(inner)
}

/// Whether two addresses lead to the same description, in any of its formats.
fn same_document(one: &Url, other: &Url) -> bool {
    let stem = |url: &Url| {
        let path = url.path();
        path.rsplit_once('.')
            .map_or(path, |(stem, _)| stem)
            .to_owned()
    };
    one.origin() == other.origin() && stem(one) == stem(other)
}

/// Returns the node's own description, if the response has one.
fn own_spec(document: &Exchange) -> Option<Spec> {
    let value = document.success_object()?;
    Spec::from_value(value.clone()).ok()
}

/// Checks that the node's own description has the methods and the parameters that its calls take. A developer who follows
/// the listing sends others.
async fn lists_parameters(context: &Samples) -> Findings {
    let pages = context.sample(Sample::Docs).await?;
    if !pages
        .iter()
        .any(|page| page.is_success() && !page.body.is_empty())
    {
        return unknown("there is no listing to check");
    }
    let document = document(context).await?;
    let Some(theirs) = own_spec(&document) else {
        let reason = format!("the node has no OpenAPI document at {OWN_DOCUMENT}");
        return unknown(reason);
    };
    let theirs = theirs.operations(View::Full);
    let history = context.history();
    let mut findings = Examination::default();
    for ours in documented(&context.spec) {
        let has_this_call =
            |one: &&Operation<'_>| one.method == ours.method && one.path == ours.path;
        let with_content = history
            .of_path(ours.path)
            .filter(|entry| entry.answer == Answer::Content);
        let requests: Vec<_> = with_content.map(|entry| &entry.exchange.request).collect();
        let Some(listed) = theirs.iter().find(has_this_call) else {
            let other = theirs.iter().find(|one| one.path == ours.path);
            if let Some(other) = other.filter(|_| !requests.is_empty()) {
                findings.count_item();
                let what = format!(
                    "the node's document has another method for {} than the one that succeeds",
                    ours.path
                );
                let actual = shown(&other.method, 20);
                let finding = Finding::new(&document, what, &ours.method, actual);
                findings.push(finding.at(other.pointer.clone()));
            }
            continue;
        };
        let said = listed.parameters();
        if said.is_empty() {
            // A document may leave out all parameters.
            continue;
        }
        let is_sent = |name: &str| {
            let mut sent = requests.iter().flat_map(|request| &request.query);
            sent.any(|(sent, _)| *sent == name)
        };
        // Access may need a header.
        let is_needless = |name: &str| !requests.is_empty() && !is_sent(name);
        let required = said
            .iter()
            .filter(|one| one.required && one.location == "query");
        for needless in required.filter(|one| is_needless(one.name)) {
            findings.count_item();
            let what = format!(
                "the node's document requires a parameter without which {} succeeds",
                ours.path
            );
            let actual = shown(needless.name, 60);
            let finding = Finding::new(&document, what, "documented parameters only", actual);
            findings.push(finding.at(listed.pointer.clone()));
        }
        for parameter in judged(&ours, &said) {
            let name = parameter.name;
            if !is_sent(name) {
                continue;
            }
            findings.count_item();
            if !said.iter().any(|listed| listed.name == name) {
                let what = format!(
                    "the node's document lacks a parameter with which {} succeeds",
                    ours.path
                );
                let listed_names = said.iter().map(|listed| shown(listed.name, 60));
                let listed_names = listed_names.collect::<Vec<_>>().join(", ");
                let finding = Finding::new(&document, what, name, listed_names);
                findings.push(finding.at(listed.pointer.clone()));
            }
        }
    }
    Ok(findings)
}

/// Returns the documented parameters of a call that the node's document must list. It may leave out what the call does not
/// always need, but not give it another name.
fn judged<'s>(ours: &Operation<'s>, said: &[Parameter<'_>]) -> Vec<Parameter<'s>> {
    let mut documented = ours.parameters();
    let is_other = |listed: &Parameter<'_>| {
        listed.location == "query" && documented.iter().all(|one| one.name != listed.name)
    };
    let has_other_names = said.iter().any(is_other);
    let lists = |name: &str| said.iter().any(|listed| listed.name == name);
    documented.retain(|one| one.required || has_other_names || lists(one.name));
    documented
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Request;

    #[test]
    fn a_call_is_named_by_a_word_of_its_own() {
        assert!(names("<li>GET /get-block</li>", "/get-block"));
        assert!(names("get-blocks, get-block?", "/get-block"));
        assert!(!names("/get-blocks or not-get-block", "/get-block"));
    }

    #[test]
    fn finds_the_documents_that_a_page_shows() {
        let base = "http://127.0.0.1:8420/node".parse().expect("a base URL");
        let base = std::sync::Arc::new(base);
        let request = Request::get("/docs");
        let page = |text: &str| {
            let body = text.as_bytes().to_vec();
            let elapsed = std::time::Duration::ZERO;
            Exchange::new(request.clone(), &base, 200, None, body, elapsed)
        };
        let found = |text: &str| -> Vec<String> {
            let urls = documents_of(&page(text));
            urls.iter().map(Url::to_string).collect()
        };
        let here = "http://127.0.0.1:8420/node/openapi.json";
        for text in [
            "SwaggerUIBundle({ url: '/node/openapi.json', dom_id",
            "<redoc spec-url=\"openapi.json\">",
            "{\"url\": \"openapi.json\"}",
        ] {
            assert_eq!(found(text), [here], "{text}");
        }
        assert!(found("url: 'https://example.org/logo.png', href='/style.css'").is_empty());
        assert!(found("url: 'openapi.json").is_empty());
        assert!(found("<link rel='manifest' href='manifest.json'>").is_empty());
        let own = base.join(OWN_DOCUMENT);
        let yaml: Vec<_> = documents_of(&page("url: 'openapi.yaml'"));
        assert!(yaml.iter().all(|url| same_document(url, &own)) && yaml.len() == 1);
    }
}
