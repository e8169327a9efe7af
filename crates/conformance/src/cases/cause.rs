//! What can explain the result of a case: the failure of another case.

use crate::{api::Sample, checks::Field};

/// Cases that explain the result of another case if one of them fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause {
    cases: Among,
    pub(crate) when: When,
}

/// The cases of a cause.
#[derive(Clone, Copy, Debug)]
enum Among {
    Ids(&'static [&'static str]),
    /// The cases about the documented fields of these responses, below this path.
    FieldsBelow(Sample, &'static [&'static str]),
}

/// The condition of a cause, in addition to the failure of its case.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// The explained case fails.
    Always,
    /// The explained case is inconclusive.
    Inconclusive,
    /// The cause found unusable responses, and the explained case is inconclusive.
    Unusable,
    /// Every finding of the explained case is about a server error.
    ServerErrors,
    /// All of these cases fail.
    AllFail(&'static [&'static str]),
}

impl Cause {
    /// These cases explain a failure.
    pub(crate) const fn of(ids: &'static [&'static str]) -> Self {
        Self::new(ids, When::Always)
    }

    /// These cases explain a result if the condition holds.
    pub(crate) const fn new(ids: &'static [&'static str], when: When) -> Self {
        Self {
            cases: Among::Ids(ids),
            when,
        }
    }

    /// The cases about the documented fields below a path explain a result.
    pub(super) const fn fields_below(
        sample: Sample,
        path: &'static [&'static str],
        when: When,
    ) -> Self {
        Self {
            cases: Among::FieldsBelow(sample, path),
            when,
        }
    }

    /// Whether a case is one of the cause's. `field` is the field that it is about, if there is one.
    pub(crate) fn includes(&self, id: &str, field: Option<&Field>) -> bool {
        match self.cases {
            Among::Ids(ids) => ids.contains(&id),
            Among::FieldsBelow(sample, path) => {
                field.is_some_and(|field| field.sample == sample && field.is_below(path))
            }
        }
    }

    /// Returns the IDs that the cause names.
    #[cfg(test)]
    pub(crate) fn ids(&self) -> Vec<&'static str> {
        let mut ids = match self.cases {
            Among::Ids(ids) => ids.to_vec(),
            Among::FieldsBelow(..) => Vec::new(),
        };
        if let When::AllFail(all) = self.when {
            ids.extend(all);
        }
        ids
    }
}
