//! From files to a [`TraceData`]: which files, which format, and the loop over both.
//!
//! A reader is one file with a `pub static` and one line in [`READERS`]. It votes on the first bytes of a
//! file (decompressed), and if chosen turns records into calls of [`TraceBuilder`]. Nothing here prints.

mod csv;
mod dependencies;
mod duration;
mod etf;
mod event_csv;
mod input;
mod options;
mod paths;
mod pj_dump;
#[cfg(test)]
mod tests;

pub use input::{HEAD, Head, Input, Line, Progress, Watch};
pub use options::{ReadOptions, Roles};
pub use paths::{InputPath, expand};

use crate::diag::{Diag, code};
use crate::model::builder::FileStart;
use crate::model::{Clock, Policy, TraceBuilder, TraceData};
use crate::spec::TimeUnit;
use std::sync::atomic::AtomicBool;

/// Every reader. To add one: a file beside this one and a line here.
pub static READERS: &[&dyn Reader] =
    &[&pj_dump::PjDump, &csv::Csv, &event_csv::EventCsv, &etf::Etf];

/// The table entry of a reader: what `format=` and the pages say.
#[derive(Debug)]
pub struct ReaderSpec {
    /// The name for `format=`, `snake_case`.
    pub name: &'static str,
    /// Usual extensions, without a dot and without `.gz`.
    pub extensions: &'static [&'static str],
    /// One sentence.
    pub summary: &'static str,
    /// Some paragraphs: what becomes what, and what is not read.
    pub detail: &'static str,
}

/// How sure a reader is that a file is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vote {
    /// Not mine.
    No,
    /// Mine if it is nobody else's.
    Maybe,
    /// It looks like mine.
    Likely,
    /// It cannot be anything else.
    Sure,
}

/// A format that can be read.
pub trait Reader: Sync {
    /// Its table entry.
    fn spec(&self) -> &'static ReaderSpec;

    /// Looks at the beginning of a file, which is not blank.
    fn sniff(&self, head: &Head<'_>) -> Vote;

    /// The unit of the file's numbers, where the format or its first lines say it.
    fn unit(&self, head: &Head<'_>, options: &ReadOptions) -> Option<TimeUnit> {
        let _ = (head, options);
        None
    }

    /// Reads the whole file into the builder, which knows about this file already. Bad rows go through
    /// [`TraceBuilder::reject`] and [`TraceBuilder::repair`]; an error ends the load.
    fn read(
        &self,
        input: &mut Input<'_>,
        options: &ReadOptions,
        builder: &mut TraceBuilder,
    ) -> Result<(), Diag>;
}

/// Reads one trace from all files that the options name.
///
/// `cancel` is looked at every few thousand rows; `progress` is called as often, with bytes on disk.
pub fn read(
    options: &ReadOptions,
    cancel: &AtomicBool,
    progress: &dyn Fn(Progress),
) -> Result<TraceData, Diag> {
    let files = expand(&options.paths)?;
    let watch = Watch { cancel, progress };
    let sizes = files.iter().map(|file| std::fs::metadata(&file.path));
    let dependencies = match options.deps.is_empty() {
        true => Vec::new(),
        false => expand(&options.deps)?,
    };
    let sizes = sizes.chain(
        dependencies
            .iter()
            .map(|file| std::fs::metadata(&file.path)),
    );
    let total = sizes.map(|data| data.map_or(0, |data| data.len())).sum();
    let mut at = Progress {
        file: 0,
        files: files.len(),
        bytes: 0,
        total,
    };
    check_offsets(options, files.len())?;
    let mut builder: Option<(TraceBuilder, String, Option<TimeUnit>)> = None;
    for (index, file) in files.into_iter().enumerate() {
        at.file = index;
        let (name, part) = (file.name.clone(), file.part.clone());
        let mut input = Input::open(file, at, watch)?;
        let reader = choose(options, &input)?;
        let said = reader.and_then(|reader| reader.unit(&input.head(), options));
        let unit = options.unit.or(said);
        let (builder, first, first_unit) = builder.get_or_insert_with(|| {
            let builder = TraceBuilder::new(clock_of(options, unit), options.policy);
            (builder, name.clone(), unit)
        });
        // An empty file says nothing about units.
        if reader.is_some() && unit.is_none() != first_unit.is_none() {
            if builder.is_empty() {
                *builder = TraceBuilder::new(clock_of(options, unit), options.policy);
                (*first, *first_unit) = (name.clone(), unit);
            } else {
                let message = format!("`{first}` and `{name}` do not both say their unit of time");
                return Err(Diag::error(&code::AMBIGUOUS_INPUT, message)
                    .help("`unit=ms` (or `s us ns ps min h`) says it for all"));
            }
        }
        let clock = clock_of(options, unit);
        builder.begin_file(FileStart {
            name,
            part,
            clock,
            offset: offset_of(options, index, clock)?,
            file_as: options.file_as.clone(),
        });
        if let (Some(unit), Some(said)) = (options.unit, said)
            && unit != said
        {
            builder.note(format!(
                "{} says that its times are in {}; `unit={}` was believed instead",
                input.name(),
                said.name(),
                unit.name()
            ));
        }
        if let Some(reader) = reader {
            builder.read_as(reader.spec().name);
            reader.read(&mut input, options, builder)?;
        }
        at.bytes = input.progress().bytes;
        report_damage(&input, builder)?;
    }
    if let Some((builder, _, _)) = &mut builder {
        for file in dependencies {
            builder.begin_companion(&file.name);
            let mut input = Input::open(file, at, watch)?;
            dependencies::read(&mut input, builder)?;
            at.bytes = input.progress().bytes;
            report_damage(&input, builder)?;
        }
    }
    match builder {
        Some((builder, _, _)) => builder.finish(cancel),
        None => TraceBuilder::new(Clock::logical(), options.policy).finish(cancel),
    }
}

fn clock_of(options: &ReadOptions, unit: Option<TimeUnit>) -> Clock {
    let Some(unit) = unit else {
        return Clock::logical();
    };
    let finest = match unit {
        TimeUnit::Picosecond => TimeUnit::Picosecond,
        _ => TimeUnit::Nanosecond,
    };
    Clock::physical(unit, options.resolution.unwrap_or(finest))
}

fn check_offsets(options: &ReadOptions, files: usize) -> Result<(), Diag> {
    let count = options.offsets.len();
    if count > 1 && count != files {
        let message = format!("{count} offsets are given for {files} files");
        return Err(Diag::error(&code::INVALID_VALUE, message)
            .help("one `offset=` for all, or a list with one for each file"));
    }
    Ok(())
}

fn offset_of(options: &ReadOptions, file: usize, clock: Clock) -> Result<i64, Diag> {
    let offset = match options.offsets.as_slice() {
        [] => return Ok(0),
        [one] => *one,
        many => many.get(file).copied().unwrap_or(0),
    };
    clock.from_exact(offset).ok_or_else(|| {
        let message = "the offset is no whole number of ticks of the trace";
        Diag::error(&code::INVALID_VALUE, message).help("a finer `resolution=` may hold it")
    })
}

/// The reader of a file: the one asked for, else the surest. None for a file of blanks.
fn choose(options: &ReadOptions, input: &Input<'_>) -> Result<Option<&'static dyn Reader>, Diag> {
    let head = input.head();
    if let Some(name) = &options.format {
        let reader = READERS.iter().find(|reader| reader.spec().name == name);
        return match reader {
            Some(reader) => Ok(Some(*reader)),
            None => {
                let message = format!("no reader is called `{name}`");
                Err(Diag::error(&code::UNKNOWN_INPUT_FORMAT, message)
                    .help(format!("readers: {}", reader_names())))
            }
        };
    }
    if head.whole && head.is_blank() {
        return Ok(None);
    }
    let votes: Vec<(Vote, &'static dyn Reader)> = READERS
        .iter()
        .map(|reader| (reader.sniff(&head), *reader))
        .collect();
    let best = votes.iter().map(|(vote, _)| *vote).max();
    let best = best.filter(|vote| *vote > Vote::No);
    let chosen: Vec<&'static dyn Reader> = votes
        .into_iter()
        .filter(|(vote, _)| Some(*vote) == best)
        .map(|(_, reader)| reader)
        .collect();
    match chosen.as_slice() {
        // Options about columns say that it is a table, however odd.
        [] if options.is_about_a_table() => Ok(Some(&csv::Csv)),
        [] if head.whole && head.lines().all(|line| line.starts_with(b"#")) => Ok(None),
        [] => Err(unknown_format(input)),
        [reader] => Ok(Some(*reader)),
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|reader| format!("`format={}`", reader.spec().name))
                .collect();
            let message = format!("`{}` fits several readers", input.name());
            Err(Diag::error(&code::AMBIGUOUS_INPUT, message).help(names.join(" or ")))
        }
    }
}

fn reader_names() -> String {
    let names: Vec<&str> = READERS.iter().map(|reader| reader.spec().name).collect();
    names.join(", ")
}

/// The error for content that fits no reader: what it looks like, where that can be said.
fn unknown_format(input: &Input<'_>) -> Diag {
    let head = input.head();
    let name = input.name();
    let control = |byte: &&u8| **byte < 32 && !byte.is_ascii_whitespace();
    let odd = head.text.iter().filter(control).count();
    if odd * 50 > head.text.len() {
        let message = format!("`{name}` is binary, in no format that is read");
        return Diag::error(&code::UNKNOWN_INPUT_FORMAT, message).help(format!(
            "what is read: {}, also in gzip, and Parquet",
            reader_names()
        ));
    }
    let line = head.lines().next().unwrap_or_default();
    let line = line.get(..line.len().min(1024)).unwrap_or(line);
    let text = String::from_utf8_lossy(line).into_owned();
    let mut fields = text.split(',').map(str::trim);
    let numbers = fields.by_ref().take(3).filter(|f| f.parse::<f64>().is_ok());
    let diag = if numbers.count() == 3 && fields.next().is_some() {
        let message = format!("`{name}` begins with numbers, as `pj_dump -p` prints them");
        Diag::error(&code::UNKNOWN_INPUT_FORMAT, message).help(
            "`pj_dump` without `-p` prints one row per state; a table needs a row of column names",
        )
    } else {
        let message = format!("the content of `{name}` fits no reader");
        Diag::error(&code::UNKNOWN_INPUT_FORMAT, message)
            .help(format!("`format=` names one: {}", reader_names()))
    };
    diag.in_file(name, 1, &text)
}

fn report_damage(input: &Input<'_>, builder: &mut TraceBuilder) -> Result<(), Diag> {
    let Some(damage) = input.damage() else {
        return Ok(());
    };
    if builder.policy() == Policy::Fail {
        return Err(input
            .error(&code::INPUT_UNREADABLE, damage, b"")
            .help("`policy=repair` keeps the rows before"));
    }
    let note = format!(
        "{}: {damage} after line {}; what came before was kept",
        input.name(),
        input.line()
    );
    builder.note(note);
    Ok(())
}

/// The number of a variable: None for an empty cell or `NA`; else finite, or the reason why it is none.
fn number(text: &[u8]) -> Result<Option<f64>, (&'static str, &'static str)> {
    if text.is_empty() || text == b"NA" {
        return Ok(None);
    }
    let value = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value.is_finite() => Ok(Some(value)),
        Some(value) if value.is_infinite() => Err(("value_not_finite", "the value is not finite")),
        _ => Err(("value_not_a_number", "the value is not a number")),
    }
}
