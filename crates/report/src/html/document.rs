//! The document around a page's content: head, Content-Security-Policy, style sheet and script.

use std::sync::LazyLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

static STYLE: &str = include_str!("report.css");
static SCRIPT: &str = include_str!("report.js");

/// The page's Content-Security-Policy.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
});

/// Returns the hash that identifies an embedded script or style sheet in a policy.
fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}

/// The element that identifies an HTML page of this crate. It is in the first 16 KiB of the page.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"nodeproof\">";

/// Renders a whole document. It is safe only if title and body are escaped.
pub(super) fn document(title: &Markup, body: &Markup) -> String {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(*POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                (PreEscaped(GENERATOR))
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
        "\n"
    };
    document.into_string()
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

    #[test]
    fn a_page_can_be_recognised_by_its_start() {
        let page = document(&html! {}, &html! {});
        assert!(page.starts_with("<!DOCTYPE html>"));
        assert!(page.find(GENERATOR).is_some_and(|place| place < 16 * 1024));
    }
}
