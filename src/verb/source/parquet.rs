//! Parquet files that marey wrote: opened lazily, with the clock, the hidden columns and the sort order that
//! their metadata tell. A trace is the file of its focused relation plus one companion file for each other
//! relation that has rows (`run.parquet`, `run.links.parquet`, …).

use super::opened::{Opened, OpenedFile, open_error, table_of, trace_of};
use crate::diag::{Diag, code};
use crate::lang::flow::{Columns, Flow};
use crate::model::Clock;
use crate::model::schema::{RELATIONS, STATES, clock_of, relation_schema};
use crate::model::trace::Relation;
use crate::plan::source::{SourceTable, StoredRelation};
use crate::plan::{Data, Engine, Lineage, Table};
use crate::read::ReadOptions;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Metadata key: the version of marey that wrote the file.
pub const VERSION_KEY: &str = "marey.version";
/// Metadata key: which relation of a trace the file holds; `table` for a table.
pub const RELATION_KEY: &str = "marey.relation";
/// Metadata key: columns the rows are sorted by, ascending, separated by commas.
pub const SORTED_KEY: &str = "marey.sorted";
/// Metadata key: the companion files of a trace, as `relation:rows`, separated by commas.
pub const COMPANIONS_KEY: &str = "marey.companions";

/// The file of a companion relation: `run.parquet` → `run.links.parquet`.
pub fn companion(path: &Path, relation: &str) -> PathBuf {
    let extension = path.extension().map(|e| e.to_string_lossy().into_owned());
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!(".{relation}"));
    if let Some(extension) = extension {
        name.push(format!(".{extension}"));
    }
    path.with_file_name(name)
}

fn is_parquet(path: &str) -> bool {
    let mut magic = [0_u8; 4];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut magic))
        .is_ok_and(|()| &magic == b"PAR1")
}

/// What a file says of itself.
struct Described {
    schema: SchemaRef,
    rows: usize,
    sorted_by: Vec<String>,
    clock: Clock,
}

fn describe(path: &Path) -> Result<Described, Diag> {
    let shown = path.display().to_string();
    let failed = |error: &dyn std::fmt::Display| {
        Diag::error(
            &code::INPUT_UNREADABLE,
            format!("`{shown}` is no readable Parquet file: {error}"),
        )
    };
    let file = File::open(path).map_err(|error| failed(&error))?;
    let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
        .map_err(|error| failed(&error))?;
    let schema = metadata.schema().clone();
    let rows = metadata.metadata().file_metadata().num_rows();
    let sorted_by = schema
        .metadata()
        .get(SORTED_KEY)
        .map(|names| {
            names
                .split(',')
                .map(str::to_owned)
                .filter(|name| !name.is_empty())
                .collect()
        })
        .unwrap_or_default();
    let clock = schema
        .fields()
        .iter()
        .find_map(|field| clock_of(field))
        .unwrap_or_else(Clock::logical);
    Ok(Described {
        schema,
        rows: usize::try_from(rows).unwrap_or(0),
        sorted_by,
        clock,
    })
}

/// Opens a Parquet file; None where the options name none.
pub fn open(options: &ReadOptions, engine: &Engine) -> Result<Option<Opened>, Diag> {
    let asked = options.format.as_deref() == Some("parquet");
    if !asked && options.format.is_some() {
        return Ok(None);
    }
    let [path] = options.paths.as_slice() else {
        if options.paths.iter().any(|path| is_parquet(path)) {
            return Err(Diag::error(
                &code::UNKNOWN_INPUT_FORMAT,
                "several Parquet files are not read as one trace",
            )
            .help("load them one by one"));
        }
        return Ok(None);
    };
    if !is_parquet(path) {
        if asked {
            return Err(Diag::error(
                &code::INPUT_UNREADABLE,
                format!("`{path}` is no Parquet file, or cannot be opened"),
            ));
        }
        return Ok(None);
    }
    let main = Path::new(path);
    let described = describe(main)?;
    let metadata = described.schema.metadata().clone();
    if !metadata.contains_key(VERSION_KEY) {
        return Err(Diag::error(
            &code::UNKNOWN_INPUT_FORMAT,
            format!("`{path}` was not written by marey, so the unit of its times is not known"),
        )
        .help(
            "export it as CSV and name its columns: `load \"t.csv\" start=\"…\" end=\"…\" unit=ms`",
        ));
    }
    let relation = metadata.get(RELATION_KEY).cloned().unwrap_or_default();
    let clock = described.clock;
    if !RELATIONS.contains(&relation.as_str()) {
        let lineage = Lineage::new(None);
        let table = table(engine, main, &described, &lineage)?;
        return Ok(Some(Opened {
            flow: Flow::Table(table.columns.clone()),
            data: Data::Table(table),
            report: None,
            reservation: None,
            files: vec![OpenedFile::now(main)],
        }));
    }
    // The lineage holds the plan of the states, so those come first.
    let draft = Lineage::new(None);
    let mut relations = vec![(relation.clone(), table(engine, main, &described, &draft)?)];
    let mut files = vec![OpenedFile::now(main)];
    for entry in metadata
        .get(COMPANIONS_KEY)
        .into_iter()
        .flat_map(|list| list.split(','))
    {
        let Some((name, rows)) = entry.split_once(':') else {
            continue;
        };
        let file = companion(main, name);
        let other = describe(&file)
            .map_err(|diag| diag.help(format!("`{path}` says that its {name} are in this file")))?;
        if other.rows.to_string() != rows {
            return Err(Diag::error(
                &code::INPUT_UNREADABLE,
                format!(
                    "`{}` has {} rows where `{path}` says {rows}: they are not of one save",
                    file.display(),
                    other.rows
                ),
            )
            .help("save the trace again"));
        }
        relations.push((name.to_owned(), table(engine, &file, &other, &draft)?));
        files.push(OpenedFile::now(file));
    }
    for name in RELATIONS {
        if !relations.iter().any(|(known, _)| known == name) {
            relations.push((name.to_owned(), empty(engine, name, clock, &draft)?));
        }
    }
    relations.sort_by_key(|(name, _)| RELATIONS.iter().position(|known| known == name));
    let states = relations
        .iter()
        .find(|(name, _)| name == STATES)
        .map(|(_, table)| table.plan.clone());
    let lineage = Lineage::new(states);
    for (_, table) in &mut relations {
        table.lineage = lineage.clone();
    }
    let mut trace = trace_of(relations, lineage);
    trace.focus = relation;
    Ok(Some(Opened {
        flow: trace.flow(),
        data: Data::Trace(trace),
        report: None,
        reservation: None,
        files,
    }))
}

/// A relation without rows.
fn empty(
    engine: &Engine,
    name: &'static str,
    clock: Clock,
    lineage: &Arc<Lineage>,
) -> Result<Table, Diag> {
    let schema = relation_schema(name, clock, false);
    let columns = Columns::of_schema(&schema, clock);
    let source = StoredRelation::new(Relation {
        name,
        schema,
        batches: Vec::new(),
        sorted_by: Vec::new(),
    });
    table_of(
        engine,
        Arc::new(SourceTable::new(Arc::new(source))),
        columns,
        lineage,
    )
}

fn table(
    engine: &Engine,
    path: &Path,
    described: &Described,
    lineage: &Arc<Lineage>,
) -> Result<Table, Diag> {
    let shown = path.display().to_string();
    let absolute = std::path::absolute(path).map_err(|error| {
        Diag::error(
            &code::INPUT_UNREADABLE,
            format!("`{shown}` cannot be read: {error}"),
        )
    })?;
    let url = url::Url::from_file_path(&absolute)
        .map_err(|()| {
            Diag::error(
                &code::INPUT_UNREADABLE,
                format!("`{shown}` has no usable path"),
            )
        })
        .and_then(|url| {
            // Not through parse: brackets and stars in a file name are no pattern here.
            ListingTableUrl::try_new(url, None).map_err(|error| open_error(&shown, error))
        })?;
    let order: Vec<_> = described
        .sorted_by
        .iter()
        .map(|name| crate::plan::lower::column(name).sort(true, false))
        .collect();
    let mut listing =
        ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
    if !order.is_empty() {
        listing = listing.with_file_sort_order(vec![order]);
    }
    // The engine sees the plain columns; what the language knows of them is in `columns`.
    let plain = Arc::new(Schema::new(described.schema.fields().clone()));
    let config = ListingTableConfig::new(url)
        .with_listing_options(listing)
        .with_schema(plain);
    let provider = ListingTable::try_new(config).map_err(|error| open_error(&shown, error))?;
    let columns = Columns::of_schema(&described.schema, described.clock);
    table_of(engine, Arc::new(provider), columns, lineage)
}
