//! `judge`: judges the exchanges in a file.

use std::io;

use nodeproof_files::read_text;
use nodeproof_primitives::Network;
use nodeproof_report::Report;

use super::{
    args::JudgeArgs,
    error::UsageError,
    options_from_args::options_of_cases,
    output::{NotWritten, show, style},
    outputs::Outputs,
    report_folder::remove_stale,
};
use crate::{
    api::Tier,
    cases::all,
    har::{Recording, read},
    run::{Options, judge as judge_recording},
};

/// Maximum length of a file, in bytes.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// Judges the exchanges in a file, shows the report, and returns the exit status.
pub(crate) async fn judge(args: &JudgeArgs) -> Result<u8, UsageError> {
    if let Some(folder) = &args.output.report_dir {
        remove_stale(folder);
    }
    let options = options(args)?;
    let recording = recording(args, &options)?;
    let network = args.network.or(recording.network);
    let network = network.or(Network::from_port(recording.base_url.port()));
    let network = network.ok_or_else(|| UsageError::NoNetwork(recording.base_url.to_string()))?;
    let outputs = Outputs::new(&args.output)?;
    let report = judge_recording(recording, network, &options).await;
    let report = Report::new(vec![report], Vec::new());
    let published = outputs.publish(&report, None, || show(&report, args.output.format, style()));
    Ok(published.unwrap_or_else(|NotWritten(status)| status))
}

/// What a compressed file is.
const NOT_TEXT: &str = "it is not text in UTF-8; unpack a compressed file first";

fn recording(args: &JudgeArgs, options: &Options) -> Result<Recording, UsageError> {
    let wrong = |reason: String| UsageError::file("{} can't be judged", &args.file, reason);
    let text = read_text(&args.file, MAX_FILE).map_err(|error| {
        wrong(match error.kind() {
            io::ErrorKind::InvalidData => NOT_TEXT.to_owned(),
            _ => error.to_string(),
        })
    })?;
    read(
        &text,
        args.base_url.as_ref(),
        &options.limits.of_requests(false),
    )
    .map_err(wrong)
}

/// Returns the options of a judgement: every tier is allowed, because nothing is sent.
fn options(args: &JudgeArgs) -> Result<Options, UsageError> {
    let known = all();
    let mut options = options_of_cases(&args.cases, &known)?;
    options.selection.allow = Tier::Write;
    options.selection.probe = true;
    options.selection.allow_mainnet = true;
    match known.iter().any(|case| options.selects(case.id)) {
        true => Ok(options),
        false => Err(UsageError::NothingSelected),
    }
}
