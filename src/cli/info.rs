//! `marey info`: what a trace is, and two lines to go on with.

use super::args::Options;
use super::host::Console;
use super::run::session;
use super::script::Script;
use crate::diag::{Diag, Sources};
use crate::lang::flow::Flow;
use crate::session::Session;

/// Most values that are listed.
const MOST_VALUES: usize = 8;

/// Tells of each trace on its own; the exit code is that of the first that cannot be read.
pub(super) fn run(traces: &[String], options: &Options, mut console: Console) -> Result<u8, Diag> {
    let mut exit_code = 0;
    for (index, trace) in traces.iter().enumerate() {
        if index > 0 {
            console.say("");
        }
        let code = tell(trace, options, &mut console)?;
        if exit_code == 0 {
            exit_code = code;
        }
    }
    Ok(exit_code)
}

fn tell(trace: &str, options: &Options, console: &mut Console) -> Result<u8, Diag> {
    // A session each: what one file says means nothing for the next.
    let mut session = session(options)?;
    let quoted = format!("{trace:?}");
    let mut shown = Shown {
        session: &mut session,
        console,
    };
    shown.console.say(trace);
    let code = shown.run(&format!("let trace = load {quoted}"));
    if code != 0 {
        return Ok(code);
    }
    let flow = shown.session.flow_at("trace");
    let reports = shown.session.reports();
    let formats: Vec<&str> = reports
        .iter()
        .flat_map(|report| report.formats.iter().copied())
        .collect();
    let format = match formats.as_slice() {
        [] => "Parquet of marey".to_owned(),
        formats => formats.join(", "),
    };
    let records: u64 = reports.iter().map(|report| report.records).sum();
    let kept: u64 = reports.iter().map(|report| report.kept).sum();
    let counts = match reports.is_empty() {
        true => String::new(),
        false => format!(", {records} records, {kept} kept"),
    };
    shown.console.say(&format!("format: {format}{counts}"));
    shown.run("trace");
    let Some(Flow::Trace(bundle)) = flow else {
        return Ok(0);
    };
    let columns = bundle.relation("states");
    let is_logical = columns.is_some_and(|columns| columns.clock.is_logical());
    shown.console.say("\nvalues of states, most time first:");
    shown.run(&format!("trace | profile | take {MOST_VALUES}"));
    if reports.iter().any(|report| !report.rejected.is_empty()) {
        shown
            .console
            .say("\nrows that could not be used, by reason:");
        shown.run("trace.rejects | summarize rows = count(), first_line = min(line) by code, file | sort -rows, code");
    }
    let unit = if is_logical { " unit=ms" } else { "" };
    let about = match is_logical {
        true => " (the file does not say its unit of time: ms is a guess)",
        false => "",
    };
    shown.console.say(&format!(
        "\nto go on with{about}:\n  marey -c 'load {quoted}{unit} | shift | aggregate-by-threshold | plot-stacked | save \"trace.svg\"'\n  marey -c 'load {quoted}{unit} | summarize n = count(), busy = sum(duration) by resource | sort -busy'"
    ));
    Ok(0)
}

/// Runs lines and shows what they give.
struct Shown<'a> {
    session: &'a mut Session,
    console: &'a mut Console,
}

impl Shown<'_> {
    fn run(&mut self, text: &str) -> u8 {
        let script = Script::new("info", text);
        let sources: &Sources = self.session.sources();
        self.console.begin(sources, &script);
        let outcome = self.session.run(&script.name, &script.text, self.console);
        self.console.end();
        self.console.report(&outcome.diags);
        outcome.exit_code
    }
}
