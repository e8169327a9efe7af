//! Test vectors. CPython 3.11 wrote the expected texts.

use super::*;

fn same(text: &str, wanted: &str) {
    assert_eq!(signed_message(text).as_deref(), Ok(wanted), "{text}");
}

#[test]
fn floats_are_written_as_python_writes_them() {
    for (text, wanted) in [
        ("0.0", "0.0"),
        ("-0.0", "-0.0"),
        ("-0", "0"),
        ("0.1", "0.1"),
        ("1E3", "1000.0"),
        ("1e15", "1000000000000000.0"),
        ("1e16", "1e+16"),
        ("1.5e16", "1.5e+16"),
        ("123456789012345680.0", "1.2345678901234568e+17"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("1e-07", "1e-07"),
        ("5e-324", "5e-324"),
        ("2.2250738585072014e-308", "2.2250738585072014e-308"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("1e400", "Infinity"),
        ("-1e400", "-Infinity"),
        ("9007199254740993.0", "9007199254740992.0"),
        ("1e22", "1e+22"),
        ("1e23", "1e+23"),
        ("12345678901234567890", "12345678901234567890"),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
    ] {
        same(text, wanted);
    }
}

#[test]
fn text_beyond_ascii_is_escaped_in_lower_case() {
    same(r#""é\u00E9""#, r#""\u00e9\u00e9""#);
    same(r#""😀""#, r#""\ud83d\ude00""#);
    same(r#""\uD83D\uDE00""#, r#""\ud83d\ude00""#);
    same(r#""\ud83d""#, r#""\ud83d""#);
    same(r#""\ude00\ud83d""#, r#""\ude00\ud83d""#);
    same("\"\\/\\b\\f\\u0000\x7f\"", "\"/\\b\\f\\u0000\\u007f\"");
}

#[test]
fn members_keep_their_order_and_the_last_duplicate_wins_in_the_first_place() {
    same(
        r#"{"b":1,"a":[ ],"c":{ }}"#,
        r#"{"b": 1, "a": [], "c": {}}"#,
    );
    same(r#"{"a":1,"b":2,"\u0061":3}"#, r#"{"a": 3, "b": 2}"#);
}

#[test]
fn sorted_members_go_by_code_point() {
    let text = r#"{"é":1,"z":{"b":1,"a":2},"😀":3,"\uffff":4}"#;
    let wanted = r#"{"z": {"a": 2, "b": 1}, "\u00e9": 1, "\uffff": 4, "\ud83d\ude00": 3}"#;
    assert_eq!(sorted_message(text).as_deref(), Ok(wanted));
}

#[test]
fn refuses_what_python_refuses() {
    for text in [
        "",
        "{",
        "[1,]",
        "{\"a\":1,}",
        "01",
        "1.",
        "+1",
        ".5",
        "'a'",
        "\"\\x\"",
        "nul",
        "\"a\nb\"",
        "[1] 2",
        "\u{feff}1",
        "{1:2}",
        "\"\\u12g4\"",
        "\"",
        "\"\\",
        "-",
    ] {
        assert!(
            matches!(signed_message(text), Err(MessageError::Syntax { .. })),
            "{text:?}"
        );
    }
}

#[test]
fn limits_are_errors_and_no_overflow() {
    let deep = "[".repeat(100_000);
    assert!(matches!(
        signed_message(&deep),
        Err(MessageError::TooDeep { .. })
    ));
    let long = "1".repeat(4301);
    assert!(matches!(
        signed_message(&long),
        Err(MessageError::IntegerTooLong { .. })
    ));
    same(&long[1..], &long[1..]);
}
