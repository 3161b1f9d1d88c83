//! What a pipeline carries while it runs: bundles of lazy plans. Cheap to copy; nothing here holds rows.

use crate::diag::{Diag, code};
use crate::figure;
use crate::figure::chart::Chart;
use crate::lang::flow::{Columns, Flow, TraceFlow};
use crate::model::Clock;
use crate::model::schema::{self, column};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::{Column, JoinType};
use datafusion::error::Result as EngineResult;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, try_cast};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Where data come from, for everything that depends on the whole loaded trace rather than on the view:
/// the colours of its values and the origin of its time axis.
#[derive(Debug)]
pub struct Lineage {
    /// The states as loaded; None where there never were any.
    pub states: Option<LogicalPlan>,
    /// The values in profile order with their time in ticks, once they were needed.
    pub profile: OnceLock<Vec<(String, i128)>>,
}

impl Lineage {
    /// The lineage of a trace with these states.
    pub fn new(states: Option<LogicalPlan>) -> Arc<Lineage> {
        Arc::new(Lineage {
            states,
            profile: OnceLock::new(),
        })
    }
}

/// One relation as a lazy plan.
#[derive(Clone, Debug)]
pub struct Table {
    /// The plan.
    pub plan: LogicalPlan,
    /// Its columns as the language sees them.
    pub columns: Columns,
    /// Where it comes from.
    pub lineage: Arc<Lineage>,
    /// Facts that have no column: the threshold used, what was left out.
    pub facts: Vec<(String, String)>,
}

impl Table {
    /// The same data after another step.
    pub fn then(&self, plan: LogicalPlan, columns: Columns) -> Table {
        Table {
            plan,
            columns,
            lineage: self.lineage.clone(),
            facts: self.facts.clone(),
        }
    }

    /// How its ticks count.
    pub fn clock(&self) -> Clock {
        self.columns.clock
    }
}

/// A bundle of relations.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Name and plan of each.
    pub relations: Vec<(String, Table)>,
    /// The one that verbs work on.
    pub focus: String,
    /// Whether states were taken away, so that links may have lost an end.
    pub states_filtered: bool,
    /// Whether its dependencies were loaded, so that none means that there are none.
    pub has_dependencies: bool,
    /// Where it comes from.
    pub lineage: Arc<Lineage>,
}

impl Trace {
    /// The flow the checker would give this trace.
    pub fn flow(&self) -> Flow {
        Flow::Trace(TraceFlow {
            relations: self
                .relations
                .iter()
                .map(|(name, table)| (name.clone(), table.columns.clone()))
                .collect(),
            focus: self.focus.clone(),
        })
    }

    /// A relation as it was loaded or transformed, links whole.
    pub fn whole(&self, name: &str) -> Option<&Table> {
        self.relations
            .iter()
            .find(|(relation, _)| relation == name)
            .map(|(_, table)| table)
    }

    /// A relation as the view shows it: links that lost an end with a filtered state are left out.
    pub fn relation(&self, name: &str) -> EngineResult<Option<Table>> {
        let Some(table) = self.whole(name) else {
            return Ok(None);
        };
        if name != schema::LINKS || !self.states_filtered {
            return Ok(Some(table.clone()));
        }
        let Some(states) = self.whole(schema::STATES) else {
            return Ok(Some(table.clone()));
        };
        let mut plan = table.plan.clone();
        for end in [column::SOURCE, column::TARGET] {
            plan = keep_links(plan, end, &states.plan)?;
        }
        Ok(Some(table.then(plan, table.columns.clone())))
    }

    /// The relation in focus.
    pub fn focused(&self) -> EngineResult<Option<Table>> {
        self.relation(&self.focus)
    }

    /// The same trace with another table in focus.
    pub fn with_focused(&self, table: Table) -> Trace {
        let mut out = self.clone();
        for (name, slot) in &mut out.relations {
            if *name == self.focus {
                *slot = table.clone();
            }
        }
        out
    }
}

/// Links whose `end` is null or among the states.
fn keep_links(links: LogicalPlan, end: &str, states: &LogicalPlan) -> EngineResult<LogicalPlan> {
    let field = |name: &str| Expr::Column(Column::new_unqualified(name));
    let wanted = links
        .schema()
        .field_with_unqualified_name(end)?
        .data_type()
        .clone();
    let Ok(given) = states.schema().field_with_unqualified_name(column::ID) else {
        // Without ids nothing says which links the states left behind.
        return Ok(links);
    };
    // An id that a stage replaced by something else is no end of any link.
    let id = if *given.data_type() == wanted {
        field(column::ID)
    } else {
        try_cast(field(column::ID), wanted)
    };
    let ids = LogicalPlanBuilder::from(states.clone())
        .project([id.alias("state_id")])?
        .alias("view")?
        .build()?;
    let names: Vec<Expr> = links
        .schema()
        .columns()
        .into_iter()
        .map(|column| {
            let name = column.name().to_owned();
            Expr::Column(column).alias(name)
        })
        .collect();
    let links = LogicalPlanBuilder::from(links).project(names)?.build()?;
    let free = LogicalPlanBuilder::from(links.clone())
        .filter(field(end).is_null())?
        .build()?;
    let held = LogicalPlanBuilder::from(links)
        .filter(field(end).is_not_null())?
        .join(
            ids,
            JoinType::LeftSemi,
            (
                vec![Column::new_unqualified(end)],
                vec![Column::new(Some("view"), "state_id")],
            ),
            None,
        )?
        .build()?;
    LogicalPlanBuilder::from(held).union(free)?.build()
}

/// The rows that a figure is drawn from, by the names that its verb gave its tables.
#[derive(Debug)]
pub struct Inputs {
    /// How ticks count.
    pub clock: Clock,
    /// Name and rows of each table.
    pub tables: Vec<(&'static str, Vec<RecordBatch>)>,
}

impl Inputs {
    /// The rows of a table; none where the figure has no such table.
    pub fn rows(&self, name: &str) -> &[RecordBatch] {
        self.tables
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(&[], |(_, rows)| rows)
    }

    /// Whether the figure has such a table.
    pub fn has(&self, name: &str) -> bool {
        self.tables.iter().any(|(known, _)| *known == name)
    }
}

/// Makes a chart of rows.
pub trait Draw: Send + Sync {
    /// The chart with its data, with warnings as diagnostics. `domain` is the colour domain.
    fn chart(
        &self,
        inputs: &Inputs,
        domain: &[String],
    ) -> Result<(Box<dyn Chart>, Vec<Diag>), Diag>;
}

/// What a figure is.
#[derive(Clone)]
pub enum Plot {
    /// One chart: the tables that it is drawn from, and how.
    Chart(Vec<(&'static str, Table)>, Arc<dyn Draw>),
    /// Several figures on one page.
    Panel(Vec<Figure>, figure::panel::Options, PanelSides),
}

/// The sides of a page that were asked for; the others follow from the figures on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PanelSides {
    /// Width.
    pub width: Option<figure::Length>,
    /// Height.
    pub height: Option<figure::Length>,
}

/// A figure not yet drawn. The scene is made at most once.
#[derive(Clone)]
pub struct Figure {
    /// What it shows.
    pub table: Table,
    /// How.
    pub plot: Plot,
    /// The scene, once it was needed.
    pub scene: Arc<OnceLock<figure::Scene>>,
}

impl Figure {
    /// A figure of one chart.
    pub fn of(
        table: Table,
        inputs: Vec<(&'static str, Table)>,
        draw: impl Draw + 'static,
    ) -> Figure {
        Figure {
            table,
            plot: Plot::Chart(inputs, Arc::new(draw)),
            scene: Arc::default(),
        }
    }
}

impl fmt::Debug for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Figure").finish_non_exhaustive()
    }
}

/// What flows while a pipeline runs.
#[derive(Clone, Debug)]
pub enum Data {
    /// A bundle of relations.
    Trace(Trace),
    /// One relation.
    Table(Table),
    /// A picture.
    Figure(Figure),
    /// Nothing: the result of an outcome verb at the head of a pipeline.
    Nothing,
}

impl Data {
    /// The table that column verbs work on.
    pub fn table(&self) -> Result<Table, Diag> {
        match self {
            Data::Table(table) => Ok(table.clone()),
            Data::Trace(trace) => trace
                .focused()
                .map_err(super::fault::diag)?
                .ok_or_else(|| missing("the relation in focus")),
            Data::Figure(figure) => Ok(figure.table.clone()),
            Data::Nothing => Err(missing("data")),
        }
    }

    /// The same kind of data with another table.
    pub fn with_table(&self, table: Table) -> Data {
        match self {
            Data::Trace(trace) => {
                let mut out = trace.with_focused(table);
                out.states_filtered |= out.focus == schema::STATES;
                Data::Trace(out)
            }
            _ => Data::Table(table),
        }
    }
}

fn missing(what: &str) -> Diag {
    Diag::error(&code::INTERNAL, format!("{what} is missing"))
}
