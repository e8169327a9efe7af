//! `report.html` in a real browser.

use std::{fs, path::Path, process::Command, sync::Arc};

use integration_tests::proxy::{Fault, Proxy};
use nodeproof_devnode::{Config, Handle, InjectedFault};
use serde_json::Value;

use super::{echoes::with_echo, ran, run};

/// A page that opens `report.html` as narrow as on a phone, searches it, and reports what is visible.
const DRIVER: &str = r##"<!DOCTYPE html><meta charset="utf-8"><pre id="seen"></pre>
<iframe src="report.html" width="400" height="800"></iframe>
<script>
window.addEventListener("load", () => {
  const frame = document.querySelector("iframe");
  const page = frame.contentDocument;
  const style = (element) => frame.contentWindow.getComputedStyle(element);
  const isVisible = (element) => element.getClientRects().length > 0 && element.offsetHeight > 20;
  const light = (colour) => {
    const parts = colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = {
    background: light(style(page.querySelector(".banner")).backgroundColor),
    sections: [...page.querySelectorAll("main > section")].map((one) => [one.id, isVisible(one)]),
    overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
  };
  const search = page.getElementById("search");
  const cases = [...page.querySelectorAll("details.case")];
  const shown = () => cases.filter(isVisible).map((one) => one.id);
  seen.badges = cases.map((one) => one.querySelectorAll("summary .badge").length);
  if (search) {
    const searchFor = (words) => {
      search.value = words;
      search.dispatchEvent(new frame.contentWindow.Event("input"));
      return [shown(), page.getElementById("shown").textContent];
    };
    seen.all = shown().length;
    seen.cases = cases.length;
    seen.found = searchFor("GET-BLOCK/responds");
    seen.nothing = searchFor("no case has these words");
    seen.message = isVisible(page.getElementById("none"));
    searchFor("");
    const failed = page.querySelector("button.filter.fail");
    failed?.click();
    seen.failed = shown();
    failed?.click();
    seen.again = shown().length;
  }
  document.getElementById("seen").textContent = JSON.stringify(seen);
});
</script>
"##;

/// Returns the name of the browser, if one is installed.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

/// The content of a page as a browser shows it, and the messages on its console.
struct Seen {
    page: Value,
    console: Vec<String>,
}

/// Opens the `report.html` of a folder.
fn open(browser: &str, folder: &Path, dark: bool) -> Seen {
    let driver = folder.join("driver.html");
    fs::write(&driver, DRIVER).expect("a page");
    let profile = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run",
        "--allow-file-access-from-files",
        "--enable-logging=stderr",
        "--v=0",
        "--dump-dom",
    ]);
    let scheme = if dark { 0 } else { 1 };
    command.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
    command.arg(format!("--user-data-dir={}", profile.path().display()));
    command.arg(format!("file://{}", driver.display()));
    let (status, dom, log) = ran(&mut command);
    assert_eq!(status, 0, "{log}");
    let text = dom.split_once("<pre id=\"seen\">").expect("the result").1;
    let text = text.split_once("</pre>").expect("its end").0;
    assert!(!text.is_empty(), "the page could not be looked at: {log}");
    let console = log.lines().filter(|line| line.contains("CONSOLE"));
    Seen {
        console: console.map(str::to_owned).collect(),
        page: serde_json::from_str(text).expect("JSON"),
    }
}

/// Asserts that a page is completely visible, and returns its sections.
fn assert_readable(seen: &Seen, dark: bool) -> Vec<String> {
    let page = &seen.page;
    assert_eq!(seen.console, Vec::<String>::new(), "{page}");
    let number = |name: &str| page[name].as_f64().expect("a number");
    assert_eq!(number("background") < 0.2, dark, "{page}");
    assert!(number("overflow") <= 0.0, "wider than a phone: {page}");
    let sections = page["sections"].as_array().expect("sections").iter();
    sections
        .map(|section| {
            assert_eq!(section[1], true, "not seen: {section}");
            section[0].as_str().expect("an ID").to_owned()
        })
        .collect()
}

async fn node(blocks: u64, fault: Option<InjectedFault>) -> Handle {
    let mut config = Config::for_tests().with_blocks(blocks);
    if let Some(fault) = fault {
        config = config.with_fault(fault);
    }
    nodeproof_devnode::spawn(config).await.expect("a node")
}

/// Checks nodes, with a sweep, and returns the folder of their reports.
fn checked(nodes: &[&Handle]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = run(nodes[0].base_url());
    for node in &nodes[1..] {
        command.args(["--base-url", node.base_url()]);
    }
    command.args(["--blocks", "..", "--report-dir"]);
    let (status, _, error) = ran(command.arg(folder.path()));
    assert!([0, 1].contains(&status), "{error}");
    folder
}

#[expect(clippy::print_stderr, reason = "a skipped test prints a note")]
fn skip() {
    eprintln!("SKIPPED: no Chromium is installed, so no page was opened in a browser");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_shows_each_section_and_searches_the_cases() {
    let Some(browser) = browser() else {
        return skip();
    };
    let node = node(40, Some(InjectedFault::NoCallEndpoint)).await;
    let folder = checked(&[&node]);
    for dark in [false, true] {
        let seen = open(browser, folder.path(), dark);
        let sections = assert_readable(&seen, dark);
        let page = &seen.page;
        for expected in [
            "findings",
            "cases",
            "coverage-1",
            "latency-1",
            "exchanges-1",
        ] {
            assert!(
                sections.iter().any(|id| id == expected),
                "{expected}: {page}"
            );
        }
        assert!(
            page["cases"].as_u64().is_some_and(|cases| cases > 100),
            "{page}"
        );
        assert_eq!(page["all"], page["cases"], "{page}");
        assert_eq!(page["again"], page["cases"], "{page}");
        let found = page["found"][0].as_array().expect("cases");
        assert!(found.contains(&"get-block/responds".into()), "{page}");
        assert!(found.len() < 10, "{page}");
        let words = format!("{} of {} cases", found.len(), page["cases"]);
        assert_eq!(page["found"][1], words.as_str());
        assert_eq!(page["nothing"][0], Value::Array(Vec::new()));
        assert_eq!(page["message"], true);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_shows_each_case_at_several_nodes_and_searches_them() {
    let Some(browser) = browser() else {
        return skip();
    };
    let (good, bad) = (
        node(12, None).await,
        node(12, Some(InjectedFault::RemarksCut)).await,
    );
    let folder = checked(&[&good, &bad]);
    for dark in [false, true] {
        let seen = open(browser, folder.path(), dark);
        let sections = assert_readable(&seen, dark);
        for expected in ["coverage-2", "latency-1", "latency-2", "exchanges-2"] {
            let has_section = sections.iter().any(|id| id == expected);
            assert!(has_section, "{expected}: {}", seen.page);
        }
        let page = &seen.page;
        // Each case has its outcome at each node. A comparison between the nodes has one.
        let badges = page["badges"].as_array().expect("cases");
        let of_both = badges.iter().filter(|count| **count == 2).count();
        assert_eq!((badges.len() - of_both, of_both > 100), (5, true), "{page}");
        assert_eq!(page["all"], page["cases"], "{page}");
        assert_eq!(page["again"], page["cases"], "{page}");
        let failing = page["failed"].as_array().expect("cases");
        let name = "sc-state/record-matches-claim";
        assert!(failing.contains(&name.into()), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_got_into_a_page_is_not_run_and_is_told_on_the_console() {
    let Some(browser) = browser() else {
        return skip();
    };
    let folder = checked(&[&node(12, None).await]);
    let path = folder.path().join("report.html");
    let page = fs::read_to_string(&path).expect("a page");
    let script = "<script>document.querySelector('main').replaceChildren();</script></body>";
    fs::write(&path, page.replace("</body>", script)).expect("a page");
    let seen = open(browser, folder.path(), false);
    assert!(
        seen.console
            .iter()
            .any(|line| line.contains("Content Security Policy")),
        "{:?}",
        seen.console
    );
    assert_eq!(seen.page["all"], seen.page["cases"]);
}

/// Markup that runs a script or hides the page, if a browser takes any part of it as markup.
const MARKUP: &str = "</script></pre></td></p>\"'><script>document.body.remove()</script>\
    <img src=x onerror=\"document.body.remove()\"><svg onload='document.body.remove()'>\
    <style>*{display:none}</style><base href='http://192.0.2.1/'><!--";

#[tokio::test(flavor = "multi_thread")]
async fn markup_that_a_node_sends_is_only_text_in_a_browser() {
    let Some(browser) = browser() else {
        return skip();
    };
    let node = node(12, None).await;
    let fault: Fault = Arc::new(|request, response| with_echo(&request.path, response, MARKUP));
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = run(&proxy.server.base_url());
    command.arg("--report-dir").arg(folder.path());
    let (status, _, error) = ran(&mut command);
    assert_eq!(status, 1, "{error}");
    let page = fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert!(
        page.contains("document.body.remove()"),
        "the markup is shown"
    );
    assert_readable(&open(browser, folder.path(), false), false);
}
