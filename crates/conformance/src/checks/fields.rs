//! The documented fields of responses, as `node.yaml` describes them.

use std::sync::LazyLock;

use nodeproof_openapi::{NODE_JSON, Spec, View, pointer, requirement};
use serde_json::Value;

use super::field::Field;
use crate::api::Sample;

/// The responses whose fields are cases of their own. Balances and stored records have several
/// documented forms, and the specification does not show the one of `/call-sc` field by field:
/// cases written by hand check those.
const SAMPLES: [Sample; 3] = [Sample::Blocks, Sample::TrustScore, Sample::Refusals];

/// The documented fields that cite a requirement (`x-requirement`). Each is one case.
pub(crate) static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    // The document is a constant. If it were unusable, each run would stop with that reason.
    let Ok(spec) = Spec::from_json(NODE_JSON) else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    for sample in SAMPLES {
        if let Some(at) = sample.schema(&spec) {
            let mut walk = Walk {
                spec: &spec,
                sample,
                fields: &mut fields,
            };
            walk.members_of(&at, &[], "");
        }
    }
    fields
});

/// A walk through the schema of a response.
struct Walk<'s> {
    spec: &'s Spec,
    sample: Sample,
    fields: &'s mut Vec<Field>,
}

impl Walk<'_> {
    /// Adds the members of the object at `at`, and what is inside them. `prefix` is the name of the
    /// list's elements, such as `receipt-`.
    fn members_of(&mut self, at: &str, path: &[String], prefix: &str) {
        let spec = self.spec;
        let Some((place, schema)) = spec.unwrap(View::Documented, at) else {
            return;
        };
        let Some(members) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        let required = schema.get("required").and_then(Value::as_array);
        for (name, member) in members {
            let at = pointer::join(&pointer::join(&place, "properties"), name);
            let path = [path, std::slice::from_ref(name)].concat();
            let (target, inner) = spec
                .unwrap(View::Documented, &at)
                .unwrap_or((at.clone(), member));
            let mut requirements = cited(member);
            let items = pointer::join(&target, "items");
            let element = spec.unwrap(View::Documented, &items);
            // The form of a value belongs to its type: a time, an address, a hash.
            for form in [Some(inner), element.as_ref().map(|(_, element)| *element)] {
                let form = form.filter(|form| !form["type"].is_null() && form["type"] != "object");
                requirements.extend(form.map_or_else(Vec::new, cited));
            }
            requirements.dedup();
            if !requirements.is_empty() {
                let operation = self.sample.operation();
                let kebab = name.replace('_', "-");
                self.fields.push(Field::new(
                    format!("{operation}/{prefix}{kebab}"),
                    self.sample,
                    path.clone(),
                    requirements,
                    at,
                    required.is_some_and(|names| names.iter().any(|one| one == name)),
                ));
            }
            self.members_of(&target, &path, prefix);
            if let Some((element, _)) = element {
                let name = element.rsplit('/').next().unwrap_or_default();
                let path = [&path[..], &["*".to_owned()]].concat();
                self.members_of(&element, &path, &format!("{}-", name.to_lowercase()));
            }
        }
    }
}

/// Returns the IDs of the requirements that a part of the description cites.
fn cited(part: &Value) -> Vec<&'static str> {
    let id = |value: &Value| Some(requirement(value.as_str()?)?.id);
    match &part["x-requirement"] {
        Value::Array(ids) => ids.iter().filter_map(id).collect(),
        one => id(one).into_iter().collect(),
    }
}
