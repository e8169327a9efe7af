//! Help, completions and manual pages.

use crate::nodectl::program::Home;

#[test]
fn completions_are_written_for_each_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.run(&["completions", shell]).ended(0).out;
        assert!(
            script.contains("nodectl") && script.contains("deletable-after"),
            "{shell}"
        );
    }
    home.run(&["completions", "tcsh"]).ended(2);
}

#[test]
fn manual_pages_are_written_for_each_command() {
    let home = Home::new();
    assert!(home.run(&["man"]).ended(0).out.contains(".SH NAME"));
    let folder = home.folder.path().to_str().unwrap();
    home.run(&["man", "--dir", folder]).ended(0);
    for page in [
        "nodectl.1",
        "nodectl-claim-add.1",
        "nodectl-wallet-new.1",
        "nodectl-watch.1",
    ] {
        let text = std::fs::read_to_string(home.path(page)).unwrap();
        assert!(text.contains(".SH OPTIONS"), "{page}");
    }
    home.run(&["man", "--dir", "/no/such/folder"]).ended(2);
}
