//! Colours.

use crate::model::Outcome;

/// Whether a text has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without escape sequences.
    Plain,
    /// With ANSI colours, for a terminal.
    Coloured,
}

impl Style {
    /// Colours a text. `colour` is the parameter of an ANSI escape sequence, such as `31;1`.
    pub(crate) fn paint(self, colour: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\u{1b}[{colour}m{text}\u{1b}[0m"),
        }
    }

    /// Renders an outcome as a column of 13 characters.
    pub(crate) fn outcome(self, outcome: Outcome) -> String {
        let colour = match outcome {
            Outcome::Pass => "32",
            Outcome::Fail | Outcome::Stale => "31;1",
            Outcome::Warn => "33",
            _ => "36",
        };
        self.paint(colour, &format!("{:<13}", outcome.name()))
    }
}
