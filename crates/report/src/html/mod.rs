//! `report.html`: one page that needs nothing else, for a person to read.
//!
//! What a node sent is in it as text and as nothing else: [`writer::Html`] lets no other markup pass
//! than what stands in these modules. Should that ever fail, the page's Content-Security-Policy
//! still lets a browser run the one script and the one style sheet whose hashes it names, and fetch
//! nothing at all.

mod case;
mod coverage;
mod exchange;
mod nodes;
mod verdict;
mod writer;

use std::{sync::LazyLock, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};
use writer::Html;

use crate::model::{Outcome, Report};

static STYLE: &str = include_str!("report.css");
static SCRIPT: &str = include_str!("report.js");

/// What the page may load and run.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
});

/// The hash by which a policy names what stands in the page itself.
fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}

pub use nodes::html_of_nodes;

/// The page of a report.
#[must_use]
pub fn html(report: &Report) -> String {
    let mut page = Html::default();
    begin(&mut page);
    page.text(&report.target.base_url)
        .raw(" ")
        .raw(verdict::words(report))
        .raw("</title>\n");
    style(&mut page);
    verdict::banner(&mut page, report);
    tools(&mut page, report);
    page.raw("<main>\n");
    verdict::departures(&mut page, report);
    verdict::undecided(&mut page, report);
    coverage::section(&mut page, report);
    case::section(&mut page, report);
    exchange::section(&mut page, report);
    page.raw("</main>\n");
    end(page)
}

/// By what a page of this program is known.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"nodeproof\">";

/// All before the title's text.
fn begin(page: &mut Html) {
    page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    // The hashes are letters of base64, which mean nothing in an attribute; quotes are escaped.
    page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"")
        .text(&POLICY);
    page.raw("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw(GENERATOR).raw("\n");
    page.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
    page.raw("<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
}

fn style(page: &mut Html) {
    page.raw("<style>")
        .raw(STYLE)
        .raw("</style>\n</head>\n<body>\n");
}

fn end(mut page: Html) -> String {
    page.raw("<script>")
        .raw(SCRIPT)
        .raw("</script>\n</body>\n</html>\n");
    page.into_text()
}

/// Search and filters, which the script brings to life and until then nobody sees.
fn tools(page: &mut Html, report: &Report) {
    page.raw("<form class=\"tools\" id=\"tools\" role=\"search\" hidden>\n");
    page.raw("<input type=\"search\" id=\"search\" placeholder=\"Search the cases\" ");
    page.raw("aria-label=\"Search the cases\" autocomplete=\"off\" spellcheck=\"false\">\n");
    page.raw("<div class=\"filters\" role=\"group\" aria-label=\"Show only cases that\">\n");
    for outcome in Outcome::WORST_FIRST {
        let word = outcome.participle();
        let count = report.count(outcome);
        if count > 0 {
            page.raw("<button type=\"button\" class=\"filter ")
                .raw(outcome.name());
            page.raw("\" aria-pressed=\"false\" value=\"")
                .raw(outcome.name())
                .raw("\">");
            page.raw(word)
                .raw(" <b>")
                .text(&count.to_string())
                .raw("</b></button>\n");
        }
    }
    page.raw("</div>\n<div class=\"folding\">\n<output id=\"shown\"></output>\n");
    page.raw("<button type=\"button\" id=\"unfold\">Open all</button>\n");
    page.raw("<button type=\"button\" id=\"fold\">Close all</button>\n</div>\n</form>\n");
}

/// How long something took.
fn took(page: &mut Html, milliseconds: u64) {
    let text = match milliseconds {
        0 => "< 1 ms".to_owned(),
        1..1000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", Duration::from_millis(milliseconds).as_secs_f64()),
    };
    page.raw("<span class=\"took\">").text(&text).raw("</span>");
}

/// A shell line, with a button that copies it.
fn shell_line(page: &mut Html, line: &str) {
    page.raw("<div class=\"shell\"><pre tabindex=\"0\">")
        .lines(line)
        .raw("</pre>");
    page.raw("<button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assets_are_what_a_browser_hashes() {
        for asset in [STYLE, SCRIPT] {
            assert!(!asset.contains('\r'), "a browser hashes line ends as \\n");
            assert!(
                !asset.to_ascii_lowercase().contains("</s"),
                "it would end its element"
            );
            assert!(!asset.contains("<!--"));
        }
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
