//! The terminal and its pipes as a [`Host`]: tables, texts and values to standard output, warnings and
//! progress to standard error.

use super::args::Options;
use super::output::Output;
use super::picture::{self, Room};
use super::progress::Progress;
use super::script::Script;
use super::terminal::{ColorChoice, Stream, is_dumb, named};
use crate::diag::render::{Style, render};
use crate::diag::{Class, Code, Diag, Sources, Span, code};
use crate::plan::engine::stamped;
use crate::plan::{Figure, fault};
use crate::spec::Value;
use crate::verb::{Assertion, Host, Shown};
use crate::write::{self, Format, WriteOptions, output_error};
use std::io::Write;
use std::time::{Duration, Instant};

/// What standard output is called in messages.
const OUTPUT: &str = "standard output";

/// What was written last, to set results apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Previous {
    Nothing,
    Line,
    Table,
}

/// A warning with how often it came.
struct Warned {
    code: &'static Code,
    message: String,
    count: usize,
}

/// Shows results and diagnostics.
pub struct Console {
    output: Output,
    progress: Progress,
    color: ColorChoice,
    format: Option<&'static Format>,
    /// In the REPL results stand apart by the prompt, and a figure is something to look at.
    interactive: bool,
    /// The texts that spans point into. Warnings come while the session is at work and cannot be asked.
    sources: Sources,
    /// What runs, and the index its text has in `sources`; its parts come right before it.
    script: (Script, u32),
    warned: Vec<Warned>,
    /// Warnings that are not shown but kept, where they are.
    held: Option<Vec<Diag>>,
    previous: Previous,
    tables: usize,
    /// The assertions of the script, in order.
    assertions: Vec<Assertion>,
    /// The figure that the REPL showed last, as SVG.
    figure: Option<String>,
}

impl Console {
    /// A console; a binary format is refused where a terminal would get it.
    pub fn new(options: &Options, interactive: bool) -> Result<Console, Diag> {
        if let Some(format) = options.format {
            refuse_binary(format)?;
        }
        let visible = Stream::Error.is_terminal() && !is_dumb() && named("NO_COLOR").is_none();
        let progress = Progress::new(visible);
        Ok(Console {
            output: Output::new(progress.clone()),
            progress,
            color: options.color,
            format: options.format,
            interactive,
            sources: Sources::default(),
            script: (Script::default(), u32::MAX),
            warned: Vec::new(),
            held: None,
            previous: Previous::Nothing,
            tables: 0,
            assertions: Vec::new(),
            figure: None,
        })
    }

    /// Before a run: where its diagnostics will point. `sources` are those of the session, which is about to
    /// add the script to them.
    pub fn begin(&mut self, sources: &Sources, script: &Script) {
        self.sources = sources.clone();
        for (part, (name, start)) in script.parts.iter().enumerate() {
            let end = script
                .parts
                .get(part + 1)
                .map_or(script.text.len(), |(_, next)| *next);
            let text = script.text.get(*start..end).unwrap_or_default();
            self.sources.add(name.as_str(), text);
        }
        self.script = (script.clone(), sources.next());
        self.assertions.clear();
        self.tables = 0;
        self.progress.begin();
        if self.interactive {
            self.previous = Previous::Nothing;
        }
    }

    /// After a run: takes the progress away and says how often warnings were repeated.
    pub fn end(&mut self) {
        self.progress.end();
        for warned in std::mem::take(&mut self.warned) {
            if warned.count > 1 {
                self.complain(&format!(
                    "warning[marey::{}]: {} ({} times)",
                    warned.code.name, warned.message, warned.count
                ));
            }
        }
    }

    /// Keeps warnings from now on instead of showing them.
    pub fn hold(&mut self) {
        self.held = Some(Vec::new());
    }

    /// The warnings that were kept; from now on they are shown again.
    pub fn held(&mut self) -> Vec<Diag> {
        self.warned.clear();
        self.held.take().unwrap_or_default()
    }

    /// The assertions of what ran, in order.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// The figure that the REPL showed last, as SVG.
    pub fn last_figure(&self) -> Option<&str> {
        self.figure.as_deref()
    }

    /// The figure as a picture, where the terminal shows pictures.
    fn picture(&mut self, figure: &Figure, svg: &str) -> std::io::Result<()> {
        let means = picture::means(self.color).unwrap_or_else(|why| {
            self.complain(&why);
            None
        });
        let (Some(means), Some(scene)) = (means, figure.scene.get()) else {
            return Ok(());
        };
        let room = Room {
            columns: Stream::Output.width().unwrap_or(80),
            rows: Stream::Output.height().unwrap_or(24),
        };
        match picture::drawn(svg, scene.size, means, room) {
            Ok(text) => {
                let mut writer = self.output.writer();
                writer.write_all(text.as_bytes())?;
                writer.flush()
            }
            Err(error) => {
                self.complain(&format!("the figure is not shown here: {error}"));
                Ok(())
            }
        }
    }

    /// True once nobody reads standard output any more: the run is to end quietly.
    pub fn is_closed(&self) -> bool {
        self.output.is_closed()
    }

    /// The format that tables are shown in.
    pub fn format(&self) -> &'static Format {
        self.format.unwrap_or(if Stream::Output.is_terminal() {
            &write::table::FORMAT
        } else {
            &write::csv::CSV
        })
    }

    /// Changes the format that tables are shown in.
    pub fn set_format(&mut self, format: Option<&'static Format>) -> Result<(), Diag> {
        if let Some(format) = format {
            refuse_binary(format)?;
        }
        self.format = format;
        Ok(())
    }

    /// How texts on standard output look.
    pub fn style(&self) -> Style {
        Stream::Output.style(self.color)
    }

    /// A line on standard output that is no result: a listing, an answer of the REPL.
    pub fn say(&mut self, text: &str) {
        // A reader that went away is remembered by the output itself; there is nobody to tell.
        let _ = self.output.line(text);
    }

    /// A line on standard error.
    pub fn complain(&self, text: &str) {
        self.progress.clear();
        // Where even standard error is gone there is nowhere to say so.
        let _ = writeln!(std::io::stderr(), "{}", text.trim_end_matches('\n'));
    }

    /// Shows diagnostics of what ran.
    pub fn report(&mut self, diags: &[Diag]) {
        for diag in diags {
            if diag.code.class == Class::Interrupt {
                self.complain("interrupted");
            } else {
                self.complain(&self.rendered(diag));
            }
        }
    }

    /// A diagnostic as text, its labels in the part of the command line they were written in.
    fn rendered(&self, diag: &Diag) -> String {
        let style = Stream::Error.style(self.color);
        let (script, index) = &self.script;
        if script.parts.is_empty() {
            return render(diag, &self.sources, style);
        }
        let mut diag = diag.clone();
        for label in &mut diag.labels {
            let span = label.span;
            if span.source == *index
                && let Some((part, start, end)) = script.part_at(span.start)
            {
                let source = index - script.parts.len() as u32 + part as u32;
                label.span = Span::new(source, span.start - start, span.end.min(end) - start);
            }
        }
        render(&diag, &self.sources, style)
    }

    /// How long something took.
    pub fn took(&self, start: Instant) {
        self.complain(&format!("time: {}", seconds(start.elapsed())));
    }

    fn separate(&mut self, next: Previous) -> std::io::Result<()> {
        let apart = match (self.previous, next) {
            (Previous::Nothing, _) | (Previous::Line, Previous::Line) => false,
            (Previous::Table, _) | (_, Previous::Table) => true,
            (_, Previous::Nothing) => false,
        };
        self.previous = next;
        if apart && !self.format().binary {
            self.output.line("")?;
        }
        Ok(())
    }

    fn line(&mut self, text: &str) -> Result<(), Diag> {
        if self.format().binary {
            // A sentence in the middle of Parquet bytes would spoil them.
            self.complain(text);
            return Ok(());
        }
        self.separate(Previous::Line)
            .and_then(|()| self.output.line(text))
            .map_err(|error| output_error(OUTPUT, &error))
    }

    /// True where a reader of standard output expects JSON.
    fn is_json(&self) -> bool {
        [write::json::JSON.name, write::json::NDJSON.name].contains(&self.format().name)
    }
}

impl Host for Console {
    fn table(&mut self, shown: &Shown) -> Result<usize, Diag> {
        let format = self.format();
        if format.binary && self.tables > 0 {
            return Err(Diag::error(
                &code::OUTPUT,
                format!("{} holds one table, and this is the second", format.name),
            )
            .help(format!(
                "`| save \"name.{0}\"` writes each to its own file",
                extension(format)
            )));
        }
        self.tables += 1;
        let (table, engine) = (shown.table, shown.engine);
        // What is not shown is not computed: the projection is part of the plan.
        let projected = if table.columns.list.iter().any(|column| column.hidden) {
            let names: Vec<&str> = table.columns.visible().map(|c| c.name.as_str()).collect();
            let frame = engine
                .wait(engine.context().execute_logical_plan(table.plan.clone()))?
                .select_columns(&names)
                .map_err(fault::diag)?;
            Some(frame.into_unoptimized_plan())
        } else {
            None
        };
        let plan = projected.as_ref().unwrap_or(&table.plan);
        let schema = stamped(plan.schema().as_arrow(), &table.columns);
        let options = WriteOptions {
            width: Stream::Output.width(),
            rows: shown.rows.unwrap_or(WriteOptions::default().rows),
            ..WriteOptions::default()
        };
        let failed = |error: std::io::Error| output_error(OUTPUT, &error);
        // A table for reading counts the rows it does not show; elsewhere rows past the limit are not even made.
        let is_reading = std::ptr::eq(format.name, write::table::FORMAT.name);
        let limit = shown.rows.filter(|_| !is_reading);
        self.separate(Previous::Table).map_err(failed)?;
        let mut writer =
            (format.open)(Box::new(self.output.writer()), &schema, &options).map_err(failed)?;
        let mut rows = 0;
        let mut full = limit == Some(0);
        let streamed = if full {
            Ok(())
        } else {
            engine.stream(plan, &mut |batch| {
                let wanted =
                    limit.map_or(batch.num_rows(), |limit| batch.num_rows().min(limit - rows));
                rows += wanted;
                writer.batch(&batch.slice(0, wanted)).map_err(failed)?;
                if limit.is_some_and(|limit| rows >= limit) {
                    full = true;
                    return Err(crate::plan::engine::interrupted());
                }
                Ok(())
            })
        };
        if let Err(diag) = streamed
            && !full
        {
            return Err(diag);
        }
        writer.finish().map_err(failed)?;
        // A limit of 0 rows says nothing about how many there are.
        Ok(if limit == Some(0) { 1 } else { rows })
    }

    fn text(&mut self, text: &str) -> Result<(), Diag> {
        if self.is_json() {
            let quoted = serde_json::Value::from(text).to_string();
            return self.line(&quoted);
        }
        self.line(text)
    }

    fn value(&mut self, value: &Value) -> Result<(), Diag> {
        let text = if self.is_json() {
            json(value).to_string()
        } else if self.format().name == write::table::FORMAT.name {
            write::table::scalar(value)
        } else {
            value.to_string()
        };
        self.line(&text)
    }

    fn figure(&mut self, figure: &Figure, svg: &str) -> Result<(), Diag> {
        let size = figure.scene.get().map_or(String::new(), |scene| {
            format!(
                " of {} by {}",
                scene.size.width.text(),
                scene.size.height.text()
            )
        });
        let text = format!("a figure{size}; `| save \"figure.svg\"` writes it");
        if self.interactive {
            self.picture(figure, svg)
                .map_err(|error| output_error(OUTPUT, &error))?;
            self.figure = Some(svg.to_owned());
            self.line(&text)
        } else {
            self.complain(&text);
            Ok(())
        }
    }

    fn assertion(&mut self, assertion: Assertion) {
        let announced = |known: &&mut Assertion| {
            known.outcome.is_none() && known.span == assertion.span && assertion.outcome.is_some()
        };
        match self.assertions.iter_mut().find(announced) {
            Some(known) => {
                known.message = assertion.message;
                known.outcome = assertion.outcome;
            }
            None => self.assertions.push(assertion),
        }
    }

    fn warn(&mut self, diag: Diag) {
        let seen = self
            .warned
            .iter_mut()
            .find(|warned| warned.code == diag.code && warned.message == diag.message);
        if let Some(warned) = seen {
            warned.count += 1;
            return;
        }
        self.warned.push(Warned {
            code: diag.code,
            message: diag.message.clone(),
            count: 1,
        });
        match &mut self.held {
            Some(held) => held.push(diag),
            None => self.complain(&self.rendered(&diag)),
        }
    }

    fn stage(&mut self, name: &str) {
        self.progress.stage(name);
    }

    fn progress(&mut self, done: u64, total: u64) {
        self.progress.bytes(done, total);
    }
}

/// A terminal shows no bytes.
fn refuse_binary(format: &'static Format) -> Result<(), Diag> {
    if format.binary && Stream::Output.is_terminal() {
        return Err(Diag::error(
            &code::BAD_COMMAND_LINE,
            format!(
                "{} is not text, and standard output is a terminal",
                format.name
            ),
        )
        .help(format!(
            "redirect it (`> table.{0}`), or end the pipeline with `| save \"table.{0}\"`",
            extension(format)
        )));
    }
    Ok(())
}

fn extension(format: &Format) -> &'static str {
    format.extensions.first().copied().unwrap_or(format.name)
}

/// A value as JSON; what JSON has no type for is the text a script would write.
fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Int(number) | Value::Size(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Map(entries) => serde_json::Value::Object(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), json(value)))
                .collect(),
        ),
        other => other.to_string().into(),
    }
}

/// `1.234 s`.
fn seconds(duration: Duration) -> String {
    format!("{:.3} s", duration.as_secs_f64())
}
