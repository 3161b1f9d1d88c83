//! A trace into a file of its own format, or into Parquet files side by side.

use super::table::table_file;
use crate::diag::{Diag, code};
use crate::model::schema::{self, column};
use crate::plan::engine::stamped;
use crate::plan::{Table, Trace, fault, lower};
use crate::spec::TimeUnit;
use crate::verb::PlanContext;
use crate::verb::source::parquet::{
    COMPANIONS_KEY, RELATION_KEY, SORTED_KEY, VERSION_KEY, companion,
};
use crate::write::provenance::KEY;
use crate::write::{self, TraceFormat, TracePart, WriteOptions, output_error};
use datafusion::arrow::array::RecordBatch;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use std::path::Path;

/// A whole trace into one file, relation after relation. What the file holds another way or not at all.
pub(super) fn whole(
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
    let mut file = cx.output.create(path)?;
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
pub(super) fn bundle(
    trace: &Trace,
    path: &Path,
    provenance: Option<&str>,
    cx: &mut PlanContext,
) -> Result<(), Diag> {
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
        write_relation(&table, name, &file, Vec::new(), cx)?;
    }
    let main = trace
        .focused()
        .map_err(fault::diag)?
        .ok_or_else(|| Diag::error(&code::INTERNAL, "the trace has nothing in focus"))?;
    let mut metadata = vec![(COMPANIONS_KEY.to_owned(), companions.join(","))];
    metadata.extend(provenance.map(|text| (KEY.to_owned(), text.to_owned())));
    write_relation(&main, &trace.focus, path, metadata, cx)
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
    more: Vec<(String, String)>,
    cx: &mut PlanContext,
) -> Result<(), Diag> {
    let (plan, sorted_by) = sorted(table)?;
    let mut metadata = vec![
        (VERSION_KEY.to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        (RELATION_KEY.to_owned(), name.to_owned()),
        (SORTED_KEY.to_owned(), sorted_by.join(",")),
    ];
    metadata.extend(more);
    let options = WriteOptions {
        metadata,
        sorted_by,
        ..WriteOptions::default()
    };
    let table = table.then(plan, table.columns.clone());
    table_file(&table, path, &write::parquet::FORMAT, &options, cx)
}
