//! `docs/generated/requirements.md`: each requirement with its places in the description, its cases
//! and their faults.

use std::collections::{BTreeMap, BTreeSet};

use integration_tests::{cited::cited, faults::SeededFault, matrix::cell};
use nodeproof_conformance::cases;
use nodeproof_openapi::{NODE_JSON, Requirement, grammar, requirements};
use serde_json::{Map, Value};

const INTRODUCTION: &str = "# Requirements, places, cases and faults

Each requirement of [specification.md](../specification.md) with its places in `openapi/node.yaml`, the cases that test it, and the
seeded faults that each case catches. Each case is listed under every requirement that it cites. This file is generated:
`UPDATE_FAULT_MATRIX=1 cargo test -p integration-tests --test conformance_faults docs` updates it.
";

/// Renders the document from the description, the cases, the tables of faults, and the fields whose generated
/// faults make each case fail.
pub(crate) fn render(
    faults: &[SeededFault],
    generated: &BTreeMap<&str, BTreeSet<String>>,
) -> String {
    let mut caught: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for broken in faults {
        for case in broken.failing_cases {
            caught.entry(case).or_default().push(cell(broken.name));
        }
    }
    let document: Value = serde_json::from_str(NODE_JSON).unwrap_or_default();
    let mut places = Vec::new();
    grammar::visit(&document, &mut |at, _, node| {
        places.push((name(at, node), cited(node)));
    });
    let cases = cases::all();
    let mut text = INTRODUCTION.to_owned();
    let mut under = "";
    for Requirement {
        id,
        basis,
        text: says,
        section,
    } in requirements()
    {
        if *section != under {
            text.push_str(&format!("\n## {section}\n"));
            under = section;
        }
        // The specification is one folder up.
        let says = says.replace("](", "](../");
        text.push_str(&format!("\n**{id}** ({}) {says}\n\n", basis.name()));
        let cited = places.iter().filter(|(_, ids)| ids.contains(id));
        let cited: Vec<_> = cited.map(|(name, _)| format!("`{name}`")).collect();
        if !cited.is_empty() {
            text.push_str(&format!("- In the description: {}\n", cited.join("; ")));
        }
        for case in cases.iter().filter(|case| case.requirements.contains(id)) {
            let mut faults = caught.get(case.id).cloned().unwrap_or_default();
            if let Some(fields) = generated.get(case.id) {
                let fields: Vec<_> = fields.iter().map(|name| format!("`{name}`")).collect();
                faults.push(format!("generated faults of {}", fields.join(", ")));
            }
            let faults = faults.join("; ");
            text.push_str(&format!(
                "- `{}` ({}): {faults}\n",
                case.id,
                case.level.name()
            ));
        }
        if let Some(reason) = cases::untested(id) {
            text.push_str(&format!("- No case. {reason}\n"));
        }
    }
    text
}

/// Returns the name of a part for readers: `GET /get-block, block_index`, `Block.index` or `WalletAddress`.
fn name(at: &str, node: &Map<String, Value>) -> String {
    let steps: Vec<String> = at
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/"))
        .collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let own = node.get("name").and_then(Value::as_str);
    match steps.as_slice() {
        ["paths", path, method, rest @ ..] => {
            let part = match rest {
                ["responses", status, ..] => format!(", {status}"),
                ["parameters", ..] => format!(", {}", own.unwrap_or_default()),
                _ => String::new(),
            };
            format!("{} {path}{part}", method.to_uppercase())
        }
        ["components", _, component, rest @ ..] => {
            let of_fields = rest.windows(2).filter(|pair| pair[0] == "properties");
            let fields: Vec<_> = of_fields.map(|pair| format!(".{}", pair[1])).collect();
            format!("{component}{}", fields.concat())
        }
        _ => at.trim_start_matches('/').to_owned(),
    }
}
