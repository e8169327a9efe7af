//! Durations with a unit.

/// Units, with the number of milliseconds in each.
const UNITS: [(u64, &str); 4] = [
    (86_400_000, "days"),
    (3_600_000, "h"),
    (60_000, "min"),
    (1_000, "s"),
];

/// Writes a number of milliseconds in the largest unit of which there are at least two. From one
/// second on, the unit is at least seconds. There are at most two decimals.
pub(super) fn duration(milliseconds: u64) -> String {
    let unit = UNITS
        .into_iter()
        .find(|(length, name)| milliseconds >= length * if *name == "s" { 1 } else { 2 });
    let Some((length, name)) = unit else {
        return format!("{milliseconds} ms");
    };
    let hundredths = milliseconds / (length / 100) % 100;
    let decimals = format!(".{hundredths:02}");
    let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
    format!("{}{decimals} {name}", milliseconds / length)
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn each_duration_has_a_unit_that_fits() {
        for (milliseconds, words) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1 s"),
            (1_239, "1.23 s"),
            (100_000, "100 s"),
            (1_000_000, "16.66 min"),
            (10_800_000, "3 h"),
            (172_800_000, "2 days"),
        ] {
            assert_eq!(duration(milliseconds), words);
        }
        assert!(duration(u64::MAX).ends_with(" days"));
    }
}
