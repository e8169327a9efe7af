//! The JSON Schema of `report.json` is checked in for programs that read reports.

use std::path::Path;

fn checked_in(name: &str, schema: &impl serde::Serialize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let fresh = serde_json::to_string_pretty(schema).unwrap_or_default() + "\n";
    if std::env::var_os("UPDATE_REPORT_SCHEMA").is_some() {
        assert!(
            std::fs::write(&path, &fresh).is_ok(),
            "the schema is written"
        );
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        checked_in == fresh,
        "{name}: set UPDATE_REPORT_SCHEMA=1 and run this test again"
    );
}

#[test]
fn the_checked_in_schemas_are_those_of_the_code() {
    use nodeproof_report::{NodesReport, Report};

    checked_in("report.schema.json", &Report::json_schema());
    checked_in("report-nodes.schema.json", &NodesReport::json_schema());
}
