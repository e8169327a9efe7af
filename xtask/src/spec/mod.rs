//! `cargo xtask spec`: the linter of `openapi/node.yaml`.
//!
//! It checks what no public linter can: this project's extensions, both views, and what the client
//! generator would silently ignore. It reports all problems in one run, each with its line and JSON
//! pointer. The description contains the specification and also what real nodes do. So each part of the
//! specification must cite the requirements of `specification.md` that it comes from. CI also runs
//! two public linters.

mod examples;
mod generator;
mod lint;
mod marks;
mod observations;
mod problem;
mod references;
mod requirements;
mod schemas;
mod source;
mod typed;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nodeproof_openapi::view;
use serde_json::Value;

use lint::Lint;
pub use problem::Problem;
pub use requirements::{Place, places};
use source::Source;

/// Check the spec, or print a view of it.
#[derive(Debug, clap::Args)]
pub struct SpecArgs {
    /// The spec to check
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print this view of the spec as JSON, and do nothing else
    #[arg(long, value_name = "VIEW")]
    view: Option<PrintedView>,
}

/// A view of the spec, as named on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum PrintedView {
    /// What the specification states
    Documented,
    /// The specification and what real nodes were seen to do
    Full,
}

/// The reason why the spec could not be checked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecTaskError {
    /// A file can't be read.
    #[error("can't read {}", .0.display())]
    Read(PathBuf, #[source] std::io::Error),
    /// The output can't be written.
    #[error("can't write the output")]
    Output(#[from] std::io::Error),
    /// The spec is not valid YAML, so no view of it can be printed.
    #[error("{}:{problem}", .file.display())]
    Faulty {
        /// The spec.
        file: PathBuf,
        /// The first problem.
        problem: Problem,
    },
}

/// Returns all problems of the spec in `text`, in the order of its lines.
pub fn lint(text: &str) -> Vec<Problem> {
    let source = match Source::read(text) {
        Ok(source) => source,
        Err(problem) => return vec![problem],
    };
    let mut lint = Lint::new(&source);
    typed::check(&mut lint);
    marks::check(&mut lint);
    references::check(&mut lint);
    schemas::check(&mut lint);
    generator::check(&mut lint);
    examples::check(&mut lint);
    requirements::check(&mut lint);
    observations::check(&mut lint);
    lint.finish()
}

/// Returns the spec in `text` as JSON.
///
/// # Errors
/// The first problem of `text` as YAML.
pub fn document(text: &str) -> Result<Value, Problem> {
    Source::read(text).map(|source| source.value)
}

/// Runs the task. The exit status is 1 if there are problems.
///
/// # Errors
/// If a file can't be read or written, or no view of the spec can be printed.
pub fn run(args: SpecArgs) -> Result<ExitCode, SpecTaskError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."));
    let file = args.file.unwrap_or_else(|| root.join("openapi/node.yaml"));
    let text = read(&file)?;
    let mut out = std::io::stdout().lock();
    if let Some(view) = args.view {
        let printed = printed(&file, &text, view)?;
        writeln!(out, "{printed:#}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let problems = lint(&text);
    let shown = file.strip_prefix(root).unwrap_or(&file).display();
    for problem in &problems {
        writeln!(out, "{shown}:{problem}")?;
    }
    Ok(match problems.len() {
        0 => {
            writeln!(out, "{shown}: no problems")?;
            ExitCode::SUCCESS
        }
        count => {
            writeln!(
                out,
                "{shown}: {count} problem{}",
                if count == 1 { "" } else { "s" }
            )?;
            ExitCode::FAILURE
        }
    })
}

fn printed(file: &Path, text: &str, wanted: PrintedView) -> Result<Value, SpecTaskError> {
    let document = document(text).map_err(|problem| SpecTaskError::Faulty {
        file: file.to_owned(),
        problem,
    })?;
    Ok(match wanted {
        PrintedView::Documented => view::documented(&document),
        PrintedView::Full => document,
    })
}

fn read(file: &Path) -> Result<String, SpecTaskError> {
    std::fs::read_to_string(file).map_err(|error| SpecTaskError::Read(file.to_owned(), error))
}
