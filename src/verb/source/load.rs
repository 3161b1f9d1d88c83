//! `load`: reads traces from files.

use super::opened::{Opened, OpenedFile, open_data};
use super::parquet;
use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::model::Policy;
use crate::plan::Data;
use crate::read::{self, ReadOptions, Roles};
use crate::spec::{
    Accept, Choice, Example, Param, ParamSpec, Place, Section, Shape, TimeUnit, Value, VerbSpec,
};
use crate::verb::{FlowContext, PlanContext, Verb};
use std::cell::RefCell;
use std::sync::Arc;

/// The verb.
pub struct Load;

macro_rules! option {
    ($(#[$meta:meta])* $constant:ident: $type:ty, $name:literal, $accepts:expr, $default:literal, $about:literal) => {
        #[doc = $about]
        pub static $constant: Param<$type> = Param::new(ParamSpec {
            name: $name,
            place: Place::Option,
            shape: Shape::Scalar($accepts),
            default: $default,
            about: $about,
        });
    };
}

/// What to read.
pub static PATH: Param<Value> = Param::new(ParamSpec {
    name: "path",
    place: Place::Required,
    shape: Shape::Scalar(&[Accept::Text, Accept::TextList]),
    default: "",
    about: "a file, a pattern (`\"run-*.csv\"`), a list of them, or `\"-\"` for standard input",
});

/// The units of time that files use.
pub const UNITS: &[Choice] = &[
    Choice {
        name: "ps",
        about: "picoseconds",
    },
    Choice {
        name: "ns",
        about: "nanoseconds",
    },
    Choice {
        name: "us",
        about: "microseconds",
    },
    Choice {
        name: "ms",
        about: "milliseconds",
    },
    Choice {
        name: "s",
        about: "seconds",
    },
    Choice {
        name: "min",
        about: "minutes",
    },
    Choice {
        name: "h",
        about: "hours",
    },
];

const RESOLUTIONS: &[Choice] = &[
    Choice {
        name: "ps",
        about: "ticks of a picosecond, up to 106 days",
    },
    Choice {
        name: "ns",
        about: "ticks of a nanosecond, up to 292 years",
    },
    Choice {
        name: "us",
        about: "ticks of a microsecond",
    },
    Choice {
        name: "ms",
        about: "ticks of a millisecond",
    },
    Choice {
        name: "s",
        about: "ticks of a second",
    },
];

const POLICIES: &[Choice] = &[
    Choice {
        name: "fail",
        about: "the first row that cannot be used is the error",
    },
    Choice {
        name: "repair",
        about: "it is mended and counted, or goes to `rejects` and is counted",
    },
    Choice {
        name: "keep",
        about: "it stays where it fits the schema; a verb that cannot use it stops and names the line",
    },
];

const RELATIONS: &[Choice] = &[
    Choice {
        name: "states",
        about: "rows are states",
    },
    Choice {
        name: "events",
        about: "rows are events",
    },
    Choice {
        name: "links",
        about: "rows are links",
    },
    Choice {
        name: "variables",
        about: "rows are values of variables",
    },
    Choice {
        name: "resources",
        about: "rows are resources",
    },
];

const TEXT: &[Accept] = &[Accept::Text];

option!(DEPS: Option<Value>, "deps", &[Accept::Text, Accept::TextList], "none", "a table of dependencies between the states (columns `from` and `to`, or `Dependent` and `JobId` of StarVZ, or tasks of StarPU), or a list of them");
option!(UNIT: Option<String>, "unit", &[Accept::Choice(UNITS)], "what the format says, else none", "the unit of the file's numbers; without one the trace is logical and compares with bare numbers");
option!(RESOLUTION: Option<String>, "resolution", &[Accept::Choice(RESOLUTIONS)], "ns", "the length of a tick; digits below it are rounded and counted");
option!(POLICY: Option<&'static str>, "policy", &[Accept::Choice(POLICIES)], "repair", "what to do with rows that cannot be used");
option!(FORMAT: Option<String>, "format", TEXT, "by content", "the reader: \"pj_dump\", \"csv\", …");
option!(RELATION: Option<String>, "relation", &[Accept::Choice(RELATIONS)], "by its columns", "what the rows of a table are");
option!(RESOURCE: Option<String>, "resource", TEXT, "by usual names", "the column of a table that names the resource");
option!(KIND: Option<String>, "type", TEXT, "by usual names", "the column of a table that names the type");
option!(VALUE: Option<String>, "value", TEXT, "by usual names", "the column of a table that holds the value; of an ETF file the attribute of claims, default `name`");
option!(START: Option<String>, "start", TEXT, "by usual names", "the column of a table that holds the start");
option!(END: Option<String>, "end", TEXT, "by usual names", "the column of a table that holds the end");
option!(DURATION: Option<String>, "duration", TEXT, "by usual names", "the column of a table that holds the duration, where there is no end");
option!(TIME: Option<String>, "time", TEXT, "by usual names", "the column of a table that holds the time of an event or sample");
option!(ID: Option<String>, "id", TEXT, "by usual names", "the column of a table that holds the row's own id");
option!(METRIC: Option<String>, "metric", TEXT, "by usual names", "the column of a table that names the variable");
option!(DEPTH: Option<String>, "depth", TEXT, "by usual names", "the column of a table that holds the nesting depth");
option!(SOURCE: Option<String>, "source", TEXT, "by usual names", "the column of a table that holds the id a link leaves");
option!(TARGET: Option<String>, "target", TEXT, "by usual names", "the column of a table that holds the id a link reaches");
option!(COLUMNS: Option<Value>, "columns", &[Accept::TextList], "col9, col10, …", "names of the fields behind the fixed ones of a file without a header; [] gives them to the value");
option!(SEPARATOR: Option<String>, "separator", TEXT, "guessed and reported", "the separator of a table, one character");
option!(DECIMAL: Option<String>, "decimal", TEXT, "guessed and reported", "the decimal mark of a table, \".\" or \",\"");
option!(FILE_AS: Option<String>, "file_as", &[Accept::Text, Accept::Choice(&[Choice { name: "rank", about: "a column `rank`" }, Choice { name: "file", about: "a column `file`" }])], "none", "a column made from what tells the file names apart");
option!(OFFSET: Option<Value>, "offset", &[Accept::Time, Accept::TimeList], "0", "added to every time; a list has one for each file, in the order they are read");

static SPEC: VerbSpec = VerbSpec {
    name: "load",
    section: Section::Source,
    takes: &[],
    heads: true,
    gives: "a trace (a table where a Parquet file holds one)",
    summary: "Reads a trace from one or several files.",
    detail: "The format is told from the content; gzip is too. Times are read from the decimal text into \
             whole ticks, never through a float. Rows that cannot be used are counted by reason in one line on \
             standard error and are the relation `rejects` (file, line, code, text). Open states end at the \
             trace's end with `truncated` true. Several files are matched by column name and read in natural \
             order. An attribute named like a column of the trace is `attr.name`.\n\n\
             `deps=` names a table whose rows become links between states: `from` and `to` hold their ids, and \
             `to` depends on `from`. Other columns it may have: `from_point` and `to_point` (`start` or `end`; \
             default end to start), `min_delay` and `max_delay` (times in the unit of the trace), `type`, `value`, \
             and attributes. An id of no state is an error (`policy=keep` keeps the link). Of StarVZ, `Dependent,JobId` means that `JobId` \
             depends on `Dependent`; jobs are matched with the column `JobId` of the states, where the outermost \
             and longest state of a job stands for it, and rows about jobs without a state (control tasks, \
             transfers) go to `rejects` as `unknown_id`, so dependencies through them are not followed. \
             `rec.tasks` of StarPU, with lists in `DependsOn`, is read likewise.",
    params: &[
        &PATH.spec,
        &DEPS.spec,
        &UNIT.spec,
        &RESOLUTION.spec,
        &POLICY.spec,
        &FORMAT.spec,
        &RELATION.spec,
        &RESOURCE.spec,
        &KIND.spec,
        &VALUE.spec,
        &START.spec,
        &END.spec,
        &DURATION.spec,
        &TIME.spec,
        &ID.spec,
        &METRIC.spec,
        &DEPTH.spec,
        &SOURCE.spec,
        &TARGET.spec,
        &COLUMNS.spec,
        &SEPARATOR.spec,
        &DECIMAL.spec,
        &FILE_AS.spec,
        &OFFSET.spec,
    ],
    by: false,
    examples: &[
        Example {
            about: "a pj_dump file in milliseconds",
            script: "load \"hand.csv\" unit=ms | summarize count(), max(end)",
            prints: "count,max_end\n10,100\n",
        },
        Example {
            about: "a table whose columns have other names",
            script: "load \"phases.csv\" resource=\"cpu\" value=\"phase\" start=\"t0\" end=\"t1\" unit=us | summarize sum(duration) by value",
            prints: "value,sum_duration\ncompute,30\nsend,5.5\n",
        },
        Example {
            about: "states of a StarVZ file and the dependencies between their jobs",
            script: "load \"starvz_states.csv\" deps=\"dag_links.csv\" unit=ms | focus links | select source, target, source_point",
            prints: "source,target,source_point\n0_1,0_2,end\n",
        },
    ],
};

/// Options that a Parquet file of marey leaves open: it has no bad rows, so every policy is kept.
const PARQUET_OPTIONS: [&str; 3] = ["path", "format", "policy"];

fn texts(value: Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text],
        Value::List(items) => items.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

fn offsets(value: Option<Value>) -> Vec<i128> {
    match value {
        Some(Value::Time(time) | Value::LogicalTime(time)) => vec![time],
        Some(Value::List(items)) => items
            .into_iter()
            .flat_map(|item| offsets(Some(item)))
            .collect(),
        _ => Vec::new(),
    }
}

fn one_character(
    arguments: &Arguments,
    param: &Param<Option<String>>,
) -> Result<Option<char>, Diag> {
    let Some(text) = arguments.get(param)? else {
        return Ok(None);
    };
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) => Ok(Some(c)),
        _ => Err(Diag::error(
            &code::INVALID_VALUE,
            format!("`{}` is one character", param.spec.name),
        )
        .at(arguments.span_of(param), "here")),
    }
}

fn options_of(arguments: &Arguments) -> Result<ReadOptions, Diag> {
    let unit = |name: Option<String>| name.and_then(|name| TimeUnit::from_name(&name));
    Ok(ReadOptions {
        paths: texts(arguments.get(&PATH)?),
        deps: arguments.get(&DEPS)?.map_or(Vec::new(), texts),
        unit: unit(arguments.get(&UNIT)?),
        resolution: unit(arguments.get(&RESOLUTION)?),
        policy: match arguments.get(&POLICY)? {
            Some("fail") => Policy::Fail,
            Some("keep") => Policy::Keep,
            _ => Policy::Repair,
        },
        format: arguments.get(&FORMAT)?,
        roles: Roles {
            resource: arguments.get(&RESOURCE)?,
            kind: arguments.get(&KIND)?,
            value: arguments.get(&VALUE)?,
            start: arguments.get(&START)?,
            end: arguments.get(&END)?,
            duration: arguments.get(&DURATION)?,
            time: arguments.get(&TIME)?,
            id: arguments.get(&ID)?,
            metric: arguments.get(&METRIC)?,
            depth: arguments.get(&DEPTH)?,
            source: arguments.get(&SOURCE)?,
            target: arguments.get(&TARGET)?,
        },
        columns: arguments.get(&COLUMNS)?.map(texts),
        relation: arguments.get(&RELATION)?,
        separator: one_character(arguments, &SEPARATOR)?,
        decimal: one_character(arguments, &DECIMAL)?,
        file_as: arguments.get(&FILE_AS)?,
        offsets: offsets(arguments.get(&OFFSET)?),
    })
}

/// What was asked for, and the state of the files: a file that changed is read again.
fn key_of(options: &ReadOptions) -> String {
    let mut key = format!("{options:?}");
    for path in options.paths.iter().chain(&options.deps) {
        if let Ok(data) = std::fs::metadata(path) {
            key.push_str(&format!(" {} {:?}", data.len(), data.modified().ok()));
        }
    }
    key
}

/// The files that are read. What names none is told by the reader.
fn files_of(options: &ReadOptions) -> Vec<OpenedFile> {
    [&options.paths, &options.deps]
        .into_iter()
        .filter_map(|written| read::expand(written).ok())
        .flatten()
        .map(|file| OpenedFile::now(file.path))
        .collect()
}

fn known(arguments: &Arguments) -> Result<(), Diag> {
    use crate::lang::plan::ArgumentKind;
    for (name, argument) in &arguments.given {
        if matches!(argument.kind, ArgumentKind::Deferred(_)) {
            return Err(Diag::error(
                &code::NOT_A_SCALAR,
                format!("`{name}` of `load` must be known before anything runs"),
            )
            .at(argument.span, "this depends on data")
            .help("write a literal or a `param`"));
        }
    }
    Ok(())
}

fn open(arguments: &Arguments, cx: &mut FlowContext) -> Result<Arc<Opened>, Diag> {
    known(arguments)?;
    let mut options = options_of(arguments)?;
    let moved = cx.sources.moved();
    for path in options.paths.iter_mut().chain(&mut options.deps) {
        *path = moved.now(path);
    }
    let span = arguments.span_of(&PATH);
    let key = key_of(&options);
    let (engine, host) = (cx.engine, &mut *cx.host);
    let is_new = cx.sources.get(&key).is_none();
    if is_new && cx.only_open {
        return Err(Diag::error(&code::INPUT_MISSING, "the input is not open"));
    }
    // How the files are before they are read: a change from here on is noticed.
    let files = if is_new {
        files_of(&options)
    } else {
        Vec::new()
    };
    cx.sources.try_files(&files);
    let opened = cx
        .sources
        .get_or_open(key, || {
            if let Some(opened) = parquet::open(&options, engine)? {
                let other = |given: &&(&str, _)| !PARQUET_OPTIONS.contains(&given.0);
                return match arguments.given.iter().find(other) {
                    None => Ok(opened),
                    Some((name, argument)) => Err(Diag::error(
                        &code::EXTRA_ARGUMENT,
                        format!("`{name}` has no meaning for a Parquet file of marey, which says it itself"),
                    )
                    .at(argument.span, "here")
                    .help("leave it out; `shift offset=…` moves times")),
                };
            }
            host.stage(&format!("reading {}", options.paths.join(", ")));
            let host = RefCell::new(&mut *host);
            let data = read::read(&options, engine.cancel().flag(), &|progress| {
                host.borrow_mut().progress(progress.bytes, progress.total);
            })?;
            let mut opened = open_data(data, engine)?;
            opened.files = files;
            if let Data::Trace(trace) = &mut opened.data {
                trace.has_dependencies = !options.deps.is_empty();
            }
            Ok(opened)
        })
        .map_err(|diag| {
            if diag.place.is_some() {
                diag
            } else {
                diag.or_at(span, "this input")
            }
        })?;
    if is_new && let Some(report) = &opened.report {
        let empty = report.records == 0;
        for note in &report.notes {
            let code = if empty {
                &code::EMPTY_TRACE
            } else {
                &code::LOAD_REPORT
            };
            host.warn(Diag::warning(code, note.clone()));
        }
        if empty && report.notes.is_empty() {
            host.warn(
                Diag::warning(&code::EMPTY_TRACE, "the input has no records").at(span, "here"),
            );
        } else if !empty
            && opened
                .flow
                .columns()
                .is_some_and(|columns| columns.clock.is_logical())
        {
            host.warn(
                Diag::warning(&code::NO_UNIT, "the input does not say its unit of time")
                    .at(span, "its times compare with bare numbers")
                    .help("say it if there is one: `unit=ms`"),
            );
        }
        if !report.is_clean() {
            host.warn(Diag::warning(&code::LOAD_REPORT, report.line()));
        }
    }
    Ok(opened)
}

impl Verb for Load {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        _: Option<&Flow>,
        arguments: &Arguments,
        cx: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        Ok(open(arguments, cx)?.flow.clone())
    }

    fn plan(
        &self,
        _: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        Ok(cx.opening(|cx| open(arguments, cx))?.data.clone())
    }
}
