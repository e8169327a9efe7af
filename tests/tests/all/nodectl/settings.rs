//! Flags take precedence over the environment, and the environment over the configuration file.

use crate::nodectl::{
    program::{Home, RunOutput},
    raw_server::{RawServer, Reply},
};

fn server() -> RawServer {
    RawServer::spawn(|_| Reply::block(1))
}

fn with_environment(home: &Home, arguments: &[&str], environment: &[(&str, &str)]) -> RunOutput {
    let mut command = home.command(arguments);
    command.envs(environment.iter().copied());
    RunOutput::of(command.output().expect("the program"))
}

#[test]
fn a_flag_goes_before_the_environment_and_that_before_the_file() {
    let (in_file, in_environment, in_flag) = (server(), server(), server());
    let home = Home::new();
    std::fs::create_dir_all(home.path(".config/nodectl")).unwrap();
    let text = format!("base_url = {:?}\n", in_file.base_url);
    home.file(".config/nodectl/config.toml", &text);
    let counts = || [&in_file, &in_environment, &in_flag].map(RawServer::requests);

    home.run(&["block", "1"]).ended(0);
    assert_eq!(counts(), [1, 0, 0]);
    let environment = [("NODECTL_BASE_URL", in_environment.base_url.as_str())];
    with_environment(&home, &["block", "1"], &environment).ended(0);
    assert_eq!(counts(), [1, 1, 0]);
    let flag = ["block", "1", "--base-url", &in_flag.base_url];
    with_environment(&home, &flag, &environment).ended(0);
    assert_eq!(counts(), [1, 1, 1]);
}

#[test]
fn another_file_can_be_named_and_has_to_be_there() {
    let node = server();
    let home = Home::new();
    let file = home.file("mine.toml", &format!("base_url = {:?}\n", node.base_url));
    home.run(&["--config", &file, "block", "1"]).ended(0);
    with_environment(&home, &["block", "1"], &[("NODECTL_CONFIG", &file)]).ended(0);
    let folder = home.path("xdg/nodectl");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::rename(&file, folder.join("config.toml")).unwrap();
    let xdg = home.path("xdg").display().to_string();
    with_environment(&home, &["block", "1"], &[("XDG_CONFIG_HOME", &xdg)]).ended(0);
    assert_eq!(node.requests(), 3);
    let ran = home.run(&["--config", &file, "block", "1"]).ended(2);
    assert!(ran.err.contains("mine.toml"), "{ran:?}");
}

#[test]
fn what_is_wrong_in_the_file_is_named_with_its_line() {
    let home = Home::new();
    for (text, words) in [
        (
            "network = \"devnet\"\nnetwrok = 1\n",
            "line 2: unknown field `netwrok`, expected one of `base_url`",
        ),
        ("network = \"dev\"\n", "line 1"),
        (
            "contract = \"0x00000000000000000000000000000000000000a1\"\n",
            "contract",
        ),
        ("fee = 1.5\n", "in quotes"),
        ("= 1\n", "line 1"),
    ] {
        let file = home.file("c.toml", text);
        let ran = home
            .run(&["--config", &file, "wallet", "show", "x"])
            .ended(2);
        assert!(ran.err.contains(words), "{text}: {ran:?}");
    }
}

#[test]
fn the_port_follows_from_the_network_and_has_to_fit_it() {
    let home = Home::new();
    let mut urls = Vec::new();
    for network in ["devnet", "testnet", "mainnet"] {
        // No node needs to listen there: the output contains the requested URL either way.
        let ran = home.run(&["--network", network, "--json", "docs"]);
        let output = if ran.status == 0 { ran.out } else { ran.err };
        let at = output.find("http://127.0.0.1:").unwrap();
        urls.push(output[at..at + 21].to_owned());
    }
    assert_eq!(
        urls,
        [
            "http://127.0.0.1:8420",
            "http://127.0.0.1:8421",
            "http://127.0.0.1:8456"
        ]
    );

    let run = |arguments: &[&str]| home.run(&[&["block", "1"], arguments].concat());
    let ran = run(&[
        "--base-url",
        "http://localhost:8421",
        "--network",
        "mainnet",
    ])
    .ended(2);
    assert!(
        ran.err
            .contains("port 8421 is where nodes of testnet listen"),
        "{ran:?}"
    );
    let ran = run(&["--base-url", "http://localhost"]).ended(2);
    assert!(ran.err.contains("has no port"), "{ran:?}");
}

#[test]
fn reads_do_not_require_a_network() {
    let node = server();
    let home = Home::new();
    let target = ["--base-url", &node.base_url];
    home.run(&[&["block", "1"][..], &target].concat()).ended(0);
    let watch = ["watch", "--from", "1", "--count", "1"];
    home.run(&[&watch[..], &target].concat()).ended(0);
    let transaction = home.file("t.json", "{}");
    let submit = ["submit", &transaction, "--unverified"];
    let ran = home.run(&[&submit[..], &target].concat()).ended(2);
    assert_eq!(node.requests(), 2, "{ran:?}");
}

#[test]
fn ignores_a_relative_home() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("here/.config/nodectl")).unwrap();
    home.file("here/.config/nodectl/config.toml", "nonsense\n");
    let ran = with_environment(&home, &["sign", "no-such"], &[("HOME", "here")]).ended(2);
    assert!(ran.err.contains("no-such"), "{ran:?}");
}

#[test]
fn credentials_in_a_url_are_refused_and_not_repeated() {
    let home = Home::new();
    let ran = home
        .run(&["block", "1", "--base-url", "http://me:hush@localhost:8420"])
        .ended(2);
    assert!(!ran.err.contains("hush"), "{ran:?}");
    let environment = [("NODECTL_BASE_URL", "http://me:hush@localhost:8420")];
    let help = with_environment(&home, &["block", "--help"], &environment).ended(0);
    assert!(!help.out.contains("hush"), "{help:?}");
}

#[test]
fn help_names_the_variable_of_a_contract_without_its_value() {
    let home = Home::new();
    let environment = [("NODECTL_CONTRACT", "ct-hush")];
    for command in [
        &["call"][..],
        &["state"],
        &["claim", "add"],
        &["claim", "get"],
    ] {
        let words = [command, &["--help"]].concat();
        let help = with_environment(&home, &words, &environment).ended(0);
        assert!(help.out.contains("NODECTL_CONTRACT"), "{help:?}");
        assert!(!help.out.contains("hush"), "{help:?}");
    }
}
