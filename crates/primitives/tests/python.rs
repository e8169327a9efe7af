//! Compares the signed message with CPython's: for 100,000 random documents if `python3` is
//! installed, and always with a table of CPython's results.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
};

use fastrand::Rng;
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

/// CPython 3.11's results for some 2,000 documents, of which the random ones are made. `messages.py` in the same
/// folder makes the table.
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

/// Spellings of names. Some are equal, so an object can have a member twice.
const NAMES: [&str; 6] = [r"a", r"\u0061", r"\uffff", "😀", r"\ud83d\ude00", ""];

/// Returns a document of the table after a few changes: other digits, another document beside it, a piece that is missing or
/// from elsewhere.
fn changed(random: &mut Rng, table: &[String]) -> String {
    let other = |random: &mut Rng| &table[random.usize(..table.len())];
    let mut text = other(random).clone();
    for _ in 0..random.usize(..4) {
        let beside = other(random);
        text = match random.u8(..12) {
            0..5 => {
                let mut digit = |old: char| match old {
                    '0'..='9' if random.bool() => char::from(random.u8(b'0'..=b'9')),
                    _ => old,
                };
                text.chars().map(&mut digit).collect()
            }
            5..8 => format!("[{text},{beside}]"),
            8..11 => {
                let mut name = || NAMES[random.usize(..NAMES.len())];
                let (one, another) = (name(), name());
                format!(r#"{{"{one}" :{text}, "{another}":{beside}}}"#)
            }
            _ => {
                let pick = |random: &mut Rng, count: usize| random.usize(..=count);
                let characters: Vec<char> = text.chars().collect();
                let at = pick(random, characters.len());
                let until = characters.len().min(at + pick(random, 2));
                let piece: Vec<char> = beside.chars().take(pick(random, 8)).collect();
                [&characters[..at], &piece, &characters[until..]]
                    .concat()
                    .iter()
                    .collect()
            }
        };
    }
    text
}

#[test]
fn random_documents_have_the_message_that_python_writes() {
    if !python_is_here() {
        return;
    }
    let of_table = |line: &str| serde_json::from_str(line.split('\t').next()?).ok();
    let table: Vec<String> = TABLE.lines().filter_map(of_table).collect();
    let mut random = Rng::with_seed(0x6e6f_6465);
    let documents = (0..DOCUMENTS).map(|_| changed(&mut random, &table));
    let documents: Vec<String> = documents.collect();
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
        (DOCUMENTS / 20..DOCUMENTS / 2).contains(&refused),
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
