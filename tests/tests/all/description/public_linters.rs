//! Faults that the public linters find. They run in CI with the configuration of this repository.

use std::{path::Path, process::Command};

use nodeproof_openapi::NODE_YAML;

/// Text that occurs in the spec, its replacement, and a part of the linter's output.
type Row = (&'static str, &'static str, &'static str);

/// For Redocly, with the rule that fails.
const REDOCLY: &[Row] = &[
    (
        "      operationId: call_sc\n",
        "      operationId: get_block\n",
        "operation-operationId-unique",
    ),
    ("      operationId: sc_state\n", "", "operation-operationId"),
    (
        "      operationId: submit_transaction\n",
        "      operationId: submitTransaction\n",
        "rule/snake-case",
    ),
    (
        "      summary: Read the state of a smart contract\n",
        "",
        "operation-summary",
    ),
    (
        "          example: 1200\n      responses:",
        "      responses:",
        "rule/parameter-example",
    ),
    (
        "          description: Index of the block.",
        "          x-observed: true",
        "parameter-description",
    ),
    ("  /docs:\n", "  /docs/{page}:\n", "path-parameters-defined"),
    (
        "        - name: dst_wallet_address",
        "        - name: src_wallet_address",
        "operation-parameters-unique",
    ),
    (
        "    description: Read blocks, balances, contract state and trust scores. They change nothing.",
        "    descripton: Read blocks, balances, contract state and trust scores. They change nothing.",
        "struct",
    ),
    (
        "                $ref: '#/components/schemas/TrustScore'",
        "                $ref: '#/components/schemas/TrustSocre'",
        "no-unresolved-refs",
    ),
    (
        "          allOf:\n            - $ref: '#/components/schemas/BlockText'",
        "          x-mark: true\n          $ref: '#/components/schemas/BlockText'",
        "spec-ref-siblings",
    ),
    (
        "    TransactionType:\n",
        "    Forgotten:\n      description: Of no use.\n      type: string\n    TransactionType:\n",
        "no-unused-components",
    ),
    (
        "      required: [amount_to_send, receiver, asset_code]",
        "      required: [amount_to_send, reciever, asset_code]",
        "no-required-schema-properties-undefined",
    ),
    (
        "      description: Parameters of the transfer function.\n",
        "",
        "rule/schema-description",
    ),
    (
        "          description: False in transactions that `/call-sc` builds.\n",
        "",
        "rule/field-description",
    ),
    (
        "      pattern: '^ct[0-9a-f]{40}$'",
        "      pattern: '^ct[0-9a-f{40}$'",
        "no-invalid-parameter-examples",
    ),
];

/// For openapi-spec-validator, one at a time, because it stops at the first.
const VALIDATOR: &[Row] = &[
    (
        "ALL_WALLETS_FOR_TOKEN]\n",
        "ALL_WALLETS_FOR_TOKEN]\n      default: ONE_TOKEN\n",
        "ONE_TOKEN",
    ),
    (
        "ALL_WALLETS_FOR_TOKEN]\n",
        "TOKEN_IN_WALLET]\n",
        "non-unique",
    ),
];

/// Returns what the linter prints about the spec with these faults, or `None` if it is not installed.
fn output(command: &str, arguments: &[&str], rows: &[Row]) -> Option<String> {
    let probe = Command::new(command).arg("--version").output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("node.yaml");
    let mut text = NODE_YAML.to_owned();
    for (find, replace, _) in rows {
        assert!(text.contains(find), "not in the spec:\n{find}");
        text = text.replacen(find, replace, 1);
    }
    std::fs::write(&file, text).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let run = Command::new(command)
        .current_dir(root)
        .args(arguments)
        .arg(file)
        .output()
        .unwrap();
    assert!(
        !run.status.success(),
        "{command} passes the faults of {rows:?}"
    );
    Some(String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr))
}

#[test]
fn redocly_finds_what_the_rules_leave_to_it() {
    let configured = [
        "lint",
        "--format",
        "stylish",
        "--config",
        "openapi/redocly.yaml",
    ];
    if let Some(found) = output("redocly", &configured, REDOCLY) {
        for (_, _, rule) in REDOCLY {
            assert!(
                found.contains(&format!(" {rule} ")),
                "{rule} is missing:\n{found}"
            );
        }
    }
}

#[test]
fn the_validator_finds_what_the_rules_leave_to_it() {
    for row in VALIDATOR {
        if let Some(found) = output("openapi-spec-validator", &[], &[*row]) {
            assert!(found.contains(row.2), "{row:?}:\n{found}");
        }
    }
}
