//! The search field and the filters.

use maud::{Markup, html};

/// Renders the search field, and a filter for each group: its name, the words on the button, and the
/// number of its cases. They are hidden until the script enables them.
pub(super) fn tools<'g>(groups: impl Iterator<Item = (&'g str, &'g str, usize)>) -> Markup {
    html! {
        form.tools #tools role="search" hidden {
            input #search type="search" placeholder="Search the cases"
                aria-label="Search the cases" autocomplete="off" spellcheck="false";
            div.filters role="group" aria-label="Show only cases that" {
                @for (name, words, count) in groups {
                    button type="button" class={ "filter " (name) } aria-pressed="false" value=(name) {
                        (words) " " b { (count) }
                    }
                    "\n"
                }
            }
            div.folding {
                output #shown {}
                "\n" button #unfold type="button" { "Open all" }
                "\n" button #fold type="button" { "Close all" }
            }
        }
    }
}
