//! TRACE4CPS execution traces (`.etf`): claims on resources, events, dependencies, signals.
//!
//! ```text
//! TU MILLISECONDS
//! R 0 4 true;name=memory
//! C 7 0.0 1.5 0 2 1;name=decode,frame=3
//! D 0 0 7 8;
//! ```
//!
//! One line, one thing. Most files declare what they use first, but nothing here relies on it: a line that
//! names a resource or signal not seen yet waits for the end of the file, and so do all dependencies.

mod key;
mod line;
mod link;
mod resource;
mod rows;
mod signal;

use super::{Head, Input, ReadOptions, Reader, ReaderSpec, Vote};
use crate::diag::{Diag, code};
use crate::model::TraceBuilder;
use crate::spec::TimeUnit;
use line::{Words, cut};
use rows::Rows;

/// The reader.
pub struct Etf;

static SPEC: ReaderSpec = ReaderSpec {
    name: "etf",
    extensions: &["etf"],
    summary: "Execution traces of TRACE4CPS: claims, events, dependencies, signals.",
    detail: "Claims (`C`) become `states` with the claim's id as `id`, the attribute `name` as `value` (another by `value=`, null where there is none), and `amount` and `offset` as columns. \
Claims on one resource overlap where their amounts fit its capacity, so `depth` is 0. \
Resources (`R`) are called by their attribute `name`, else by their id, which is the column `resource_id`; two of one name stay apart as `name#id`. \
Events (`E`) belong to the resource that their attribute `resource` names (id or name); what has no resource hangs on one called `trace` of type `Trace`. That one also carries the attributes of `T` lines and, as `origin`, the milliseconds since the Unix epoch of `O`; times count from there and stay as the file has them. \
Dependencies (`D`) become `links` with the number of the file as `type`. What the numbers mean is not published: a dependency goes from the end of a claim to the start of a claim. An end that is an event is the column `source_event` or `target_event`, with the time and resource of the event as `start` or `end`. `min_delay` and `max_delay` are times. An id that is no claim and no event sends the dependency to `rejects` (`unknown_id`). \
Pieces of signals (`F`) become steps of `variables` where they are constant; else 17 samples at equal distances from `t0` to `t1` with the coefficients as columns `c`, `b`, `a`, where x counts from `t0`. Time series (`TS`, `TSS`, `TSP`) become samples of the metric `series/part`. `TSR` is not read, as the form of its range is not published: such lines go to `rejects` (`not_read`). \
An attribute named like a column is `attr.id` and so on. Nothing is escaped in the format, so a value ends at the last comma before the next `=`; attributes that begin with `marey.` and codes such as `%2C` are what `save \"x.etf\"` writes, and are undone. Without `TU` times are in seconds.",
};

impl Reader for Etf {
    fn spec(&self) -> &'static ReaderSpec {
        &SPEC
    }

    fn sniff(&self, head: &Head<'_>) -> Vote {
        let mut vote = Vote::No;
        for line in head.lines().filter(|line| !line.starts_with(b"#")).take(20) {
            let seen = looks_like(line);
            if seen == Vote::No {
                // One odd line among good ones is a bad row.
                return if vote == Vote::Sure {
                    Vote::Likely
                } else {
                    Vote::No
                };
            }
            vote = vote.max(seen);
        }
        let named = head
            .path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("etf"));
        match vote {
            Vote::Maybe if named => Vote::Sure,
            vote => vote,
        }
    }

    fn unit(&self, head: &Head<'_>, options: &ReadOptions) -> Option<TimeUnit> {
        let said = head.lines().find_map(|line| {
            let (keyword, words, _) = cut(line);
            (keyword == b"TU").then(|| unit_of(words.trim_ascii()))
        });
        match said {
            Some(unit) => unit,
            // Silence means seconds, but is no contradiction to `unit=`.
            None if options.unit.is_none() => Some(TimeUnit::Second),
            None => None,
        }
    }

    fn read(
        &self,
        input: &mut Input<'_>,
        options: &ReadOptions,
        builder: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let mut rows = Rows::new(options, builder);
        while let Some(line) = input.next_line()? {
            let (keyword, words, _) = cut(line.text);
            if keyword == b"TU" && !line.cut {
                let text = line.text.to_vec();
                let unit = unit_of(words.trim_ascii());
                builder.record(line.number);
                check_unit(unit, &text, input, options, builder)?;
                builder.keep_record();
                continue;
            }
            rows.line(line, builder)?;
        }
        rows.finish(builder)
    }
}

/// How much a line looks like one of this format.
fn looks_like(line: &[u8]) -> Vote {
    let (keyword, head, attributes) = cut(line);
    let words = Words::of(head);
    let number = |index: usize| {
        let text = std::str::from_utf8(words.get(index)).ok();
        text.and_then(|text| text.parse::<f64>().ok()).is_some()
    };
    let fits = match keyword {
        b"TU" if words.len() == 1 && unit_of(words.get(0)).is_none() => return Vote::Maybe,
        b"TU" => words.len() == 1,
        b"R" => {
            let offset = words.get(2).to_ascii_lowercase();
            words.len() == 3 && number(1) && matches!(&*offset, b"true" | b"false")
        }
        b"C" => matches!(words.len(), 5 | 6) && number(1) && number(2) && number(4),
        b"E" => words.len() == 2 && number(1) && line.contains(&b';'),
        b"D" => words.len() == 4 && line.contains(&b';'),
        b"F" => words.len() == 6 && (1..6).all(number),
        b"TSP" => words.len() >= 4 && number(2) && number(3),
        b"TSR" => words.len() >= 3,
        // These alone could be anything.
        b"O" => {
            return if words.len() == 1 && number(0) {
                Vote::Maybe
            } else {
                Vote::No
            };
        }
        b"S" | b"TS" if words.len() == 1 => return Vote::Maybe,
        b"TSS" if words.len() == 2 => return Vote::Maybe,
        b"T" if head.contains(&b'=') || attributes.contains(&b'=') => return Vote::Maybe,
        _ => false,
    };
    if fits { Vote::Sure } else { Vote::No }
}

/// The unit that `TU` names.
fn unit_of(word: &[u8]) -> Option<TimeUnit> {
    match &*word.to_ascii_uppercase() {
        b"NANOSECONDS" => Some(TimeUnit::Nanosecond),
        b"MICROSECONDS" => Some(TimeUnit::Microsecond),
        b"MILLISECONDS" => Some(TimeUnit::Millisecond),
        b"SECONDS" => Some(TimeUnit::Second),
        b"MINUTES" => Some(TimeUnit::Minute),
        b"HOURS" => Some(TimeUnit::Hour),
        _ => None,
    }
}

/// `TU` was believed before the first row; here it must not say anything else.
fn check_unit(
    unit: Option<TimeUnit>,
    text: &[u8],
    input: &Input<'_>,
    options: &ReadOptions,
    builder: &TraceBuilder,
) -> Result<(), Diag> {
    if options.unit.is_some() || (unit.is_some() && unit == builder.clock().unit) {
        return Ok(());
    }
    let (message, help) = match unit {
        None => (
            "the unit of time is none of the format",
            "NANOSECONDS, MICROSECONDS, MILLISECONDS, SECONDS, MINUTES or HOURS; `unit=` overrides it",
        ),
        Some(_) => (
            "a second unit of time, or one too late in the file for the rows before it",
            "`TU` stands once, before everything else; `unit=` overrides it",
        ),
    };
    Err(input.error(&code::BAD_ROW, message, text).help(help))
}
