//! Checks each block by itself when it arrives.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::{chain_bounds::ChainBounds, tally::samples};
use crate::{
    api::{BlockResponse, ResponseKind, is_not_found, reported_index, says_no_block},
    cases::Case,
    checks::{CheckScope, Evidence, Finding, Links, PreparedCheck, whole_block},
    context::{ClaimedAssets, claimed_assets},
    http::{Exchange, InconclusiveReason, LIMIT_MESSAGE, report_of},
};
use nodeproof_openapi::{SchemaValidator, Spec};

/// Maximum length of a body, in bytes, that waits for earlier blocks. Only the excerpt of a longer one
/// does.
const MAX_KEPT: usize = 64 * 1024;

/// The checks of a sweep, with their schemas.
pub(crate) struct Checks {
    pub(crate) list: Vec<(&'static str, PreparedCheck)>,
    /// The schema of a whole block. If a block conforms to it, so does each of its fields.
    whole: Option<Arc<SchemaValidator>>,
    /// For each check, whether its field occurred in a conforming block.
    seen: Vec<AtomicBool>,
    /// Positions of the checks that need the blocks in order.
    in_order: Vec<usize>,
    pub(crate) chain: ChainBounds,
}

impl Checks {
    pub(crate) fn of(
        cases: &[Case],
        spec: &Spec,
        chain: &ChainBounds,
    ) -> Result<Self, InconclusiveReason> {
        let mut list = Vec::new();
        for case in cases {
            if let Some(check) = case.check.block_check() {
                list.push((case.id, PreparedCheck::new(check, spec)?));
            }
        }
        let is_field =
            |(_, judge): &(_, PreparedCheck)| matches!(judge.check.scope, CheckScope::Field(_));
        let has_fields = list.iter().any(is_field);
        let in_order = |place: &usize| matches!(list[*place].1.check.scope, CheckScope::InOrder(_));
        Ok(Self {
            whole: has_fields.then(|| whole_block(spec)).transpose()?,
            in_order: (0..list.len()).filter(in_order).collect(),
            seen: list.iter().map(|_| AtomicBool::new(false)).collect(),
            list,
            chain: chain.clone(),
        })
    }

    /// Returns the checks that need the blocks in order, with their positions.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (usize, &PreparedCheck)> {
        self.in_order
            .iter()
            .map(|place| (*place, &self.list[*place].1))
    }

    /// Classifies a response.
    ///
    /// The index in a block may differ from the requested one by the chain's constant offset. One case
    /// reports that, and the other cases still check the blocks.
    fn kind(&self, index: u64, exchange: &Exchange) -> ResponseKind {
        let kind = match exchange.success_object().map(reported_index) {
            _ if says_no_block(exchange) && !self.chain.is_beyond(index) => {
                return ResponseKind::Missing;
            }
            Some(Some(reported))
                if reported - i128::from(index) != self.chain.offset.unwrap_or(0) =>
            {
                ResponseKind::WrongIndex
            }
            Some(_) => return ResponseKind::Block,
            None if is_not_found(exchange.status) => return ResponseKind::Missing,
            None => ResponseKind::NotAnObject,
        };
        let may_say = |other| self.chain.unknown.may_say(exchange.status, other);
        if self.chain.is_beyond(index) && may_say(kind == ResponseKind::WrongIndex) {
            ResponseKind::Missing
        } else {
            kind
        }
    }

    /// Returns 1 for the first conforming block with a field, else 0.
    ///
    /// Later, it only matters whether the field occurred at all.
    fn first_seen(&self, place: usize, is_in: impl FnOnce() -> bool) -> u64 {
        let known = self.seen[place].load(Ordering::Relaxed);
        let first = !known && is_in();
        if first {
            self.seen[place].store(true, Ordering::Relaxed);
        }
        u64::from(first)
    }

    /// Forgets which fields occurred, after blocks that are not part of the range.
    pub(crate) fn forget_seen(&self) {
        for seen in &self.seen {
            seen.store(false, Ordering::Relaxed);
        }
    }

    /// Checks a response by itself.
    pub(crate) fn check(&self, index: u64, exchange: Arc<Exchange>) -> CheckedBlock {
        if exchange.is_success()
            && let Err(fault) = exchange.json()
            && fault.ends_with(LIMIT_MESSAGE)
        {
            let what = Checked::TooLarge(format!("the response is {fault}"));
            return CheckedBlock { index, what };
        }
        let seen = BlockResponse::new(index, self.kind(index, &exchange), exchange);
        let conforms = seen.kind == ResponseKind::Block
            && self.whole.as_ref().is_some_and(|whole| {
                let body = seen.exchange.success_object();
                body.is_some_and(|body| whole.is_valid(body))
            });
        let has_links = !self.in_order.is_empty() && seen.kind == ResponseKind::Block;
        let mut counts = vec![0; self.list.len()];
        let (mut findings, mut inconclusive) = (Vec::new(), Vec::new());
        for (place, (_, judge)) in self.list.iter().enumerate() {
            match judge.check.scope {
                // If the block conforms, every occurrence of the field does.
                CheckScope::Field(field) if conforms => {
                    let is_in = || field.is_in(&seen.exchange);
                    counts[place] = self.first_seen(place, is_in);
                }
                _ => match judge.check_block(&seen) {
                    Ok(judged) => {
                        counts[place] = judged.examined;
                        let samples = samples(judged.findings).into_iter();
                        findings.extend(samples.map(|finding| (place, finding)));
                    }
                    Err(reason) => inconclusive.push((place, reason)),
                },
            }
        }
        let results = CheckResults {
            kind: seen.kind,
            counts,
            findings,
            inconclusive,
            links: has_links.then(|| Links::of(&seen)),
            claimed: claimed_assets(&seen.exchange),
            evidence: evidence(seen.exchange),
        };
        CheckedBlock {
            index,
            what: Checked::Results(Box::new(results)),
        }
    }
}

/// Returns a block's evidence. It may have to wait for earlier blocks, so it takes little memory.
fn evidence(mut exchange: Arc<Exchange>) -> Evidence {
    if exchange.body.len() > MAX_KEPT {
        return Evidence::Report(report_of(&exchange));
    }
    if let Some(exchange) = Arc::get_mut(&mut exchange) {
        exchange.forget_json();
    }
    Evidence::Exchange(exchange)
}

/// A block that was requested, before it is processed in order.
pub(crate) struct CheckedBlock {
    pub(crate) index: u64,
    pub(crate) what: Checked,
}

pub(crate) enum Checked {
    /// The node returned a response, which was checked.
    Results(Box<CheckResults>),
    /// The node responds, but not to this request.
    Unreachable(String),
    /// The response is too large.
    TooLarge(String),
}

impl CheckedBlock {
    /// Whether there is a response, and it is of this kind.
    pub(crate) fn is(&self, kind: ResponseKind) -> bool {
        matches!(&self.what, Checked::Results(results) if results.kind == kind)
    }
}

/// The results of checking a response by itself, by the positions of the checks.
pub(crate) struct CheckResults {
    pub(crate) kind: ResponseKind,
    pub(crate) counts: Vec<u64>,
    pub(crate) findings: Vec<(usize, (Finding, u64))>,
    pub(crate) inconclusive: Vec<(usize, InconclusiveReason)>,
    pub(crate) links: Option<Links>,
    /// The assets that the block has claims about, and the number of other claims.
    pub(crate) claimed: ClaimedAssets,
    /// The response, saved until it is the block's turn.
    pub(crate) evidence: Evidence,
}
