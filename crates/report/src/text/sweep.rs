//! The blocks of a sweep.

use std::fmt::Write;

use nodeproof_primitives::escape::{escaped, escaped_up_to};

use crate::model::SweepReport;

/// Renders the progress of a sweep.
pub(super) fn sweep(sweep: &SweepReport, out: &mut String) {
    let SweepReport { from, to, next, .. } = sweep;
    let last = to.saturating_sub(1);
    let _ = write!(
        out,
        "\nsweep of blocks {from} to {last}: {} checked",
        sweep.judged
    );
    for (count, what) in [(sweep.missing, "missing"), (sweep.unread, "not read")] {
        if count > 0 {
            let _ = write!(out, ", {count} {what}");
        }
    }
    let _ = writeln!(out, ", {}", findings(sweep.findings));
    if let Some(lowest) = sweep.none_below {
        let _ = writeln!(
            out,
            "it began at the lowest block, because the node has no block below {lowest}"
        );
    }
    if let Some(records) = sweep.records.filter(|records| records.assets > 0) {
        let _ = write!(
            out,
            "the records of {} of {} claimed assets were compared with the claims",
            records.compared, records.assets
        );
        let _ = match records.other_claims {
            0 => writeln!(out),
            others => writeln!(
                out,
                "; {others} claims about further assets were not compared"
            ),
        };
    }
    if sweep.done {
        return;
    }
    let _ = write!(out, "it ended before block {next}");
    match (&sweep.state, &sweep.trouble) {
        (Some(path), _) => {
            let path = escaped(path);
            let _ = writeln!(out, "; --resume continues from there, with {path}");
        }
        (None, Some(trouble)) => {
            let trouble = escaped_up_to(trouble, 300);
            let _ = writeln!(
                out,
                ", and can't be resumed, as its state was not saved: {trouble}"
            );
        }
        (None, None) => out.push('\n'),
    }
}

fn findings(count: u64) -> String {
    match count {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        count => format!("{count} findings"),
    }
}
