//! Faults that are generated from the description: each documented field of a response, with each kind of
//! fault that it can have. Either a run fails a case about that field, or a reason explains why no case can.

mod field;
mod kind;
mod reasons;
mod rewriting;
mod tables;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::Ordering::Relaxed},
    thread,
};

use globset::Glob;
use integration_tests::{
    matrix,
    proxy::{Fault, Upstream},
    submissions::options,
    watch::caught,
};
use libtest_mimic::{Failed, Trial};
use nodeproof_conformance::{
    Options, Tier,
    report::{Level, NodeReport, Outcome},
};
use nodeproof_devnode::Config;
use nodeproof_primitives::Network;
use tokio::{
    sync::{OnceCell, Semaphore},
    task::JoinSet,
};

use self::{
    field::Field,
    kind::Kind,
    reasons::Reason,
    rewriting::fault,
    tables::{Table, tables},
};
use crate::setup::{Setup, run_with, test_name};

/// The result for a field with a kind of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cell {
    /// The field can't have this fault.
    Impossible,
    /// The cases that caught it: those that no other case explains, and all of them.
    Caught(Vec<(String, Level)>, Vec<String>),
    /// The fault changed no response: on the local chain, the value is the same everywhere.
    Unchanged,
    /// No case caught it.
    Missed,
    /// The run had no verdict.
    NoVerdict(String),
}

/// The length of the chain. It is short, because each run reads the whole chain.
const BLOCKS: u64 = 7;

/// The results of a table, by row and kind.
type Cells = BTreeMap<(usize, Kind), Cell>;

/// The tables with their results. The first test that needs the results of a table runs its cells.
pub(crate) struct Generated(Vec<(Arc<Table>, OnceCell<Cells>)>);

impl Generated {
    pub(crate) fn new() -> Self {
        let tables = tables().into_iter();
        Self(
            tables
                .map(|table| (Arc::new(table), OnceCell::new()))
                .collect(),
        )
    }

    /// Returns the fields whose generated faults make each case fail.
    pub(crate) async fn fields_by_case(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let mut fields = BTreeMap::<_, BTreeSet<_>>::new();
        for (table, cells) in &self.0 {
            for ((row, _), cell) in cells.get_or_init(|| examine(table)).await {
                if let Cell::Caught(_, failing) = cell {
                    for case in failing {
                        let names = fields.entry(case.as_str()).or_default();
                        names.insert(table.fields[*row].name());
                    }
                }
            }
        }
        fields
    }
}

pub(crate) fn trials(setup: &Arc<Setup>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (place, (table, _)) in setup.generated.0.iter().enumerate() {
        let name = format!("generated::{}", test_name(table.title));
        trials.push(setup.trial(name, async move |setup: Arc<Setup>| {
            let (table, cells) = &setup.generated.0[place];
            compare(table, cells.get_or_init(|| examine(table)).await)
        }));
    }
    trials.push(setup.trial(
        "generated::every_documented_response_has_a_table",
        async |_: Arc<Setup>| tables::all_are_there(),
    ));
    trials.push(setup.trial(
        "generated::the_kinds_in_the_docs_are_fresh",
        async |_: Arc<Setup>| matrix::keep_fresh(&[("kinds", kinds())]).map_err(Failed::from),
    ));
    trials
}

/// Compares the results of a table with the docs.
fn compare(table: &Table, cells: &Cells) -> Result<(), Failed> {
    let wrong = wrong(table, cells);
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    matrix::keep_fresh(&[(table.section, render(table, cells))]).map_err(Into::into)
}

/// Runs all cells of a table.
async fn examine(table: &Arc<Table>) -> Cells {
    let node = nodeproof_devnode::spawn(Config::for_tests().with_blocks(BLOCKS));
    let node = node.await.expect("a local node");
    let at_a_time = thread::available_parallelism().map_or(2, usize::from);
    let (turns, mut runs) = (Arc::new(Semaphore::new(at_a_time)), JoinSet::new());
    for (row, field) in table.fields.iter().enumerate() {
        for kind in Kind::ALL {
            let (table, field) = (Arc::clone(table), field.clone());
            let (turns, node) = (Arc::clone(&turns), Upstream::from(&node));
            runs.spawn(async move {
                let _turn = turns.acquire().await;
                ((row, kind), cell(&table, field, kind, node).await)
            });
        }
    }
    runs.join_all().await.into_iter().collect()
}

async fn cell(table: &Table, field: Field, kind: Kind, node: Upstream) -> Cell {
    if !kind.applies_to(&field) {
        return Cell::Impossible;
    }
    let (fault, changed) = fault(table.responses, field, kind);
    let report = run(table, fault, node).await;
    if report.exit_code > 1 {
        return Cell::NoVerdict(format!("{}: {:?}", report.exit_code, report.reason));
    }
    let blamed: Vec<_> = report
        .causes()
        .iter()
        .filter(|(cause, _)| matches!(cause.outcome, Outcome::Fail | Outcome::Warn | Outcome::Info))
        .map(|(cause, _)| (cause.id.clone(), cause.level))
        .collect();
    match changed.load(Relaxed) {
        false => Cell::Unchanged,
        true if blamed.is_empty() => Cell::Missed,
        true => Cell::Caught(blamed, caught(&report)),
    }
}

/// Runs the cases about the table's endpoint, one request after the other.
async fn run(table: &Table, fault: Fault, node: Upstream) -> NodeReport {
    let (mut options, local) = match table.tier {
        Tier::Read => (Options::default(), None),
        tier => {
            let start = xtask::conformance::start_local();
            let local = start(Network::Devnet).await.expect("a local node");
            (options(&local, tier), Some(local))
        }
    };
    let about = |ids: &&str| Glob::new(ids).expect("a pattern").compile_matcher();
    options.selection.only = table.cases.iter().map(about).collect();
    options.limits.jobs = 1;
    let node = local.as_ref().map_or(node, Upstream::from);
    run_with(node, fault, &options).await
}

/// Returns the problems of a table: faults that no case catches, and invalid reasons.
fn wrong(table: &Table, cells: &Cells) -> Vec<String> {
    let mut wrong = Vec::new();
    for ((row, kind), cell) in cells {
        let field = &table.fields[*row];
        let reason = reasons::of(table.reasons, field, *kind);
        let place = format!("{}: {} {}", table.title, field.name(), kind.named().0);
        match (cell, reason) {
            (Cell::Missed, None) => {
                wrong.push(format!(
                    "{place}: no case catches it, and no reason explains why"
                ));
            }
            (Cell::Unchanged, _) if !kind.depends_on_values() => {
                wrong.push(format!("{place}: the fault changed no response"));
            }
            (Cell::Caught(by, _), Some(_)) => {
                wrong.push(format!(
                    "{place}: it has a reason why nothing catches it, and {by:?} do"
                ));
            }
            (Cell::NoVerdict(why), _) => wrong.push(format!("{place}: no verdict, {why}")),
            (Cell::Impossible | Cell::Unchanged, Some(_)) => {
                wrong.push(format!("{place}: it has a reason, and is not a fault here"));
            }
            _ => {}
        }
    }
    wrong
}

/// Returns the mark of a level after a case.
fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "",
        Level::Should => " (SHOULD)",
        Level::Observed => " (OBSERVED)",
    }
}

fn render(table: &Table, cells: &Cells) -> String {
    let used: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|kind| {
            let of_kind = cells.iter().filter(|((_, of), _)| of == kind);
            of_kind
                .into_iter()
                .any(|(_, cell)| *cell != Cell::Impossible)
        })
        .collect();
    let heads: Vec<_> = used.iter().map(|kind| kind.named().0).collect();
    let mut text = format!(
        "| field | requirements | {} |\n|{}\n",
        heads.join(" | "),
        " --- |".repeat(used.len() + 2)
    );
    let mut notes: Vec<&Reason> = Vec::new();
    let own = table.cases[0]
        .split_inclusive('/')
        .next()
        .unwrap_or_default();
    for (row, field) in table.fields.iter().enumerate() {
        let mut line = format!("| `{}` | {} |", field.name(), field.requirements.join(", "));
        for kind in &used {
            let text = match cells.get(&(row, *kind)) {
                Some(Cell::Caught(by, _)) => {
                    let short = |id: &str| id.strip_prefix(own).unwrap_or(id).to_owned();
                    let by = by
                        .iter()
                        .map(|(id, of)| format!("`{}`{}", short(id), level(*of)));
                    by.collect::<Vec<_>>().join(", ")
                }
                Some(Cell::Missed) => match reasons::of(table.reasons, field, *kind) {
                    Some(reason) => {
                        let known = notes.iter().position(|note| std::ptr::eq(*note, reason));
                        let number = known.unwrap_or_else(|| {
                            notes.push(reason);
                            notes.len() - 1
                        });
                        format!("({})", number + 1)
                    }
                    None => String::new(),
                },
                Some(Cell::Unchanged) => "=".to_owned(),
                Some(Cell::Impossible | Cell::NoVerdict(_)) | None => "–".to_owned(),
            };
            line.push_str(&format!(" {text} |"));
        }
        text.push_str(&line);
        text.push('\n');
    }
    for (number, note) in notes.iter().enumerate() {
        text.push_str(&format!("\n{}. {}", number + 1, note.text));
    }
    text
}

/// Describes each kind of fault.
fn kinds() -> String {
    let rows = Kind::ALL
        .map(Kind::named)
        .map(|(name, what)| format!("| {name} | {what} |\n"));
    format!(
        "| kind | what the generator does |\n| --- | --- |\n{}",
        rows.concat()
    )
}
