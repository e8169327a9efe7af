//! The JSON Schema of `report.json` is checked in for programs that read reports.

use std::path::Path;

#[test]
fn the_checked_in_schema_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("report.schema.json");
    let schema = nodeproof_report::Report::json_schema();
    let fresh = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
    if std::env::var_os("UPDATE_REPORT_SCHEMA").is_some() {
        let written = std::fs::write(&path, &fresh);
        assert!(written.is_ok(), "the schema is written");
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        checked_in == fresh,
        "set UPDATE_REPORT_SCHEMA=1 and run this test again"
    );
}
