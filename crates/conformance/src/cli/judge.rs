//! `judge`: judges the exchanges in a file.

use nodeproof_files::read_text;
use nodeproof_primitives::Network;
use nodeproof_report::Report;

use super::{
    args::JudgeArgs,
    error::UsageError,
    options_from_args::{MIB, globs, read_expectations},
    output::{NotWritten, show, style},
    outputs::Outputs,
    report_folder::remove_stale,
};
use crate::{
    api::Tier,
    cases::all,
    har::{Recording, read},
    run::{Files, Options, RunLimits, Selection, judge as judge_recording},
};

/// Maximum length of a file, in bytes.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// Judges the exchanges in a file, shows the report, and returns the exit status.
pub(crate) async fn judge(args: &JudgeArgs) -> Result<u8, UsageError> {
    if let Some(folder) = &args.report_dir {
        remove_stale(folder);
    }
    let options = options(args)?;
    let recording = recording(args, &options)?;
    let network = args.network.or(recording.network);
    let network = network.or(Network::from_port(recording.base_url.port()));
    let network = network.ok_or_else(|| UsageError::NoNetwork(recording.base_url.to_string()))?;
    let outputs = Outputs::new(args.report_dir.as_deref(), args.summary.as_deref())?;
    let report = judge_recording(recording, network, &options).await;
    let report = Report::new(vec![report], Vec::new());
    let published = outputs.publish(&report, None, || show(&report, args.format, style()));
    Ok(published.unwrap_or_else(|NotWritten(status)| status))
}

fn recording(args: &JudgeArgs, options: &Options) -> Result<Recording, UsageError> {
    let wrong = |reason: String| UsageError::file("{} can't be judged", &args.file, reason);
    let text = read_text(&args.file, MAX_FILE).map_err(|error| wrong(error.to_string()))?;
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
    let expectations = args.expect.as_deref().map(read_expectations);
    let options = Options {
        selection: Selection {
            only: globs("--only", &args.only, &known)?,
            skip: globs("--skip", &args.skip, &known)?,
            allow: Tier::Write,
            probe: true,
            allow_mainnet: true,
        },
        limits: RunLimits {
            max_body: usize::from(args.max_body) * MIB,
            max_values: usize::try_from(args.max_values).unwrap_or(usize::MAX),
            ..RunLimits::default()
        },
        files: Files {
            expectations: expectations.transpose()?.unwrap_or_default(),
            ..Files::default()
        },
        strict: args.strict,
        ..Options::default()
    };
    match known.iter().any(|case| options.selects(case.id)) {
        true => Ok(options),
        false => Err(UsageError::NothingSelected),
    }
}
