//! Text in columns.

use comfy_table::{CellAlignment, Table, presets::NOTHING};
use nodeproof_primitives::escape::escaped_up_to;

/// Maximum length of a cell, in characters.
const MAX_WIDTH: usize = 2_000;

/// Maximum number of rows. The whole table is in memory, because columns are as wide as their contents.
const MAX_ROWS: usize = 10_000;

/// Rows of text in columns, which are as wide as their contents.
///
/// Every cell is escaped.
pub(crate) struct Columns {
    table: Table,
    rows: usize,
}

impl Columns {
    pub(crate) fn new() -> Self {
        let mut table = Table::new();
        table.load_style(NOTHING);
        Self { table, rows: 0 }
    }

    /// Creates columns with a header.
    pub(crate) fn headed<const N: usize>(names: [&str; N]) -> Self {
        let mut columns = Self::new();
        columns.table.set_header(names);
        columns
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows += 1;
        if self.rows > MAX_ROWS {
            return;
        }
        self.table
            .add_row(cells.map(|cell| escaped_up_to(cell, MAX_WIDTH)));
    }

    /// Aligns a column of numbers to the right.
    pub(crate) fn numbers_in(&mut self, column: usize) {
        if let Some(column) = self.table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }

    pub(crate) fn text(mut self) -> String {
        if self.rows == 0 && self.table.header().is_none() {
            return String::new();
        }
        let last = self.table.column_iter().count().saturating_sub(1);
        for (at, column) in self.table.column_iter_mut().enumerate() {
            column.set_padding((0, if at == last { 0 } else { 2 }));
        }
        let more = match self.rows.saturating_sub(MAX_ROWS) {
            0 => String::new(),
            more => format!("… and {more} more; --json has all of them\n"),
        };
        format!("{}\n{more}", self.table.trim_fmt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_how_much_of_a_long_table_is_left_out() {
        let mut columns = Columns::new();
        for _ in 0..MAX_ROWS + 7 {
            columns.row(["a"]);
        }
        let text = columns.text();
        assert_eq!(text.lines().count(), MAX_ROWS + 1);
        assert!(text.ends_with("a\n… and 7 more; --json has all of them\n"));
    }

    #[test]
    fn aligns_columns_and_escapes_cells() {
        let mut columns = Columns::headed(["token", "balance"]);
        columns.row(["A", "1"]);
        columns.row(["B\u{1b}", "1000"]);
        columns.numbers_in(1);
        assert_eq!(
            columns.text(),
            "token    balance\nA              1\nB\\u{1b}     1000\n"
        );
    }
}
