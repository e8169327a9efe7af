//! A running `nodectl` as the system sees it: no core dump of it can be made.

use std::{fs, io::Write as _, process::Stdio};

use crate::nodectl::program::Home;

#[test]
fn no_core_dump_of_it_can_be_made() {
    let home = Home::new();
    // It waits for its input after it has set the limits.
    let mut child = home
        .command(&["verify", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program");
    let limits = format!("/proc/{}/limits", child.id());
    let core = || {
        let text = fs::read_to_string(&limits).expect("its limits");
        let line = text
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        let line = line.expect("the limit of core files").to_owned();
        line.split_whitespace()
            .skip(4)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    // Until then, it has the limits of this process.
    let set = (0..2_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        core().starts_with(&["0".to_owned(), "0".to_owned()])
    });
    assert!(set, "{:?}", core());
    // The memory of a process that forbids dumps belongs to root, whichever user runs it.
    let owner = || {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(format!("/proc/{}/mem", child.id()))
            .expect("its memory")
            .uid()
    };
    assert_eq!(owner(), 0);
    let mut stdin = child.stdin.take().expect("its input");
    let _written = stdin.write_all(b"{}");
    drop(stdin);
    assert_eq!(child.wait().expect("its end").code(), Some(2));
}
