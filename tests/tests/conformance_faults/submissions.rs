//! `docs/generated/submissions.md`: what is submitted so that a node must refuse it, and when.

use integration_tests::matrix::{cell, count};
use nodeproof_conformance::plan::{Moment, wrong_submissions};

const INTRODUCTION: &str = "# Wrong submissions

Each way in which a run submits a transaction so that a node must refuse it, and when. One value is wrong in each row: a node that
refuses the row because of it would refuse two wrong values, too. The columns:

";

/// Renders the document from the table of the crate.
pub(crate) fn render() -> String {
    let mut text = INTRODUCTION.to_owned();
    for (number, moment) in (1..).zip(Moment::ALL) {
        text.push_str(&format!("{number}. {}\n", moment.name()));
    }
    let rows = wrong_submissions();
    let sent: usize = rows.iter().map(|row| row.moments.len()).sum();
    text.push_str(&format!(
        "\nThe columns 1 and 2 belong to the tier `reject`, the others to `write`. 3 and 7 need a wallet of the user, and 7 needs \
         `--claims 2`, and for fees beyond what the wallet holds also a devnet, as 8 does; rows about two signers need `--co-signer` from column 3 on. \
         There are {}, sent {sent} times. This file is generated: `UPDATE_FAULT_MATRIX=1 cargo test -p integration-tests --test conformance_faults docs` updates it.\n\n",
        count(rows.len(), "row", "rows"),
    ));
    let numbers: String = (1..=Moment::ALL.len())
        .map(|number| format!(" {number} |"))
        .collect();
    text.push_str(&format!("| case | submission |{numbers}\n| --- | --- |"));
    text.push_str(&" --- |".repeat(Moment::ALL.len()));
    text.push('\n');
    for row in rows {
        let case = row.case.trim_start_matches("submit-transaction/");
        text.push_str(&format!("| `{case}` | {} |", cell(row.what)));
        for moment in Moment::ALL {
            let is_sent = row.moments.contains(&moment);
            text.push_str(if is_sent { " x |" } else { "  |" });
        }
        text.push('\n');
    }
    text
}
