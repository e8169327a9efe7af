//! `cargo xtask spec` on the real spec, unchanged and with one fault at a time.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its functions too"
)]

mod description;
mod fault;
mod project_rules;
mod public_linters;

use xtask::spec::{Problem, lint};

use self::fault::Fault;

const SPEC: &str = nodeproof_openapi::NODE_YAML;

fn break_spec(find: &str, replace: &str) -> (String, isize) {
    assert_eq!(
        SPEC.matches(find).count(),
        1,
        "not in the spec exactly once:\n{find}"
    );
    let line = SPEC[..SPEC.find(find).unwrap()].lines().count();
    let begins_line = SPEC[..SPEC.find(find).unwrap()].ends_with('\n');
    let line = line + usize::from(begins_line);
    (
        SPEC.replacen(find, replace, 1),
        isize::try_from(line).unwrap(),
    )
}

fn found(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(|problem| format!("  {problem}\n"))
        .collect()
}

/// The package needs the text in its own folder, but readers look for it in `docs`.
#[test]
fn the_package_has_the_specification_of_the_docs() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/specification.md")).unwrap();
    if std::env::var_os("UPDATE_SPECIFICATION").is_some_and(|value| value == "1") {
        std::fs::write(root.join("openapi/specification.md"), text).unwrap();
        return;
    }
    assert!(
        text == nodeproof_openapi::SPECIFICATION_MD,
        "openapi/specification.md is not docs/specification.md: set UPDATE_SPECIFICATION=1 and run this test again"
    );
}

#[test]
fn the_spec_has_no_problems() {
    let problems = lint(SPEC);
    assert!(problems.is_empty(), "\n{}", found(&problems));
}

#[test]
fn every_seeded_fault_is_found_where_it_is() {
    let faults: Vec<_> = description::FAULTS
        .iter()
        .chain(project_rules::FAULTS)
        .collect();
    let (first, second) = faults.split_at(faults.len() / 2);
    let missed = std::thread::scope(|scope| {
        let first = scope.spawn(|| first.iter().copied().filter_map(missed).collect::<String>());
        let second: String = second.iter().copied().filter_map(missed).collect();
        first.join().unwrap() + &second
    });
    assert!(missed.is_empty(), "{missed}");
}

/// Returns what was found instead, if the fault was missed.
fn missed(fault: &Fault) -> Option<String> {
    let Fault {
        find,
        replace,
        rule,
        pointer,
        line,
        says,
    } = *fault;
    let (broken, start) = break_spec(find, replace);
    let problems = lint(&broken);
    let hit = problems.iter().any(|problem| {
        problem.rule == rule
            && problem.pointer == pointer
            && isize::try_from(problem.line) == Ok(start + line)
            && problem.message.contains(says)
    });
    (!hit).then(|| {
        let place = format!("in line {}: [{rule}] at #{pointer}: …{says}…", start + line);
        format!(
            "\n{find} ->\n{replace}\nexpected {place}\nfound:\n{}",
            found(&problems)
        )
    })
}

#[test]
fn all_problems_are_told_in_one_run() {
    let mut text = SPEC.to_owned();
    for fault in &description::FAULTS[..7] {
        text = text.replacen(fault.find, fault.replace, 1);
    }
    let problems = lint(&text);
    for fault in &description::FAULTS[..7] {
        assert!(
            problems
                .iter()
                .any(|p| p.rule == fault.rule && p.pointer == fault.pointer),
            "{} at {} is missing:\n{}",
            fault.rule,
            fault.pointer,
            found(&problems)
        );
    }
}

#[test]
fn problems_come_in_the_order_of_the_file() {
    let broken = SPEC.replace("additionalProperties: {}", "aditionalProperties: {}");
    let lines: Vec<_> = lint(&broken).iter().map(|problem| problem.line).collect();
    assert!(lines.len() > 30);
    assert!(lines.is_sorted());
}

#[test]
fn a_marked_addition_is_not_a_finding() {
    let (text, _) = break_spec(
        "        proof:\n          x-requirement: BLOCK-4\n",
        "        colour:\n          x-observed: true\n          description: Seen.\n          \
         type: string\n        proof:\n          x-requirement: BLOCK-4\n",
    );
    assert_eq!(found(&lint(&text)), "");
}

#[test]
fn a_removed_operation_is_told_once() {
    let start = SPEC.find("  /docs:\n").unwrap();
    let end = SPEC.find("  /call-sc:\n").unwrap();
    let text = format!("{}{}", &SPEC[..start], &SPEC[end..]);
    let problems = lint(&text);
    assert_eq!(problems.len(), 1, "\n{}", found(&problems));
    assert!(
        problems[0]
            .message
            .contains("no documented place cites DOCS-1")
    );
}

#[test]
fn a_mark_on_a_documented_operation_is_told() {
    let (text, _) = break_spec(
        "  /call-sc:\n    post:\n",
        "  /call-sc:\n    x-observed: true\n    post:\n",
    );
    let problems = lint(&text);
    let told = |id: &str| {
        let message = format!("no documented place cites {id}:");
        problems
            .iter()
            .any(|problem| problem.message.starts_with(&message))
    };
    assert!(
        ["CALL-1", "CALL-6", "RECORD-2"].into_iter().all(told),
        "\n{}",
        found(&problems)
    );
}

#[test]
fn what_is_not_yaml_is_told_with_its_line() {
    let (text, line) = break_spec("tags:\n  - name: queries", "tags: [\n  - name: queries");
    let problems = lint(&text);
    assert!(!problems.is_empty());
    assert!(
        problems.iter().all(|problem| problem.rule == "yaml"),
        "\n{}",
        found(&problems)
    );
    assert!(isize::try_from(problems[0].line).unwrap() >= line);
}
