//! `save`: writes a figure, a table or a trace; the format goes by the extension.

use super::ANYTHING;
use super::scene::{svg_of, warn_of_size};
use crate::diag::{Diag, code};
use crate::figure::raster;
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::lang::suggest;
use crate::model::schema::{self, RELATIONS, column, is_hidden};
use crate::plan::engine::stamped;
use crate::plan::{Data, Figure, Table, Trace, fault, lower};
use crate::spec::{
    Accept, Example, Kind, Param, ParamSpec, Place, Section, Shape, TimeUnit, VerbSpec,
};
use crate::verb::relational::order::settled;
use crate::verb::source::load::UNITS;
use crate::verb::source::parquet::{
    COMPANIONS_KEY, RELATION_KEY, SORTED_KEY, VERSION_KEY, companion,
};
use crate::verb::{FlowContext, PlanContext, Verb};
use crate::write::atomic::AtomicFile;
use crate::write::{self, Format, TraceFormat, TracePart, WriteOptions, output_error};
use datafusion::arrow::array::RecordBatch;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use std::path::{Path, PathBuf};

/// The verb.
pub struct Save;

/// Where to.
pub static PATH: Param<String> = Param::new(ParamSpec {
    name: "path",
    place: Place::Required,
    shape: Shape::Scalar(&[Accept::Text]),
    default: "",
    about: "the file; its extension says the format",
});

/// Resolution of a PNG.
pub static DPI: Param<Option<f64>> = Param::new(ParamSpec {
    name: "dpi",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Number]),
    default: "300; 96 where the size is in px",
    about: "pixels per inch of a PNG",
});

/// Unit of times in text.
pub static UNIT: Param<Option<String>> = Param::new(ParamSpec {
    name: "unit",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Choice(UNITS)]),
    default: "that of the trace's file",
    about: "the unit of times in a text file; of an ETF file not ps",
});

static SPEC: VerbSpec = VerbSpec {
    name: "save",
    section: Section::Outcome,
    takes: ANYTHING,
    heads: false,
    gives: "what flows in",
    summary: "Writes a file: svg, png for figures; csv, tsv, json, ndjson, md, parquet, arrow for tables; parquet, etf for traces.",
    detail: "The file appears whole or not at all: it is written beside its place and renamed. Its folder must \
             exist. Text files hold times as exact decimals in the unit of the trace's file; Parquet and Arrow hold \
             ticks and say the unit in the metadata. A trace saved as Parquet is one file for the relation in focus \
             and one beside it for each other relation that has rows (`run.parquet`, `run.links.parquet`); `load` of \
             the first reads all of them back exactly. Any other format of a table holds the relation in focus.\n\n\
             A trace saved as `.etf` (TRACE4CPS) is one text file with all of its relations but `rejects`: states are \
             claims, links dependencies, steps of variables constant signals and samples time series. What the \
             format has no place for is written as attributes that begin with `marey.`, and texts with `, ; = %` \
             or line ends with codes such as `%2C`, which is counted; `load` undoes both and gives the same trace, \
             with two columns more that say what the file says of resources. A state without an amount claims 1. An \
             end of a link that is no state becomes an event. Times are exact decimals in the unit of the trace \
             (picoseconds in nanoseconds) or in `unit=`, which a trace without a unit needs.",
    params: &[&PATH.spec, &DPI.spec, &UNIT.spec],
    by: false,
    examples: &[
        Example {
            about: "a table and its copy in seconds",
            script: "load \"hand.csv\" unit=ms | profile | save \"profile.csv\" | save \"profile-in-s.csv\" unit=s",
            prints: "",
        },
        Example {
            about: "a trace for TRACE4CPS",
            script: "load \"hand.csv\" unit=ms | save \"hand.etf\"",
            prints: "",
        },
    ],
};

/// The formats of figures.
const PICTURES: [&str; 2] = ["svg", "png"];

fn extension(path: &str) -> String {
    Path::new(path)
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// Refuses an extension that does not fit the kind.
fn check_format(path: &str, kind: Kind, arguments: &Arguments) -> Result<(), Diag> {
    let extension = extension(path);
    let tables: Vec<&str> = write::FORMATS
        .iter()
        .flat_map(|format| format.extensions.iter().copied())
        .collect();
    let picture = PICTURES.contains(&extension.as_str());
    let table = tables.contains(&extension.as_str());
    let whole = write::trace_by_extension(&extension).is_some();
    let traces = write::TRACE_FORMATS
        .iter()
        .flat_map(|format| format.extensions.iter().copied());
    let (wanted, fits) = match kind {
        Kind::Figure => (PICTURES.to_vec(), picture),
        Kind::Trace => (tables.into_iter().chain(traces).collect(), table || whole),
        _ => (tables, table),
    };
    if fits {
        return Ok(());
    }
    let diag = Diag::error(
        &code::UNKNOWN_FORMAT,
        if extension.is_empty() {
            format!("`{path}` has no extension that says the format")
        } else if whole {
            format!(
                "a {} cannot be saved as {extension}, which holds whole traces",
                kind.word()
            )
        } else if picture {
            format!(
                "a {} cannot be saved as {extension}; it is not a figure yet",
                kind.word()
            )
        } else {
            format!("a {} cannot be saved as {extension}", kind.word())
        },
    )
    .at(arguments.span_of(&PATH), "here");
    Err(match suggest::nearest(&extension, wanted.iter().copied()) {
        _ if whole && kind != Kind::Figure => diag.help(format!(
            "save the trace before the stage that makes this of it, or the {} as csv, parquet, …",
            kind.word()
        )),
        Some(near) if !picture && !table && !whole => diag.help(format!("did you mean `.{near}`?")),
        _ if picture => diag.help("draw it first: `| plot-stacked | save …`"),
        _ => diag.help(format!("extensions: {}", suggest::listed(wanted, 20))),
    })
}

/// Refuses a trace without a unit in a format that would give it one.
fn check_unit(path: &str, input: &Flow, arguments: &Arguments) -> Result<(), Diag> {
    let whole =
        input.kind() == Kind::Trace && write::trace_by_extension(&extension(path)).is_some();
    let logical = input
        .columns()
        .is_some_and(|columns| columns.clock.is_logical());
    if !whole || !logical || !matches!(arguments.get(&UNIT), Ok(None)) {
        return Ok(());
    }
    let message = format!(
        "the trace has no unit of time, and {} would take its numbers for seconds",
        extension(path)
    );
    Err(Diag::error(&code::MISSING_ARGUMENT, message)
        .at(arguments.span_of(&PATH), "no unit for this file")
        .help("`load … unit=ms` says the unit; `save … unit=s` writes the numbers as seconds"))
}

impl Verb for Save {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        cx: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let input = input.ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        if let Ok(Some(dpi)) = arguments.get(&DPI)
            && !(dpi.is_finite() && dpi > 0.0)
        {
            return Err(Diag::error(&code::INVALID_VALUE, "`dpi` is more than 0")
                .at(arguments.span_of(&DPI), "here"));
        }
        if let Ok(path) = arguments.get(&PATH) {
            check_format(&path, input.kind(), arguments)?;
            check_unit(&path, input, arguments)?;
            let span = arguments.span_of(&PATH);
            if let Some((_, other)) = cx.saved.iter().find(|(other, _)| *other == path) {
                return Err(Diag::error(
                    &code::SAVED_TWICE,
                    format!("`{path}` is written twice in this script"),
                )
                .at(span, "again here")
                .at(*other, "first here"));
            }
            cx.saved.push((path, span));
        }
        Ok(input.clone())
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let input = input.ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let name = arguments.get(&PATH)?;
        check_format(&name, flow.kind(), arguments)?;
        check_unit(&name, flow, arguments)?;
        let unit = arguments
            .get(&UNIT)?
            .and_then(|unit| TimeUnit::from_name(&unit));
        let path = match &cx.out {
            Some(folder) => folder.join(&name),
            None => PathBuf::from(&name),
        };
        let placed = |diag: Diag| {
            let label = if diag.code == &code::OUTPUT {
                "this file"
            } else {
                "while this was made"
            };
            diag.or_at(arguments.span_of(&PATH), label)
        };
        match (&input, write::trace_by_extension(&extension(&name))) {
            (Data::Figure(figure), _) => picture(figure, &path, arguments, cx).map_err(placed)?,
            (Data::Trace(trace), Some(format)) => {
                let notes = whole(trace, &path, format, unit, cx).map_err(placed)?;
                if !notes.is_empty() {
                    let report = Diag::warning(&code::SAVE_REPORT, notes.join("; "));
                    cx.host
                        .warn(report.at(arguments.span_of(&PATH), "in this file"));
                }
            }
            (Data::Trace(trace), None) if matches!(&*extension(&name), "parquet" | "pq") => {
                bundle(trace, &path, cx).map_err(placed)?;
            }
            (other, _) => {
                let table = settled(&other.table()?)?;
                let options = WriteOptions {
                    unit,
                    metadata: vec![
                        (VERSION_KEY.to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
                        (RELATION_KEY.to_owned(), "table".to_owned()),
                    ],
                    ..WriteOptions::default()
                };
                let format = format_of(&name, arguments)?;
                table_file(&table, &path, format, &options, cx).map_err(placed)?;
            }
        }
        Ok(input)
    }
}

fn format_of(path: &str, arguments: &Arguments) -> Result<&'static Format, Diag> {
    write::by_extension(&extension(path)).ok_or_else(|| {
        Diag::error(
            &code::UNKNOWN_FORMAT,
            format!("`{path}` has no known extension"),
        )
        .at(arguments.span_of(&PATH), "here")
    })
}

fn picture(
    figure: &Figure,
    path: &Path,
    arguments: &Arguments,
    cx: &mut PlanContext,
) -> Result<(), Diag> {
    let svg = svg_of(figure, cx)?;
    let shown = path.display().to_string();
    let bytes = if extension(&shown) == "png" {
        cx.host.stage("rendering");
        let size = figure
            .scene
            .get()
            .map(|scene| scene.size)
            .ok_or_else(|| Diag::error(&code::INTERNAL, "the figure was not drawn"))?;
        raster::png(&svg, size, arguments.get(&DPI)?).map_err(crate::verb::plot::failure)?
    } else {
        warn_of_size(&svg, cx);
        svg.into_bytes()
    };
    let mut file = AtomicFile::create(path)?;
    file.writer()
        .write_all(&bytes)
        .map_err(|error| output_error(&shown, &error))?;
    file.commit()
}

/// Streams a table into a file.
fn table_file(
    table: &Table,
    path: &Path,
    format: &Format,
    options: &WriteOptions,
    cx: &mut PlanContext,
) -> Result<(), Diag> {
    cx.host.stage("writing");
    let keep_hidden = options
        .metadata
        .iter()
        .any(|(key, value)| key == RELATION_KEY && RELATIONS.contains(&value.as_str()));
    let schema = stamped(table.plan.schema().as_arrow(), &table.columns);
    let shown: Vec<usize> = schema
        .fields()
        .iter()
        .enumerate()
        .filter(|(_, field)| keep_hidden || !is_hidden(field))
        .map(|(index, _)| index)
        .collect();
    let failed = |error: &dyn std::fmt::Display| {
        output_error(
            &path.display().to_string(),
            &std::io::Error::other(error.to_string()),
        )
    };
    let visible = std::sync::Arc::new(schema.project(&shown).map_err(|error| failed(&error))?);
    let mut file = AtomicFile::create(path)?;
    let mut writer =
        (format.open)(Box::new(file.writer()), &visible, options).map_err(|e| failed(&e))?;
    cx.engine.stream(&table.plan, &mut |batch: &RecordBatch| {
        let batch = batch.project(&shown).map_err(|error| failed(&error))?;
        writer.batch(&batch).map_err(|error| failed(&error))
    })?;
    writer.finish().map_err(|error| failed(&error))?;
    file.commit()
}

/// A whole trace into one file, relation after relation. What the file holds another way or not at all.
fn whole(
    trace: &Trace,
    path: &Path,
    format: &TraceFormat,
    unit: Option<TimeUnit>,
    cx: &mut PlanContext,
) -> Result<Vec<String>, Diag> {
    cx.host.stage("writing");
    let failed = |error: &dyn std::fmt::Display| {
        output_error(
            &path.display().to_string(),
            &std::io::Error::other(error.to_string()),
        )
    };
    let mut plans = Vec::new();
    let mut parts = Vec::new();
    for name in format.order {
        let Some(table) = trace.relation(name).map_err(fault::diag)? else {
            continue;
        };
        let rows = cx.count(&table.plan)?;
        let plan = match *name {
            // The tree, parents first.
            schema::RESOURCES if table.columns.has(column::ID) => {
                LogicalPlanBuilder::from(table.plan.clone())
                    .sort([lower::column(column::ID).sort(true, false)])
                    .and_then(LogicalPlanBuilder::build)
                    .map_err(fault::diag)?
            }
            _ => sorted(&table)?.0,
        };
        parts.push(TracePart {
            name: (*name).to_owned(),
            schema: stamped(plan.schema().as_arrow(), &table.columns),
            rows: usize::try_from(rows).unwrap_or(0),
        });
        plans.push((plan, table.clock()));
    }
    let mut left_out = Vec::new();
    for (name, table) in &trace.relations {
        if !format.order.contains(&name.as_str()) {
            let rows = cx.count(&table.plan)?;
            if rows > 0 {
                left_out.push(format!(
                    "{rows} rows of `{name}` are left out: the format has no place for them"
                ));
            }
        }
    }
    let clock = plans
        .first()
        .map(|(_, clock)| *clock)
        .ok_or_else(|| Diag::error(&code::INTERNAL, "the trace has no relations"))?;
    let options = WriteOptions {
        unit,
        ..WriteOptions::default()
    };
    let mut file = AtomicFile::create(path)?;
    let mut writer = (format.open)(Box::new(file.writer()), &parts, clock, &options)
        .map_err(|error| failed(&error))?;
    for ((plan, _), part) in plans.iter().zip(&parts) {
        writer
            .relation(&part.name)
            .map_err(|error| failed(&error))?;
        cx.engine.stream(plan, &mut |batch: &RecordBatch| {
            writer.batch(batch).map_err(|error| failed(&error))
        })?;
    }
    let mut notes = writer.finish().map_err(|error| failed(&error))?;
    file.commit()?;
    notes.append(&mut left_out);
    Ok(notes)
}

/// A trace as Parquet: companions first, the main file last, so that a main file always finds its own.
fn bundle(trace: &Trace, path: &Path, cx: &mut PlanContext) -> Result<(), Diag> {
    let format = &write::parquet::FORMAT;
    let mut companions = Vec::new();
    for (name, _) in &trace.relations {
        if *name == trace.focus {
            continue;
        }
        let Some(table) = trace.relation(name).map_err(fault::diag)? else {
            continue;
        };
        let file = companion(path, name);
        let rows = cx.count(&table.plan)?;
        if rows == 0 {
            // What an earlier save left here is no part of this one.
            if file.exists() {
                std::fs::remove_file(&file)
                    .map_err(|error| output_error(&file.display().to_string(), &error))?;
            }
            continue;
        }
        companions.push(format!("{name}:{rows}"));
        write_relation(&table, name, &file, format, None, cx)?;
    }
    let main = trace
        .focused()
        .map_err(fault::diag)?
        .ok_or_else(|| Diag::error(&code::INTERNAL, "the trace has nothing in focus"))?;
    write_relation(
        &main,
        &trace.focus,
        path,
        format,
        Some(companions.join(",")),
        cx,
    )
}

/// The rows of a relation in the order of time, and the columns that they are sorted by; none where the
/// relation has no times of its own.
fn sorted(table: &Table) -> Result<(LogicalPlan, Vec<String>), Diag> {
    // The order that sources declare, so that sorted ones are not sorted again.
    let sorted_by: Vec<String> = [column::START, column::TIME, column::ROW]
        .into_iter()
        .filter(|name| table.columns.has(name))
        .map(str::to_owned)
        .collect();
    let timed = sorted_by.iter().any(|name| name != column::ROW);
    let sorted_by = if timed { sorted_by } else { Vec::new() };
    let plan = if sorted_by.is_empty() {
        table.plan.clone()
    } else {
        LogicalPlanBuilder::from(table.plan.clone())
            .sort(
                sorted_by
                    .iter()
                    .map(|name| lower::column(name).sort(true, false)),
            )
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)?
    };
    Ok((plan, sorted_by))
}

fn write_relation(
    table: &Table,
    name: &str,
    path: &Path,
    format: &Format,
    companions: Option<String>,
    cx: &mut PlanContext,
) -> Result<(), Diag> {
    let (plan, sorted_by) = sorted(table)?;
    let mut metadata = vec![
        (VERSION_KEY.to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        (RELATION_KEY.to_owned(), name.to_owned()),
        (SORTED_KEY.to_owned(), sorted_by.join(",")),
    ];
    if let Some(companions) = companions {
        metadata.push((COMPANIONS_KEY.to_owned(), companions));
    }
    let options = WriteOptions {
        metadata,
        sorted_by,
        ..WriteOptions::default()
    };
    let table = table.then(plan, table.columns.clone());
    table_file(&table, path, format, &options, cx)
}
