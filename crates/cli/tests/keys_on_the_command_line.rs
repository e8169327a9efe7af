//! Tests with a private key in the wrong place: in every option and environment variable of the
//! command line's definition.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::{
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
};

use clap::{Arg, ArgAction};

const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";
const WALLET: &str = "0x00000000000000000000000000000000000000a1";

/// Returns a key in several forms.
fn keys() -> [String; 4] {
    let key = "5Ec2e7e1".repeat(8);
    [
        key.clone(),
        format!("0x{key}"),
        key.to_uppercase(),
        format!("keys/{key}00.json"),
    ]
}

/// A command without subcommands, and its arguments that take values.
struct Leaf {
    words: Vec<String>,
    arguments: Vec<Arg>,
}

fn leaves(command: &clap::Command, words: &[String], found: &mut Vec<Leaf>) {
    if command.get_subcommands().next().is_none() {
        let takes_value =
            |one: &&Arg| matches!(one.get_action(), ArgAction::Set | ArgAction::Append);
        let arguments = command.get_arguments().filter(takes_value).cloned();
        found.push(Leaf {
            words: words.to_vec(),
            arguments: arguments.collect(),
        });
    }
    for one in command.get_subcommands() {
        if one.get_name() != "help" {
            let words = [words, &[one.get_name().to_owned()]].concat();
            leaves(one, &words, found);
        }
    }
}

/// Returns the command-line words of one argument with a value.
fn given(argument: &Arg, value: &str) -> Vec<String> {
    match argument.get_long() {
        Some(long) => vec![format!("--{long}"), value.to_owned()],
        None => vec![value.to_owned()],
    }
}

/// Returns a value with which the command gets as far as possible.
fn plausible(argument: &Arg) -> String {
    let name = argument.get_value_names().unwrap_or_default();
    match name.first().map_or("", |name| name.as_str()) {
        "ct…" => CONTRACT,
        "WALLET" | "FROM" | "TO" => WALLET,
        "N" | "AMOUNT" | "INDEX" | "S" => "1",
        "SHELL" => "bash",
        _ => "given.json",
    }
    .to_owned()
}

/// Starts a server that refuses every request, and returns its base URL. The program does not retry these requests.
fn refusing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _read = stream.read(&mut [0; 4096]);
            let _sent = stream.write_all(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
        }
    });
    url
}

fn run(
    url: &str,
    folder: &Path,
    arguments: &[String],
    environment: Option<(&str, &str)>,
) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nodectl"));
    command
        .args(arguments)
        .env_clear()
        .env("HOME", folder)
        .env("NODECTL_BASE_URL", url)
        .env("NODECTL_NETWORK", "devnet")
        .env("NODECTL_REQUEST_TIMEOUT", "0.2")
        .env("NODECTL_FEE", "1000000")
        .env("NODECTL_CURRENCY", "DEVN")
        .env("NODECTL_CONTRACT", CONTRACT)
        .envs(environment)
        .current_dir(folder)
        .stdin(Stdio::null());
    command.output().unwrap()
}

#[track_caller]
fn says_nothing_of_it(output: &Output, what: &str) {
    for text in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(text).to_lowercase();
        assert!(!text.contains("5ec2e7e15ec2e7e1"), "{what}: {text}");
    }
}

#[test]
fn no_option_and_no_variable_shows_a_key_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = nodeproof_cli::command();
    command.build();
    let mut found = Vec::new();
    leaves(&command, &[], &mut found);
    assert!(found.len() > 15, "{}", found.len());
    let url = &refusing();
    let tried = thread::scope(|scope| {
        let threads: Vec<_> = found
            .iter()
            .map(|leaf| scope.spawn(|| try_keys(url, folder.path(), leaf)))
            .collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.collect::<Vec<_>>()
    });
    let options: usize = tried.iter().map(|(options, _)| options).sum();
    let variables: usize = tried.iter().map(|(_, variables)| variables).sum();
    assert!(options > 500 && variables > 300, "{options}, {variables}");
}

/// Tries keys in each argument of a command. Returns the number of tries in options and in variables.
fn try_keys(url: &str, folder: &Path, leaf: &Leaf) -> (usize, usize) {
    let (mut options, mut variables) = (0, 0);
    let required = leaf.arguments.iter().filter(|one| one.is_required_set());
    let required: Vec<_> = required.collect();
    for argument in &leaf.arguments {
        let id = argument.get_id();
        let name = format!("{:?} {id}", leaf.words);
        let others = required.iter().filter(|one| one.get_id() != id);
        let others: Vec<String> = others.flat_map(|one| given(one, &plausible(one))).collect();
        for (form, key) in keys().into_iter().enumerate() {
            let line = [&leaf.words[..], &others, &given(argument, &key)].concat();
            let alone = [&leaf.words[..], &given(argument, &key)].concat();
            let json = [&line[..], &["--json".to_owned()]].concat();
            // The other messages have the same words for each form.
            let lines = if form == 0 { 3 } else { 1 };
            for line in [line, alone, json].into_iter().take(lines) {
                says_nothing_of_it(&run(url, folder, &line, None), &name);
                options += 1;
            }
            if let Some(variable) = argument.get_env() {
                let variable = variable.to_str().unwrap();
                let line = [&leaf.words[..], &others].concat();
                let output = run(url, folder, &line, Some((variable, &key)));
                says_nothing_of_it(&output, &format!("{:?} {variable}", leaf.words));
                variables += 1;
            }
        }
    }
    (options, variables)
}

#[test]
fn no_setting_of_the_configuration_shows_a_key_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.toml");
    let url = refusing();
    for key in keys() {
        for text in [
            format!("base_url = \"{key}\""),
            format!("base_url = \"{url}/{key}\""),
            format!("base_url = \"http://{key}\""),
            format!("network = \"{key}\""),
            format!("contract = \"{key}\""),
            format!("wallet = \"{key}\""),
            format!("wallet = [\"a\", \"{key}\"]"),
            format!("fee = \"{key}\""),
            format!("currency = 1\n# {key}"),
            format!("request_timeout = \"{key}\""),
            format!("max_body = \"{key}\""),
            format!("\"{key}\" = 1"),
            format!("private = \"{key}\""),
            format!("base_url = [\"{key}\""),
            key.clone(),
            format!("{{\"public\": \"a\", \"private\": \"{key}\", \"address\": \"b\"}}"),
        ] {
            std::fs::write(&path, &text).unwrap();
            for line in [
                &["wallet", "show"][..],
                &["sign", "no-such"],
                &["block", "1"],
            ] {
                let mut command = Command::new(env!("CARGO_BIN_EXE_nodectl"));
                let command = command.args(["--config", "c.toml", "--request-timeout", "0.2"]);
                let command = command.args(line).env_clear();
                let is_set = text.contains("base_url");
                command.envs((!is_set).then_some(("NODECTL_BASE_URL", &url)));
                let output = command.current_dir(folder.path()).output().unwrap();
                says_nothing_of_it(&output, &text.replace(&key, "KEY"));
                assert!(!output.status.success(), "{}", text.replace(&key, "KEY"));
            }
        }
    }
}
