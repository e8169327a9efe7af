//! Tests of the form: what is written is read again, and what other programs write is understood.

use std::{sync::Arc, time::Duration};

use nodeproof_client::BaseUrl;
use nodeproof_primitives::Network;
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{Exchanges, Recording, file, read};
use crate::{
    api::block_request,
    context::Redactor,
    discovery::Wanted,
    http::{Act, Exchange, InconclusiveReason, Limits, LoggedExchange, MissingStep, Request, Step},
};

/// 2026-01-02, at 10:00 UTC.
const TEN: Duration = Duration::from_secs(1_767_348_000);

fn limits() -> Limits {
    Limits {
        request_timeout: Duration::from_secs(1),
        requests: 0,
        body: 8 * 1024 * 1024,
        values: 250_000,
        depth: 127,
        submits: false,
        jobs: 4,
        rate: None,
    }
}

fn logged(request: Request, status: u16, media: &str, body: &[u8]) -> LoggedExchange {
    let base: BaseUrl = "http://127.0.0.1:8420/node".parse().unwrap();
    let media = Some(media.to_owned());
    let time = Duration::from_micros(1234);
    let exchange = Exchange::new(request, &Arc::new(base), status, media, body.to_vec(), time);
    LoggedExchange {
        exchange: Arc::new(exchange),
        began: Duration::from_micros(500),
        ended: Duration::from_micros(1734),
        started_at: OffsetDateTime::UNIX_EPOCH + TEN,
    }
}

/// Writes exchanges, and reads them again.
fn read_again(all: Vec<LoggedExchange>, redactor: &Redactor) -> (Recording, String) {
    let step = Step::Claim(3, Act::Row("a row".to_owned()));
    let reason = InconclusiveReason::Transport("lost".to_owned());
    let exchanges = Exchanges {
        all,
        wanted: Wanted::default(),
        missing: vec![MissingStep { step, reason }],
        of_sweep: vec![logged(block_request(6), 200, "application/json", b"{}")],
    };
    let text = file(&exchanges.entries(Network::Testnet, redactor));
    (read(&text, None, &limits()).unwrap(), text)
}

#[test]
fn what_is_written_is_read_again() {
    let raw = Request::get("/sc-state").with_raw("unique_value=%ff+a%20b");
    let other_order = Request::get("/get-balances").with_raw("token_code=%54");
    let submission = Request::post("/submit-transaction", "{\"a\":\"\u{1f600}\"}".to_owned());
    let rows = [
        logged(block_request(7), 200, "application/json", b"{\"index\":7}"),
        logged(raw, 200, "application/json", b"\xff\xfe"),
        logged(other_order, 404, "text/plain", b""),
        logged(
            submission
                .wrongly_signed("a changed fee")
                .for_step(Step::Claim(0, Act::Submit)),
            200,
            "application/json; charset=utf-8",
            "{\"ü\":\"\u{9b}\u{202e}\"}".as_bytes(),
        ),
    ];
    let (recording, text) = read_again(rows.to_vec(), &Redactor::default());
    assert!(!text.contains(['\u{9b}', '\u{202e}']));
    assert!(text.starts_with("{\n  \"log\": {\n    \"version\": \"1.2\""));
    assert_eq!(recording.base_url.to_string(), "http://127.0.0.1:8420/node");
    assert_eq!(recording.network, Some(Network::Testnet));
    let (of_sweep, of_run): (Vec<_>, Vec<_>) = recording
        .exchanges
        .iter()
        .partition(|one| one.exchange.request == block_request(6));
    assert_eq!((of_sweep.len(), of_run.len()), (1, rows.len()));
    for (read, written) in of_run.iter().zip(&rows) {
        let (one, other) = (&read.exchange, &written.exchange);
        assert_eq!(one.url(), other.url());
        assert_eq!(one.request.query, other.request.query);
        assert_eq!(one.request.body, other.request.body);
        assert_eq!(one.request.step, other.request.step);
        assert_eq!(one.request.wrongly_signed, other.request.wrongly_signed);
        assert_eq!(
            (one.status, &one.content_type, &one.body),
            (other.status, &other.content_type, &other.body)
        );
        assert_eq!(read.ended - read.began, Duration::from_micros(1234));
    }
    let [block] = &recording.of_sweep[..] else {
        panic!("{:?}", recording.of_sweep);
    };
    assert_eq!(block.request, block_request(6));
    let [MissingStep { step, reason }] = &recording.missing[..] else {
        panic!("{:?}", recording.missing);
    };
    assert_eq!(*step, Step::Claim(3, Act::Row("a row".to_owned())));
    assert_eq!(*reason, InconclusiveReason::Transport("lost".to_owned()));
}

#[test]
fn a_signature_is_hidden_until_a_block_has_it() {
    let signature = "2bdbf71e169bc31f5d9c63c327b6da11ae018faea6091c241f224fc1d3bf7872".repeat(2);
    let redactor = Redactor::default();
    redactor.add(&signature);
    const CODE: &str = "00112233445566778899aabbccddeeff00112233";
    let with_signature =
        format!(r#"{{"transaction":{{"trans_code":"{CODE}"}},"signatures":["{signature}"]}}"#);
    let block = format!(r#"{{"index":7,"text":{{"transactions":[{with_signature}]}}}}"#);
    let body = with_signature.as_bytes();
    let broken = [body, b"\xff"].concat();
    let sent = Request::post("/submit-transaction", with_signature.clone());
    let json = "application/json";
    let valid = br#"{"response":{"valid":true}}"#;
    let mut rows = vec![
        logged(block_request(7), 200, json, b"{}"),
        logged(Request::get("/sc-state"), 200, json, body),
        logged(block_request(9), 404, json, &broken),
        logged(sent.clone(), 200, json, b"{}"),
    ];
    let (recording, text) = read_again(rows.clone(), &redactor);
    assert!(!text.contains(&signature[..16]), "{text}");
    // One block is that of the sweep.
    assert_eq!(recording.exchanges.len(), 3);
    let unjudged: Vec<_> = recording
        .unjudged
        .iter()
        .map(|(why, count)| format!("{count} {why}"))
        .collect();
    assert_eq!(unjudged, ["2 with a hidden signature or header value"]);
    // A node can repeat what it refused.
    rows[0] = logged(block_request(7), 200, json, block.as_bytes());
    let (_, text) = read_again(rows.clone(), &redactor);
    assert!(!text.contains(&signature[..16]), "{text}");
    let batch = Request::post("/submit-transaction-batch", format!("[{with_signature}]"));
    let accepted = format!(r#"{{"response":{{"accepted_transactions":["{CODE}"]}}}}"#);
    for accepting in [
        logged(sent, 200, json, valid),
        logged(batch, 200, json, accepted.as_bytes()),
    ] {
        rows[3] = accepting;
        let (recording, text) = read_again(rows.clone(), &redactor);
        assert!(text.contains(&signature), "{text}");
        assert_eq!(recording.exchanges.len(), 5);
    }
}

/// Returns an exchange with these changes, as browsers record it.
fn entry(change: impl FnOnce(&mut Value)) -> Value {
    let mut entry = json!({
        "startedDateTime": "2026-01-02T11:00:00.250+01:00",
        "time": 12.5,
        "_resourceType": "fetch",
        "request": {"method": "GET", "url": "https://node.example/a/get-block?block_index=7&_=1", "headers": []},
        "response": {
            "status": 200,
            "headers": [{"name": "Content-Encoding", "value": "br"}],
            "content": {"size": 2, "mimeType": "application/json", "text": "{}"},
        },
    });
    change(&mut entry);
    entry
}

/// Returns the exchanges of a file with these entries, and why the others are not judged.
fn of_entries(entries: &[Value]) -> Result<(Vec<LoggedExchange>, String), String> {
    let text = json!({"log": {"entries": entries}}).to_string();
    let recording = read(&format!("\u{feff}{text}"), None, &limits())?;
    let why = recording.unjudged.keys().map(ToString::to_string);
    Ok((recording.exchanges, why.collect::<Vec<_>>().join(", ")))
}

#[test]
fn what_programs_leave_out_is_not_judged() {
    type Change = fn(&mut Value);
    let rows: [(Change, &str); 29] = [
        (|_| {}, ""),
        (|entry| entry["time"] = json!(-1), ""),
        (
            |entry| entry["response"]["content"] = json!({"size": 0}),
            "",
        ),
        (
            |entry| entry["response"]["content"]["text"] = Value::Null,
            "no body recorded",
        ),
        (
            |entry| entry["response"]["content"] = json!({"size": -1}),
            "no body recorded",
        ),
        (
            |entry| entry["response"]["content"] = Value::Null,
            "no body recorded",
        ),
        (
            |entry| entry["response"]["status"] = json!(0),
            "no response recorded",
        ),
        (
            |entry| entry["response"]["status"] = json!(-1),
            "no response recorded",
        ),
        (
            |entry| entry["response"] = Value::Null,
            "no response recorded",
        ),
        (
            |entry| entry["request"]["method"] = json!("POST"),
            "no request body recorded",
        ),
        (
            |entry| {
                entry["request"]["method"] = json!("POST");
                entry["request"]["bodySize"] = json!(259);
                entry["request"]["postData"] = json!({"text": ""});
            },
            "no request body recorded",
        ),
        (
            |entry| {
                entry["request"]["method"] = json!("POST");
                entry["request"]["bodySize"] = json!(0);
            },
            "",
        ),
        (
            |entry| entry["response"]["content"]["size"] = json!(3),
            "no body recorded",
        ),
        (
            |entry| {
                entry["response"]["content"]["encoding"] = json!("BASE64");
                entry["response"]["content"]["text"] = json!("e3\r\n0=");
            },
            "",
        ),
        (
            |entry| entry["response"]["content"]["text"] = json!("[".repeat(128)),
            "nested too deeply",
        ),
        (
            |entry| entry["response"]["content"]["text"] = json!("1,".repeat(250_001)),
            "beyond --max-body or --max-values",
        ),
        (
            |entry| entry["response"]["status"] = json!(307),
            "a redirect",
        ),
        (
            |entry| entry["response"]["status"] = json!(429),
            "not authorized or too many",
        ),
        (
            |entry| entry["response"]["status"] = json!(401),
            "not authorized or too many",
        ),
        (|entry| entry["response"]["status"] = json!(404), ""),
        (
            |entry| {
                entry["request"]["url"] =
                    json!("https://node.example/a/get-block?block_index=7&block_index=1");
            },
            "with a parameter twice",
        ),
        (
            |entry| entry["response"]["status"] = json!("200"),
            "in another form",
        ),
        (
            |entry| entry["response"]["status"] = json!(70_000),
            "in another form",
        ),
        (|entry| entry["_fromCache"] = json!("disk"), "from a cache"),
        (
            |entry| entry["request"]["headers"] = json!([{"name": "If-None-Match", "value": "7"}]),
            "only a change or a part requested",
        ),
        (
            |entry| entry["response"]["status"] = json!(304),
            "only a change or a part requested",
        ),
        (
            |entry| entry["request"]["headers"] = json!([{"name": "range", "value": "bytes=0-1"}]),
            "only a change or a part requested",
        ),
        (
            |entry| entry["response"]["content"]["text"] = json!(" ".repeat(9 * 1024 * 1024)),
            "beyond --max-body or --max-values",
        ),
        (
            |entry| entry["response"]["content"]["text"] = json!(",".repeat(250_001)),
            "beyond --max-body or --max-values",
        ),
    ];
    for (change, expected) in rows {
        let (mut exchanges, why) = of_entries(&[entry(change), entry(|_| {})]).unwrap();
        let _ = exchanges.pop();
        assert_eq!(why, expected);
        assert_eq!(exchanges.len(), usize::from(expected.is_empty()));
    }
}

#[test]
fn a_request_of_any_program_is_understood() {
    let at = |url: &'static str| entry(|entry| entry["request"]["url"] = json!(url));
    let post = entry(|entry| {
        entry["request"] =
            json!({"method": "POST", "url": "https://node.example/a/call-sc", "bodySize": 0});
    });
    let (exchanges, _) = of_entries(&[
        at("https://other.example/get-block?block_index=1"),
        at("https://user:pass@node.example/a/sc-state?unique_value=a%20b&table_name=x#top"),
        entry(|_| {}),
        at("https://node.example/a/unknown"),
        at("https://manual.example/docs"),
        at("https://manual.example/docs"),
        at("https://manual.example/docs"),
        at("https://manual.example/docs"),
        at("ftp://node.example/a/get-block"),
        entry(|entry| entry["request"]["method"] = json!("OPTIONS")),
        post,
    ])
    .unwrap();
    let requests: Vec<_> = exchanges.iter().map(|one| &one.exchange.request).collect();
    assert_eq!(requests.len(), 3);
    assert_eq!(
        requests[0].query,
        [
            ("unique_value", "a b".to_owned()),
            ("table_name", "x".to_owned())
        ]
    );
    assert_eq!(exchanges[0].exchange.url().username(), "");
    // It has a parameter that no endpoint has.
    assert_eq!(requests[1].raw_query.as_deref(), Some("block_index=7&_=1"));
    assert_eq!(requests[2].path, "/call-sc");
    assert_eq!(exchanges[0].exchange.json().unwrap(), &json!({}));
    assert_eq!(
        exchanges[0].started_at,
        OffsetDateTime::UNIX_EPOCH + TEN + Duration::from_millis(250)
    );
}

#[test]
fn the_first_exchange_in_another_form_is_named() {
    for (change, reason) in [
        (
            json!({"startedDateTime": "2026-01-02"}),
            "startedDateTime is not a time in RFC 3339: \"2026-01-02\"",
        ),
        (
            json!({"startedDateTime": null}),
            "startedDateTime is missing",
        ),
        (json!({"time": 1e300}), "time is "),
        (
            json!({"time": 1e15}),
            "time is 1000000000000000, which is more than a day",
        ),
        (
            json!({"response": {"status": 200, "content": {"text": "{", "encoding": "base64"}}}),
            "response.content.text is not base64: ",
        ),
        (
            json!({"response": {"status": 200, "content": {"text": "{", "encoding": "gzip"}}}),
            "response.content.encoding is \"gzip\"; base64 is known",
        ),
        (
            json!({"response": {"status": "\u{1b}"}}),
            "invalid type: string \"\\u{1b}\"",
        ),
    ] {
        let changed = entry(|entry| {
            let members = change.as_object().unwrap().clone();
            entry.as_object_mut().unwrap().extend(members);
        });
        let entries = [entry(|_| {}), changed, json!(7)];
        let text = json!({"log": {"entries": entries}}).to_string();
        let recording = read(&text, None, &limits()).unwrap();
        let first = recording.first_wrong.unwrap();
        let expected = format!("log.entries[1]: {reason}");
        assert!(first.starts_with(&expected), "{first}");
        assert_eq!(recording.unjudged["in another form"], 2);
        assert_eq!(recording.exchanges.len(), 1);
    }
}
