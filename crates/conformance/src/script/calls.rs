//! Contract calls with values of each kind, for the rule *echo*. None of them is submitted.

use serde_json::{Value, json};

use super::repeat::note;
use crate::{
    api::{Sample, UNKNOWN_CONTRACT},
    context::Samples,
    http::Request,
};

/// Has the node build calls: two equal ones at the same time, and calls with unusual values. It must not build a
/// call from the rest.
pub(super) async fn build_calls(context: &Samples) {
    // Without responses, other cases are inconclusive.
    let _ = context.sample(Sample::CallSc).await;
    let equal = || context.node.send(context.call_request());
    let (one, other) = futures_util::future::join(equal(), equal()).await;
    let mut requests = with_unusual_values(context);
    requests.extend(with_wrong_bodies(&context.call_body()));
    let done = match one.and(other) {
        Ok(_) => context.node.send_all(requests).await.map(drop),
        Err(reason) => Err(reason),
    };
    note(context, done);
}

fn with_wrong_bodies(body: &Value) -> Vec<Request> {
    let call = |body: String| Request::post("/call-sc", body);
    let mut all = vec![
        Request::get("/call-sc"),
        call(String::new()),
        call("{\"sc_address\":".to_owned()),
    ];
    // A node may build this one.
    let mut of_unknown = body.clone();
    of_unknown["sc_address"] = UNKNOWN_CONTRACT.into();
    all.push(call(of_unknown.to_string()));
    for (name, value) in body.as_object().into_iter().flatten() {
        let mut without = body.clone();
        if let Some(members) = without.as_object_mut() {
            members.shift_remove(name);
        }
        all.push(call(without.to_string()));
        // The name of a member is exact.
        without[name.to_uppercase()] = value.clone();
        all.push(call(without.to_string()));
    }
    all
}

/// The depth of the params.
const DEPTH: usize = 40;

/// Number of additional members.
const MEMBERS: usize = 200;

/// Numbers that a node may round. They are text, because no number type holds all of them. A node can read each
/// decimal as a float and write it again without a change of its value.
const NUMBERS: &str = "\"integers\":[18446744073709551616,-9223372036854775809,9223372036854775807,\
    123456789012345678901234567890,-1,0],\"decimals\":[0.1,1e-7,-0.25,1.5,1234567.123456789]";

/// Returns calls with unusual values, one kind in each: a node may refuse some of them.
fn with_unusual_values(context: &Samples) -> Vec<Request> {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = context.call_body();
        body["params"]["remarks"] = "never submitted".into();
        change(&mut body);
        body.to_string()
    };
    // Further params, as text.
    let with_params = |more: String| {
        let body = with(&|_| {});
        body.replacen("\"params\":{", &format!("\"params\":{{{more},"), 1)
    };
    let deep = format!(
        "{}\"bottom\"{}",
        "{\"a\":[".repeat(DEPTH / 2),
        "]}".repeat(DEPTH / 2)
    );
    let members: Vec<_> = (0..MEMBERS)
        .map(|n| format!("\"member_{n}\":{n}"))
        .collect();
    // Texts that are often misread, lists that may be shortened, and names that may be normalised.
    let odd = json!({
        "texts": [
            "<b>&amp;& it''s 41%20+{x} ${y} $z `w` %s \\n", "12345", "1.50", "true", "null", " ",
            "\u{1}\u{7f}\u{feff}\u{200d}\u{2028}.", "long ".repeat(500),
        ],
        "list": (0..64).collect::<Vec<_>>(),
        "nothing": [null, true, false, "", [], {}],
        "none": null,
        " Upper Key ": 1, "a.b-c": 2, "$d": 3, "__proto__": 4, "": 5, "e\u{301}": 6,
        "k".repeat(64): 7,
    });
    // Plain texts, which careless filters in front of a node take for attacks.
    let remarks =
        "please select one from the list, or drop the table -- it's '1' or '2', see <the script>";
    // Wherever a program cuts a body into pieces of equal length, it cuts one of these characters.
    let characters = "\u{1f30d}".repeat(600);
    let link = "https://example.org/a/../select?from=list&script=<1>";
    let signers: Vec<_> = [0xd1_u8, 0x2e, 0xff, 0x07, 0x9a]
        .map(|byte| format!("0x{}", format!("{byte:02x}").repeat(20)))
        .to_vec();
    let bodies = [
        with(&|body| body["params"]["remarks"] = remarks.into()),
        with(&|body| {
            body["params"]["remarks"] =
                format!("{characters} between two long words {characters}").into()
        }),
        with(&|body| body["params"]["doc_link_list"][0] = link.into()),
        with(&|body| {
            body["signers"] = json!([signers[0], signers[1], signers[2], signers[3], signers[4]])
        }),
        with(&|body| {
            let params = &mut body["params"];
            // Blanks, upper case, and longer than a narrow column.
            params["asset_id"] =
                "  Conformance-Check-Deep of more than forty-eight characters ".into();
            params["doc_hash_list"] = json!([]);
            params["doc_link_list"] = json!(["", "a'b\"c\\d<e>&f;%41"]);
            // Forms in which programs write where a value is to be put.
            params["remarks"] =
                "{asset_id} {{asset_id}} {{}} {0} {} ${asset_id} $asset_id %(asset_id)s %1$s %% #{outcome} :outcome <%= outcome %>"
                    .into();
            params["outcome"] = 0.into();
            params["deletable_after"] = i64::MAX.into();
        }),
        with_params(format!("\"odd\":{odd}")),
        with_params(NUMBERS.to_owned()),
        with_params(format!(
            "\"deep\":{deep},\"many\":{{{}}}",
            members.join(",")
        )),
    ];
    let calls = bodies.map(|body| Request::post("/call-sc", body));
    std::iter::once(context.call_of_transfer())
        .chain(calls)
        .collect()
}
