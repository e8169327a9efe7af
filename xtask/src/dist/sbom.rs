//! The list of the packages in the programs, for other programs: a software bill of materials.

use serde_json::{Value, json};

use super::dependencies::Dependency;

/// Returns the list in the form of CycloneDX 1.5.
pub(super) fn sbom(version: &str, target: &str, dependencies: &[Dependency]) -> Value {
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "nodeproof",
                "version": version,
                "properties": [{"name": "target", "value": target}],
            },
        },
        "components": dependencies.iter().map(component).collect::<Vec<_>>(),
    })
}

fn component(package: &Dependency) -> Value {
    let Dependency { name, version, .. } = package;
    let mut component = json!({
        "type": "library",
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
    });
    if let Some(licence) = &package.licence {
        component["licenses"] = json!([{"expression": licence}]);
    }
    if let Some(checksum) = &package.checksum {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    component
}
