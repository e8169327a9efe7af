//! What was exercised, and what was not.

use super::Html;
use crate::model::{OperationCoverage, PartCoverage, Report};

pub(super) fn section(page: &mut Html, report: &Report) {
    let coverage = &report.coverage;
    page.raw("<section id=\"coverage\" aria-labelledby=\"coverage-title\">\n");
    page.raw("<h2 id=\"coverage-title\">Coverage</h2>\n");
    if coverage.operations.is_empty() {
        page.raw("<p>Nothing was exercised.</p>\n</section>\n");
        return;
    }
    page.raw("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th>Operation</th>");
    page.raw("<th>Requests</th><th>Statuses</th><th>Parameters</th><th>Fields</th></tr></thead>\n");
    page.raw("<tbody>\n");
    for operation in &coverage.operations {
        row(page, operation);
    }
    page.raw("</tbody>\n</table></div>\n");
    if !coverage.unseen_fields.is_empty() {
        page.raw("<details class=\"gaps\"><summary>")
            .count(coverage.unseen_fields.len(), "field");
        page.raw(" of the contract that no answer had</summary><ul class=\"ids\">");
        for id in &coverage.unseen_fields {
            page.raw("<li><a href=\"#")
                .text(id)
                .raw("\">")
                .text(id)
                .raw("</a></li>");
        }
        page.raw("</ul></details>\n");
    }
    page.raw("</section>\n");
}

fn row(page: &mut Html, operation: &OperationCoverage) {
    page.raw("<tr><th scope=\"row\">")
        .text(&operation.operation)
        .raw("</th>");
    if operation.requests == 0 {
        page.raw("<td class=\"gap\" colspan=\"4\">not asked");
        if let Some(reason) = &operation.reason {
            page.raw(": ").text(reason);
        }
        page.raw("</td></tr>\n");
        return;
    }
    page.raw("<td data-label=\"Requests\">")
        .number(operation.requests);
    page.raw("</td><td data-label=\"Statuses\">");
    for status in &operation.statuses {
        page.number(*status).raw(" ");
    }
    page.raw("</td>");
    parts(page, " data-label=\"Parameters\"", &operation.parameters);
    parts(page, " data-label=\"Fields\"", &operation.fields);
    page.raw("</tr>\n");
}

/// How many of them were exercised, and which were not.
fn parts(page: &mut Html, label: &'static str, parts: &[PartCoverage]) {
    if parts.is_empty() {
        page.raw("<td class=\"nothing\"").raw(label).raw(">–</td>");
        return;
    }
    let missing: Vec<_> = parts.iter().filter(|part| !part.exercised).collect();
    let class = if missing.is_empty() {
        "<td class=\"all\""
    } else {
        "<td class=\"gap\""
    };
    page.raw(class).raw(label).raw(">");
    let done = parts.len() - missing.len();
    page.text(&done.to_string())
        .raw(" of ")
        .text(&parts.len().to_string());
    if !missing.is_empty() {
        page.raw("<details><summary>missing</summary><ul class=\"ids\">");
        for part in missing {
            page.raw("<li><code>").text(&part.name).raw("</code>");
            if let Some(reason) = &part.reason {
                page.raw(" ").text(reason);
            }
            page.raw("</li>");
        }
        page.raw("</ul></details>");
    }
    page.raw("</td>");
}
