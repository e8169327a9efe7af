//! The measurements as lines of a table.

use std::fmt::Write as _;

/// The target of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

/// A value that was measured several times.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) what: String,
    pub(super) unit: &'static str,
    pub(super) values: Vec<f64>,
    pub(super) target: Option<Target>,
}

impl Row {
    pub(super) fn new(what: impl Into<String>, unit: &'static str, values: Vec<f64>) -> Self {
        Self {
            what: what.into(),
            unit,
            values,
            target: None,
        }
    }

    pub(super) fn at_most(mut self, most: f64) -> Self {
        self.target = Some(Target::AtMost(most));
        self
    }

    pub(super) fn at_least(mut self, least: f64) -> Self {
        self.target = Some(Target::AtLeast(least));
        self
    }

    /// Returns the line of the table. The median is compared with the target.
    fn line(&self) -> String {
        let (least, median, most) = spread(&self.values);
        let (target, met) = match self.target {
            None => (String::new(), None),
            Some(Target::AtMost(limit)) => (format!("≤ {limit}"), Some(median <= limit)),
            Some(Target::AtLeast(limit)) => (format!("≥ {limit}"), Some(median >= limit)),
        };
        let verdict = match met {
            None => "",
            Some(true) => "ok",
            Some(false) => "miss",
        };
        let digits = if self.unit == "x" { 3 } else { 1 };
        let row = format!(
            "{what:<52} {unit:<5} {least:>10.digits$} {median:>10.digits$} {most:>10.digits$}  {target:<8} {verdict}",
            what = self.what,
            unit = self.unit,
        );
        row.trim_end().to_owned()
    }
}

/// Returns the table of one part of the benchmark.
pub(super) fn section(title: &str, rows: &[Row]) -> String {
    let mut text = format!(
        "{title:<52} {:<5} {:>10} {:>10} {:>10}  {}\n",
        "", "min", "median", "max", "target"
    );
    for row in rows {
        let _ = writeln!(text, "{}", row.line());
    }
    text
}

/// Returns the minimum, the median and the maximum.
pub(super) fn spread(values: &[f64]) -> (f64, f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = match sorted.len() {
        0 => return (f64::NAN, f64::NAN, f64::NAN),
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => f64::midpoint(sorted[even / 2 - 1], sorted[even / 2]),
    };
    (sorted[0], median, sorted[sorted.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_held_against_the_target() {
        assert_eq!(spread(&[3.0, 1.0, 2.0]), (1.0, 2.0, 3.0));
        assert_eq!(spread(&[4.0, 1.0]), (1.0, 2.5, 4.0));
        let rows = [
            Row::new("a", "ms", vec![1.0, 2.0, 90.0]).at_most(2.0),
            Row::new("b", "ms", vec![1.0, 3.0, 3.0]).at_most(2.0),
            Row::new("c", "x", vec![0.91, 0.9]).at_least(0.9),
            Row::new("d", "x", vec![0.1]).at_least(0.9),
            Row::new("e", "x", vec![1.0]),
        ];
        let ends: Vec<_> = rows.iter().map(|row| row.line()).collect();
        let ends: Vec<_> = ends
            .iter()
            .filter_map(|line| line.rsplit(' ').next())
            .collect();
        assert_eq!(ends, ["ok", "miss", "ok", "miss", "1.000"]);
    }
}
