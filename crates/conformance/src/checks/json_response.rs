//! Checks that a response is a 200 with a JSON object.

use std::{borrow::Cow, collections::HashSet, sync::Arc};

use nodeproof_primitives::escape::escaped_up_to as shown;
use serde::{
    Deserialize,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

use super::finding::{Examination, Finding, Findings};
use crate::{
    api::{Sample, is_empty},
    context::{Context, Samples},
    http::{Exchange, InconclusiveReason, LIMIT_MESSAGE, unknown},
};

/// Checks that a response is a success with a JSON object, which every query and `/call-sc` must return.
pub(crate) fn check_json_response(exchange: &Arc<Exchange>) -> Option<Finding> {
    if !exchange.is_success() {
        let what = format!("returned status {}", exchange.status);
        let expected = "200 with a JSON object";
        return Some(Finding::of_response(exchange, what, expected));
    }
    match exchange.json() {
        // The run's own limits are not a fault of the node.
        Err(fault) if fault.ends_with(LIMIT_MESSAGE) => None,
        Err(fault) => {
            let what = format!("the body is {}", shown(fault, 200));
            Some(Finding::of_body(exchange, what, "one JSON object"))
        }
        Ok(value) if !value.is_object() => {
            let what = "the body is JSON, but not an object";
            Some(Finding::of_body(exchange, what, "a JSON object").at(""))
        }
        Ok(_) => first_duplicate(&exchange.body).map(|name| {
            Finding::new(
                exchange,
                format!("an object has the member {:?} twice", shown(&name, 60)),
                "members with different names",
                "which of the two counts depends on the reader",
            )
        }),
    }
}

/// Returns the first member name that occurs twice in one object of a JSON document.
///
/// A parsed value no longer has the second member, so this reads the text itself.
pub(super) fn first_duplicate(body: &[u8]) -> Option<String> {
    struct Unique<'f>(&'f mut Option<String>);

    impl<'de> DeserializeSeed<'de> for Unique<'_> {
        type Value = ();

        fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_any(self)
        }
    }

    impl<'de> Visitor<'de> for Unique<'_> {
        type Value = ();

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("any JSON value")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            // For a few members, comparing is faster than hashing.
            let mut first: Vec<Cow<'de, str>> = Vec::with_capacity(FEW);
            let mut many = HashSet::new();
            while let Some(Name(name)) = map.next_key()? {
                if first.contains(&name) || many.contains(&name) {
                    self.0.get_or_insert(name.into_owned());
                } else if first.len() < FEW {
                    first.push(name);
                } else {
                    many.insert(name);
                }
                map.next_value_seed(Unique(self.0))?;
            }
            Ok(())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            while seq.next_element_seed(Unique(self.0))?.is_some() {}
            Ok(())
        }

        fn visit_bool<E>(self, _: bool) -> Result<(), E> {
            Ok(())
        }
        fn visit_i64<E>(self, _: i64) -> Result<(), E> {
            Ok(())
        }
        fn visit_u64<E>(self, _: u64) -> Result<(), E> {
            Ok(())
        }
        fn visit_f64<E>(self, _: f64) -> Result<(), E> {
            Ok(())
        }
        fn visit_str<E>(self, _: &str) -> Result<(), E> {
            Ok(())
        }
        fn visit_unit<E>(self) -> Result<(), E> {
            Ok(())
        }
    }

    let mut found = None;
    let mut reader = serde_json::Deserializer::from_slice(body);
    // Another check reports a malformed document.
    let _ = Unique(&mut found).deserialize(&mut reader);
    found
}

/// Number of members to compare one by one.
const FEW: usize = 12;

/// The name of a member. It is copied only if it has escapes.
#[derive(Deserialize)]
struct Name<'n>(#[serde(borrow)] Cow<'n, str>);

/// Checks that every response is a 200 with a JSON object. Inconclusive if one is too large to read.
pub(crate) fn check_json_responses(responses: &[Arc<Exchange>]) -> Findings {
    let findings: Vec<_> = responses.iter().flat_map(check_json_response).collect();
    let too_much = responses
        .iter()
        .filter(|exchange| exchange.is_success())
        .find_map(|exchange| {
            exchange
                .json()
                .err()
                .filter(|fault| fault.ends_with(LIMIT_MESSAGE))
        });
    match too_much {
        Some(fault) if findings.is_empty() => Err(InconclusiveReason::TooLarge(format!(
            "a response is {fault}"
        ))),
        _ => {
            // An object without members is neither right nor wrong.
            let says_nothing =
                |response: &&Arc<Exchange>| response.success_object().is_some_and(is_empty);
            let examined = responses.iter().filter(|response| !says_nothing(response));
            Ok(Examination::of(examined.count(), findings))
        }
    }
}

/// Checks that every response of a sample is a 200 with a JSON object.
pub(crate) async fn check_sample_responses(context: &Context, sample: Sample) -> Findings {
    check_json_responses(&context.sample(sample).await?)
}

/// Checks one JSON object, the content of a response.
pub(crate) type ObjectCheck = fn(&Arc<Exchange>, &Value, &mut Examination);

/// The reason of an inconclusive case that has no reason of its own.
pub(crate) const NOTHING_EXAMINED: &str = "the node sent nothing that the case could check";

/// Checks each JSON object of some samples. Inconclusive if nothing was examined.
pub(crate) async fn check_objects(
    context: &Context,
    samples: &[Sample],
    check: ObjectCheck,
    otherwise: &str,
) -> Findings {
    let mut checked = Examination::default();
    for sample in samples {
        for (exchange, body) in contents(&context.sample(*sample).await?)? {
            check(exchange, body, &mut checked);
        }
    }
    if checked.examined == 0 {
        return unknown(otherwise);
    }
    Ok(checked)
}

/// Returns the responses that are objects, or the reason why there are none.
pub(crate) fn contents(
    responses: &[Arc<Exchange>],
) -> Result<Vec<(&Arc<Exchange>, &Value)>, InconclusiveReason> {
    let all = responses.iter();
    let objects: Vec<_> = all
        .filter_map(|exchange| Some((exchange, exchange.success_object()?)))
        .collect();
    if objects.is_empty() {
        return unknown("no response was a 200 with a JSON object");
    }
    Ok(objects)
}

/// Returns the responses of a sample that are objects, or the reason why there are none.
pub(crate) async fn objects(
    context: &Samples,
    sample: Sample,
) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
    let responses = context.sample(sample).await?;
    let objects = contents(&responses)?.into_iter();
    Ok(objects.map(|(exchange, _)| Arc::clone(exchange)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_member_that_stands_twice_at_any_depth() {
        assert_eq!(
            first_duplicate(br#"{"a":[{"b":1,"c":2,"b":1}]}"#).as_deref(),
            Some("b")
        );
        assert_eq!(
            first_duplicate(br#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#),
            None
        );
    }
}
