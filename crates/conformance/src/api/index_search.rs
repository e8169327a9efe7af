//! The search for a chain's last or first index: exponential steps, then bisection.

use std::collections::VecDeque;

/// A search for the last index at which a condition holds. The caller tries each index that
/// [`next`](Self::next) returns, and passes the result to [`narrow`](Self::narrow).
#[derive(Debug, Clone)]
pub(crate) struct IndexSearch {
    /// An index at which the condition holds.
    inside: u64,
    /// An index at which it does not hold.
    outside: Option<u64>,
    step: u64,
    /// The highest index to try. Beyond it, the search ends without a result.
    most: u64,
}

impl IndexSearch {
    /// Searches above `inside`: first at `inside + step`, then in steps that double.
    pub(crate) const fn above(inside: u64, step: u64, most: u64) -> Self {
        Self {
            inside,
            outside: None,
            step,
            most,
        }
    }

    /// Searches between two indexes. Either may be the higher one.
    pub(crate) const fn between(inside: u64, outside: u64) -> Self {
        Self {
            inside,
            outside: Some(outside),
            step: 0,
            most: u64::MAX,
        }
    }

    /// Returns the next index to try, or `None` at the end of the search.
    pub(crate) fn next(&self) -> Option<u64> {
        match self.outside {
            Some(outside) if self.inside.abs_diff(outside) > 1 => {
                Some(self.inside.midpoint(outside))
            }
            Some(_) => None,
            None => {
                let next = self.inside.saturating_add(self.step);
                (self.inside < next && next <= self.most).then_some(next)
            }
        }
    }

    /// Returns the next index to try and, up to `most` in all, those that may follow it. A slow node can get all of
    /// them at the same time.
    pub(crate) fn next_several(&self, most: usize) -> Vec<u64> {
        let mut found = Vec::new();
        let mut searches = VecDeque::from([self.clone()]);
        while let Some(search) = searches.pop_front()
            && found.len() < most
        {
            let Some(index) = search.next() else { continue };
            found.push(index);
            for is_true in [true, false] {
                let mut following = search.clone();
                following.narrow(is_true);
                searches.push_back(following);
            }
        }
        found
    }

    /// Continues with the result for the index that [`next`](Self::next) returned.
    pub(crate) fn narrow(&mut self, is_true: bool) {
        let Some(tried) = self.next() else { return };
        if is_true {
            self.inside = tried;
            self.step = self.step.saturating_mul(2);
        } else {
            self.outside = Some(tried);
        }
    }

    /// Returns the last index at which the condition holds, or `None` if no index was found where
    /// it does not hold.
    pub(crate) fn result(&self) -> Option<u64> {
        self.outside.map(|_| self.inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(mut search: IndexSearch, is_true: impl Fn(u64) -> bool) -> Option<u64> {
        while let Some(index) = search.next() {
            search.narrow(is_true(index));
        }
        search.result()
    }

    #[test]
    fn the_last_index_is_found_wherever_it_is() {
        for last in [5, 6, 7, 8, 100, 4_095, 4_096, 4_097] {
            for step in [1, 5] {
                let above = IndexSearch::above(5, step, u64::MAX);
                assert_eq!(search(above, |index| index <= last), Some(last));
            }
        }
        assert_eq!(search(IndexSearch::above(5, 1, 1 << 40), |_| true), None);
        assert_eq!(search(IndexSearch::above(5, 1, u64::MAX), |_| true), None);
    }

    #[test]
    fn the_next_indexes_are_those_of_both_results() {
        assert_eq!(
            IndexSearch::between(0, 100).next_several(4),
            [50, 75, 25, 87]
        );
        assert_eq!(IndexSearch::above(1, 1, 100).next_several(4), [2, 4, 8, 3]);
        assert_eq!(IndexSearch::between(0, 2).next_several(4), [1]);
    }

    #[test]
    fn a_border_is_found_from_either_side() {
        assert_eq!(search(IndexSearch::between(100, 0), |i| i >= 7), Some(7));
        assert_eq!(search(IndexSearch::between(0, 100), |i| i <= 7), Some(7));
    }
}
