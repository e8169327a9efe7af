//! The description of the API, `openapi/node.yaml`: unchanged, and with one fault at a time.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its functions too"
)]

mod public_linters;
mod rules;

use nodeproof_openapi::NODE_YAML;

fn problems(text: &str) -> Vec<String> {
    rules::problems(&yaml_serde::from_str(text).unwrap())
}

/// Replaces a text that occurs once.
fn changed(find: &str, replace: &str) -> String {
    assert_eq!(
        NODE_YAML.matches(find).count(),
        1,
        "not there once:\n{find}"
    );
    NODE_YAML.replacen(find, replace, 1)
}

/// The package needs the text in its own folder, but readers look for it in `docs`.
#[test]
fn the_package_has_the_specification_of_the_docs() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/specification.md")).unwrap();
    if std::env::var_os("UPDATE_SPECIFICATION").is_some_and(|value| value == "1") {
        std::fs::write(root.join("openapi/specification.md"), text).unwrap();
        return;
    }
    assert!(
        text == nodeproof_openapi::SPECIFICATION_MD,
        "openapi/specification.md is not docs/specification.md: set UPDATE_SPECIFICATION=1 and run this test again"
    );
}

#[test]
fn the_description_has_no_problems() {
    let found = problems(NODE_YAML);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_marked_addition_is_not_a_problem() {
    let proof = "        proof:\n          x-requirement: BLOCK-4\n";
    let addition = "        colour:\n          x-observed: true\n          type: string\n";
    let found = problems(&changed(proof, &format!("{addition}{proof}")));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn each_fault_is_found() {
    for (find, replace, expected) in FAULTS {
        let found = problems(&changed(find, replace));
        assert!(
            found.iter().any(|problem| problem.contains(expected)),
            "{replace}\nexpected {expected}, found {found:#?}"
        );
    }
}

/// A text of the description, its replacement, and a part of the problem.
const FAULTS: &[(&str, &str, &str)] = &[
    // What the client generator drops or can't read.
    (
        "      required: [transactions, previous_block_receipts]",
        "      requird: [transactions, previous_block_receipts]",
        "/components/schemas/BlockText/requird: the client generator ignores it",
    ),
    (
        "          allOf:\n            - $ref: '#/components/schemas/BlockText'",
        "          nullable: true\n          $ref: '#/components/schemas/BlockText'",
        "/components/schemas/Block/properties/text/nullable: the client generator ignores it",
    ),
    (
        "          type: boolean\n          example: false",
        "          type: [boolean, 'null']\n          example: false",
        "the client generator can't read it",
    ),
    (
        "      description: The data of a vote.\n      type: object\n      additionalProperties: {}\n",
        "      description: The data of a vote.\n      type: object\n",
        "/components/schemas/ReceiptData: unknown fields are lost or rejected",
    ),
    (
        "            text/html:\n",
        "            text/plain:\n              schema: {type: string}\n            text/html:\n",
        "/paths/~1docs/get/responses/200: the client takes one media type",
    ),
    // The form of the marks.
    (
        "      x-documented:\n        required: [valid, msg, new_transaction]",
        "      x-documentd:\n        required: [valid, msg, new_transaction]",
        "/components/schemas/SubmitResult/x-documentd: is an unknown extension",
    ),
    (
        "              x-observed: [nullable]",
        "              x-observed: [nulable]",
        "/components/schemas/TokenBalance/anyOf/0/properties/balance/x-observed: must be true or a list",
    ),
    (
        "              x-observed: [nullable]",
        "              x-observed: false",
        "/components/schemas/TokenBalance/anyOf/0/properties/balance/x-observed: must be true or a list",
    ),
    (
        "      x-documented:\n        required: [valid, msg, new_transaction]",
        "      x-documented:\n        required: [valid, msg]",
        "/components/schemas/SubmitResult/x-documented: must have the keywords that differ",
    ),
    (
        "      x-when: {balance_type: TOKEN_IN_WALLET}\n      anyOf:",
        "      x-when: {balance_type: TOKENS_IN_WALLET}\n      anyOf:",
        "/components/schemas/TokenBalance/x-when: must have query parameters with possible values",
    ),
    // Parts that are not in the specification, but not marked, and the reverse.
    (
        "              nullable: true\n              x-observed: [nullable]\n",
        "              nullable: true\n",
        "/components/schemas/TokenBalance/anyOf/0/properties/balance: the specification shows no null",
    ),
    (
        "        is_child_txn:\n          x-observed: true\n",
        "        is_child_txn:\n",
        "/components/schemas/Transaction/properties/is_child_txn: a documented part that cites no",
    ),
    (
        "  /submit-transaction-batch:\n    x-observed: true\n",
        "  /submit-transaction-batch:\n",
        "/paths/~1submit-transaction-batch/post: a documented part that cites no",
    ),
    (
        "      x-requirement: [BLOCK-13, TRUST-4]\n      x-observed: true\n",
        "      x-requirement: [BLOCK-13, TRUST-4]\n",
        "/components/responses/NotFound: a documented part that cites no",
    ),
    (
        "    TokenHolder:\n      x-observed: true\n",
        "    TokenHolder:\n",
        "/components/schemas/TokenHolder: only observed parts refer to it",
    ),
    (
        "  /call-sc:\n    post:\n",
        "  /call-sc:\n    x-observed: true\n    post:\n",
        "no documented part cites CALL-6:",
    ),
    // Requirements.
    (
        "          x-requirement: BLOCK-7\n",
        "          x-requirement: BLOCK-77\n",
        "/components/schemas/BlockText/properties/transactions/x-requirement: must be an ID",
    ),
    (
        "          x-requirement: BLOCK-7\n",
        "          x-requirement: 7\n",
        "/components/schemas/BlockText/properties/transactions/x-requirement: must be an ID",
    ),
    (
        "          x-requirement: BLOCK-7\n",
        "",
        "/components/schemas/BlockText/properties/transactions: a documented part that cites no",
    ),
    // Observations in descriptions of the specification.
    (
        "          description: Index of the block.",
        "          description: Index of the block. Seen as text, too.",
        "/paths/~1get-block/get/parameters/0/description: `seen` is about real nodes",
    ),
    (
        "      summary: Get a block by index\n",
        "      summary: Get a block by index, or a row, as some nodes do\n",
        "/paths/~1get-block/get/summary: `some nodes` is about real nodes",
    ),
    (
        "Observed: nodes build a transaction for any address",
        "Observed, nodes build a transaction for any address",
        "/paths/~1call-sc/post/description: `observed` is about real nodes",
    ),
    // Schemas and examples.
    (
        "        required: [valid, msg, new_transaction]",
        "        required: [valid, msg, new_transactoin]",
        "/components/schemas/SubmitResult: `new_transactoin` is required, and not a property",
    ),
    (
        "      pattern: '^ct[0-9a-f]{40}$'",
        "      pattern: '^ct[0-9a-f{40}$'",
        "ContractAddress",
    ),
    (
        "          example: 1200\n      responses:",
        "          example: latest\n      responses:",
        "/paths/~1get-block/get/parameters/0, example ",
    ),
    (
        "                  value: {status: SUCCESS, trust_score: 1}",
        "                  value: {status: SUCCESS}",
        "example known_pair: ",
    ),
    (
        "                  value: {status: SUCCESS, trust_score: 1}",
        "                  value: {status: SUCCESS, trust_score: 1, truts: 1}",
        "example known_pair: ",
    ),
    (
        "                nothing_held:\n                  x-observed: true\n",
        "                nothing_held:\n",
        "example nothing_held: ",
    ),
];
