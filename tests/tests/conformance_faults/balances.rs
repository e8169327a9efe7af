//! Parts of the requests and responses of `/get-balances`.

use integration_tests::proxy::RecordedRequest;
use serde_json::Value;

pub(crate) const BALANCES: &str = "/get-balances";

/// Returns whether the query contains this text.
pub(crate) fn asks_for(request: &RecordedRequest, text: &str) -> bool {
    request.query.contains(text)
}

/// Returns the entries of a list of balances.
pub(crate) fn entries(response: &mut Value) -> impl Iterator<Item = &mut Value> {
    response["balance"].as_array_mut().into_iter().flatten()
}
