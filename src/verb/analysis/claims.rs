//! What the analyses of paths need of their input: states that are known by their ids.

use crate::diag::{Diag, Span, code};
use crate::lang::flow::{Columns, Flow};
use crate::lang::suggest;
use crate::model::Clock;
use crate::model::schema::{STATES, column};
use crate::plan::{Data, Trace, fault, lower};
use crate::spec::{Type, VerbSpec};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};

/// The columns without which states are no claims.
const NEEDED: [&str; 4] = [column::ID, column::RESOURCE, column::START, column::END];

/// The states of what flows in, refused where they are no claims.
pub fn states_of<'a>(input: &'a Flow, verb: &VerbSpec, span: Span) -> Result<&'a Columns, Diag> {
    let columns = match input {
        Flow::Trace(trace) => trace.relation(STATES),
        other => other.columns(),
    }
    .ok_or_else(|| crate::verb::unexpected(verb))?;
    let missing: Vec<&str> = NEEDED
        .into_iter()
        .filter(|name| !columns.has(name))
        .collect();
    if let Some(first) = missing.first() {
        let diag = Diag::error(
            &code::UNKNOWN_COLUMN,
            format!(
                "`{}` works on states and needs the columns {}",
                verb.name,
                suggest::listed(missing.iter().copied(), 4)
            ),
        )
        .at(span, "here");
        let dropped = columns.dropped.iter().rev().find(|d| d.name == *first);
        return Err(match dropped {
            Some(dropped) => diag.at(
                dropped.span,
                format!("`{}` dropped `{first}`", dropped.verb),
            ),
            None => diag,
        });
    }
    for name in [column::START, column::END] {
        if let Some(found) = columns.find(name)
            && !found.ty.is_time()
        {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                format!("`{name}` is {}, not a time", found.ty.with_article()),
            )
            .at(span, "needed here"));
        }
    }
    if let Some(id) = columns.find(column::ID)
        && !matches!(id.ty, Type::Int | Type::String)
    {
        return Err(Diag::error(
            &code::TYPE_MISMATCH,
            format!(
                "`id` is {}, ids are whole numbers or text",
                id.ty.with_article()
            ),
        )
        .at(span, "needed here"));
    }
    Ok(columns)
}

/// The trace that flows in; a table of states is one without links.
pub fn trace_of(data: Data) -> Result<Trace, Diag> {
    match data {
        Data::Trace(trace) => Ok(trace),
        other => {
            let table = other.table()?;
            let lineage = table.lineage.clone();
            let relations = vec![(STATES.to_owned(), table)];
            Ok(crate::verb::source::opened::trace_of(relations, lineage))
        }
    }
}

/// The columns that an analysis reads, and no others.
pub fn narrow(states: &LogicalPlan) -> Result<LogicalPlan, Diag> {
    let has = |name: &&str| states.schema().has_column_with_unqualified_name(name);
    let row = [column::ROW];
    let list: Vec<_> = NEEDED
        .iter()
        .chain(row.iter())
        .copied()
        .filter(has)
        .map(lower::column)
        .collect();
    LogicalPlanBuilder::from(states.clone())
        .project(list)
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)
}

/// A tolerance in ticks; none is 0.
pub fn tolerance(epsilon: Option<i128>, clock: Clock, span: Span) -> Result<i64, Diag> {
    match epsilon {
        None => Ok(0),
        Some(exact) => {
            not_negative(exact, span)?;
            lower::ticks(exact, clock, span)
        }
    }
}

/// Refuses a tolerance below 0.
pub fn not_negative(epsilon: i128, span: Span) -> Result<(), Diag> {
    if epsilon < 0 {
        return Err(Diag::error(&code::INVALID_VALUE, "`epsilon` is 0 or more").at(span, "below 0"));
    }
    Ok(())
}
