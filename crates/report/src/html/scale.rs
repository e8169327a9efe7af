//! Positions of values in a chart, from 0 to 1.
//!
//! Charts write positions as percentages in attributes. So a chart is as wide as the page, its text
//! keeps its size, and the page's policy can forbid inline styles.

/// The margin at both ends of a chart. It keeps labels at the ends from being cut off.
const MARGIN: f64 = 0.03;
/// Maximum number of labels on a scale.
const MAX_MARKS: u32 = 5;

/// Writes a position as a percentage of the chart's width or height.
pub(super) fn percent(place: f64) -> String {
    format!("{:.2}%", 100.0 * place)
}

/// Converts a share between 0 and 1 to a position between the margins.
fn within_margins(share: f64) -> f64 {
    MARGIN + share.clamp(0.0, 1.0) * (1.0 - 2.0 * MARGIN)
}

/// Returns the position of a number between the lowest and the highest one. If both are the same, it
/// is the end of the scale.
#[expect(clippy::cast_precision_loss, reason = "a pixel stands for many values")]
pub(super) fn place_between(number: u64, lowest: u64, highest: u64) -> f64 {
    if lowest >= highest {
        return within_margins(1.0);
    }
    within_margins(number.saturating_sub(lowest) as f64 / (highest - lowest) as f64)
}

/// A logarithmic scale of milliseconds, between powers of ten.
pub(super) struct LogScale {
    low: f64,
    high: f64,
}

/// The lowest value on a logarithmic scale. Lower values are drawn there.
const LOWEST: f64 = 0.1;
/// The highest value on a logarithmic scale. Higher values are drawn there.
const HIGHEST: f64 = 1e9;

impl LogScale {
    /// Returns a scale that includes all these values.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Self {
        let exponents = values.map(exponent);
        let (low, high) = exponents.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), new| {
            (low.min(new.floor()), high.max(new.ceil()))
        });
        let low = low.min(HIGHEST.log10() - 1.0);
        Self {
            low,
            high: high.max(low + 1.0),
        }
    }

    /// Returns the position of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        within_margins((exponent(value) - self.low) / (self.high - self.low))
    }

    /// Returns powers of ten for labels, with their positions.
    pub(super) fn marks(&self) -> impl Iterator<Item = (f64, f64)> {
        let decades = self.high - self.low;
        let step = (decades / f64::from(MAX_MARKS - 1)).ceil().max(1.0);
        (0..MAX_MARKS)
            .map(move |mark| self.low + step * f64::from(mark))
            .take_while(|mark| *mark <= self.high)
            .map(|mark| 10_f64.powf(mark))
            .map(|value| (value, self.place(value)))
    }
}

fn exponent(value: f64) -> f64 {
    value.clamp(LOWEST, HIGHEST).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_the_chart_and_in_order() {
        let tables: [&[f64]; 6] = [
            &[0.4, 2.1, 14.0],
            &[1.0],
            &[0.0, 0.02],
            &[-5.0, 1e300],
            &[f64::MAX, f64::MAX],
            &[999.9, 1000.0, 1000.1],
        ];
        for values in tables {
            let scale = LogScale::of(values.iter().copied());
            let places: Vec<_> = values.iter().map(|value| scale.place(*value)).collect();
            assert!(places.is_sorted(), "{values:?}: {places:?}");
            assert!(places.iter().all(|place| (0.0..=1.0).contains(place)));
            let marks: Vec<_> = scale.marks().collect();
            assert!((2..=5).contains(&marks.len()), "{values:?}: {marks:?}");
            assert!(marks.iter().all(|(_, place)| (0.0..=1.0).contains(place)));
        }
    }

    #[test]
    fn powers_of_ten_are_equally_far_apart() {
        let scale = LogScale::of([0.4, 14.0].into_iter());
        let marks: Vec<_> = scale.marks().map(|(value, _)| value).collect();
        assert_eq!(marks, [0.1, 1.0, 10.0, 100.0]);
        assert_eq!(percent(scale.place(0.1)), "3.00%");
        assert_eq!(percent(scale.place(100.0)), "97.00%");
        let middle = scale.place(10_f64.powf(0.5));
        assert_eq!(percent(middle), "50.00%");
    }
}
