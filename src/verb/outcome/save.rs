//! `save`: writes a figure, a table or a trace; the format goes by the extension.

mod table;
mod trace;

use super::ANYTHING;
use super::scene::{svg_of, warn_of_size};
use crate::diag::{Diag, code};
use crate::figure::raster;
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::lang::suggest;
use crate::plan::{Data, Figure};
use crate::spec::{
    Accept, Choice, Example, Kind, Param, ParamSpec, Place, Section, Shape, TimeUnit, VerbSpec,
    option,
};
use crate::verb::relational::order::settled;
use crate::verb::source::load::UNITS;
use crate::verb::source::parquet::{RELATION_KEY, VERSION_KEY};
use crate::verb::{FlowContext, PlanContext, Verb};
use crate::write::atomic::AtomicFile;
use crate::write::provenance::{KEY, beside};
use crate::write::{self, Format, WriteOptions, output_error};
use std::path::Path;
use table::table_file;
use trace::{bundle, whole};

/// The verb.
pub struct Save;

/// Its name.
pub const NAME: &str = "save";

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

option!(PROVENANCE: Option<&'static str>, "provenance", Shape::Scalar(&[Accept::Choice(PROVENANCES)]), "full", "whether the file tells how it was made");

static PROVENANCES: &[Choice] = &[
    Choice {
        name: "full",
        about: "script, parameters, digests of the inputs and version, for `marey reproduce`",
    },
    Choice {
        name: "none",
        about: "nothing: for names and paths that are private",
    },
];

static SPEC: VerbSpec = VerbSpec {
    name: NAME,
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
             (picoseconds in nanoseconds) or in `unit=`, which a trace without a unit needs.\n\n\
             Every file tells how it was made: the script, the parameters, the BLAKE3 digests of the inputs and the \
             version of marey. SVG, PNG, Parquet and Arrow hold that inside; the other formats have no place for it and \
             get a file beside them (`profile.csv.provenance.json`). `marey reproduce FILE` makes the file again from it \
             and says whether it came out the same to the byte. `provenance=none` leaves it out.",
    params: &[&PATH.spec, &DPI.spec, &UNIT.spec, &PROVENANCE.spec],
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
            if let Some((_, other)) = cx.saved.iter().find(|(other, _)| *other == path)
                && !cx.may_save_again
            {
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
        let Some(path) = cx.output.place(&name) else {
            return Ok(input);
        };
        let placed = |diag: Diag| {
            // What a stage before this one met is shown there.
            if diag.verb.is_some() {
                return diag;
            }
            let label = if diag.code == &code::OUTPUT {
                "this file"
            } else {
                "while this was made"
            };
            diag.or_at(arguments.span_of(&PATH), label)
        };
        cx.output.check(&path).map_err(placed)?;
        let provenance = match arguments.get(&PROVENANCE)? {
            Some("none") => None,
            _ => Some(cx.provenance(&name).map_err(placed)?.text()),
        };
        let provenance = provenance.as_deref();
        let mut is_inside = true;
        match (&input, write::trace_by_extension(&extension(&name))) {
            (Data::Figure(figure), _) => {
                picture(figure, &path, provenance, arguments, cx).map_err(placed)?;
            }
            (Data::Trace(trace), Some(format)) => {
                is_inside = false;
                let notes = whole(trace, &path, format, unit, cx).map_err(placed)?;
                if !notes.is_empty() {
                    let report = Diag::warning(&code::SAVE_REPORT, notes.join("; "));
                    cx.host
                        .warn(report.at(arguments.span_of(&PATH), "in this file"));
                }
            }
            (Data::Trace(trace), None) if matches!(&*extension(&name), "parquet" | "pq") => {
                bundle(trace, &path, provenance, cx).map_err(placed)?;
            }
            (other, _) => {
                let table = settled(&other.table()?)?;
                let mut metadata = vec![
                    (VERSION_KEY.to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
                    (RELATION_KEY.to_owned(), "table".to_owned()),
                ];
                metadata.extend(provenance.map(|text| (KEY.to_owned(), text.to_owned())));
                let options = WriteOptions {
                    unit,
                    metadata,
                    ..WriteOptions::default()
                };
                let format = format_of(&name, arguments)?;
                is_inside = format.holds_metadata;
                table_file(&table, &path, format, &options, cx).map_err(placed)?;
            }
        }
        if cx.output.only.is_none() {
            set_beside(&path, provenance.filter(|_| !is_inside)).map_err(placed)?;
        }
        Ok(input)
    }
}

/// Writes the file that tells how the one it stands beside was made, or removes what an earlier save left there.
fn set_beside(path: &Path, provenance: Option<&str>) -> Result<(), Diag> {
    let path = beside(path);
    let failed = |error| output_error(&path.display().to_string(), &error);
    match provenance {
        Some(text) => {
            let mut file = AtomicFile::create(&path)?;
            writeln!(file.writer(), "{text}").map_err(failed)?;
            file.commit()
        }
        None => match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        },
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
    provenance: Option<&str>,
    arguments: &Arguments,
    cx: &mut PlanContext,
) -> Result<(), Diag> {
    let shown = path.display().to_string();
    let bytes = if extension(&shown) == "png" {
        let svg = svg_of(figure, None, cx)?;
        cx.host.stage("rendering");
        let size = figure
            .scene
            .get()
            .map(|scene| scene.size)
            .ok_or_else(|| Diag::error(&code::INTERNAL, "the figure was not drawn"))?;
        let picture =
            raster::png(&svg, size, arguments.get(&DPI)?).map_err(crate::verb::plot::failure)?;
        match provenance {
            Some(text) => raster::with_text(picture, KEY, text),
            None => picture,
        }
    } else {
        let svg = svg_of(figure, provenance.map(|text| (KEY, text)), cx)?;
        warn_of_size(&svg, cx);
        svg.into_bytes()
    };
    let mut file = cx.output.create(path)?;
    file.writer()
        .write_all(&bytes)
        .map_err(|error| output_error(&shown, &error))?;
    file.commit()
}
