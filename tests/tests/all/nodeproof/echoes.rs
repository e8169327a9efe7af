//! A node that repeats the signature of the user's wallet everywhere, in the forms that are searched. No
//! output may show 16 digits of it, because the claim can be submitted with it.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::Path,
    sync::{Arc, Mutex},
};

use axum::http::{HeaderValue, header};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use hyper::ext::ReasonPhrase;
use integration_tests::{
    proxy::{Fault, Proxy, Response},
    submissions::SUBMIT,
};
use nodeproof_devnode::{BlockTime, Config};
use nodeproof_wallet::{KeyFile, Protection, PublicKey, Signature};
use serde_json::{Value, json};

use super::{run, waiting};

/// Returns the first signature of this wallet in a submission.
fn signature_of(body: &[u8], wallet: &PublicKey) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let signed = nodeproof_client::SignedTransaction::from_json(text).ok()?;
    let message = nodeproof_primitives::signed_message(signed.transaction_text()).ok()?;
    let body: Value = serde_json::from_str(text).ok()?;
    body["signatures"].as_array()?.iter().find_map(|entry| {
        let text = entry["msgsign"].as_str()?;
        let signature: Signature = text.parse().ok()?;
        let is_own = wallet.verify(message.as_bytes(), &signature).is_ok();
        is_own.then(|| text.to_owned())
    })
}

/// A form in which a node repeats a signature.
type Form = (&'static str, fn(&str) -> String);

/// What a node repeats: all forms below each other, and one text that is longer than every limit.
/// Wherever a limit cuts the second one, it cuts a signature.
const ECHOES: [Form; 2] = [
    ("all forms", |s| {
        let forms: Vec<_> = FORMS
            .iter()
            .map(|(name, form)| format!("{name}: {}", form(s)))
            .collect();
        forms.join("\n")
    }),
    ("repeated", |s| s.repeat(200)),
];

const FORMS: [Form; 9] = [
    ("whole", |s| s.to_owned()),
    ("upper case", str::to_uppercase),
    ("halves", |s| format!("r={} s={}", &s[..64], &s[64..])),
    ("without an end", |s| s[..127].to_owned()),
    ("without a start", |s| s[1..].to_owned()),
    ("parts", |s| format!("{} | {}", &s[3..19], &s[40..70])),
    ("base64", |s| STANDARD.encode(bytes(s))),
    ("base64 for URLs", |s| URL_SAFE.encode(bytes(s))),
    ("escapes", |s| {
        s.bytes().map(|one| format!("\\u{one:04x}")).collect()
    }),
];

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits"))
        .collect()
}

/// Puts an echo into a response: into JSON, into a page, into a header, and into the status line.
pub(super) fn with_echo(path: &str, response: Response, echo: &str) -> Response {
    let mut response = match path {
        "/docs" => response.with_body(format!("<html><!-- {echo} --><body>{echo}</body></html>")),
        SUBMIT => response.with_json(|body| body["response"]["msg"] = json!(echo)),
        // A block, a balance, a record, a trust score, a built transaction.
        _ => response.with_json(|body| {
            for member in [
                "previous_hash",
                "creator_wallet",
                "balance",
                "trust_score",
                "echo",
            ] {
                if body.get(member).is_some() || member == "echo" {
                    body[member] = json!(echo);
                }
            }
            for carrier in ["data", "value"] {
                if let Some(Value::Array(row)) = body.get_mut(carrier) {
                    for field in row.iter_mut().skip(4) {
                        *field = json!(echo);
                    }
                }
            }
        }),
    };
    let short: String = echo
        .chars()
        .filter(char::is_ascii_graphic)
        .take(150)
        .collect();
    if let Ok(value) = HeaderValue::from_str(&format!("application/json; x={short}")) {
        response.headers.insert(header::CONTENT_TYPE, value);
    }
    if let Ok(reason) = ReasonPhrase::try_from(short.into_bytes()) {
        response.extensions.insert(reason);
    }
    response
}

/// Returns where 16 or more digits of a signature are in a text, in any of the forms.
fn leaks(text: &str, signature: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let plain = text.replace('-', "+").replace('_', "/");
    let base64 = STANDARD.encode(bytes(signature));
    let escaped: String = signature
        .bytes()
        .map(|one| format!("\\u{one:04x}"))
        .collect();
    // Of 16 characters in base64, the least is 12 bytes.
    [
        (&lower, signature, 16),
        (&plain, &base64, 16),
        (&lower, &escaped, 96),
    ]
    .into_iter()
    .find_map(|(text, form, length)| {
        // Each piece has a whole half of this length, and texts are long.
        let mut halves = form.as_bytes().chunks(length / 2);
        if !halves.any(|half| text.contains(&*String::from_utf8_lossy(half))) {
            return None;
        }
        let pieces = form.as_bytes().windows(length);
        let mut pieces = pieces.filter_map(|piece| std::str::from_utf8(piece).ok());
        pieces.find(|piece| text.contains(piece)).map(str::to_owned)
    })
}

/// Returns the status line of a response.
fn status_line(base_url: &str, path: &str) -> String {
    let address = base_url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("a line");
    line
}

/// Returns the files of a folder with their text.
fn files(folder: &Path, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, all);
        } else {
            let text = fs::read(&path).expect("a file");
            let text = String::from_utf8_lossy(&text).into_owned();
            all.push((path.display().to_string(), text));
        }
    }
}

/// Runs with a claim against a node that repeats its signature in this form, in other responses if it accepts the claim.
async fn echoed((name, form): Form, (accepts, format, sweeps): (bool, &str, bool)) {
    let every = BlockTime::Every(std::time::Duration::from_millis(50));
    let config = Config::for_tests().with_block_time(every);
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    let keys = node.node().wallet("bob").expect("a wallet").keys().clone();
    let folder = tempfile::tempdir().expect("a folder");
    let wallet = folder.path().join("wallet.json");
    KeyFile::write(&wallet, &keys, Protection::Plain).expect("a key file");

    let seen = Arc::new(Mutex::new(None::<String>));
    let (learnt, public) = (Arc::clone(&seen), *keys.public_key());
    let fault: Fault = Arc::new(move |request, response| {
        let mut signature = learnt.lock().expect("a lock");
        if request.path == SUBMIT && signature.is_none() {
            *signature = signature_of(&request.body, &public);
        }
        let Some(signature) = &*signature else {
            return response;
        };
        if sweeps && request.path == "/get-block" {
            // The sweep, which runs after the claim, reports the value and the name of a member.
            let echo = form(signature);
            let response = response.with_json(|block| block["timestamp"] = json!(echo));
            let name = serde_json::to_string(&echo[..echo.len().min(60)]).expect("JSON");
            let twice = format!("{{{name}:1,{name}:2,");
            let text = String::from_utf8_lossy(&response.body).replacen('{', &twice, 1);
            return response.with_body(text);
        }
        if accepts && (request.path == SUBMIT || request.path == "/sc-state") {
            // The record has to be found, so that the later cases run.
            let response = response.with_json(|body| body["echo"] = json!(form(signature)));
            return response;
        }
        let response = with_echo(&request.path, response, &form(signature));
        if request.path == SUBMIT {
            return response.with_json(|body| body["response"]["valid"] = json!(false));
        }
        response
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");

    let reports = folder.path().join("reports");
    let (status, out, errors) = waiting(
        run(&proxy.server.base_url())
            .args([
                "--allow",
                "write",
                "--currency",
                "DEVN",
                "-v",
                "--format",
                format,
            ])
            .args(["--contract", &node.contract_address().to_string()])
            .args(["--settle-timeout", "2", "--wallet"])
            .arg(&wallet)
            .args(["--only", "submit-transaction/*", "--only", "docs/*"])
            .args(["--only", "get-block/*", "--only", "sc-state/*"])
            .args(sweeps.then_some(["--blocks", ".."]).into_iter().flatten())
            .arg("--report-dir")
            .arg(&reports)
            .arg("--summary")
            .arg(folder.path().join("summary.md"))
            .env("TMPDIR", folder.path()),
    );
    assert!([0, 1, 3].contains(&status), "{name}: {out}{errors}");
    let url = proxy.server.base_url();
    let line = tokio::task::block_in_place(|| status_line(&url, "/docs"));
    let signature = seen.lock().expect("a lock").take();
    let signature = signature.expect("the wallet signed");
    assert!(line.contains(&signature[..64]), "{line}");
    let mut outputs = vec![("stdout".to_owned(), out), ("stderr".to_owned(), errors)];
    files(folder.path(), &mut outputs);
    assert!(outputs.len() >= 6, "{}", outputs.len());
    // An accepted claim is in a block, where everybody can read its signature.
    let is_public = |name: &str| accepts && name.ends_with("history.har");
    for (output, text) in outputs.iter().filter(|(name, _)| !is_public(name)) {
        let leak = leaks(text, &signature);
        assert_eq!(leak, None, "{name}, {accepts}: {output}");
    }
    let has_history = outputs
        .iter()
        .any(|(name, text)| name.ends_with("history.har") && text.contains("(signature redacted)"));
    assert!(has_history || accepts, "{name}");
    let is_state = |(name, _): &&(String, String)| name.contains("sweep-");
    assert_eq!(outputs.iter().filter(is_state).count(), usize::from(sweeps));
    let report = outputs
        .iter()
        .find(|(name, _)| name.ends_with("report.json"));
    let (_, report) = report.expect("a report");
    assert!(report.contains("(signature redacted)"), "{name}, {accepts}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_output_has_sixteen_digits_of_a_signature_that_a_node_repeats() {
    const RUNS: [(bool, &str, bool); 3] = [
        (true, "pretty", false),
        (false, "github", false),
        (true, "compact", true),
    ];
    let runs = ECHOES.map(|form| RUNS.map(|run| tokio::spawn(echoed(form, run))));
    for run in runs.into_iter().flatten() {
        run.await.expect("a run without a signature in its output");
    }
}
