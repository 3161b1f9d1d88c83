//! From the cells of `plot-stacked` to the chart.

use super::rows::{Names, part, time_base, with_made};
use crate::diag::{Diag, code};
use crate::figure::chart::{self, CellColumns, Chart, Options};
use crate::figure::lane;
use crate::model::schema::column;
use crate::plan::data::{Draw, Inputs};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::record_batch::RecordBatch;

/// How the cells are drawn.
pub struct Stacked {
    /// Everything that needs no rows.
    pub options: Options,
    /// The part of the time axis that is shown.
    pub range: (Option<i64>, Option<i64>),
}

/// The cells of all batches as plain vectors.
#[derive(Default)]
struct Columns {
    cells: CellColumns,
    nulls: usize,
}

impl Columns {
    fn add(
        &mut self,
        batch: &RecordBatch,
        tracks: &mut Names<(String, String)>,
        values: &mut Names<String>,
    ) -> Result<(), Diag> {
        let text = |name| part(batch, name, &DataType::Utf8View);
        let whole = |name| part(batch, name, &DataType::Int64);
        let float = |name| part(batch, name, &DataType::Float64);
        let (resource, kind, value) = (
            text(column::RESOURCE)?,
            text(column::TYPE)?,
            text(column::VALUE)?,
        );
        let (resource, kind, value) = (
            resource.as_string_view(),
            kind.as_string_view(),
            value.as_string_view(),
        );
        let wholes = [
            whole(column::START)?,
            whole(column::END)?,
            whole("number")?,
            whole("chunk")?,
            whole("subchunk")?,
        ];
        let [start, end, number, chunk, subchunk] = wholes
            .each_ref()
            .map(|array| array.as_primitive::<Int64Type>());
        let floats = [float("low")?, float("high")?];
        let [low, high] = floats
            .each_ref()
            .map(|array| array.as_primitive::<Float64Type>());
        let pure = part(batch, "pure", &DataType::Boolean)?;
        let pure = pure.as_boolean();
        for row in 0..batch.num_rows() {
            if start.is_null(row) || end.is_null(row) || low.is_null(row) || high.is_null(row) {
                self.nulls += 1;
                continue;
            }
            let name = |array: &datafusion::arrow::array::StringViewArray| {
                if array.is_null(row) {
                    String::new()
                } else {
                    array.value(row).to_owned()
                }
            };
            self.cells
                .track
                .push(tracks.number(&(name(resource), name(kind))));
            self.cells.value.push(values.number(&name(value)));
            self.cells.start.push(start.value(row));
            self.cells.end.push(end.value(row));
            self.cells.low.push(low.value(row));
            self.cells.high.push(high.value(row));
            self.cells
                .number
                .push(u64::try_from(number.value(row)).unwrap_or(1));
            self.cells.pure.push(pure.is_valid(row) && pure.value(row));
            self.cells.chunk.push(chunk.value(row));
            self.cells.subchunk.push(subchunk.value(row));
        }
        Ok(())
    }

    /// Renumbers the tracks so that lanes are in natural order.
    fn renumber(&mut self, tracks: &[lane::Track]) -> Vec<lane::Track> {
        let order = lane::natural_order(tracks);
        let mut place = vec![0_u32; tracks.len()];
        for (lane, old) in order.iter().enumerate() {
            if let Some(slot) = place.get_mut(*old) {
                *slot = lane as u32;
            }
        }
        for track in &mut self.cells.track {
            *track = place.get(*track as usize).copied().unwrap_or(0);
        }
        order
            .iter()
            .filter_map(|old| tracks.get(*old).cloned())
            .collect()
    }
}

impl Draw for Stacked {
    fn chart(
        &self,
        inputs: &Inputs,
        domain: &[String],
    ) -> Result<(Box<dyn Chart>, Vec<Diag>), Diag> {
        let mut columns = Columns::default();
        let mut tracks = Names::default();
        let mut values = Names::default();
        for batch in inputs.rows("cells") {
            columns.add(batch, &mut tracks, &mut values)?;
        }
        let tracks: Vec<lane::Track> = tracks
            .list
            .into_iter()
            .map(|(resource, kind)| lane::Track { resource, kind })
            .collect();
        let tracks = columns.renumber(&tracks);
        let Columns { cells, nulls } = columns;
        let mut options = self.options.clone();
        if self.range.0.is_some() || self.range.1.is_some() {
            let first = cells.start.iter().min().copied().unwrap_or(0);
            let last = cells.end.iter().max().copied().unwrap_or(0);
            options.time_range =
                Some((self.range.0.unwrap_or(first), self.range.1.unwrap_or(last)));
        }
        let mut diags = Vec::new();
        if nulls > 0 {
            diags.push(Diag::warning(
                &code::NULLS_LEFT_OUT,
                format!("{nulls} cells without a place were left out of the figure"),
            ));
        }
        let chart = chart::Stacked {
            tracks,
            domain: with_made(domain.to_vec(), &values.list),
            values: values.list,
            cells,
            time: time_base(inputs.clock),
            options,
        };
        Ok((Box::new(chart), diags))
    }
}
