//! A search in the documentation for an endpoint's path or a balance type finds the method.

use serde_json::Value;

#[test]
fn each_path_and_each_balance_type_is_an_alias_of_a_method() {
    let methods = include_str!("../src/client.rs");
    let document: Value = serde_json::from_str(nodeproof_openapi::NODE_JSON).unwrap();
    let paths = document["paths"].as_object().unwrap().keys();
    // The method for `/docs` has the same name.
    let paths = paths
        .map(|path| path.trim_start_matches('/'))
        .filter(|path| *path != "docs");
    let types = document["components"]["schemas"]["BalanceType"]["enum"].as_array();
    let types = types.unwrap().iter().map(|name| name.as_str().unwrap());
    let words: Vec<_> = paths.chain(types).collect();
    assert!(words.len() >= 10, "{words:?}");
    for word in words {
        let alias = format!("#[doc(alias = \"{word}\")]");
        assert!(methods.contains(&alias), "{alias}");
    }
}
