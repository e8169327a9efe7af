//! Compares the signed message with CPython's: for 100,000 random documents if `python3` is
//! installed, and always with a table of CPython's results.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "python/documents.rs"]
mod documents;

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
};

use documents::{Random, document};
use nodeproof_primitives::{MessageError, signed_message, sorted_message};

const DOCUMENTS: usize = 100_000;

/// Reads documents as lines of hexadecimal. Writes one line for each: the message and the message
/// with sorted members, or the reason for rejecting it.
const ORACLE: &str = r#"
import json, sys
for line in sys.stdin:
    try:
        value = json.loads(bytes.fromhex(line).decode())
        response = json.dumps(value) + "\t" + json.dumps(value, sort_keys=True)
    except (ValueError, RecursionError) as error:
        response = "!" + type(error).__name__
    print(response)
"#;

/// The result for a document without a message.
const REFUSED: &str = "!";

/// CPython 3.11's results for some 2,000 documents. `messages.py` in the same folder makes the table.
const TABLE: &str = include_str!("python/messages.tsv");

/// Returns `python3`, isolated from the environment.
fn python() -> Command {
    let mut command = Command::new("python3");
    command.args(["-I", "-c"]);
    command
}

/// Returns whether `python3` is installed. Prints a note if it is not.
fn python_is_here() -> bool {
    let here = python()
        .arg("import json")
        .stdin(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !here {
        #[expect(clippy::print_stderr, reason = "readers of the log have to know")]
        {
            eprintln!("there is no python3 on this machine: compared with the table alone");
        }
    }
    here
}

/// Sends all documents to one process. Returns its results.
fn ask_python(documents: &[String]) -> Vec<String> {
    let mut child = python()
        .arg(ORACLE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = child.stdout.take().unwrap();
    let responses = thread::scope(|scope| {
        scope.spawn(move || {
            for document in documents {
                let mut line = String::with_capacity(2 * document.len() + 1);
                for byte in document.bytes() {
                    write!(line, "{byte:02x}").unwrap();
                }
                line.push('\n');
                stdin.write_all(line.as_bytes()).unwrap();
            }
        });
        BufReader::new(stdout)
            .lines()
            .collect::<Result<Vec<_>, _>>()
            .unwrap()
    });
    assert!(child.wait().unwrap().success());
    responses
}

/// Returns this crate's result for a document, in the oracle's form, without the reason of a refusal.
fn ours(document: &str) -> String {
    match (signed_message(document), sorted_message(document)) {
        (Ok(message), Ok(sorted)) => format!("{message}\t{sorted}"),
        (Err(first), Err(second)) if first == second => REFUSED.to_owned(),
        (first, second) => format!("differ: {first:?} {second:?}"),
    }
}

#[test]
fn documents_of_the_table_have_the_message_that_python_wrote() {
    let mut refused = 0;
    for (number, line) in TABLE.lines().enumerate() {
        let (document, response) = line.split_once('\t').unwrap();
        let document: String = serde_json::from_str(document).unwrap();
        let wanted = if response == REFUSED || response.contains('\t') {
            response.to_owned()
        } else {
            // Both messages are the same for this document.
            format!("{response}\t{response}")
        };
        refused += usize::from(wanted == REFUSED);
        assert_eq!(ours(&document), wanted, "line {}: {document:?}", number + 1);
    }
    assert!(TABLE.lines().count() > 2000 && refused > 200);
}

#[test]
fn random_documents_have_the_message_that_python_writes() {
    if !python_is_here() {
        return;
    }
    let mut random = Random::new(0x6e6f_6465);
    let documents: Vec<String> = (0..DOCUMENTS).map(|_| document(&mut random)).collect();
    let responses = ask_python(&documents);
    assert_eq!(responses.len(), documents.len());
    let mut refused = 0;
    for (document, response) in documents.iter().zip(&responses) {
        let wanted = if response.starts_with(REFUSED) {
            refused += 1;
            REFUSED
        } else {
            response
        };
        assert_eq!(ours(document), wanted, "{document:?}");
    }
    // Without enough documents of both kinds, the test would show little.
    assert!(
        (DOCUMENTS / 20..DOCUMENTS / 3).contains(&refused),
        "{refused}"
    );
}

#[test]
fn limits_are_those_of_python() {
    if !python_is_here() {
        return;
    }
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let documents = [
        "7".repeat(4300),
        format!("-{}", "7".repeat(4300)),
        "7".repeat(4301),
        format!("[1, -{}]", "7".repeat(4301)),
        format!("{}.0", "7".repeat(5000)),
        format!("{}e-5000", "7".repeat(5000)),
        format!("0.{}1", "0".repeat(5000)),
        nested("[", "", "]", 900),
        nested("{\"a\":", "1", "}", 900),
        nested("[{\"a\":", "1", "}]", 450),
        nested("[", "", "]", 100_000),
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
    ];
    for (document, response) in documents.iter().zip(ask_python(&documents)) {
        let begin: String = document.chars().take(40).collect();
        let wanted = match response.as_str() {
            refused if refused.starts_with(REFUSED) => REFUSED,
            response => response,
        };
        assert!(ours(document) == wanted, "{begin}");
        let limit = matches!(
            signed_message(document),
            Err(MessageError::TooDeep { .. } | MessageError::IntegerTooLong { .. })
        );
        assert_eq!(limit, wanted == REFUSED, "{begin}");
    }
}
