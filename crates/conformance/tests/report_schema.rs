//! `report.json` has a JSON Schema, checked in for those who read reports.

use std::path::Path;

#[test]
fn the_checked_in_schema_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("report.schema.json");
    let schema = node_conformance::report::Report::json_schema();
    let fresh = format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"));
    if std::env::var_os("UPDATE_REPORT_SCHEMA").is_some() {
        std::fs::write(&path, &fresh).expect("the schema is written");
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        checked_in == fresh,
        "set UPDATE_REPORT_SCHEMA=1 and run this test again"
    );
}
