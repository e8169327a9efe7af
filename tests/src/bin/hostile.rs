//! `hostile`: starts hostile servers, and measures the programs against them.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program prints its progress"
)]

use std::{
    error::Error,
    ffi::{OsStr, OsString},
    path::PathBuf,
    process::{Command, ExitCode},
    time::Duration,
};

use clap::{Args, Parser, Subcommand};
use integration_tests::hostile::{
    Consumer, FILE, Programs, Row, Seen, all, measure, render, run_measured, with_rows,
};
use nodeproof_client::{Client, ClientOptions, SignedTransaction, SubmitError, SubmitPolicy};
use nodeproof_conformance::cli::{ConformanceArgs, execute};

#[derive(Debug, Parser)]
#[command(about = "Servers that are broken or hostile, and how the programs behave with them")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// List the servers
    List,
    /// Run one of the servers until Ctrl-C
    Serve {
        /// Its name.
        name: String,
    },
    /// Run the programs against every server, and print the table
    Table(TableArgs),
    /// Request a block from a node, submit a transaction, and print the result
    Client(ClientArgs),
    /// Check a node, as nodeproof does
    Conformance(Box<ConformanceArgs>),
    /// Run a program, and write the time and memory that it took to a file
    Measured {
        /// The file: microseconds and, if the system reports it, bytes.
        file: PathBuf,
        /// The program and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<OsString>,
    },
}

#[derive(Clone, Debug, Args)]
struct TableArgs {
    /// Also write the table to docs/generated/hostile-nodes.md.
    #[arg(long)]
    write: bool,
    /// Only the servers with these names.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// The nodeproof to measure [default: the one in this program].
    #[arg(long, value_name = "FILE")]
    conformance: Option<PathBuf>,
    /// The nodectl to measure [default: the one next to this program].
    #[arg(long, value_name = "FILE")]
    nodectl: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
struct ClientArgs {
    #[arg(long, value_name = "URL")]
    base_url: String,
    #[arg(long, value_name = "S")]
    request_timeout: f64,
}

/// An unsigned transaction. A node refuses it with status 200.
const UNSIGNED: &str = r#"{"transaction":{"timestamp":1767225600000,
    "trans_code":"5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a","type":3,"currency":"DEVN","fee":1000000,
    "descr":"","valid":1,"specific_data":{"address":"ct5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a",
    "function":"add_verification","signers":["0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"],
    "params":{}}},"signatures":[]}"#;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Cli::parse().task {
        Task::List => {
            for hostile in all() {
                println!("{:<20} {}", hostile.name, hostile.what);
            }
            Ok(ExitCode::SUCCESS)
        }
        Task::Serve { name } => serve(&name).await,
        Task::Table(args) => table(args).await,
        Task::Client(args) => client(args).await,
        Task::Conformance(args) => {
            let status = execute(&args, None).await;
            std::process::exit(status.into());
        }
        Task::Measured { file, command } => measured(&file, &command),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

async fn serve(name: &str) -> Result<ExitCode, Failure> {
    let all = all();
    let Some(hostile) = all.iter().find(|hostile| hostile.name == name) else {
        return Err(format!("there is no server {name:?}: see `hostile list`").into());
    };
    let running = hostile.start().await?;
    println!("{} at {}", hostile.what, running.base_url);
    if let Some(roots) = running.roots() {
        println!("trusted with SSL_CERT_FILE={}", roots.display());
    }
    tokio::signal::ctrl_c().await?;
    Ok(ExitCode::SUCCESS)
}

async fn table(args: TableArgs) -> Result<ExitCode, Failure> {
    let own = std::env::current_exe()?;
    let beside = own.with_file_name(format!("nodectl{}", std::env::consts::EXE_SUFFIX));
    let mut programs = Programs::out_of(own, args.nodectl.unwrap_or(beside));
    if let Some(conformance) = args.conformance {
        programs.conformance = (conformance, Vec::new());
    }
    let mut rows = Vec::new();
    for hostile in all() {
        if !args.only.is_empty() && !args.only.iter().any(|name| name == hostile.name) {
            continue;
        }
        eprintln!("{}", hostile.name);
        let programs = programs.clone();
        // Each program gets its own server, because some servers count requests.
        let first = hostile.start().await?;
        let second = hostile.start().await?;
        let third = hostile.start().await?;
        let row = tokio::task::spawn_blocking(move || {
            let transaction = third.transaction();
            let submit: [&OsStr; 2] = ["submit".as_ref(), transaction.as_ref()];
            let nodectl =
                |more: &[&OsStr]| measure(&programs, Consumer::Nodectl, &hostile, &third, more);
            let row = Row {
                client: measure(&programs, Consumer::Client, &hostile, &first, &[])?,
                conformance: measure(&programs, Consumer::Conformance, &hostile, &second, &[])?,
                nodectl_read: nodectl(&["block".as_ref(), "5".as_ref()])?,
                nodectl_submit: nodectl(&submit)?,
            };
            std::io::Result::Ok((hostile, row))
        });
        rows.push(row.await??);
    }
    let mut wrong = Vec::new();
    for (hostile, row) in &rows {
        wrong.extend(
            row.differs(&hostile.expected)
                .iter()
                .map(|differs| format!("{}: {differs}", hostile.name)),
        );
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    let text = render(&rows);
    print!("{text}");
    if args.write {
        with_rows(&text)?;
        eprintln!("written to {FILE}");
    }
    Ok(ExitCode::SUCCESS)
}

async fn client(args: ClientArgs) -> Result<ExitCode, Failure> {
    let options = ClientOptions {
        request_timeout: Duration::try_from_secs_f64(args.request_timeout)?,
        ..ClientOptions::default()
    };
    let client = Client::with_options(&args.base_url, options)?;
    let read = client.block(5_u64).await.err();
    let signed = SignedTransaction::from_json(UNSIGNED)?;
    let submitted = client.submit(&signed, &SubmitPolicy::ONCE).await.err();
    let submitted = submitted.as_ref().and_then(SubmitError::client_error);
    let seen = [read.as_ref(), submitted].map(|error| match error {
        None => Seen {
            kind: None,
            text: String::new(),
            maybe_sent: true,
        },
        Some(error) => Seen {
            kind: Some(format!("{:?}", error.kind())),
            text: format!("{error:#}"),
            maybe_sent: error.maybe_sent(),
        },
    });
    println!("{}", serde_json::to_string(&seen)?);
    Ok(ExitCode::SUCCESS)
}

fn measured(file: &std::path::Path, command: &[OsString]) -> Result<ExitCode, Failure> {
    let (program, arguments) = command.split_first().ok_or("no program")?;
    let status = run_measured(file, Command::new(program).args(arguments))?;
    let status = status.and_then(|status| u8::try_from(status).ok());
    Ok(ExitCode::from(status.unwrap_or(u8::MAX)))
}
