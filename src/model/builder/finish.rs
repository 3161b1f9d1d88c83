//! The end of a load: open states end, rows are sorted, columns get their types and become batches.
//!
//! One column moves at a time (gather in the new order, free the old), and batches are slices of whole
//! columns, so the peak is the rows, the sort keys and one column.

use super::cells::{self, Cells};
use super::ids::{FoundStates, IdColumn, IdPlan};
use super::intern::NULL;
use super::order::order;
use super::{NO_TIME, OPEN, Table, TraceBuilder};
use crate::diag::{Diag, code};
use crate::model::schema::{self, column};
use crate::model::{Clock, Relation, TraceData};
use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::RecordBatch;
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

/// Rows of a batch.
const BATCH: usize = 65_536;

impl TraceBuilder {
    /// Ends the load: sorts, types and hands over. An error where records were read and none was kept.
    pub fn finish(mut self, cancel: &AtomicBool) -> Result<TraceData, Diag> {
        self.check_kept()?;
        self.end_open_states();
        let orders = self.orders(cancel)?;
        let mut rows = [
            take(&mut self.states.row),
            take(&mut self.events.row),
            take(&mut self.links.row),
        ];
        let (plan, ids) = self.ids(&rows, &orders)?;
        let delays = self.take_delays(&rows[2]);
        let text_ids = plan.text;
        let texts = plan.into_texts();
        let [state_ids, event_ids, link_ids, sources, targets] =
            ids.map(|column| column.into_array(&texts));
        if let Some(kind) = self.file_as.clone() {
            let variable_rows = self.variables.row.clone();
            let [states, events, links] = &rows;
            let tables = [states, events, links, &variable_rows];
            self.add_file_column(&kind, tables)?;
        }

        for (name, count) in self.resources.ambiguous() {
            let name = self.names.get(name);
            self.report.note(format!(
                "{count} resources are called `{name}`: a row that says `{name}` is taken for the one declared last before it"
            ));
        }
        let identities = self.resources.identities(&mut self.names);
        let tree = self.resources.order(&self.names);
        let names = Arc::new(take(&mut self.names).into_array());
        let mut make = Columns {
            clock: self.clock,
            text_ids,
            names,
            identities,
            cancel,
            columns: Vec::new(),
            delays: Vec::new(),
        };
        let mut relations = Vec::with_capacity(schema::RELATIONS.len());

        let order = orders.states.as_deref();
        let states = self.states;
        let count = states.start.len();
        make.push(state_ids);
        make.resources(states.resource, order);
        make.names(states.kind, order);
        make.names(states.value, order);
        make.times(states.start, order);
        make.times(states.end, order);
        let depth = cells::gather(states.depth, 0, count, order);
        make.push(Arc::new(Int32Array::from(depth)));
        let truncated = cells::gather(states.truncated, false, count, order);
        make.push(Arc::new(BooleanArray::from(truncated)));
        let [state_rows, event_rows, link_rows] = &mut rows;
        make.times(take(state_rows), order);
        let [states, events, links, variables, resources] = self.attributes;
        relations.push(make.relation(Table::States, states, count, order, &SORTED_STATES)?);

        let order = orders.events.as_deref();
        let columns = self.events;
        let count = columns.time.len();
        make.push(event_ids);
        make.resources(columns.resource, order);
        make.names(columns.kind, order);
        make.names(columns.value, order);
        make.times(columns.time, order);
        make.times(take(event_rows), order);
        relations.push(make.relation(Table::Events, events, count, order, &SORTED_EVENTS)?);

        let order = orders.links.as_deref();
        let columns = self.links;
        let count = columns.start.len();
        make.push(link_ids);
        make.names(columns.kind, order);
        make.names(columns.value, order);
        make.push(sources);
        make.push(targets);
        make.names(columns.source_point, order);
        make.names(columns.target_point, order);
        make.resources(columns.source_resource, order);
        make.resources(columns.target_resource, order);
        make.times(columns.start, order);
        make.times(columns.end, order);
        make.names(columns.key, order);
        for (name, ticks) in delays {
            let ticks = cells::gather(ticks, NO_TIME, count, order);
            make.delays.push((name, Arc::new(cells::nullable(ticks))));
        }
        make.times(take(link_rows), order);
        relations.push(make.relation(Table::Links, links, count, order, &SORTED_LINKS)?);

        let order = orders.variables.as_deref();
        let columns = self.variables;
        let count = columns.start.len();
        make.resources(columns.resource, order);
        make.names(columns.metric, order);
        make.times(columns.start, order);
        make.times(columns.end, order);
        let values = cells::gather(columns.value, f64::NAN, count, order);
        make.push(Arc::new(Float64Array::from_iter(
            values.into_iter().map(|v| (!v.is_nan()).then_some(v)),
        )));
        make.times(columns.row, order);
        relations.push(make.relation(Table::Variables, variables, count, order, &SORTED_LINKS)?);

        let entries = &self.resources.entries;
        let entry = |at: &u32| entries.get(*at as usize);
        let text = |number: Option<u32>| number.unwrap_or(NULL);
        let identity = |at: u32| make.identities.get(at as usize).copied();
        let ids = (0..tree.len() as i64).collect::<Vec<_>>();
        let paths = tree.iter().map(|at| text(identity(*at))).collect();
        let bare = tree.iter().map(|at| text(entry(at).map(|e| e.name)));
        let bare = bare.collect();
        let parents = tree
            .iter()
            .map(|at| text(entry(at).and_then(|e| e.parent).and_then(identity)))
            .collect();
        let kinds = tree.iter().map(|at| text(entry(at).map(|e| e.kind)));
        let kinds = kinds.collect();
        let time = |get: fn(&super::Entry) -> i64| {
            let value = |at: &u32| entry(at).map_or(NO_TIME, get);
            tree.iter().map(value).collect::<Vec<_>>()
        };
        let (starts, ends) = (time(|e| e.start), time(|e| e.end));
        let capacity = tree.iter().map(|at| entry(at).and_then(|e| e.capacity));
        let capacity = Float64Array::from_iter(capacity);
        make.push(Arc::new(Int64Array::from(ids)));
        make.names(paths, None);
        make.names(bare, None);
        make.names(parents, None);
        make.names(kinds, None);
        make.times(starts, None);
        make.times(ends, None);
        make.push(Arc::new(capacity));
        relations.push(make.relation(
            Table::Resources,
            resources,
            tree.len(),
            Some(&tree),
            &[column::ID],
        )?);

        let files: Vec<&str> = self.files.iter().map(|file| file.name.as_str()).collect();
        let file = |at: &u32| files.get(*at as usize).copied().unwrap_or("");
        let rejects = &self.rejects;
        let lines = rejects.line.iter().map(|line| *line as i64);
        make.push(texts_of(rejects.file.iter().map(file)));
        make.push(Arc::new(Int64Array::from_iter_values(lines)));
        make.push(texts_of(rejects.code.iter().copied()));
        make.push(texts_of(rejects.text.iter().map(String::as_str)));
        relations.push(make.finish(schema::REJECTS, Vec::new(), &[])?);

        Ok(TraceData {
            clock: self.clock,
            relations,
            report: self.report,
        })
    }

    /// Records without a row among the relations: an error if there are records, a note if there are not.
    fn check_kept(&mut self) -> Result<(), Diag> {
        let report = &mut self.report;
        if report.records == 0 {
            let files: Vec<&str> = self.files.iter().map(|f| f.name.as_str()).collect();
            let verb = if files.len() == 1 { "has" } else { "have" };
            report.note(format!("{} {verb} no records", files.join(", ")));
            return Ok(());
        }
        if report.kept > 0 {
            return Ok(());
        }
        let reasons: Vec<String> = report
            .rejected
            .iter()
            .map(|reason| format!("{} {}", reason.count, reason.code))
            .collect();
        let message = format!(
            "none of the {} records could be used: {}",
            report.records,
            reasons.join(", ")
        );
        let diag = Diag::error(&code::NOTHING_KEPT, message).help(
            "`format=` names another reader; `policy=fail` shows what is wrong with the first row",
        );
        let first = self.rejects.file.first().zip(self.rejects.line.first());
        Err(match (first, self.rejects.text.first()) {
            (Some((file, line)), Some(text)) => {
                let file = self.files.get(*file as usize);
                diag.in_file(file.map_or("", |file| &file.name), *line, text)
            }
            _ => diag,
        })
    }

    /// States that are still open end at the last time of the trace.
    fn end_open_states(&mut self) {
        if !self.states.end.contains(&OPEN) {
            return;
        }
        let times = [
            &self.states.start,
            &self.states.end,
            &self.events.time,
            &self.links.start,
            &self.links.end,
            &self.variables.start,
            &self.variables.end,
        ];
        let last = times
            .into_iter()
            .flatten()
            .copied()
            .filter(|time| *time > OPEN)
            .max()
            .unwrap_or(NO_TIME);
        for end in &mut self.states.end {
            if *end == OPEN {
                *end = last;
            }
        }
    }

    fn orders(&self, cancel: &AtomicBool) -> Result<Orders, Diag> {
        let (states, events) = (&self.states, &self.events);
        let (links, variables) = (&self.links, &self.variables);
        let no_ends: &[i64] = &[];
        let states = order(&states.start, no_ends, &states.row);
        check(cancel)?;
        let events = order(&events.time, no_ends, &events.row);
        let links = order(&links.start, no_ends, &links.row);
        check(cancel)?;
        let variables = order(&variables.start, no_ends, &variables.row);
        check(cancel)?;
        Ok(Orders {
            states,
            events,
            links,
            variables,
        })
    }

    /// Ids of states, events and links, and the two ends of links.
    fn ids(
        &mut self,
        rows: &[Vec<i64>; 3],
        orders: &Orders,
    ) -> Result<(IdPlan, [IdColumn; 5]), Diag> {
        let [state_rows, event_rows, link_rows] = rows;
        loop {
            let (states, events, links) = (&self.states.id, &self.events.id, &self.links.id);
            let (source, target) = (&self.links.source, &self.links.target);
            let own = [(states, &state_rows[..]), (events, &event_rows[..])];
            let mut plan = IdPlan::new(&self.files, own, [links, source, target]);
            let (order, link_order) = (orders.states.as_deref(), orders.links.as_deref());
            let (state_ids, repeated) = plan.ids(states, state_rows, order);
            if self.ids_are_a_guess && !repeated.is_empty() {
                self.report
                    .note("the column taken for `id` repeats, so rows are numbered; `id=` insists");
                self.states.id = Cells::default();
                self.ids_are_a_guess = false;
                continue;
            }
            let (event_ids, events_repeated) =
                plan.ids(events, event_rows, orders.events.as_deref());
            let (link_ids, links_repeated) = plan.ids(links, link_rows, link_order);
            let found = [&self.links.source_row, &self.links.target_row];
            let any = found.iter().any(|rows| !rows.is_empty());
            let places = order.filter(|_| any).map(inverse);
            let [sources, targets] =
                [(source, found[0]), (target, found[1])].map(|(cells, rows)| {
                    let found = FoundStates::new(rows, &state_ids, places.as_deref());
                    plan.references(cells, &found, link_rows, link_order)
                });
            let known = [&state_ids, &event_ids];
            let lost = sources.missing(&known) + targets.missing(&known);
            // Links alone are half a trace: their states may be in a file that is joined later.
            if lost > 0 && state_rows.len() + event_rows.len() > 0 {
                self.report.note(format!(
                    "{lost} ends of links name an id that no state and no event has"
                ));
            }
            self.count_repeated_ids(&repeated, state_rows)?;
            self.count_repeated_ids(&events_repeated, event_rows)?;
            self.count_repeated_ids(&links_repeated, link_rows)?;
            return Ok((plan, [state_ids, event_ids, link_ids, sources, targets]));
        }
    }

    /// The column that `file_as=` asks for.
    fn add_file_column(&mut self, name: &str, rows: [&Vec<i64>; 4]) -> Result<(), Diag> {
        for (table, rows) in Table::ALL.into_iter().zip(rows) {
            let columns = &self.attributes[table as usize];
            if columns.iter().any(|(known, _)| known == name) {
                let message = format!("the files have a column `{name}` already");
                return Err(
                    Diag::error(&code::DUPLICATE_NAME, message).help("another name in `file_as=`")
                );
            }
            if rows.is_empty() {
                continue;
            }
            let attribute = self.attribute(table, name);
            let columns = &mut self.attributes[table as usize];
            let Some((_, cells)) = columns.get_mut(attribute.index as usize) else {
                continue;
            };
            for (at, row) in rows.iter().enumerate() {
                if let Some(file) = self.files.get((row >> 40) as usize) {
                    cells.set(at, file.part.as_bytes());
                }
            }
        }
        Ok(())
    }
}

/// By row, its place in the order.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, row) in order.iter().enumerate() {
        if let Some(slot) = places.get_mut(*row as usize) {
            *slot = place as u32;
        }
    }
    places
}

const SORTED_STATES: [&str; 2] = [column::START, column::ROW];
const SORTED_EVENTS: [&str; 2] = [column::TIME, column::ROW];
const SORTED_LINKS: [&str; 2] = [column::START, column::ROW];

/// The order of the rows of each relation; None where they came sorted.
struct Orders {
    states: Option<Vec<u32>>,
    events: Option<Vec<u32>>,
    links: Option<Vec<u32>>,
    variables: Option<Vec<u32>>,
}

/// Collects the columns of one relation after the other.
struct Columns<'a> {
    clock: Clock,
    text_ids: bool,
    names: Arc<StringViewArray>,
    identities: Vec<u32>,
    cancel: &'a AtomicBool,
    columns: Vec<ArrayRef>,
    /// Attributes of the next relation that are times.
    delays: Vec<(&'static str, ArrayRef)>,
}

impl Columns<'_> {
    fn push(&mut self, array: ArrayRef) {
        self.columns.push(array);
    }

    fn names(&mut self, keys: Vec<u32>, order: Option<&[u32]>) {
        let rows = keys.len();
        let keys = cells::gather(keys, NULL, rows, order);
        let array = cells::dictionary(keys, Arc::clone(&self.names), false);
        self.push(array);
    }

    fn resources(&mut self, keys: Vec<u32>, order: Option<&[u32]>) {
        let rows = keys.len();
        let mut keys = cells::gather(keys, NULL, rows, order);
        for key in &mut keys {
            *key = self.identities.get(*key as usize).copied().unwrap_or(NULL);
        }
        let array = cells::dictionary(keys, Arc::clone(&self.names), false);
        self.push(array);
    }

    fn times(&mut self, ticks: Vec<i64>, order: Option<&[u32]>) {
        let rows = ticks.len();
        let ticks = cells::gather(ticks, NO_TIME, rows, order);
        self.push(Arc::new(cells::nullable(ticks)));
    }

    /// The relation from the columns pushed so far, with its attributes.
    fn relation(
        &mut self,
        table: Table,
        attributes: Vec<(String, Cells)>,
        rows: usize,
        order: Option<&[u32]>,
        sorted_by: &[&'static str],
    ) -> Result<Relation, Diag> {
        let mut arrays = Vec::with_capacity(attributes.len());
        for (name, cells) in attributes {
            check(self.cancel)?;
            let claim = name == column::AMOUNT || name == column::OFFSET;
            let float = claim && table == Table::States;
            let array = cells.into_array(rows, order, float);
            arrays.push((name, array));
        }
        self.finish(table.relation(), arrays, sorted_by)
    }

    fn finish(
        &mut self,
        name: &'static str,
        attributes: Vec<(String, ArrayRef)>,
        sorted_by: &[&'static str],
    ) -> Result<Relation, Diag> {
        check(self.cancel)?;
        let mut fields = schema::relation_fields(name, self.clock, self.text_ids);
        let mut columns = take(&mut self.columns);
        // The hidden row number stays last.
        let delays = take(&mut self.delays);
        let hidden = fields.pop_if(|field| field.name() == column::ROW);
        let hidden = hidden.zip(columns.pop_if(|_| columns_end_in_row(name)));
        for (name, array) in delays {
            fields.push(schema::time_field(name, self.clock, true));
            columns.push(array);
        }
        for (name, array) in attributes {
            fields.push(Field::new(name, cells::plan_type(&array), true));
            columns.push(array);
        }
        if let Some((field, array)) = hidden {
            fields.push(field);
            columns.push(array);
        }
        let stored: Vec<Field> = fields
            .iter()
            .zip(&columns)
            .map(|(field, array)| field.clone().with_data_type(array.data_type().clone()))
            .collect();
        let whole = RecordBatch::try_new(Arc::new(Schema::new(stored)), columns)
            .map_err(|error| Diag::error(&code::INTERNAL, format!("relation `{name}`: {error}")))?;
        let rows = whole.num_rows();
        let batches = (0..rows)
            .step_by(BATCH)
            .map(|start| whole.slice(start, BATCH.min(rows - start)))
            .collect();
        Ok(Relation {
            name,
            schema: Arc::new(Schema::new(fields)),
            batches,
            sorted_by: sorted_by.to_vec(),
        })
    }
}

fn columns_end_in_row(relation: &str) -> bool {
    !matches!(relation, schema::RESOURCES | schema::REJECTS)
}

fn texts_of<'a>(texts: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(texts))
}

/// The interruption of a load.
fn check(cancel: &AtomicBool) -> Result<(), Diag> {
    if cancel.load(Memory::Relaxed) {
        return Err(Diag::error(&code::INTERRUPTED, "loading was interrupted"));
    }
    Ok(())
}
