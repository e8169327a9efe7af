//! The exit statuses of `nodeproof`.

/// Exit status of a run.
///
/// `exit_code` in a report holds its number.
///
/// ```
/// use nodeproof_report::ExitStatus;
///
/// assert_eq!(ExitStatus::StaleExpectation.code(), 5);
/// assert_eq!(ExitStatus::from_code(130), Some(ExitStatus::Interrupted));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum ExitStatus {
    /// 0: the node conforms.
    Conforms = 0,
    /// 1: the node does not conform, or the nodes disagree. With `--baseline`, also: a response
    /// differs from the baseline. With `--require-coverage`, also: the run did not exercise everything.
    DoesNotConform = 1,
    /// 2: the command line or the configuration is wrong, or no case is selected. There is no
    /// report.
    Usage = 2,
    /// 3: no verdict. The node was unreachable or lost, is not a node, or time ran out.
    NoVerdict = 3,
    /// 4: the harness has a fault.
    HarnessFault = 4,
    /// 5: a case passed that the file of expectations lists as a known deviation.
    StaleExpectation = 5,
    /// 130: Ctrl-C ended the run.
    Interrupted = 130,
    /// 143: SIGTERM ended the run.
    Terminated = 143,
}

impl ExitStatus {
    /// Returns the number that the process ends with.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the status with this number.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Conforms,
            1 => Self::DoesNotConform,
            2 => Self::Usage,
            3 => Self::NoVerdict,
            4 => Self::HarnessFault,
            5 => Self::StaleExpectation,
            130 => Self::Interrupted,
            143 => Self::Terminated,
            _ => return None,
        })
    }
}

/// Returns how bad an exit status is. Higher is worse.
pub(crate) const fn severity(exit_code: u8) -> u8 {
    match ExitStatus::from_code(exit_code) {
        Some(ExitStatus::Conforms) => 0,
        Some(ExitStatus::StaleExpectation) => 1,
        Some(ExitStatus::DoesNotConform) => 2,
        Some(ExitStatus::NoVerdict) => 3,
        Some(ExitStatus::HarnessFault) => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_number_and_no_other_number_has_a_status() {
        let codes: Vec<_> = (0..=u8::MAX)
            .filter(|code| {
                ExitStatus::from_code(*code).is_some_and(|status| status.code() == *code)
            })
            .collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 130, 143]);
        let known = (0..=u8::MAX).filter_map(ExitStatus::from_code).count();
        assert_eq!(known, codes.len());
    }
}
