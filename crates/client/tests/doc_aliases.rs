//! A search in the documentation for an endpoint's path or a balance type finds the method.

use std::{fs, path::Path};

use serde_json::Value;

#[test]
fn each_path_and_each_balance_type_is_an_alias_of_a_method() {
    let document: Value = serde_json::from_str(nodeproof_openapi::NODE_JSON).unwrap();
    let strings = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let sources = ["src", "src/contract_call"].map(|folder| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let files = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path());
        let sources = files.filter(|file| file.is_file());
        sources
            .map(|file| fs::read_to_string(file).unwrap())
            .collect::<String>()
    });
    let sources = sources.concat();
    let mut count = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let operation = item.get("get").or_else(|| item.get("post")).unwrap();
        let id = operation["operationId"].as_str().unwrap();
        let mut words = vec![path.trim_start_matches('/').to_owned()];
        if id == "get_balances" {
            words.extend(strings(
                &document["components"]["schemas"]["BalanceType"]["enum"],
            ));
        }
        // The method for `/docs` has the same name.
        for word in words.iter().filter(|word| *word != "docs") {
            let alias = format!("#[doc(alias = \"{word}\")]");
            assert!(sources.contains(&alias), "{alias}");
            count += 1;
        }
    }
    assert!(count >= 10, "{count}");
}
