//! A table into a file.

use crate::diag::Diag;
use crate::model::schema::{RELATIONS, is_hidden};
use crate::plan::Table;
use crate::plan::engine::stamped;
use crate::verb::PlanContext;
use crate::verb::source::parquet::RELATION_KEY;
use crate::write::{Format, WriteOptions, output_error};
use datafusion::arrow::array::RecordBatch;
use std::path::Path;

/// Streams a table into a file.
pub(super) fn table_file(
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
    let mut file = cx.output.create(path)?;
    let mut writer =
        (format.open)(Box::new(file.writer()), &visible, options).map_err(|e| failed(&e))?;
    cx.engine.stream(&table.plan, &mut |batch: &RecordBatch| {
        let batch = batch.project(&shown).map_err(|error| failed(&error))?;
        writer.batch(&batch).map_err(|error| failed(&error))
    })?;
    writer.finish().map_err(|error| failed(&error))?;
    file.commit()
}
