//! Requests for records by other columns than `asset_id`.

use serde_json::Value;

use crate::{
    api::{carried, known_rows},
    checks::Examination,
    context::Samples,
    http::Exchange,
    rules::COLUMNS,
};

/// Maximum length of a value, in characters.
const LONGEST: usize = 300;

/// Requests a record by its other columns, for the rule *found*.
pub(super) async fn request_by_columns(context: &Samples, record: &Exchange) -> Examination {
    let body = record.success_object().into_iter().flat_map(carried);
    let row = body.flat_map(|(_, value)| known_rows(value)).next();
    let others = COLUMNS.into_iter().filter(|column| *column != "asset_id");
    let requests = others.filter_map(|column| {
        let value = match row?.column(column)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        let is_usual = !value.trim().is_empty() && value.chars().count() <= LONGEST;
        let request = record.request.clone();
        let request = request.setting("unique_column", column.to_owned());
        is_usual.then(|| request.setting("unique_value", value))
    });
    let mut checked = Examination::default();
    for request in requests {
        if checked.received(context.node.send(request).await).is_none() {
            break;
        }
    }
    checked
}
