//! Tables of tests, as text with one row a line.

/// Returns the cells of each row. ` | ` separates them, and white space around a cell does not count.
///
/// # Panics
/// When a row has another number of cells.
#[expect(clippy::panic, reason = "a test fails if its setup fails")]
pub fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| {
        // An empty last cell.
        let (line, last) = match line.trim_end().strip_suffix(" |") {
            Some(line) => (line, Some("")),
            None => (line, None),
        };
        let mut cells = line.split(" | ").map(str::trim).chain(last);
        let row = [(); N].map(|()| {
            cells
                .next()
                .unwrap_or_else(|| panic!("too few cells: {line}"))
        });
        assert!(cells.next().is_none(), "too many cells: {line}");
        row
    })
}
