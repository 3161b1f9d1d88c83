//! Engine errors as diagnostics: what has an explanation in the user's words gets it, the rest says that it
//! is worth a bug report.

use super::node::{BadReason, BadState, ClaimFault, MemoryExceeded};
use crate::diag::{Diag, code};
use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;

/// A message that one of our own functions passed through the engine.
#[derive(Debug)]
pub struct Carried(pub Diag);

impl std::fmt::Display for Carried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Carried {}

/// How the context of an error begins that a node of ours met; the verb follows.
const IN_VERB: &str = "in verb ";

/// An error that the node of a verb met.
pub fn in_verb(verb: &'static str, error: DataFusionError) -> DataFusionError {
    error.context(format!("{IN_VERB}{verb}"))
}

/// The diagnostic for an engine error.
pub fn diag(error: DataFusionError) -> Diag {
    explain(&error).unwrap_or_else(|| {
        let text = error.strip_backtrace();
        Diag::error(
            &code::ENGINE,
            format!("the engine failed: {}", crate::diag::printable(&text, 600)),
        )
        .help("this is worth a bug report, with the script")
    })
}

fn explain(error: &DataFusionError) -> Option<Diag> {
    match error {
        DataFusionError::External(inner) => {
            if let Some(carried) = inner.downcast_ref::<Carried>() {
                return Some(carried.0.clone());
            }
            if let Some(bad) = inner.downcast_ref::<BadState>() {
                return Some(bad_state(bad));
            }
            if let Some(fault) = inner.downcast_ref::<ClaimFault>() {
                return Some(claim_fault(fault));
            }
            if let Some(exceeded) = inner.downcast_ref::<MemoryExceeded>() {
                return Some(memory(&exceeded.to_string()));
            }
            let text = inner.to_string();
            if text.starts_with("regex parse error") {
                return Some(bad_pattern(&text));
            }
            inner.downcast_ref::<DataFusionError>().and_then(explain)
        }
        DataFusionError::ResourcesExhausted(text) => Some(memory(&exhausted(text))),
        DataFusionError::ArrowError(inner, _) => match inner.as_ref() {
            ArrowError::ArithmeticOverflow(_) => Some(overflow()),
            ArrowError::ComputeError(text) if text.contains("overflow") => Some(overflow()),
            ArrowError::ExternalError(inner) => inner
                .downcast_ref::<DataFusionError>()
                .and_then(explain)
                .or_else(|| inner.downcast_ref::<BadState>().map(bad_state)),
            ArrowError::ComputeError(text) | ArrowError::InvalidArgumentError(text)
                if text.to_lowercase().contains("regular expression")
                    || text.to_lowercase().contains("regex") =>
            {
                Some(bad_pattern(text))
            }
            ArrowError::ComputeError(text) if text.starts_with(EXECUTION) => {
                Some(bad_argument(text.trim_start_matches(EXECUTION)))
            }
            _ => None,
        },
        DataFusionError::Execution(text) if text.to_lowercase().contains("regular expression") => {
            Some(bad_pattern(text))
        }
        DataFusionError::Execution(text) => Some(bad_argument(text)),
        DataFusionError::Context(context, inner) => {
            let mut diag = explain(inner)?;
            if let Some(verb) = context.strip_prefix(IN_VERB) {
                diag.verb.get_or_insert_with(|| verb.to_owned());
            }
            Some(diag)
        }
        DataFusionError::Diagnostic(_, inner) => explain(inner),
        DataFusionError::Shared(inner) => explain(inner),
        DataFusionError::Collection(errors) => errors.iter().find_map(explain),
        DataFusionError::IoError(error) => Some(Diag::error(
            &code::INPUT_UNREADABLE,
            format!("reading or spilling failed: {error}"),
        )),
        DataFusionError::ParquetError(error) => Some(Diag::error(
            &code::INPUT_UNREADABLE,
            format!(
                "a Parquet file is damaged: {}",
                crate::diag::printable(&error.to_string(), 300)
            ),
        )),
        _ => None,
    }
}

/// The diagnostic for a crash inside the engine.
pub fn crashed(text: &str) -> Diag {
    Diag::error(
        &code::ENGINE,
        format!("the engine crashed: {}", crate::diag::printable(text, 300)),
    )
    .help("this is worth a bug report, with the script")
}

fn overflow() -> Diag {
    Diag::error(
        &code::OVERFLOW,
        "a result does not fit into 64 bits (times: about 292 years of nanoseconds)",
    )
    .help("load the trace with a coarser resolution, `resolution=us`, or subtract the origin with `shift`")
}

/// How the engine begins what a function of its own refuses.
const EXECUTION: &str = "Execution error: ";

/// A function of the engine got a value that it has no answer for: `sqrt(-1.0)`, `chr(-1)`.
fn bad_argument(text: &str) -> Diag {
    Diag::error(
        &code::INVALID_VALUE,
        format!(
            "a function refuses its argument: {}",
            crate::diag::printable(text, 200)
        ),
    )
    .help("keep such values from it: `if x >= 0 then sqrt(x) else null`")
}

fn bad_pattern(text: &str) -> Diag {
    Diag::error(
        &code::INVALID_VALUE,
        format!(
            "this is no regular expression: {}",
            crate::diag::printable(text, 200)
        ),
    )
}

/// What the engine did when memory ran out, in the user's words.
fn exhausted(text: &str) -> String {
    let operators = [
        ("Sort", "sorting"),
        ("TopK", "sorting"),
        ("Aggregate", "grouping"),
        ("Group", "grouping"),
        ("Join", "joining"),
        ("Repartition", "distributing rows"),
    ];
    let doing = operators
        .iter()
        .find(|(operator, _)| text.contains(operator));
    match doing {
        Some((_, doing)) => format!("{doing} needs more memory than the limit"),
        None => "this needs more memory than the limit".to_owned(),
    }
}

fn memory(text: &str) -> Diag {
    Diag::error(&code::MEMORY_LIMIT, crate::diag::printable(text, 400)).help(
        "raise `--memory`, take fewer rows with `filter` or `window`, or fewer columns with `select`",
    )
}

/// Splits the hidden `row` into file index and line.
pub fn place_of(row: i64) -> (i64, i64) {
    (row >> 40, row & ((1 << 40) - 1))
}

fn claim_fault(fault: &ClaimFault) -> Diag {
    let text = crate::diag::printable(&fault.to_string(), 400);
    match fault {
        ClaimFault::NoId { .. } => Diag::error(&code::BAD_STATE, text)
            .help("`filter id != null` leaves such states out"),
        ClaimFault::DuplicateId { .. } => Diag::error(&code::DUPLICATE_ID, text)
            .help("`derive id = …` before it gives each state an id of its own"),
        ClaimFault::UnknownId { .. } | ClaimFault::BadPoint { .. } => {
            Diag::error(&code::BAD_DEPENDENCY, text)
        }
        ClaimFault::NoDependencies => Diag::error(&code::NO_DEPENDENCIES, text).help(
            "`load \"trace.csv\" deps=\"dag.csv\"` loads them from a table; `deps=none` does without",
        ),
        ClaimFault::Cycle { .. } => Diag::error(&code::CYCLE, text).help(
            "take one of these dependencies out, or use `deps=none`, which looks at observed times",
        ),
        ClaimFault::Overflow => overflow(),
        ClaimFault::Cancelled => super::engine::interrupted(),
    }
}

fn bad_state(bad: &BadState) -> Diag {
    let place = match bad.row.map(place_of) {
        Some((0, line)) => format!(" (line {line})"),
        Some((file, line)) => format!(" (line {line} of input {})", file + 1),
        None => String::new(),
    };
    let message = match bad.reason {
        BadReason::NoStart => "a state has no start",
        BadReason::NoEnd => "a state has no end",
        BadReason::EndBeforeStart { .. } => "a state ends before it starts",
        BadReason::OutOfOrder => "the input is not sorted by start as its metadata says",
        BadReason::Overflow => return overflow(),
    };
    Diag::error(&code::BAD_STATE, format!("{message}{place}"))
        .help("load with `policy=repair` to reject such rows, or filter them out")
}
