//! `cargo xtask spec` against the real spec, whole and with one thing broken at a time.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its functions too"
)]

use xtask::spec::{Problem, inventory, lint};

const SPEC: &str = nodeproof_openapi::NODE_YAML;
const INVENTORY: &str = include_str!("../../openapi/contract-inventory.txt");

/// One thing to break in the spec, and what has to be found.
struct Fault {
    /// Text that is in the spec once.
    find: &'static str,
    /// What stands there instead.
    replace: &'static str,
    rule: &'static str,
    pointer: &'static str,
    /// How many lines after the beginning of the changed text the finding is.
    line: isize,
    /// What the finding has to mention.
    says: &'static str,
}

fn break_spec(find: &str, replace: &str) -> (String, isize) {
    assert_eq!(
        SPEC.matches(find).count(),
        1,
        "not in the spec exactly once:\n{find}"
    );
    let line = SPEC[..SPEC.find(find).unwrap()].lines().count();
    let begins_line = SPEC[..SPEC.find(find).unwrap()].ends_with('\n');
    let line = line + usize::from(begins_line);
    (
        SPEC.replacen(find, replace, 1),
        isize::try_from(line).unwrap(),
    )
}

fn found(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(|problem| format!("  {problem}\n"))
        .collect()
}

#[test]
fn the_spec_has_no_problems() {
    let problems = lint(SPEC, INVENTORY);
    assert!(problems.is_empty(), "\n{}", found(&problems));
}

#[test]
fn the_inventory_is_what_the_spec_documents() {
    assert_eq!(inventory(SPEC), INVENTORY);
}

#[test]
fn every_seeded_fault_is_found_where_it_is() {
    let (first, second) = FAULTS.split_at(FAULTS.len() / 2);
    let missed = std::thread::scope(|scope| {
        let first = scope.spawn(|| first.iter().filter_map(missed).collect::<String>());
        let second: String = second.iter().filter_map(missed).collect();
        first.join().unwrap() + &second
    });
    assert!(missed.is_empty(), "{missed}");
}

/// What was found instead, if the fault was not.
fn missed(fault: &Fault) -> Option<String> {
    let Fault {
        find,
        replace,
        rule,
        pointer,
        line,
        says,
    } = *fault;
    let (broken, start) = break_spec(find, replace);
    let problems = lint(&broken, INVENTORY);
    let hit = problems.iter().any(|problem| {
        problem.rule == rule
            && problem.pointer == pointer
            && isize::try_from(problem.line) == Ok(start + line)
            && problem.message.contains(says)
    });
    (!hit).then(|| {
        let place = format!("in line {}: [{rule}] at #{pointer}: …{says}…", start + line);
        format!(
            "\n{find} ->\n{replace}\nexpected {place}\nfound:\n{}",
            found(&problems)
        )
    })
}

#[test]
fn all_problems_are_told_in_one_run() {
    let mut text = SPEC.to_owned();
    for fault in FAULTS.iter().filter(|fault| fault.rule != "yaml").take(7) {
        text = text.replacen(fault.find, fault.replace, 1);
    }
    let problems = lint(&text, INVENTORY);
    for fault in FAULTS.iter().filter(|fault| fault.rule != "yaml").take(7) {
        assert!(
            problems
                .iter()
                .any(|p| p.rule == fault.rule && p.pointer == fault.pointer),
            "{} at {} is missing:\n{}",
            fault.rule,
            fault.pointer,
            found(&problems)
        );
    }
}

#[test]
fn problems_come_in_the_order_of_the_file() {
    let broken = SPEC.replace("additionalProperties: {}", "aditionalProperties: {}");
    let lines: Vec<_> = lint(&broken, INVENTORY)
        .iter()
        .map(|problem| problem.line)
        .collect();
    assert!(lines.len() > 30);
    assert!(lines.is_sorted());
}

#[test]
fn a_marked_addition_is_no_departure() {
    let (text, _) = break_spec(
        "        proof:\n          description: >-\n            What the values mean",
        "        colour:\n          x-observed: true\n          description: Seen.\n          \
         type: string\n        proof:\n          description: >-\n            What the values mean",
    );
    assert_eq!(found(&lint(&text, INVENTORY)), "");
}

#[test]
fn a_line_that_the_inventory_lacks_is_told() {
    let without = INVENTORY.replace("GET /sc-state 200 value any\n", "");
    let problems = lint(SPEC, &without);
    assert_eq!(problems.len(), 1, "\n{}", found(&problems));
    assert_eq!(
        problems[0].pointer,
        "/components/schemas/ContractStateAnswer/properties/value"
    );
}

#[test]
fn a_removed_operation_is_told_once() {
    let start = SPEC.find("  /docs:\n").unwrap();
    let end = SPEC.find("  /call-sc:\n").unwrap();
    let text = format!("{}{}", &SPEC[..start], &SPEC[end..]);
    let problems = lint(&text, INVENTORY);
    assert_eq!(problems.len(), 1, "\n{}", found(&problems));
    assert!(problems[0].message.contains("GET /docs operationId docs"));
}

#[test]
fn what_is_not_yaml_is_told_with_its_line() {
    let (text, line) = break_spec("tags:\n  - name: queries", "tags: [\n  - name: queries");
    let problems = lint(&text, INVENTORY);
    assert!(!problems.is_empty());
    assert!(
        problems.iter().all(|problem| problem.rule == "yaml"),
        "\n{}",
        found(&problems)
    );
    assert!(isize::try_from(problems[0].line).unwrap() >= line);
}

const FAULTS: &[Fault] = &[
    Fault {
        find: "      required: [transactions, previous_block_receipts]",
        replace: "      requird: [transactions, previous_block_receipts]",
        rule: "unknown-keyword",
        pointer: "/components/schemas/BlockText/requird",
        line: 0,
        says: "did you mean `required`",
    },
    Fault {
        find: "      description: The parameters of the transfer function.\n      type: object",
        replace: "      description: The parameters of the transfer function.\n      tpye: object",
        rule: "unknown-keyword",
        pointer: "/components/schemas/TransferParams/tpye",
        line: 1,
        says: "did you mean `type`",
    },
    Fault {
        find: "      operationId: sc_state",
        replace: "      operationid: sc_state",
        rule: "unknown-keyword",
        pointer: "/paths/~1sc-state/get/operationid",
        line: 0,
        says: "did you mean `operationId`",
    },
    Fault {
        find: "    description: Reading blocks, balances, contract state and trust scores.",
        replace: "    descripton: Reading blocks, balances, contract state and trust scores.",
        rule: "unknown-keyword",
        pointer: "/tags/0/descripton",
        line: 0,
        says: "in Tag",
    },
    Fault {
        find: "              schema:\n                $ref: '#/components/schemas/TrustScoreAnswer'",
        replace: "              shema:\n                $ref: '#/components/schemas/TrustScoreAnswer'",
        rule: "unknown-keyword",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200/content/application~1json/shema",
        line: 0,
        says: "did you mean `schema`",
    },
    Fault {
        find: "      x-documented:\n        required: [valid, msg, new_transaction]",
        replace: "      x-documentd:\n        required: [valid, msg, new_transaction]",
        rule: "unknown-extension",
        pointer: "/components/schemas/SubmitResult/x-documentd",
        line: 0,
        says: "did you mean `x-documented`",
    },
    Fault {
        find: "          type: boolean\n          example: false",
        replace: "          type: bolean\n          example: false",
        rule: "unknown-word",
        pointer: "/components/schemas/Transaction/properties/is_child_txn/type",
        line: 0,
        says: "did you mean `boolean`",
    },
    Fault {
        find: "          type: boolean\n          example: false",
        replace: "          type: [boolean, 'null']\n          example: false",
        rule: "later-keyword",
        pointer: "/components/schemas/Transaction/properties/is_child_txn/type",
        line: 0,
        says: "nullable",
    },
    Fault {
        find: "          description: Seen to be `SUCCESS` whether a record was found or not.\n",
        replace: "          description: Seen to be `SUCCESS`.\n          const: SUCCESS\n",
        rule: "later-keyword",
        pointer: "/components/schemas/ContractStateAnswer/properties/status/const",
        line: 1,
        says: "3.1",
    },
    Fault {
        find: "    TransactionType:\n",
        replace: "    TransactionType:\n      examples: [3]\n",
        rule: "later-keyword",
        pointer: "/components/schemas/TransactionType/examples",
        line: 1,
        says: "3.1",
    },
    Fault {
        find: "openapi: 3.0.3",
        replace: "openapi: 3.1.0",
        rule: "openapi-version",
        pointer: "/openapi",
        line: 0,
        says: "3.1.0",
    },
    Fault {
        find: "          required: true\n          description: Index of the block to get.",
        replace: "          required: 'yes'\n          description: Index of the block to get.",
        rule: "wrong-type",
        pointer: "/paths/~1get-block/get/parameters/0/required",
        line: 0,
        says: "true or false",
    },
    Fault {
        find: "          required: true\n          description: Index of the block to get.",
        replace: "          required: yes\n          description: Index of the block to get.",
        rule: "yaml-ambiguous",
        pointer: "/paths/~1get-block/get/parameters/0/required",
        line: 0,
        says: "quotes",
    },
    Fault {
        find: "  title: Blockchain node API\n",
        replace: "",
        rule: "missing-keyword",
        pointer: "/info",
        line: -1,
        says: "`title`",
    },
    Fault {
        find: "                $ref: '#/components/schemas/TrustScoreAnswer'",
        replace: "                $ref: '#/components/schemas/TrustScoreAnwser'",
        rule: "dangling-ref",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200/content/application~1json/schema/$ref",
        line: 0,
        says: "did you mean `TrustScoreAnswer`",
    },
    Fault {
        find: "                $ref: '#/components/schemas/TrustScoreAnswer'",
        replace: "                $ref: 'other.yaml#/TrustScoreAnswer'",
        rule: "external-ref",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200/content/application~1json/schema/$ref",
        line: 0,
        says: "out of this file",
    },
    Fault {
        find: "                $ref: '#/components/schemas/TrustScoreAnswer'",
        replace: "                $ref: '#/components/responses/NotFound'",
        rule: "ref-kind",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200/content/application~1json/schema/$ref",
        line: 0,
        says: "#/components/schemas/",
    },
    Fault {
        find: "        text:\n          $ref: '#/components/schemas/BlockText'",
        replace: "        text:\n          nullable: true\n          $ref: '#/components/schemas/BlockText'",
        rule: "ref-siblings",
        pointer: "/components/schemas/Block/properties/text/nullable",
        line: 1,
        says: "allOf",
    },
    Fault {
        find: "    TransactionType:\n",
        replace: "    Forgotten:\n      description: Of no use.\n      type: string\n    TransactionType:\n",
        rule: "unused-component",
        pointer: "/components/schemas/Forgotten",
        line: 0,
        says: "no operation leads here",
    },
    Fault {
        find: "  responses:\n    NotFound:\n",
        replace: "  responses:\n    Gone:\n      x-observed: true\n      description: Gone.\n    NotFound:\n",
        rule: "unused-component",
        pointer: "/components/responses/Gone",
        line: 1,
        says: "no operation leads here",
    },
    Fault {
        find: "    TokenHolder:\n      x-observed: true\n",
        replace: "    TokenHolder:\n",
        rule: "unmarked-component",
        pointer: "/components/schemas/TokenHolder",
        line: 0,
        says: "x-observed: true",
    },
    Fault {
        find: "      operationId: call_sc",
        replace: "      operationId: sc_state",
        rule: "operation-id",
        pointer: "/paths/~1call-sc/post/operationId",
        line: 0,
        says: "already",
    },
    Fault {
        find: "      operationId: call_sc\n",
        replace: "",
        rule: "operation-id",
        pointer: "/paths/~1call-sc/post",
        line: -1,
        says: "needs an `operationId`",
    },
    Fault {
        find: "      summary: What a smart contract has stored\n",
        replace: "",
        rule: "missing-description",
        pointer: "/paths/~1sc-state/get",
        line: -3,
        says: "summary",
    },
    Fault {
        find: "          example: 1200\n      responses:",
        replace: "      responses:",
        rule: "missing-example",
        pointer: "/paths/~1get-block/get/parameters/0",
        line: -6,
        says: "example",
    },
    Fault {
        find: "          example: 1200\n      responses:",
        replace: "          example: newest\n      responses:",
        rule: "invalid-example",
        pointer: "/paths/~1get-block/get/parameters/0/example",
        line: 0,
        says: "integer",
    },
    Fault {
        find: "                  value: {status: SUCCESS, trust_score: 1}",
        replace: "                  value: {status: SUCCESS}",
        rule: "invalid-example",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200/content/application~1json/examples/known_pair/value",
        line: 0,
        says: "trust_score",
    },
    Fault {
        find: "                nothing_held:\n                  x-observed: true\n",
        replace: "                nothing_held:\n",
        rule: "invalid-example",
        pointer: "/paths/~1get-balances/get/responses/200/content/application~1json/examples/nothing_held/value/balance",
        line: 3,
        says: "documented view",
    },
    Fault {
        find: "      required: [amount_to_send, receiver, asset_code]",
        replace: "      required: [amount_to_send, reciever, asset_code]",
        rule: "required-property",
        pointer: "/components/schemas/TransferParams/required/1",
        line: 0,
        says: "did you mean `receiver`",
    },
    Fault {
        find: "  /get-block:\n",
        replace: "  /get-block/{height}:\n",
        rule: "path-parameter",
        pointer: "/paths/~1get-block~1{height}/get",
        line: 1,
        says: "`{height}`",
    },
    Fault {
        find: "        - name: block_index\n          in: query",
        replace: "        - name: block_index\n          in: path",
        rule: "path-parameter",
        pointer: "/paths/~1get-block/get/parameters/0",
        line: 0,
        says: "`{block_index}`",
    },
    Fault {
        find: "        - name: dst_wallet_address",
        replace: "        - name: src_wallet_address",
        rule: "duplicate-parameter",
        pointer: "/paths/~1get-trustscore-wallets/get/parameters/1",
        line: 0,
        says: "second parameter",
    },
    Fault {
        find: "      type: integer\n      example: 1767225600000",
        replace: "      type: integer\n      format: int46\n      example: 1767225600000",
        rule: "unknown-format",
        pointer: "/components/schemas/TimestampMs/format",
        line: 1,
        says: "int46",
    },
    Fault {
        find: "      pattern: '^ct[0-9a-f]{40}$'",
        replace: "      pattern: '^ct[0-9a-f{40}$'",
        rule: "invalid-pattern",
        pointer: "/components/schemas/ContractAddress/pattern",
        line: 0,
        says: "regular expression",
    },
    Fault {
        find: "      enum: [TOKEN_IN_WALLET, ALL_TOKENS_IN_WALLET, ALL_WALLETS_FOR_TOKEN]\n",
        replace: "      enum: [TOKEN_IN_WALLET, ALL_TOKENS_IN_WALLET, ALL_WALLETS_FOR_TOKEN]\n      default: ONE_TOKEN\n",
        rule: "default",
        pointer: "/components/schemas/BalanceType/default",
        line: 1,
        says: "ONE_TOKEN",
    },
    Fault {
        find: "      enum: [TOKEN_IN_WALLET, ALL_TOKENS_IN_WALLET, ALL_WALLETS_FOR_TOKEN]",
        replace: "      enum: [TOKEN_IN_WALLET, ALL_TOKENS_IN_WALLET, TOKEN_IN_WALLET]",
        rule: "enum",
        pointer: "/components/schemas/BalanceType/enum/2",
        line: 0,
        says: "twice",
    },
    Fault {
        find: "      type: number\n      example: 12.5",
        replace: "      type: number\n      pattern: '^[0-9.]+$'\n      example: 12.5",
        rule: "keyword-of-other-type",
        pointer: "/components/schemas/Amount/pattern",
        line: 1,
        says: "type string",
    },
    Fault {
        find: "                  value: {status: SUCCESS, trust_score: 1}",
        replace: "                  value: {status: SUCCESS, trust_score: 1, truts: 1}",
        rule: "invalid-example",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200/content/application~1json/examples/known_pair/value",
        line: 0,
        says: "no schema names",
    },
    // The client generator.
    Fault {
        find: "      responses:\n        '200':\n          description: The score.",
        replace: "      responses:\n        '201':\n          description: None.\n        '200':\n          description: The score.",
        rule: "generator",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200",
        line: 3,
        says: "panic",
    },
    Fault {
        find: "      description: What a voter has signed.\n      type: object\n      additionalProperties: {}\n",
        replace: "      description: What a voter has signed.\n      type: object\n",
        rule: "unknown-fields",
        pointer: "/components/schemas/ReceiptData",
        line: -1,
        says: "additionalProperties: {}",
    },
    Fault {
        find: "        - title: ValueField\n          type: object\n          additionalProperties: {}\n",
        replace: "        - title: ValueField\n          type: object\n",
        rule: "generator",
        pointer: "/components/schemas/TokenBalance/anyOf/1",
        line: 0,
        says: "externally tagged",
    },
    Fault {
        find: "            text/html:\n",
        replace: "            text/plain:\n              schema: {type: string}\n              example: x\n            text/html:\n",
        rule: "generator",
        pointer: "/paths/~1docs/get/responses/200/content",
        line: -1,
        says: "one media type",
    },
    // Marks.
    Fault {
        find: "              x-observed: [nullable]",
        replace: "              x-observed: [nulable]",
        rule: "mark-form",
        pointer: "/components/schemas/TokenBalance/anyOf/0/properties/balance/x-observed",
        line: 0,
        says: "nulable",
    },
    Fault {
        find: "              x-observed: [nullable]",
        replace: "              x-observed: false",
        rule: "mark-form",
        pointer: "/components/schemas/TokenBalance/anyOf/0/properties/balance/x-observed",
        line: 0,
        says: "must be true",
    },
    Fault {
        find: "      x-documented:\n        required: [valid, msg, new_transaction]",
        replace: "      x-documented:\n        required: [valid, msg]",
        rule: "mark-form",
        pointer: "/components/schemas/SubmitResult/x-documented/required",
        line: 1,
        says: "the same",
    },
    Fault {
        find: "      x-when: {balance_type: TOKEN_IN_WALLET}\n      anyOf:",
        replace: "      x-when: {balance_type: TOKENS_IN_WALLET}\n      anyOf:",
        rule: "mark-form",
        pointer: "/components/schemas/TokenBalance/x-when/balance_type",
        line: 0,
        says: "TOKENS_IN_WALLET",
    },
    // YAML.
    Fault {
        find: "        '200':\n          description: The score.",
        replace: "        '200':\n          description: The score.\n          description: The mark.",
        rule: "duplicate-key",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200/description",
        line: 2,
        says: "first in line",
    },
    Fault {
        find: "        '200':\n          description: The score.",
        replace: "        200:\n          description: The score.",
        rule: "yaml-key",
        pointer: "/paths/~1get-trustscore-wallets/get/responses/200",
        line: 0,
        says: "quotes",
    },
    // Departures from the contract that carry no mark.
    Fault {
        find: "              nullable: true\n              x-observed: [nullable]\n",
        replace: "              nullable: true\n",
        rule: "unmarked-departure",
        pointer: "/components/schemas/TokenBalance/anyOf/0/properties/balance",
        line: -3,
        says: "`integer nullable required`, and contract-inventory.txt has `integer required`",
    },
    Fault {
        find: "        is_child_txn:\n          x-observed: true\n",
        replace: "        is_child_txn:\n",
        rule: "unmarked-departure",
        pointer: "/components/schemas/Transaction/properties/is_child_txn",
        line: 0,
        says: "transaction.is_child_txn boolean",
    },
    Fault {
        find: "      required: [transactions, previous_block_receipts]",
        replace: "      required: [transactions]",
        rule: "unmarked-departure",
        pointer: "/components/schemas/BlockText/properties/previous_block_receipts",
        line: 7,
        says: "contract-inventory.txt has `array required`",
    },
    Fault {
        find: "      pattern: '^ct[0-9a-f]{40}$'",
        replace: "      pattern: '^ct[0-9a-fA-F]{40}$'",
        rule: "unmarked-departure",
        pointer: "/components/schemas/ContractAddress",
        line: -3,
        says: "contract_address",
    },
    Fault {
        find: "      enum: [TOKEN_IN_WALLET, ALL_TOKENS_IN_WALLET, ALL_WALLETS_FOR_TOKEN]",
        replace: "      enum: [TOKEN_IN_WALLET, ALL_TOKENS_IN_WALLET, ALL_WALLETS_FOR_TOKEN, NFT]",
        rule: "unmarked-departure",
        pointer: "/components/schemas/BalanceType",
        line: -8,
        says: "NFT",
    },
    Fault {
        find: "        enum: ['8420', '8421', '8456']",
        replace: "        enum: ['8420', '8421', '8454']",
        rule: "unmarked-departure",
        pointer: "/servers/0/variables/port",
        line: -2,
        says: "8456",
    },
    Fault {
        find: "  /submit-transaction-batch:\n    x-observed: true\n",
        replace: "  /submit-transaction-batch:\n",
        rule: "unmarked-departure",
        pointer: "/paths/~1submit-transaction-batch/post",
        line: 1,
        says: "POST /submit-transaction-batch",
    },
    Fault {
        find: "  /call-sc:\n    post:\n",
        replace: "  /call-sc:\n    x-observed: true\n    post:\n",
        rule: "unmarked-departure",
        pointer: "/paths/~1call-sc/post",
        line: 2,
        says: "no longer documented",
    },
    Fault {
        find: "    NotFound:\n      x-observed: true\n",
        replace: "    NotFound:\n",
        rule: "unmarked-departure",
        pointer: "/components/responses/NotFound/content/application~1json",
        line: 3,
        says: "GET /get-block 400",
    },
    Fault {
        find: "            - x-observed: true\n              title: SeveralMessages\n",
        replace: "            - title: SeveralMessages\n",
        rule: "unmarked-departure",
        pointer: "/components/schemas/SubmitResult/properties/msg/oneOf/1",
        line: 0,
        says: "response.msg<SeveralMessages>",
    },
    Fault {
        find: "          in: query\n          description: The wallet, for `TOKEN_IN_WALLET`",
        replace: "          in: query\n          required: true\n          description: The wallet, for `TOKEN_IN_WALLET`",
        rule: "unmarked-departure",
        pointer: "/paths/~1get-balances/get/parameters/1",
        line: -1,
        says: "? wallet_address",
    },
];
