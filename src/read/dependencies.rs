//! Dependency tables beside a trace (`load "run.csv" deps="dag.csv"`): rows that become links between its states.
//!
//! | columns | a row means |
//! | --- | --- |
//! | `from`, `to` (or `source`, `target`) | the state of id `to` depends on the state of id `from` |
//! | `Dependent`, `JobId` (StarVZ) | job `JobId` depends on job `Dependent`, whatever the names suggest |
//! | `JobId`, `DependsOn` (StarPU tasks) | job `JobId` depends on every job of the list, cut at blanks |
//!
//! Beside them, but for the last form: `from_point` and `to_point` (`start` or `end`; default end to start),
//! `min_delay` and `max_delay` (times in the unit of the trace), `type`, `value`; what else there is becomes
//! attributes of the links. Names of columns count without case, blanks, `_` and `-`.

use super::csv::dialect;
use super::csv::layout::distinct_names;
use super::csv::records::{Record, Records};
use super::{Input, ReadOptions};
use crate::diag::{Diag, code};
use crate::model::builder::{Attribute, LinkRow, Name, Row, RowIndex, Table};
use crate::model::schema::column;
use crate::model::{Policy, TraceBuilder};

/// Which columns name the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Ids of states.
    Edges { from: usize, to: usize },
    /// Jobs of StarVZ.
    Jobs { from: usize, to: usize },
    /// Tasks of StarPU, with the labels of their dependencies in step.
    Tasks {
        job: usize,
        list: usize,
        labels: Option<usize>,
    },
}

impl Shape {
    fn of(header: &[String]) -> Option<Shape> {
        let find = |names: &[&str]| {
            let fits = |name: &String| names.contains(&plain(name).as_str());
            header.iter().position(fits)
        };
        if let (Some(from), Some(to)) = (find(&["dependent"]), find(&["jobid"])) {
            return Some(Shape::Jobs { from, to });
        }
        if let (Some(list), Some(job)) = (find(&["dependson"]), find(&["jobid"])) {
            let labels = find(&["deplabels"]);
            return Some(Shape::Tasks { job, list, labels });
        }
        let (from, to) = (find(&["from", "source"])?, find(&["to", "target"])?);
        Some(Shape::Edges { from, to })
    }

    fn is_end(self, index: usize) -> bool {
        match self {
            Shape::Edges { from, to } | Shape::Jobs { from, to } => index == from || index == to,
            Shape::Tasks { .. } => true,
        }
    }
}

/// What a column beside the ends is.
#[derive(Clone, Copy, Debug)]
enum Part {
    End,
    FromPoint,
    ToPoint,
    Kind,
    Value,
    Delay(Attribute),
    Other(Attribute),
}

/// A table of dependencies.
struct Dependencies {
    shape: Shape,
    parts: Vec<Part>,
    /// States by the ids that the table uses; None where they have none.
    index: Option<RowIndex>,
    start: Name,
    end: Name,
}

/// What a row says beside its ends.
#[derive(Clone, Copy, Debug)]
struct Said {
    kind: Name,
    value: Name,
    points: [Name; 2],
}

/// Adds the dependencies of one file to the trace, whose states are all there.
pub(super) fn read(input: &mut Input<'_>, b: &mut TraceBuilder) -> Result<(), Diag> {
    let head = input.head();
    if head.is_blank() {
        let note = format!("{} has no dependencies", input.name());
        b.note(note);
        return Ok(());
    }
    let first = head.lines().next().unwrap_or_default();
    let shown = String::from_utf8_lossy(first.get(..first.len().min(1024)).unwrap_or(first));
    let shown = shown.into_owned();
    let placed = |diag: Diag| diag.in_file(input.name(), 1, &shown);
    let dialect = dialect::look(&head, &ReadOptions::default()).map_err(placed)?;
    let Some(dialect) = dialect else {
        let message = "the dependencies have no row of column names, or only one column";
        return Err(placed(Diag::error(&code::UNKNOWN_INPUT_FORMAT, message))
            .help("a first line such as `from,to`"));
    };
    let header = distinct_names(&dialect.header);
    let Some(shape) = Shape::of(&header) else {
        let message = "the dependencies name no two ends";
        let list: Vec<String> = header.iter().take(40).map(|n| format!("`{n}`")).collect();
        let help = format!(
            "columns `from` and `to` hold ids of states, as do `Dependent` and `JobId` of StarVZ and `JobId` and `DependsOn` of StarPU; here are {}",
            list.join(", ")
        );
        return Err(placed(Diag::error(&code::MISSING_ROLE, message)).help(help));
    };
    let table = Dependencies::new(shape, &header, b);
    let mut records = Records::new(dialect.separator);
    records.skip_header(input, dialect.header_line)?;
    while let Some(record) = records.next(input)? {
        b.record(record.line);
        if record.cut {
            b.reject(
                "cut_off",
                "the file ends in the middle of the row",
                record.raw(),
            )?;
            continue;
        }
        b.check_bytes(record.raw());
        match table.shape {
            Shape::Tasks { job, list, labels } => table.task(record, [job, list], labels, b)?,
            Shape::Edges { from, to } | Shape::Jobs { from, to } => {
                table.row(record, from, to, b)?;
            }
        }
    }
    Ok(())
}

impl Dependencies {
    fn new(shape: Shape, header: &[String], b: &mut TraceBuilder) -> Dependencies {
        let parts = header.iter().enumerate().map(|(index, name)| {
            if shape.is_end(index) {
                return Part::End;
            }
            match plain(name).as_str() {
                "frompoint" | "sourcepoint" => Part::FromPoint,
                "topoint" | "targetpoint" => Part::ToPoint,
                "type" => Part::Kind,
                "value" => Part::Value,
                "mindelay" => Part::Delay(b.attribute(Table::Links, column::MIN_DELAY)),
                "maxdelay" => Part::Delay(b.attribute(Table::Links, column::MAX_DELAY)),
                _ => Part::Other(b.attribute(Table::Links, name)),
            }
        });
        let parts = parts.collect();
        Dependencies {
            shape,
            parts,
            index: index(shape, b),
            start: b.name(b"start"),
            end: b.name(b"end"),
        }
    }

    /// A row with one dependency.
    fn row(
        &self,
        record: &Record,
        from: usize,
        to: usize,
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let raw = record.raw();
        let cell = |index: usize| record.cell(index).unwrap_or_default();
        let Some(said) = self.said(record, b)? else {
            return Ok(());
        };
        let ids = [cell(from), cell(to)];
        let [source, target] = ids.map(|id| self.state(id, b));
        for (id, state) in ids.iter().zip([source, target]) {
            if state.is_some() || (b.policy() == Policy::Keep && !id.is_empty()) {
                continue;
            }
            let message = self.unknown(id, b);
            if matches!(self.shape, Shape::Edges { .. }) && b.policy() != Policy::Keep {
                let text = String::from_utf8_lossy(raw.get(..raw.len().min(1024)).unwrap_or(raw));
                return Err(Diag::error(&code::BAD_ROW, message)
                    .in_file(b.file_name(), record.line, &text)
                    .help("`policy=keep` keeps such links; analyses of dependencies then stop at them"));
            }
            return b.reject("unknown_id", &message, raw);
        }
        let Some(link) = self.link(ids, [source, target], said, raw, b)? else {
            return Ok(());
        };
        for (text, part) in record.cells().zip(&self.parts) {
            if let Part::Delay(attribute) | Part::Other(attribute) = part {
                b.set(*attribute, link, text);
            }
        }
        Ok(())
    }

    /// A row with a list of dependencies. What has no state is left out and counted: such jobs do not run on
    /// a worker.
    fn task(
        &self,
        record: &Record,
        [job, list]: [usize; 2],
        labels: Option<usize>,
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let raw = record.raw();
        let cell = |index: usize| record.cell(index).unwrap_or_default();
        let words = |text| <[u8]>::split(text, u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let job = cell(job);
        let count = words(cell(list)).count();
        if count == 0 || cell(list) == b"NA" {
            b.keep_record();
            return Ok(());
        }
        let target = self.state(job, b);
        let keep = b.policy() == Policy::Keep;
        if target.is_none() && !keep {
            let message = self.unknown(job, b);
            return b.reject("unknown_id", &message, raw);
        }
        let labels: Vec<&[u8]> = labels.map_or(Vec::new(), |at| words(cell(at)).collect());
        let (mut added, mut lost) = (0, None);
        for (at, id) in words(cell(list)).enumerate() {
            let source = self.state(id, b);
            if source.is_none() && !keep {
                lost = lost.or(Some(id));
                continue;
            }
            let said = Said {
                kind: Name::NULL,
                value: b.name(labels.get(at).copied().unwrap_or_default()),
                points: [self.end, self.start],
            };
            if self
                .link([id, job], [source, target], said, raw, b)?
                .is_some()
            {
                added += 1;
                if added > 1 {
                    b.unkeep_record();
                }
            }
        }
        match lost {
            Some(id) if added == 0 => {
                let message = self.unknown(id, b);
                b.reject("unknown_id", &message, raw)
            }
            Some(id) => {
                let message = self.unknown(id, b);
                b.repair("unknown_id", &message, raw)
            }
            None => Ok(()),
        }
    }

    fn link(
        &self,
        ids: [&[u8]; 2],
        states: [Option<Row>; 2],
        said: Said,
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<Option<Row>, Diag> {
        let [source, target] = states;
        let text = |state: Option<Row>, id| match state {
            Some(_) => &b""[..],
            None => id,
        };
        let row = LinkRow {
            kind: said.kind,
            value: said.value,
            source: text(source, ids[0]),
            target: text(target, ids[1]),
            source_point: said.points[0],
            target_point: said.points[1],
            source_resource: None,
            target_resource: None,
            start: None,
            end: None,
            key: Name::NULL,
            id: b"",
        };
        let link = b.add_link(row, raw)?;
        if let Some(link) = link {
            b.link_states(link, source, target);
        }
        Ok(link)
    }

    /// The columns beside the ends; None where the row was rejected.
    fn said(&self, record: &Record, b: &mut TraceBuilder) -> Result<Option<Said>, Diag> {
        let raw = record.raw();
        let mut said = Said {
            kind: Name::NULL,
            value: Name::NULL,
            points: [self.end, self.start],
        };
        for (text, part) in record.cells().zip(&self.parts) {
            if matches!(text, b"" | b"NA") {
                continue;
            }
            match part {
                Part::Kind => said.kind = b.name(text),
                Part::Value => said.value = b.name(text),
                Part::FromPoint | Part::ToPoint => {
                    let point = match &*text.to_ascii_lowercase() {
                        b"start" => self.start,
                        b"end" => self.end,
                        _ => {
                            let shown = String::from_utf8_lossy(text);
                            let message = format!("`{shown}` is no end of a state (start, end)");
                            b.reject("bad_point", &message, raw)?;
                            return Ok(None);
                        }
                    };
                    let at = usize::from(matches!(part, Part::ToPoint));
                    if let Some(slot) = said.points.get_mut(at) {
                        *slot = point;
                    }
                }
                Part::Delay(_) => {
                    if let Err(error) = b.length(text) {
                        let message = format!("a delay {}", error.about());
                        b.reject(error.code(), &message, raw)?;
                        return Ok(None);
                    }
                }
                Part::End | Part::Other(_) => {}
            }
        }
        Ok(Some(said))
    }

    fn state(&self, id: &[u8], b: &TraceBuilder) -> Option<Row> {
        b.find(self.index.as_ref()?, id)
    }

    fn unknown(&self, id: &[u8], b: &TraceBuilder) -> String {
        let shown = String::from_utf8_lossy(id.get(..id.len().min(80)).unwrap_or(id));
        match (self.shape, &self.index) {
            _ if b.rows(Table::States) == 0 => {
                format!("`{shown}` is the id of no state: the trace has no states")
            }
            (_, None) => format!(
                "`{shown}` is the id of no state: the states have no ids of their own (`id=\"…\"` names their column)"
            ),
            (Shape::Edges { .. }, Some(_)) => {
                format!("`{shown}` is the id of no state of the trace")
            }
            (_, Some(_)) => format!("no state of the trace belongs to the job `{shown}`"),
        }
    }
}

/// The states by what the table calls them. Jobs of StarPU are matched with the column `JobId` of the states,
/// of which several may belong to one job: then the outermost and longest is meant. Ids are matched with
/// the states' own ids; where there are none, with `JobId` too.
fn index(shape: Shape, b: &TraceBuilder) -> Option<RowIndex> {
    let by_job = || {
        let name = b
            .attributes(Table::States)
            .find(|name| plain(name) == "jobid");
        name.and_then(|name| b.index_states(name))
    };
    let by_id = || {
        let own = b.has_own_ids(Table::States);
        own.then(|| b.index_ids(Table::States, 0))
    };
    match shape {
        Shape::Edges { .. } => by_id().or_else(by_job),
        Shape::Jobs { .. } | Shape::Tasks { .. } => by_job().or_else(by_id),
    }
}

/// A column name without case, blanks, `_` and `-`.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
