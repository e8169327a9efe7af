//! Judgements that cases of several operations share.

use std::{borrow::Cow, collections::HashSet, sync::Arc};

use nodeproof_client::{DecodeError, FieldError, FieldFault};
use nodeproof_primitives::escape::escaped_up_to as shown;
use serde::{
    Deserialize,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

use crate::{
    api::{Sample, block_request, is_block, is_json, says_no},
    finding::{Finding, Findings},
    http::{Exchange, Obstacle, Request, TOO_MUCH},
    sample::Context,
    spec::{SchemaValidator, View},
};

/// A 200 with a JSON object, as JSON: what every query and `/call-sc` answer with.
pub(crate) fn answers_json(exchange: &Arc<Exchange>) -> Vec<Finding> {
    if exchange.status != 200 {
        let expected = "200 with a JSON object";
        return vec![Finding::new(
            exchange,
            format!("answered with status {}", exchange.status),
            expected,
            exchange.summary(),
        )];
    }
    let mut findings = Vec::new();
    // The contract asks for no such header of answers; one that is there has to be right.
    if let Some(media) = exchange.content_type.as_deref()
        && !is_json(media)
    {
        let what = "the answer does not say that it is JSON";
        let actual = format!("Content-Type: {}", shown(media, 80));
        findings.push(Finding::new(
            exchange,
            what,
            "Content-Type: application/json",
            actual,
        ));
    }
    match exchange.json() {
        // The run's own limits are no fault of the node.
        Err(fault) if fault.ends_with(TOO_MUCH) => {}
        Err(fault) => findings.push(Finding::new(
            exchange,
            format!("the body is {}", shown(fault, 200)),
            "one JSON object",
            exchange.excerpt(160),
        )),
        Ok(value) if !value.is_object() => findings.push(
            Finding::new(
                exchange,
                "the body is JSON, but not an object",
                "a JSON object",
                exchange.excerpt(160),
            )
            .at(""),
        ),
        Ok(_) => {
            if let Some(name) = first_duplicate(&exchange.body) {
                findings.push(Finding::new(
                    exchange,
                    format!("an object has the member {:?} twice", shown(&name, 60)),
                    "members with different names",
                    "which of the two counts depends on the reader",
                ));
            }
        }
    }
    findings
}

/// The first member name that stands twice in one object of a JSON document.
///
/// Once a document is read into a value, the second one is gone, so the text itself is looked at.
fn first_duplicate(body: &[u8]) -> Option<String> {
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
            // Few members are compared sooner than hashed.
            let mut few: Vec<Cow<'de, str>> = Vec::with_capacity(FEW);
            let mut many = HashSet::new();
            while let Some(Name(name)) = map.next_key()? {
                if few.contains(&name) || many.contains(&name) {
                    self.0.get_or_insert(name.into_owned());
                } else if few.len() < FEW {
                    few.push(name);
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
    // A document that can't be read is told elsewhere.
    let _ = Unique(&mut found).deserialize(&mut reader);
    found
}

/// So many members are compared one by one.
const FEW: usize = 12;

/// The name of a member, which is copied only if it is escaped.
#[derive(Deserialize)]
struct Name<'n>(#[serde(borrow)] Cow<'n, str>);

/// Every answer is a 200 with a JSON object; undecided where one is more than is read.
pub(crate) fn all_answer_json(answers: &[Arc<Exchange>]) -> Findings {
    let findings: Vec<_> = answers.iter().flat_map(answers_json).collect();
    let too_much = answers
        .iter()
        .filter(|exchange| exchange.status == 200)
        .find_map(|exchange| {
            exchange
                .json()
                .err()
                .filter(|fault| fault.ends_with(TOO_MUCH))
        });
    match too_much {
        Some(fault) if findings.is_empty() => {
            Err(Obstacle::TooLarge(format!("an answer is {fault}")))
        }
        _ => Ok(findings),
    }
}

/// Every answer of a sample is a 200 with a JSON object.
pub(crate) async fn sample_answers(context: &Context, sample: Sample) -> Findings {
    all_answer_json(&context.sample(sample).await?)
}

/// The answers of a sample that are objects, or why there are none to judge.
pub(crate) async fn objects(
    context: &Context,
    sample: Sample,
) -> Result<Vec<Arc<Exchange>>, Obstacle> {
    let answers = context.sample(sample).await?;
    let objects: Vec<_> = answers
        .into_iter()
        .filter(|answer| answer.answered_object().is_some())
        .collect();
    if objects.is_empty() {
        return Err(Obstacle::NoMaterial(
            "no answer was a 200 with a JSON object".to_owned(),
        ));
    }
    Ok(objects)
}

/// The second oracle: `nodeproof-client` reads what the documented schema accepts, and vice versa.
pub(crate) async fn decodes(
    context: &Context,
    sample: Sample,
    decode: fn(&[u8]) -> Result<(), Unread>,
) -> Findings {
    let schema = sample
        .schema(&context.spec, View::Documented)
        .ok_or_else(|| Obstacle::Harness("the spec does not describe this answer".to_owned()))?;
    let validator = context
        .spec
        .validator(View::Documented, &schema)
        .map_err(|error| Obstacle::Harness(error.to_string()))?;
    // What `/call-sc` answers has no documented shape, so its schema promises nothing.
    let promised = sample != Sample::CallSc;
    let mut findings = Vec::new();
    for exchange in objects(context, sample).await? {
        let read = decode(&exchange.body);
        findings.extend(decodes_one(&exchange, read, &validator, promised)?);
    }
    Ok(findings)
}

/// Why the client does not read an answer.
pub(crate) struct Unread {
    reason: String,
    /// Whether one part of the answer speaks against another.
    doubtful: bool,
}

impl From<DecodeError> for Unread {
    fn from(error: DecodeError) -> Self {
        error.to_string().into()
    }
}

impl From<FieldError> for Unread {
    fn from(error: FieldError) -> Self {
        Self {
            doubtful: matches!(error.fault(), FieldFault::Doubtful(_)),
            reason: error.to_string(),
        }
    }
}

impl From<String> for Unread {
    fn from(reason: String) -> Self {
        Self {
            reason,
            doubtful: false,
        }
    }
}

/// Whether so many digits follow one another somewhere that they may be a number beyond 64 bits.
fn has_long_number(body: &[u8]) -> bool {
    const LONG: usize = 19;
    body.split(|byte| !byte.is_ascii_digit())
        .any(|digits| digits.len() >= LONG)
}

/// The same of one answer. What the schema accepts and promises, the client has to read.
pub(crate) fn decodes_one(
    exchange: &Arc<Exchange>,
    read: Result<(), Unread>,
    validator: &SchemaValidator,
    promised: bool,
) -> Result<Option<Finding>, Obstacle> {
    let Err(Unread { reason, doubtful }) = read else {
        return Ok(None);
    };
    let reason = shown(&reason, 300);
    // No schema says that two members have to agree.
    if promised && !doubtful && exchange.json().is_ok_and(|value| validator.is_valid(value)) {
        // The contract bounds no number, and times and codes are read into 64 bits.
        if has_long_number(&exchange.body) {
            return Err(Obstacle::TooLarge(format!(
                "the answer of {} has a number beyond 64 bits, {TOO_MUCH} ({reason})",
                exchange.url()
            )));
        }
        return Err(Obstacle::Harness(format!(
            "the documented schema accepts the answer of {}, and nodeproof-client does not read it \
             ({reason}): the spec or the client is at fault, not the node",
            exchange.url()
        )));
    }
    Ok(Some(Finding::new(
        exchange,
        format!("a client can't read the answer: {reason}"),
        "an answer of the documented shape",
        exchange.excerpt(160),
    )))
}

/// A request that is wrong must not be answered as if it were right: no success, unless with an
/// answer that says no, or that `harmless` knows to hold nothing.
pub(crate) async fn refused(
    context: &Context,
    request: Request,
    what: &str,
    harmless: impl Fn(&Value) -> bool,
) -> Findings {
    let exchange = context.node.send(request).await?;
    if !exchange.is_success()
        || exchange.json().map_or(true, |value| {
            value.is_null() || says_no(value) || harmless(value)
        })
    {
        return Ok(Vec::new());
    }
    Ok(vec![Finding::new(
        &exchange,
        format!("{what} is answered as if the request were right"),
        "a refusal",
        exchange.summary(),
    )])
}

/// How often an answer that differs is looked at again while the chain goes on.
const MOST_LOOKS: u32 = 4;

/// An answer may change with a block, but not with every look.
pub(crate) async fn steady(context: &Context, sample: Sample) -> Findings {
    // The last one, as most other questions are about the first.
    let Some(first) = objects(context, sample).await?.into_iter().next_back() else {
        return Ok(Vec::new());
    };
    let described = described(context, sample);
    let same = |one: &Exchange, other: &Exchange| reads_alike(one, other, &described);
    let mut before = context.node.send(first.request.clone()).await?;
    if same(&before, &first) {
        return Ok(Vec::new());
    }
    let mut height = Height::of(context).await?;
    for _ in 0..MOST_LOOKS {
        let after = context.node.send(first.request.clone()).await?;
        if same(&after, &before) {
            return Ok(Vec::new());
        }
        // What a block changes may show a moment after the block does.
        let again = context.node.send(first.request.clone()).await?;
        if same(&again, &after) {
            return Ok(Vec::new());
        }
        if height.stands(context).await? {
            let what = "the answer is another one each time the same is asked";
            return Ok(vec![Finding::new(
                &after,
                what,
                before.excerpt(160),
                after.excerpt(160),
            )]);
        }
        before = again;
    }
    let reason = "the answer is another one each time, and a block was made each time as well";
    Err(Obstacle::NoMaterial(reason.to_owned()))
}

/// The members of an answer that are documented.
pub(crate) fn described(context: &Context, sample: Sample) -> Vec<String> {
    let at = sample.schema(&context.spec, View::Documented);
    let schema = at.and_then(|at| context.spec.unwrap(View::Documented, &at));
    let members = schema.and_then(|(_, schema)| schema.get("properties")?.as_object().cloned());
    members
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .collect()
}

/// Whether two answers say the same. A word or number beside what is described may be about the
/// answer and not about the chain, as the time that it took or a count of confirmations.
pub(crate) fn reads_alike(one: &Exchange, other: &Exchange, described: &[String]) -> bool {
    let about_the_chain = |(name, value): &(&String, &Value)| {
        value.is_object() || value.is_array() || described.contains(name)
    };
    one.status == other.status
        && match (one.json().ok(), other.json().ok()) {
            (Some(Value::Object(one)), Some(Value::Object(other))) => {
                let members = one.keys().chain(other.keys());
                members.into_iter().all(|name| {
                    let (one, other) = (one.get(name), other.get(name));
                    let counts = |value: Option<&Value>| {
                        value.is_some_and(|value| about_the_chain(&(name, value)))
                    };
                    one == other || !counts(one) && !counts(other)
                })
            }
            (one, other) => one == other,
        }
}

/// Whether the chain goes on while something is looked at.
pub(crate) struct Height(Option<u64>);

/// How many blocks are asked for to find the newest again.
const MOST_NEW_BLOCKS: u32 = 100;

impl Height {
    /// The newest block there is now; unknown where the run has not found one.
    pub(crate) async fn of(context: &Context) -> Result<Self, Obstacle> {
        let mut height = Self::found(context);
        height.stands(context).await?;
        Ok(height)
    }

    /// The newest block when the run began.
    pub(crate) const fn found(context: &Context) -> Self {
        Self(context.material.tip)
    }

    /// Whether there is no newer block than at the last look. Where it is not known which is the
    /// newest, none is taken to have come.
    pub(crate) async fn stands(&mut self, context: &Context) -> Result<bool, Obstacle> {
        let Some(height) = &mut self.0 else {
            return Ok(true);
        };
        let before = *height;
        for _ in 0..MOST_NEW_BLOCKS {
            let next = context.node.send(block_request(*height + 1)).await?;
            if !next.answered_object().is_some_and(is_block) {
                break;
            }
            *height += 1;
        }
        Ok(*height == before)
    }
}

/// No answer with status 200 holds nothing.
pub(crate) fn never(_: &Value) -> bool {
    false
}

/// Whether the call is there at all: an answer 404 to a wrong request as well means that it isn't.
pub(crate) async fn is_missing(context: &Context, path: &'static str) -> Result<bool, Obstacle> {
    Ok(matches!(
        context.node.send(Request::get(path)).await?.status,
        404 | 405 | 501
    ))
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

    #[test]
    fn a_number_is_long_where_64_bits_may_not_hold_it() {
        assert!(has_long_number(br#"{"timestamp":9223372036854775808}"#));
        assert!(!has_long_number(
            br#"{"timestamp":999999999999999999,"b":12}"#
        ));
    }
}
