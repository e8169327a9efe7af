//! The progress of a claim on standard error: bars on a terminal, lines elsewhere.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nodeproof_claims::{ClaimStep, Document, HashProgress};
use nodeproof_primitives::escape::escaped_up_to;

use crate::{
    commands::field_text::date_and_time,
    io::{interrupt, output::Output},
};

/// Shows each step.
#[derive(Clone)]
pub(super) struct Progress {
    output: Output,
    /// Whether the command waits for the record.
    waits: bool,
    /// Whether a transaction was built in this run.
    built: Arc<AtomicBool>,
    /// The current bar or spinner, if there is one.
    drawn: Arc<Mutex<Option<ProgressBar>>>,
}

impl Progress {
    pub(super) fn new(output: Output, waits: bool) -> Self {
        Self {
            output,
            waits,
            built: Arc::default(),
            drawn: Arc::default(),
        }
    }

    fn hashing(&self, document: &Path, progress: HashProgress) {
        self.draw("hashing {msg} {bar:20} {percent:>3} %", |bar| {
            bar.set_length(progress.total);
            bar.set_message(escaped_up_to(&document.to_string_lossy(), 60));
            bar.set_position(progress.bytes);
        });
    }

    /// Reports that a document was hashed.
    pub(super) fn hashed(&self, document: &Path, hash: &impl std::fmt::Display) {
        self.end();
        self.note(&format!("hashed {}: {hash}", document.display()));
    }

    /// Reports a step of the claim.
    pub(super) fn step(&self, step: &ClaimStep<'_>) {
        match step {
            ClaimStep::Hashing {
                document: Document::File(path),
                progress,
                ..
            } => self.hashing(path, *progress),
            ClaimStep::Resumed { path, trans_code } => {
                interrupt::set_interrupt_message(saved_message(
                    &path.display(),
                    "the transaction was signed by an earlier run",
                ));
                let why = if self.built.load(Ordering::SeqCst) {
                    "another run was faster: discarding the transaction that was built here, and \
                     submitting the other run's"
                } else {
                    "an earlier run signed this claim: continuing with its transaction"
                };
                self.note(&format!("{why}, {trans_code}, saved in {}", path.display()));
            }
            ClaimStep::PutAside { path } => {
                self.note(&format!(
                    "the transaction of the earlier claim is now in {}",
                    path.display()
                ));
            }
            ClaimStep::NotSearched { reason } => {
                self.end();
                self.output.warn(reason);
            }
            ClaimStep::Built { transaction } => {
                self.built.store(true, Ordering::SeqCst);
                self.note(&format!(
                    "the node built transaction {} as requested: time {}, fee {} {}",
                    transaction.trans_code(),
                    date_and_time(transaction.timestamp()),
                    transaction.fee().amount(),
                    transaction.fee().currency()
                ));
            }
            ClaimStep::Saved { path } => {
                interrupt::set_interrupt_message(saved_message(
                    &path.display(),
                    "the transaction is signed",
                ));
                self.note(&format!("signed, and saved to {}", path.display()));
            }
            ClaimStep::Submitting { earlier: 0 } => self.spin("submitting"),
            ClaimStep::Submitting { earlier } => {
                if *earlier == 1 {
                    self.end();
                    self.note("the node has not accepted the transaction yet: submitting the same one again");
                }
                self.spin("submitting the same transaction again");
            }
            ClaimStep::Submitted { new_transaction } => {
                self.end();
                self.note(match new_transaction {
                    Some(false) => "the node had the transaction already",
                    _ if self.waits => {
                        "the node accepted the transaction; waiting until its record can be read"
                    }
                    _ => "the node accepted the transaction",
                });
            }
            ClaimStep::Waiting { left, .. } => {
                self.spin(&format!(
                    "waiting for the record, {} s left",
                    left.as_secs()
                ));
            }
            _ => {}
        }
    }

    /// Removes the current bar or spinner.
    pub(super) fn end(&self) {
        if let Some(bar) = self.drawn().take() {
            bar.finish_and_clear();
        }
    }

    fn spin(&self, what: &str) {
        self.draw("{spinner} {msg}", |bar| {
            bar.set_message(what.to_owned());
            bar.enable_steady_tick(Duration::from_millis(120));
        });
    }

    /// Creates or changes the bar or spinner. Does nothing if progress is not drawn.
    fn draw(&self, template: &str, change: impl FnOnce(&ProgressBar)) {
        if !self.output.draws_progress() {
            return;
        }
        let mut drawn = self.drawn();
        let bar = drawn.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            match ProgressStyle::with_template(template) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        change(bar);
    }

    fn note(&self, text: &str) {
        match &*self.drawn() {
            Some(bar) => bar.suspend(|| self.output.note(text)),
            None => self.output.note(text),
        }
    }

    fn drawn(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn saved_message(path: &impl std::fmt::Display, first: &str) -> String {
    format!(
        "{first} and saved in {path}, and may have been sent: run the same command again to submit \
         the same transaction"
    )
}
