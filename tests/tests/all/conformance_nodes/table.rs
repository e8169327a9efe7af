//! The table: the fault of the last of three nodes, and the result of the cross-check.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    faults::set,
    matrix,
    proxy::{Fault, Proxy, RecordedRequest, Response},
    watch::ids,
};
use nodeproof_conformance::{Options, Sweep, report::Outcome};
use serde_json::json;

use super::{check, cross, devnode, more_held, other_proof, other_record, rows, shown_url};

/// The last of three nodes.
enum Last {
    /// It has another chain, or a chain of another length: seed and number of blocks.
    Chain(u64, u64),
    /// It responds with this fault.
    Responses(Fault),
    /// No node responds there.
    Gone,
}

use Outcome::{Fail, Inconclusive, Info, Pass};

struct Row {
    name: &'static str,
    last: Last,
    /// The blocks to compare. If it is `None`, a few blocks from the whole chain are compared.
    blocks: Option<&'static str>,
    /// The outcomes of height, blocks, balances and contract state.
    says: [Outcome; 4],
    /// The number of findings for each of them.
    findings: [usize; 4],
    exit: u8,
}

const CHECKS: [&str; 4] = ["height", "blocks", "balances", "contract-state"];
const AGREE: [Outcome; 4] = [Pass, Pass, Pass, Pass];

fn changed(query: &'static str, change: fn(Response) -> Response) -> Last {
    Last::Responses(Arc::new(
        move |request: &RecordedRequest, response: Response| {
            if request.query == query {
                change(response)
            } else {
                response
            }
        },
    ))
}

fn rows_of_table() -> Vec<Row> {
    let row = |name, last, says, findings, exit| Row {
        name,
        last,
        blocks: None,
        says,
        findings,
        exit,
    };
    vec![
        row("it has no fault", Last::Chain(7, 40), AGREE, [0; 4], 0),
        row(
            "its blocks are in row form",
            Last::Responses(rows()),
            AGREE,
            [0; 4],
            1,
        ),
        row(
            "it is 9 blocks behind",
            Last::Chain(7, 31),
            [Info, Pass, Pass, Pass],
            [1, 0, 0, 0],
            0,
        ),
        row(
            "it has a different chain",
            Last::Chain(8, 40),
            // Its wallets hold other tokens too.
            [Pass, Fail, Fail, Pass],
            [0, 1, 1, 0],
            1,
        ),
        row("nothing listens there", Last::Gone, AGREE, [0; 4], 3),
        row(
            "the latest block has a different proof",
            Last::Responses(other_proof("block_index=40")),
            [Pass, Fail, Pass, Pass],
            [0, 1, 0, 0],
            1,
        ),
        Row {
            blocks: Some(".."),
            ..row(
                "one old block has a different proof",
                Last::Responses(other_proof("block_index=27")),
                [Pass, Fail, Pass, Pass],
                [0, 1, 0, 0],
                1,
            )
        },
        Row {
            blocks: Some(".."),
            ..row(
                "one old block is missing",
                changed("block_index=27", |response| {
                    response
                        .with_status(StatusCode::BAD_REQUEST)
                        .with_body("{}")
                }),
                [Pass, Fail, Pass, Pass],
                [0, 1, 0, 0],
                1,
            )
        },
        Row {
            blocks: Some(".."),
            ..row(
                "one old block has a different creator and one vote less",
                changed("block_index=27", |response| {
                    response.with_json(|block| {
                        block["creator_wallet"] = json!(format!("0x{}", "ab".repeat(20)));
                        set(block, "/text/previous_block_receipts/0", json!({}));
                    })
                }),
                [Pass, Fail, Pass, Pass],
                [0, 2, 0, 0],
                1,
            )
        },
        row(
            "every positive balance is one too high",
            Last::Responses(more_held()),
            [Pass, Pass, Fail, Pass],
            [0, 0, 1, 0],
            1,
        ),
        row(
            "a record has different remarks",
            Last::Responses(other_record()),
            [Pass, Pass, Pass, Fail],
            [0, 0, 0, 1],
            1,
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_one_node_is_found_by_the_checks_about_it_and_the_node_is_named() {
    let (one, two, third) = (
        devnode(7, 40).await,
        devnode(7, 40).await,
        devnode(7, 40).await,
    );
    let mut wrong = Vec::new();
    for row in rows_of_table() {
        let mut proxy = None;
        let mut chain = None;
        let url = match row.last {
            Last::Responses(fault) => {
                let spawned = Proxy::spawn(&third, fault).await.expect("a proxy");
                proxy.insert(spawned).server.base_url()
            }
            Last::Chain(seed, blocks) => {
                let node = chain.insert(devnode(seed, blocks).await);
                node.base_url().to_owned()
            }
            Last::Gone => {
                let gone = devnode(7, 1).await;
                gone.base_url().to_owned()
            }
        };
        let mut options = Options::default();
        let sweep = row.blocks.map(|blocks| blocks.parse().expect("a range"));
        options.sweep = sweep.map(Sweep::new);
        let report = check(&[one.base_url(), two.base_url(), &url], &options).await;
        let checks = CHECKS.map(|id| cross(&report, id));
        let says = checks.map(|check| check.outcome);
        let findings = checks.map(|check| check.findings.len());
        let last = [shown_url(&url)];
        let others: Vec<_> = checks
            .iter()
            .flat_map(|check| &check.findings)
            .filter(|finding| finding.differs != last)
            .collect();
        if says != row.says || findings != row.findings || report.exit_code != row.exit {
            wrong.push(format!(
                "{}: {says:?} {findings:?} exit {} {:?}",
                row.name,
                report.exit_code,
                report
                    .nodes
                    .iter()
                    .map(|node| ids(node, Fail))
                    .collect::<Vec<_>>()
            ));
        }
        if !others.is_empty() {
            wrong.push(format!("{}: another node is named: {others:?}", row.name));
        }
        drop((proxy, chain));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_check_finds_some_fault() {
    let rows = rows_of_table();
    for (place, id) in CHECKS.iter().enumerate() {
        let finds = |row: &Row| row.findings[place] > 0;
        assert!(rows.iter().any(finds), "{id}");
    }
    assert!(rows.iter().all(|row| !row.says.contains(&Inconclusive)));
}

#[test]
fn the_fault_matrix_in_the_docs_is_fresh() {
    let rows = rows_of_table();
    let mut text = format!(
        "{} of the last of three nodes.\n\n\
         | the last node | height | blocks | balances | contract state | exit status |\n\
         | --- | --- | --- | --- | --- | --- |\n",
        matrix::count(rows.len(), "state", "states"),
    );
    for row in &rows {
        let blocks = row.blocks.map_or("", |_| " (`--blocks ..`)");
        text.push_str(&format!("| {}{blocks} |", matrix::cell(row.name)));
        for (outcome, findings) in row.says.iter().zip(row.findings) {
            let name = outcome.name();
            text.push_str(&match findings {
                0 => format!(" {name} |"),
                count => format!(
                    " {name}, {} |",
                    matrix::count(count, "difference", "differences")
                ),
            });
        }
        text.push_str(&format!(" {} |\n", row.exit));
    }
    assert_eq!(matrix::keep_fresh(&[("nodes", text)]), Ok(()));
}
