//! What a verb may use while it is checked and while it runs.

use super::source::opened::SourceCache;
use super::{Origin, Output};
use crate::diag::{Diag, Span, code};
use crate::func::Functions;
use crate::lang::flow::Columns;
use crate::lang::plan::{Arguments, Expr, Named};
use crate::plan::lower::{self, Lowering};
use crate::plan::{Data, Engine, Figure, Lineage, Table, fault};
use crate::spec::{Param, Type, Value, VerbSpec};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr as df;
use std::sync::Arc;

/// While checking: sources open their input.
pub struct FlowContext<'a> {
    /// The engine that plans are made for.
    pub engine: &'a Engine,
    /// Inputs opened so far.
    pub sources: &'a mut SourceCache,
    /// Where warnings go.
    pub host: &'a mut dyn Host,
    /// Paths that `save` stages of this script write, with the place of each.
    pub saved: &'a mut Vec<(String, Span)>,
    /// One path may be written by several stages: what was typed at different times and runs again as one script.
    pub may_save_again: bool,
    /// Use only inputs that are open already: completion must not read files.
    pub only_open: bool,
}

/// Something shown: a table with the means to run it.
pub struct Shown<'a> {
    /// The table.
    pub table: &'a Table,
    /// What runs it.
    pub engine: &'a Engine,
    /// Most rows, where fewer than usual were asked for.
    pub rows: Option<usize>,
}

/// An `assert`: announced before the run, and told again with what came of it.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// What it says where it does not hold.
    pub message: String,
    /// Its condition as written.
    pub condition: String,
    /// Where that stands.
    pub span: Span,
    /// Whether it holds, or what was seen instead; None before it ran.
    pub outcome: Option<Result<(), String>>,
}

/// Where results go. The library prints nothing itself.
pub trait Host {
    /// A table to show. Gives the number of its rows, as far as they were looked at: 0 only where it has none.
    fn table(&mut self, shown: &Shown) -> Result<usize, Diag>;
    /// Text to show: a summary, a plan.
    fn text(&mut self, text: &str) -> Result<(), Diag>;
    /// A value to show.
    fn value(&mut self, value: &Value) -> Result<(), Diag>;
    /// A figure to show, as SVG.
    fn figure(&mut self, figure: &Figure, svg: &str) -> Result<(), Diag>;
    /// An assertion, for hosts that report on them.
    fn assertion(&mut self, _: Assertion) {}
    /// A warning.
    fn warn(&mut self, diag: Diag);
    /// What runs now, for progress.
    fn stage(&mut self, name: &str);
    /// How far reading an input has come, in bytes.
    fn progress(&mut self, done: u64, total: u64);
}

/// The figure stage that follows in the pipeline.
pub struct Ahead<'a> {
    /// Its verb.
    pub verb: &'a dyn super::Verb,
    /// Its arguments, evaluated.
    pub arguments: Arguments,
}

/// While running.
pub struct PlanContext<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The functions of the language.
    pub functions: &'a Functions,
    /// Inputs opened so far.
    pub sources: &'a mut SourceCache,
    /// Where results go.
    pub host: &'a mut dyn Host,
    /// The figure that follows, if any.
    pub ahead: Option<Ahead<'a>>,
    /// What runs.
    pub origin: &'a Origin,
    /// Where output files go.
    pub output: &'a Output,
    /// The stages of the pipeline so far as text, for `explain`.
    pub stages: Vec<String>,
    /// The values on both sides of a comparison of scalars that does not hold.
    pub operands: Option<String>,
    /// The other data that arguments name, by parameter.
    pub others: Vec<(&'static str, Vec<Data>)>,
}

impl Lowering for Functions {
    fn function(
        &self,
        name: &str,
        arguments: Vec<df::Expr>,
        types: &[Type],
    ) -> Result<df::Expr, Diag> {
        self.lower(name, arguments, types)
    }
}

impl PlanContext<'_> {
    /// The engine's expression over the rows of `columns`.
    pub fn lower(&self, expr: &Expr, columns: &Columns) -> Result<df::Expr, Diag> {
        lower::lower(expr, columns.clock, self.functions)
    }

    /// The engine's expression under a name.
    pub fn named(&self, named: &Named, columns: &Columns) -> Result<df::Expr, Diag> {
        Ok(self.lower(&named.expr, columns)?.alias(named.name.as_str()))
    }

    /// The other data that an argument names, in its order.
    pub fn others<T>(&self, param: &Param<T>) -> &[Data] {
        self.others
            .iter()
            .find(|(name, _)| *name == param.spec.name)
            .map_or(&[], |(_, data)| data)
    }

    /// Runs something that opens inputs, as the check did: what it opened is there already.
    pub fn opening<T>(&mut self, open: impl FnOnce(&mut FlowContext) -> T) -> T {
        open(&mut FlowContext {
            engine: self.engine,
            sources: self.sources,
            host: self.host,
            saved: &mut Vec::new(),
            may_save_again: false,
            only_open: false,
        })
    }

    /// How many rows a plan gives.
    pub fn count(&self, plan: &df::LogicalPlan) -> Result<i64, Diag> {
        let counted = df::LogicalPlanBuilder::from(plan.clone())
            .aggregate(
                Vec::<df::Expr>::new(),
                [count(df::lit(1_i64)).alias("rows")],
            )
            .and_then(df::LogicalPlanBuilder::build)
            .map_err(fault::diag)?;
        let batches = self.engine.collect(&counted)?;
        Ok(batches
            .first()
            .map(|batch| batch.column(0).as_primitive::<Int64Type>())
            .filter(|numbers| !numbers.is_empty())
            .map_or(0, |numbers| numbers.value(0)))
    }

    /// All rows of a table that is small by nature.
    pub fn collect(&mut self, table: &Table) -> Result<Vec<RecordBatch>, Diag> {
        self.engine.collect(&table.plan)
    }

    /// The colour domain: the values of the loaded traces by the time they take in all of them, computed once for each.
    pub fn domain(&mut self, tables: &[&Table]) -> Result<Vec<String>, Diag> {
        let mut all: Vec<(String, i128)> = Vec::new();
        let mut seen: Vec<*const Lineage> = Vec::new();
        for table in tables {
            let (lineage, clock) = (&table.lineage, table.clock());
            if seen.contains(&Arc::as_ptr(lineage)) {
                continue;
            }
            seen.push(Arc::as_ptr(lineage));
            for (name, ticks) in self.profile(lineage)? {
                // Ticks of different traces may differ in length.
                let tick = if clock.is_logical() {
                    1
                } else {
                    clock.resolution.picoseconds()
                };
                let duration = ticks.saturating_mul(tick);
                match all.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, total)) => *total += duration,
                    None => all.push((name, duration)),
                }
            }
        }
        if seen.len() > 1 {
            all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        }
        Ok(all.into_iter().map(|(name, _)| name).collect())
    }

    /// The values of a loaded trace in profile order, with their time in ticks.
    fn profile(&mut self, lineage: &Lineage) -> Result<Vec<(String, i128)>, Diag> {
        if let Some(profile) = lineage.profile.get() {
            return Ok(profile.clone());
        }
        let profile = match &lineage.states {
            None => Vec::new(),
            Some(states) => {
                let plan = crate::plan::node::profile(
                    super::analysis::states::of_plan(states.clone())?,
                    crate::plan::node::Nest::Flatten,
                )
                .map_err(fault::diag)?;
                let batches = self.engine.collect(&plan)?;
                let names = texts(&batches, 0).into_iter();
                let durations = batches.iter().flat_map(|batch| {
                    let ticks = batch.column(1).as_primitive::<Int64Type>();
                    ticks.iter().map(|tick| i128::from(tick.unwrap_or(0)))
                });
                names.zip(durations).collect()
            }
        };
        Ok(lineage.profile.get_or_init(|| profile).clone())
    }
}

/// A column of names as owned text; nulls are empty.
pub fn texts(batches: &[RecordBatch], column: usize) -> Vec<String> {
    use datafusion::arrow::compute::cast;
    use datafusion::arrow::datatypes::DataType;
    let mut out = Vec::new();
    for batch in batches {
        if let Ok(names) = cast(batch.column(column), &DataType::Utf8View) {
            out.extend(
                names
                    .as_string_view()
                    .iter()
                    .map(|name| name.unwrap_or_default().to_owned()),
            );
        }
    }
    out
}

/// A verb met something its `flow` should have refused.
pub fn unexpected(verb: &VerbSpec) -> Diag {
    Diag::error(
        &code::INTERNAL,
        format!("`{}` met data it was not checked for", verb.name),
    )
}
