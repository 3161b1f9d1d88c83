//! `marey check`: the mistakes of scripts. Nothing runs but the loads that the check needs, nothing is
//! written, so that Ctrl-C may end the program as the system does it.

use super::args::{Options, Piece};
use super::host::Console;
use super::run::session;
use super::script;
use crate::diag::{Diag, Severity, Sources, Span};
use serde_json::{Value, json};

/// Checks each script on its own; the exit code is that of the first that is wrong. With `--format json` the diagnostics
/// are one array on standard output, for editors and CI.
pub(super) fn run(pieces: &[Piece], options: &Options, mut console: Console) -> Result<u8, Diag> {
    let is_json = options.format.is_some_and(|format| format.name == "json");
    let mut exit_code = 0;
    let mut all = Vec::new();
    for piece in pieces {
        let script = script::one(piece)?;
        // A session each: names of one script mean nothing in the next.
        let mut session = session(options)?;
        console.begin(session.sources(), &script);
        if is_json {
            console.hold();
        }
        let outcome = session.check(&script.name, &script.text, &mut console);
        let held = if is_json { console.held() } else { Vec::new() };
        console.end();
        if is_json {
            let diags = outcome.diags.iter().chain(&held);
            all.extend(diags.map(|diag| described(diag, session.sources())));
        } else {
            console.report(&outcome.diags);
        }
        if exit_code == 0 {
            exit_code = outcome.exit_code;
        }
    }
    if is_json {
        console.say(&format!("{:#}", Value::Array(all)));
    }
    Ok(exit_code)
}

/// A diagnostic as an editor reads it. Lines and columns count from 1, columns in characters.
pub(super) fn described(diag: &Diag, sources: &Sources) -> Value {
    let labels: Vec<Value> = diag
        .labels
        .iter()
        .map(|label| {
            let start = place(label.span, label.span.start, sources);
            let end = place(label.span, label.span.end, sources);
            json!({
                "file": start.0,
                "line": start.1,
                "column": start.2,
                "end_line": end.1,
                "end_column": end.2,
                "text": label.text,
            })
        })
        .collect();
    json!({
        "code": format!("marey::{}", diag.code.name),
        "severity": match diag.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": diag.message,
        "help": diag.help,
        "labels": labels,
        "input": diag.place.as_ref().map(|place| json!({
            "file": place.file,
            "line": place.line,
            "text": place.text,
        })),
    })
}

/// File, line and column of a byte of the text that a span is in.
pub(super) fn place(span: Span, at: usize, sources: &Sources) -> (String, usize, usize) {
    let Some((name, text)) = sources.get(span.source) else {
        return (String::new(), 0, 0);
    };
    let before = text
        .char_indices()
        .take_while(|(index, _)| *index < at)
        .map(|(_, c)| c);
    let (mut line, mut column) = (1, 1);
    for c in before {
        if c == '\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
    }
    (name.to_string(), line, column)
}
